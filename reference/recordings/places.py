"""A recording in which each node stands for its place in the model: the master, or a slave.

Under a controller a slave may become the master, and the old master returns as a slave. In the
model the two exchange their places then (``elect_slave``). Here the names, ids and links of all
later events are exchanged as well, so that who explains them need not know of it. A link is that of
its slave's place, and the connections of all links of one place are numbered one after another.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping
from typing import Any, cast

from attrs import define, evolve, field

from reference.recordings.groups import LINK_PREFIX, SLAVE
from reference.recordings.reading import Event, Recording

EXCHANGE = "is_exchange"
"""The field of a ``to_master`` that has the place of its broker until then: that of a slave."""

IDS = ("sync_state_set", "local_sync_state_set", "set", "sync_state_set_after")
"""Fields that are lists of ids of brokers."""


@define
class Places:
    """Who is at which place, in the course of a recording."""

    place_of: dict[str, str]
    """By node: the name of its place, which is that of the node that was there first."""
    ids: Mapping[str, Any]
    """By node: its ``broker_id``."""
    link_of: dict[str, tuple[str, int]] = field(factory=dict)
    """By link: that of its place, and how many connections that had before."""
    last_of: dict[str, int] = field(factory=dict)
    """By link of a place: the number of its latest connection."""

    def exchange(self, node: str, master: str) -> None:
        """A node takes the master's place, and the one that was there its own."""
        before = next(name for name, place in self.place_of.items() if place == master)
        self.place_of[before], self.place_of[node] = self.place_of[node], master

    def rename(self, event: Event) -> Event:
        """An event in which places stand for nodes."""
        data, new = event.data, dict[str, Any]()
        if data.get("node") in self.place_of:
            new["node"] = self.place_of[data["node"]]
        if "link" in data:
            link, count = self.find_link(event)
            new["link"] = link
            if "conn" in data:
                new["conn"] = data["conn"] + count
                self.last_of[link] = max(new["conn"], self.last_of.get(link, 0))
        ids = {self.ids[node]: self.ids[place] for node, place in self.place_of.items()}
        for name in IDS:
            if name in data:
                new[name] = sorted(ids.get(each, each) for each in data[name])
        if "slave_id" in data:
            new["slave_id"] = ids.get(data["slave_id"], data["slave_id"])
        if "connections" in data:
            new["connections"] = [rename_connection(each, ids) for each in data["connections"]]
        return replace(event, new)

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

    Only a group with one master has places to exchange.
    """
    nodes: Mapping[str, Any] = recording.config["nodes"]
    masters = [name for name, node in nodes.items() if node["role"] != SLAVE]
    elections = [event for event in recording.events if event.kind == "to_master"]
    if len(masters) != 1 or all(event["node"] == masters[0] for event in elections):
        return recording
    order = sorted(nodes, key=lambda name: name != masters[0])
    ids = {name: nodes[name].get("broker_id", name) for name in order}
    places = Places({name: name for name in order}, ids)
    return evolve(recording, events=tuple(rename_all(recording, places, masters[0])))


def rename_all(recording: Recording, places: Places, master: str) -> Iterator[Event]:
    """The events by places, with a mark on those at which two nodes exchange theirs."""
    for event in recording.events:
        node = event.data.get("node")
        place = places.place_of.get(str(node), master)
        is_exchange = event.kind == "to_master" and place != master
        if is_exchange:
            places.exchange(str(node), master)
        renamed = places.rename(event)
        yield replace(renamed, {EXCHANGE: place}) if is_exchange else renamed


def rename_connection(shown: Any, ids: Mapping[Any, Any]) -> Any:
    """A connection that a master shows, by the place of its slave."""
    if not isinstance(shown, dict) or "slave_id" not in shown:
        return shown
    return ChainMap({"slave_id": ids.get(shown["slave_id"], shown["slave_id"])}, shown)


def replace(event: Event, fields: dict[str, Any]) -> Event:
    """An event with other fields in front of its own, which nobody has looked at thereby."""
    return evolve(event, data=ChainMap(fields, cast("dict[str, Any]", event.data)))
