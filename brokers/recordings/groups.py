"""A recording may show several masters; each of them with its slaves is a group of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve

from brokers.recordings.kinds import BROKER_KINDS, IGNORED_KINDS, START_KINDS
from brokers.recordings.reading import Event, Recording
from reference.roles import Role
from reference.worlds.replication.parameters import SLAVES_MAX

SLAVE = Role.SLAVE.name

LINK_PREFIX = "link_"
"""A link is named after its slave, for example ``link_slave1``."""


class OutsideTheModel(Exception):  # noqa: N818
    """A recording of a shape that no structure of the model has."""


def split_groups(recording: Recording) -> tuple[Recording, ...]:
    """The same recording once for each master: its configuration, and the events about its group.

    Raises:
        OutsideTheModel: no master, more slaves than a structure may have, or a node that starts in
            another role than it is configured for.
    """
    nodes: Mapping[str, Any] = recording.config["nodes"]
    masters = [name for name, node in nodes.items() if node["role"] != SLAVE]
    slaves = [name for name, node in nodes.items() if node["role"] == SLAVE]
    if not masters or len(slaves) > SLAVES_MAX:
        raise OutsideTheModel(
            f"the model covers masters with 0 to {SLAVES_MAX} slaves, "
            f"not {len(masters)} with {len(slaves)}"
        )
    for event in recording.events:
        if event.kind in START_KINDS and changes_part(event, nodes):
            raise OutsideTheModel(
                f"{event['node']} starts as {event['role']} at seq {event.seq}, and is configured "
                f"as {nodes[event['node']]['role']}"
            )
    owner = find_owner(recording, masters)
    return tuple(
        _restrict(recording, (name, *(slaves if name == owner else ())), is_first=name == owner)
        for name in masters
    )


def changes_part(event: Event, nodes: Mapping[str, Any]) -> bool:
    """A node starts as a slave that is configured as a master, or the other way round."""
    node = nodes.get(event["node"])
    return node is not None and (node["role"] == SLAVE) != (event["role"] == SLAVE)


def find_owner(recording: Recording, masters: Sequence[str]) -> str:
    """The master to which the slaves connect: the first one that is seen to count a connection."""
    if len(masters) == 1:
        return masters[0]
    for event in recording.events:
        count = 0
        if event.kind in BROKER_KINDS:
            count = event.data.get("connection_count", 0)
        if event.kind == "put":
            count = event.data.get("connection_count_after", 0)
        if count and event["node"] in masters:
            return str(event["node"])
    return masters[0]


def _restrict(recording: Recording, names: tuple[str, ...], *, is_first: bool) -> Recording:
    """The part of a recording that is about these brokers; the first part also has the rest."""
    nodes = {name: recording.config["nodes"][name] for name in names}
    every = recording.config["nodes"]
    kept = tuple(
        event for event in recording.events if _is_about(event, names, every, is_first=is_first)
    )
    config = evolve(recording.config, data={**recording.config.data, "nodes": nodes})
    return evolve(recording, config=config, events=kept, whole=recording.events)


def _is_about(
    event: Event, names: tuple[str, ...], every: Mapping[str, Any], *, is_first: bool
) -> bool:
    if event.kind in IGNORED_KINDS:
        return is_first
    node = event.data.get("node")
    if node is None and "link" in event.data:
        node = event["link"].removeprefix(LINK_PREFIX)
    return node in names or (is_first and node not in every)
