"""A recording in which each node stands for its place in the model: the master, or a slave.

A slave may become the master, and the old master returns as a slave: a controller elects it, or an
administrator gives stopped brokers other roles and starts them. In the model the two exchange their
places then (``elect_slave``, ``exchange``). Here the names, ids, addresses and links of all later
events are exchanged as well, so that who explains them need not know of it. A link is that of its
slave's place, and the connections of all links of one place are numbered one after another.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping
from typing import Any, cast

from attrs import define, evolve, field

from brokers.recordings.groups import LINK_PREFIX, SLAVE, OutsideTheModel
from brokers.recordings.kinds import START_KINDS, STOP_KINDS, TOLD_KINDS
from brokers.recordings.reading import Event, Recording

EXCHANGE = "is_exchange"
"""The field of an event at which two nodes exchange their places: that of the slave of them."""

ADDRESSES = ("slave_synchronize_master_addr", "ha_master_address")
"""Fields that are a broker's address, or where slaves connect to it, by its name."""

NOBODY = "nobody"
"""The broker that a slave without any other one would have for its master."""

IDS = ("sync_state_set", "local_sync_state_set", "set", "sync_state_set_after")
"""Fields that are lists of ids of brokers."""


@define
class NodePlaces:
    """Who is at which place, in the course of a recording."""

    place_of: dict[str, str]
    """By node: the name of its place, which is that of the node that was there first."""
    ids: Mapping[str, Any]
    """By node: its ``broker_id``."""
    link_of: dict[str, tuple[str, int]] = field(factory=dict)
    """By link: that of its place, and how many connections that had before."""
    last_of: dict[str, int] = field(factory=dict)
    """By link of a place: the number of its latest connection."""

    def exchange(self, slave: str, master: str) -> str:
        """A slave takes the master's place, and who was there the slave's, which is returned."""
        before = next(name for name, place in self.place_of.items() if place == master)
        place = self.place_of[slave]
        self.place_of[before], self.place_of[slave] = place, master
        return place

    def rename(self, event: Event) -> Event:
        """An event in which places stand for nodes."""
        data, new = event.data, dict[str, Any]()
        if data.get("node") in self.place_of:
            new["node"] = self.place_of[data["node"]]
        if "link" in data:
            link, count = self.find_link(event)
            new["link"] = link
            if isinstance(data.get("conn"), int):
                new["conn"] = data["conn"] + count
                self.last_of[link] = max(new["conn"], self.last_of.get(link, 0))
        for name in ADDRESSES:
            if name in data:
                new[name] = self.rename_address(data[name])
        ids = {self.ids[node]: self.ids[place] for node, place in self.place_of.items()}
        for name in IDS:
            if name in data:
                new[name] = sorted(ids.get(each, each) for each in data[name])
        if "slave_id" in data:
            new["slave_id"] = ids.get(data["slave_id"], data["slave_id"])
        if "connections" in data:
            new["connections"] = [rename_connection(each, ids) for each in data["connections"]]
        return replace(event, new)

    def rename_address(self, address: Any) -> Any:
        """An address as a recording writes it, for example ``<master>`` or ``<slave1_ha>``."""
        for node, place in self.place_of.items():
            for ending in (">", "_ha>"):
                if address == f"<{node}{ending}":
                    return f"<{place}{ending}"
        return address

    def find_link(self, event: Event) -> tuple[str, int]:
        """The link of a place that an event is about, and how many connections it had before.

        What comes late of a link whose slave is the master by now belongs to the place that it had.
        Where a broker is a slave again, others may have connected from its place meanwhile
        (`v533_controller_x` seq 393).
        """
        name = str(event["link"])
        place = self.place_of.get(name.removeprefix(LINK_PREFIX), "")
        link = LINK_PREFIX + place
        known = self.link_of.get(name, (link, 0))
        if event.kind == "ha_link_open" and place in self.list_slaves():
            last = self.last_of.get(link, 0)
            if known[0] != link or event["conn"] + known[1] <= last:
                known = (link, last + 1 - event["conn"])
        self.link_of[name] = known
        return known

    def list_slaves(self) -> tuple[str, ...]:
        """The places of slaves: all but the first, which is the master's."""
        return tuple(self.ids)[1:]


def take_places(recording: Recording) -> Recording:
    """The same recording by places; unchanged where every node keeps its own.

    Only a group with one master has places to exchange. Raises OutsideTheModel where a broker
    changes its role while another one runs.
    """
    begun = begin_with_first_roles(recording)
    nodes: Mapping[str, Any] = begun.config["nodes"]
    masters = [name for name, node in nodes.items() if node["role"] != SLAVE]
    if len(masters) != 1:
        return recording
    order = sorted(nodes, key=lambda name: name != masters[0])
    ids = {name: nodes[name].get("broker_id", name) for name in order}
    places = NodePlaces({name: name for name in order}, ids)
    renamed = tuple(rename_all(begun, places, masters[0]))
    has_exchange = any(EXCHANGE in event.data for event in renamed)
    return evolve(begun, events=renamed) if has_exchange else recording


def begin_with_first_roles(recording: Recording) -> Recording:
    """The same recording, with the roles of first starts where the configured ones come later."""
    changed = dict(recording.config["nodes"])
    for name, node in changed.items():
        roles = [
            event["role"]
            for event in recording.events
            if event.kind in START_KINDS and event["node"] == name and "role" in event.data
        ]
        if node["role"] in roles[1:]:
            changed[name] = {**node, "role": roles[0]}
    config = evolve(
        recording.config, data={**recording.config.data, "nodes": add_partner(recording, changed)}
    )
    return evolve(recording, config=config)


def add_partner(recording: Recording, nodes: Mapping[str, Any]) -> Mapping[str, Any]:
    """The brokers, and a slave that never runs where a lone master comes back as one.

    It takes the place of the master then, and may start in it later.
    """
    if len(nodes) != 1:
        return nodes
    ((name, node),) = nodes.items()
    starts = [event for event in recording.events if event.kind in START_KINDS]
    if node["role"] == SLAVE or not any(
        event["node"] == name and event.data.get("role") == SLAVE for event in starts
    ):
        return nodes
    others = (str(event["node"]) for event in starts if event["node"] != name)
    return {name: node, next(others, NOBODY): {**node, "role": SLAVE}}


def rename_all(recording: Recording, places: NodePlaces, master: str) -> Iterator[Event]:
    """The events by places, with a mark on those at which two nodes exchange theirs."""
    has_controller = any(event.kind in TOLD_KINDS for event in recording.events)
    running: set[str] = set()
    for event in recording.events:
        slave = ""
        if event.kind == "to_master" or (event.kind in START_KINDS and not has_controller):
            slave = find_partner(recording, event, places, master)
        if slave and not has_controller and running:
            raise OutsideTheModel(
                f"{event['node']} changes its role at seq {event.seq} while {min(running)} runs"
            )
        place = places.exchange(slave, master) if slave else ""
        renamed = places.rename(event)
        yield replace(renamed, {EXCHANGE: place}) if slave else renamed
        if event.kind in START_KINDS:
            running.add(event["node"])
        elif event.kind in STOP_KINDS:
            running.discard(event["node"])


def find_partner(recording: Recording, event: Event, places: NodePlaces, master: str) -> str:
    """The slave that takes the master's place at an event; empty for none.

    Where the master itself starts as a slave, it is the one that starts as a master next.
    """
    node = event["node"]
    is_slave, place = event.data.get("role") == SLAVE, places.place_of.get(node, master)
    if is_slave == (place != master):
        return ""
    if not is_slave:
        return str(node)
    slaves = [name for name, each in places.place_of.items() if each != master]
    if not slaves:
        raise OutsideTheModel(f"{node} starts as a slave at seq {event.seq}, and has no master")
    later = (each for each in recording.events if each.seq > event.seq)
    starts = (each for each in later if each.kind in START_KINDS and each["node"] in slaves)
    return next((str(e["node"]) for e in starts if e.data.get("role") != SLAVE), slaves[0])


def rename_connection(shown: Any, ids: Mapping[Any, Any]) -> Any:
    """A connection that a master shows, by the place of its slave."""
    if not isinstance(shown, dict) or "slave_id" not in shown:
        return shown
    return ChainMap({"slave_id": ids.get(shown["slave_id"], shown["slave_id"])}, shown)


def replace(event: Event, fields: dict[str, Any]) -> Event:
    """An event with other fields in front of its own, which nobody has looked at thereby."""
    return evolve(event, data=ChainMap(fields, cast("dict[str, Any]", event.data)))
