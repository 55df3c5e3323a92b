"""What should have come over a link by now, and has not."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from brokers.recordings.ahead.order import SEND_WAIT_MS, Observation
from brokers.recordings.clock import SLACK_MS, TIMER_RANGES
from brokers.recordings.hidden.node import Goal, Node, Requirements
from brokers.recordings.log.asking import Asking
from brokers.recordings.log.limits.slaves import list_owed
from brokers.recordings.log.notes import LinkNotes

ROOM_BYTES = 4096
"""So much is taken from a master whose slave reads nothing: HAConnection (constructor) asks for a
send buffer of 64 KiB, and what the kernel keeps beside small pieces is in that."""

LOOKED_MS = SEND_WAIT_MS + SLACK_MS
"""By when a write service has looked whether there is anything to send."""


def ask_about_silence(
    asking: Asking, observation: Observation, asked: Requirements
) -> Requirements:
    """What an observation asks, and that nobody has been silent for too long by then.

    Of masters that is asked first: the observation may be what comes too late.
    """

    def list_masters(node: Node) -> tuple[Goal, ...]:
        return tuple(g for s in slaves for g in list_unsent(asking, node, s, observation))

    def list_keepers(node: Node) -> tuple[Goal, ...]:
        return tuple(g for s in slaves for g in list_kept(asking, node, s, observation))

    def list_slaves(node: Node) -> tuple[Goal, ...]:
        return tuple(g for s in slaves for g in list_owed(asking, node, s, observation.t_ms))

    slaves = range(len(asking.plan.slaves))
    if asking.sending.is_judged:
        asked = evolve(asked, stages=(list_masters, *asked.stages))
    asked = evolve(asked, stages=(list_keepers, *asked.stages))
    return evolve(asked, stages=(*asked.stages, list_slaves))


def list_unsent(asking: Asking, node: Node, slave: int, observation: Observation) -> Iterator[Goal]:
    """A master sends what it has, and beats where it has nothing: WriteSocketService#run, R-HA-12.

    Nothing is asked where its proxy holds frames back, where much has come that the slave
    has not reported, for the socket may be full then, and where the master stops.
    """
    wire, seen = node.notes.wires[slave], node.notes.seen.wires[slave]
    request = asking.sending.find_request(slave, wire.connection)
    if request is None or not is_free(asking, node, slave):
        return
    now_ms = observation.earliest_ms
    since_ms = max(request[0], seen.healed_ms)
    position = find_position(asking, node, slave, request[1])
    if max(0, asking.sending.deleted_below) <= position:
        frames = asking.guide.list_frames(wire, slave)[: wire.forwarded]
        longer_ms = asking.sending.ends[node.notes.process].find_longer_ms(position)
        waited_ms = now_ms - max(since_ms, longer_ms, *(frame.t_ms for frame in frames[-1:]))
        if waited_ms > LOOKED_MS:
            text = f"the master has had bytes from {position} to send for {waited_ms:.0f} ms"
            yield Goal(text, lambda _: False)
    timers = node.notes.seen.timers or asking.plan.timers
    silent_ms = now_ms - max(since_ms, seen.last_frame_ms or 0.0)
    is_shown = asking.sending.are_heartbeats_shown
    if is_shown and silent_ms > timers.master_heartbeat_interval_ms + LOOKED_MS:
        text = f"the master has sent no frame, and no heartbeat, for {silent_ms:.0f} ms"
        yield Goal(text, lambda _: False)


def list_kept(asking: Asking, node: Node, slave: int, observation: Observation) -> Iterator[Goal]:
    """A master closes a connection on which nothing comes: HAConnection.ReadSocketService#run.

    Only reports count, not what it sends (R-HA-08). Nothing is asked where its proxy holds frames
    back, and perhaps the end with them, and of slaves that are played: they may send part of one.
    """
    seen = node.notes.seen.wires[slave]
    if slave in asking.plan.scripted or not is_open(asking, node, slave):
        return
    limit = TIMER_RANGES["master_housekeeping"](node.notes.seen.timers or asking.plan.timers)
    silent_ms = observation.earliest_ms - seen.last_report_ms
    is_passed = observation.earliest_ms - seen.healed_ms > SLACK_MS
    if silent_ms > limit.high_ms and is_passed:
        text = f"the master has read nothing for {silent_ms:.0f} ms, and has not closed"
        yield Goal(text, lambda _: False)


def find_position(asking: Asking, node: Node, slave: int, request: int) -> int:
    """Where the frame begins that is to be forwarded next; below 0 where that is open.

    The first one begins where the slave has asked for it, unless that is 0 (R-HA-11). Which of
    several reports at once was the first for the master, of one that is played, the state tells.
    """
    wire: LinkNotes = node.notes.wires[slave]
    frames = asking.guide.list_frames(wire, slave)
    if wire.forwarded:
        return frames[wire.forwarded - 1].end_offset
    is_known = request > 0 and slave not in asking.plan.scripted
    if is_known or wire.sent:
        return request or -1
    return asking.guide.get(node, f"links.{slave}.next_transfer_offset")


def is_open(asking: Asking, node: Node, slave: int) -> bool:
    """A connection has two ends that run, and its proxy lets pass what the master does."""
    wire, seen, guide = node.notes.wires[slave], node.notes.seen, asking.guide
    link = seen.wires[slave]
    has_ends = wire.is_recorded and link.is_open and wire.ended is None
    if not has_ends or link.are_frames_stalled or seen.master.stop_begin_ms is not None:
        return False
    is_stopping = guide.get(node, "master.is_stopping")
    has_unknown_stop = asking.sending.ends[node.notes.process].has_unknown_stop
    return not (is_stopping or has_unknown_stop or not guide.get(node, "master.is_up"))


def is_free(asking: Asking, node: Node, slave: int) -> bool:
    """Nothing that is shown holds back what the master sends to a slave."""
    if not is_open(asking, node, slave):
        return False
    wire, last_report = node.notes.wires[slave], node.notes.seen.wires[slave].last_report or 0
    come = asking.guide.list_frames(wire, slave)[: wire.forwarded][-1:]
    return all(frame.end_offset - last_report <= ROOM_BYTES for frame in come)
