"""What a recording as a whole tells before its events are explained one by one.

A checker may look ahead: a put is written down at its end only, but its bytes were in the log long
before; a frame that was stalled was sent earlier; whether a kill was a power loss shows in the
store afterwards. All of that is gathered here and never changes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import frozen

from reference.configuration_keys import KEYS
from reference.roles import FlushDiskType, Role
from reference.structure import FaultCounts, Parameters, Structure
from reference.trace.clock import Timers
from reference.trace.reading import Event, Recording

MOST_SLAVES = 2
"""As many slaves as a structure may have."""

LINK_PREFIX = "link_"
"""A link is named after its slave, for example ``link_slave1``."""

MASTER = -1
"""Stands for the master where slaves are told by their number."""

SLAVE_SIGHTING_KINDS = ("node_started", "snapshot", "node_stop_clean")
"""Events whose ``max_offset`` is that of a whole broker (of a get_message it is a queue's)."""

NOT_LIMITED = 1_000_000
"""A recording may hold any number of faults: what happened has happened."""


class OutsideTheModel(Exception):  # noqa: N818
    """A recording of a shape that no structure of the model has."""


@frozen
class Put:
    """One put that was appended: the followed message of the same number."""

    number: int
    """Index of its message."""
    seq: int
    """Its event."""
    begin_ms: float
    """When the producer called."""
    duration_ms: float
    """How long the call took."""
    start_offset: int
    """``wrote_offset``."""
    size_bytes: int
    """``wrote_bytes``."""
    waits_for_store: bool
    """``wait_store_ok``."""
    status: str
    """``put_status``: its answer."""

    @property
    def end_offset(self) -> int:
        """One past its last byte."""
        return self.start_offset + self.size_bytes


@frozen
class Frame:
    """One frame with a body, as the proxy of a link saw it."""

    start_offset: int
    """``master_offset``."""
    size_bytes: int
    """``body_bytes``."""

    @property
    def end_offset(self) -> int:
        """Where the next frame starts."""
        return self.start_offset + self.size_bytes


@frozen
class Sighting:
    """A value that some event will show: looked at only where something else is lost for good."""

    t_ms: float
    value: int


@frozen
class Plan:
    """Everything that is known of a recording in advance."""

    recording: Recording
    structure: Structure
    """One followed message per appended put, one life per power loss and one more."""
    parameters: Parameters
    """As configured; faults without limit."""
    timers: Timers
    """As configured."""
    master: str
    """The master's name."""
    slaves: tuple[str, ...]
    """The slaves' names; their numbers are their indexes."""
    puts: tuple[Put, ...]
    """In the order in which they were appended."""
    put_by_seq: Mapping[int, Put]
    """The same by event."""
    frames: Mapping[tuple[int, int], tuple[Frame, ...]]
    """By (slave, connection): the frames with a body, in the order in which they were sent."""
    closings: Mapping[tuple[int, int], float]
    """By (slave, connection): when its end was first seen."""
    push2_sightings: tuple[Sighting, ...]
    """Every ``push2SlaveMaxOffset`` that an event shows."""
    slave_sightings: tuple[tuple[Sighting, ...], ...]
    """Every max offset of a slave that an event shows."""
    surgeries: Mapping[int, Event]
    """By the ``seq`` of a kill: the surgery on the store before the broker's next start."""

    def find_node(self, event: Event) -> int:
        """The number of the slave that an event is about, or MASTER."""
        name = event["node"]
        if name == self.master:
            return MASTER
        if name not in self.slaves:
            raise OutsideTheModel(f"the configuration has no node {name!r}")
        return self.slaves.index(name)

    def find_slave_of_link(self, event: Event) -> int:
        """The number of the slave at the end of an event's link."""
        name = event["link"].removeprefix(LINK_PREFIX)
        if name not in self.slaves:
            raise OutsideTheModel(f"the configuration has no slave for {event['link']!r}")
        return self.slaves.index(name)


def make_plan(recording: Recording) -> Plan:
    """Everything that is known of a recording in advance.

    Raises:
        OutsideTheModel: a group that the model has no structure for.
    """
    nodes: Mapping[str, Any] = recording.config["nodes"]
    master, slaves = _find_brokers(nodes)
    events = recording.events
    puts = tuple(_order_puts(events, master))
    surgeries = dict(_match_surgeries(events))
    structure = _make_structure(nodes[master], len(slaves), len(puts), 1 + len(surgeries))
    return Plan(
        recording=recording,
        structure=structure,
        parameters=_make_parameters(nodes[master]["store_config"]),
        timers=_make_timers(nodes[master], [nodes[name] for name in slaves]),
        master=master,
        slaves=slaves,
        puts=puts,
        put_by_seq={put.seq: put for put in puts},
        frames=_gather_frames(events, slaves),
        closings=_gather_closings(events, slaves),
        push2_sightings=tuple(_see_push2(events, master)),
        slave_sightings=tuple(tuple(_see_slave(events, name)) for name in slaves),
        surgeries=surgeries,
    )


def _find_brokers(nodes: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
    masters = [name for name, node in nodes.items() if node["role"] != Role.SLAVE.name]
    slaves = tuple(name for name, node in nodes.items() if node["role"] == Role.SLAVE.name)
    if len(masters) != 1 or len(slaves) > MOST_SLAVES:
        raise OutsideTheModel(
            f"the model covers one master with 0 to {MOST_SLAVES} slaves, "
            f"not {len(masters)} with {len(slaves)}"
        )
    return masters[0], slaves


def _make_structure(node: Mapping[str, Any], slaves: int, messages: int, lives: int) -> Structure:
    return Structure(
        role=Role[node["role"]],
        flush_disk_type=FlushDiskType[node["flush_type"]],
        slaves=slaves,
        messages=messages,
        lives=lives,
    )


def _make_parameters(store_config: Mapping[str, Any]) -> Parameters:
    return Parameters(
        ha_slave_fallbehind_max_bytes=_read_number(store_config, "haSlaveFallbehindMax"),
        ha_transfer_batch_size_bytes=_read_number(store_config, "haTransferBatchSize"),
        mapped_file_size_bytes=_read_number(store_config, "mapedFileSizeCommitLog"),
        message_size_max_bytes=_read_number(store_config, "maxMessageSize"),
        limits=FaultCounts(*[NOT_LIMITED] * 5),
    )


def _make_timers(master: Mapping[str, Any], slaves: Iterable[Mapping[str, Any]]) -> Timers:
    heartbeat = "haSendHeartbeatInterval"
    intervals = [_read_number(slave["store_config"], heartbeat) for slave in slaves]
    return Timers(
        ha_send_heartbeat_interval_ms=min(intervals, default=0),
        sync_flush_timeout_ms=_read_number(master["store_config"], "syncFlushTimeout"),
    )


def _read_number(store_config: Mapping[str, Any], key: str) -> int:
    value = store_config.get(key, KEYS[key].default)
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise OutsideTheModel(f"{key} is {value!r}, not a positive number")
    return value


def _order_puts(events: Iterable[Event], master: str) -> Iterator[Put]:
    """Appended puts by life of the master's process, then by the place that they got in its log."""
    found: list[tuple[int, int, Event]] = []
    deaths = 0
    for event in events:
        if event.data.get("node") != master:
            continue
        if event.kind in ("node_kill9", "process_exit"):
            deaths += 1
        if event.kind == "put" and event.data.get("append_status") == "PUT_OK":
            found.append((deaths, event["wrote_offset"], event))
    found.sort(key=lambda item: item[:2])
    for number, (_, _, event) in enumerate(found):
        yield Put(
            number,
            event.seq,
            float(event["t_begin_ms"]),
            float(event["duration_ms"]),
            event["wrote_offset"],
            event["wrote_bytes"],
            event["wait_store_ok"],
            event["put_status"],
        )


def _gather_frames(
    events: Iterable[Event], slaves: tuple[str, ...]
) -> Mapping[tuple[int, int], tuple[Frame, ...]]:
    found: dict[tuple[int, int], list[Frame]] = defaultdict(list)
    for event in events:
        if event.kind == "ha_frame" and event["body_bytes"]:
            key = _find_connection(event, slaves)
            found[key].append(Frame(event["master_offset"], event["body_bytes"]))
    return {key: tuple(frames) for key, frames in found.items()}


def _gather_closings(
    events: Iterable[Event], slaves: tuple[str, ...]
) -> Mapping[tuple[int, int], float]:
    found: dict[tuple[int, int], float] = {}
    for event in events:
        if event.kind == "ha_link_close":
            found.setdefault(_find_connection(event, slaves), event.t_ms)
    return found


def _find_connection(event: Event, slaves: tuple[str, ...]) -> tuple[int, int]:
    name = event["link"].removeprefix(LINK_PREFIX)
    return (slaves.index(name) if name in slaves else MASTER, event["conn"])


def _see_push2(events: Iterable[Event], master: str) -> Iterator[Sighting]:
    found: list[Sighting] = []
    for event in events:
        if event.kind == "put" and event["node"] == master:
            found.append(Sighting(float(event["t_begin_ms"]), event["push2_slave_before"]))
            found.append(Sighting(event.t_ms, event["push2_slave_after"]))
        if event.kind in ("snapshot", "node_started") and event["node"] == master:
            found.append(Sighting(event.t_ms, event["push2_slave_max_offset"]))
    found.sort(key=lambda sighting: sighting.t_ms)
    yield from found


def _see_slave(events: Iterable[Event], name: str) -> Iterator[Sighting]:
    for event in events:
        if event.kind == "ha_report" and event["link"] == LINK_PREFIX + name:
            yield Sighting(event.t_ms, event["slave_offset"])
        is_shown = event.kind in SLAVE_SIGHTING_KINDS and "max_offset" in event.data
        if is_shown and event["node"] == name:
            yield Sighting(event.t_ms, event["max_offset"])


def _match_surgeries(events: Iterable[Event]) -> Iterator[tuple[int, Event]]:
    """The latest kill of a node, when a surgery follows before the node starts again."""
    kills: dict[str, int] = {}
    for event in events:
        if event.kind in ("node_kill9", "process_exit"):
            kills[event["node"]] = event.seq
        if event.kind == "node_started":
            kills.pop(event["node"], None)
        if event.kind == "store_surgery" and event["node"] in kills:
            yield kills.pop(event["node"]), event
