"""Bytes that arrive after the end of the connection on which they were sent.

A connection of the model takes with it what is in flight. A real one ends at each side by itself:
what a master had handed to TCP before its end may still be forwarded, after a stall even much
later, and the slave takes it and reports it to nobody. Such a step is fired on the connection as
it was, with the master's log as it was then; it changes the slave's log only.
"""

from __future__ import annotations

from attrs import evolve

from reference.language.rule import replace_at
from reference.recordings.links_ahead import Frame
from reference.recordings.reports import get_link
from reference.recordings.state import Blocked, Explanation, check, fire
from reference.worlds.replication.replication import is_frame_taken
from reference.worlds.replication.state import Cluster


def keep_what_is_in_flight(explanation: Explanation, slave: int) -> Explanation:
    """A connection is about to end: what was sent on it may still come."""
    return explanation.change_wire(
        slave,
        late_link=get_link(explanation, slave),
        late_log=explanation.log,
        late_reports=explanation.wires[slave].reports_due,
    )


def is_late(explanation: Explanation, slave: int, connection: int) -> bool:
    """The connection has ended, but its proxy has not told so of both its sides."""
    wire = explanation.wires[slave]
    return not wire.is_open and wire.ended_connection == connection and wire.late_log is not None


def deliver_late_frame(explanation: Explanation, slave: int, frame: Frame) -> Explanation:
    """A frame comes to a slave whose connection has lost its other end."""
    wire = explanation.wires[slave]
    link, source = wire.late_link, wire.late_log
    if link is None or source is None:
        raise Blocked(f"connection {wire.connection} of this link is closed")
    expected = frame.start_offset if wire.next_frame_offset is None else wire.next_frame_offset
    explanation = check(explanation, "master_offset", expected, frame.start_offset)
    explanation = explanation.change_wire(slave, next_frame_offset=frame.end_offset)
    broker = explanation.cluster.slaves[slave]
    if not frame.size_bytes or not broker.is_up or broker.is_stopping:
        return explanation
    then = evolve(
        link,
        is_open=True,
        arrived_offset=frame.start_offset,
        next_transfer_offset=frame.end_offset,
        reported_offset=broker.log.max_offset,
    )
    if frame.end_offset > source.max_offset or not is_frame_taken(broker, then):
        raise Blocked(f"the bytes up to {frame.end_offset} were never sent on this connection")
    past = evolve(
        explanation.cluster,
        master=evolve(explanation.cluster.master, log=source),
        links=replace_at(explanation.cluster.links, slave, then),
    )
    return _fire_as_it_was(explanation, past, slave, frame)


def _fire_as_it_was(
    explanation: Explanation, past: Cluster, slave: int, frame: Frame
) -> Explanation:
    """The rule, on the connection and with the master's log of then; the slave keeps its effect."""
    before = evolve(explanation, cluster=past)
    fired = fire(before, "append_to_slave", slave, size_bytes=frame.size_bytes)
    slaves = fired.cluster.slaves
    end = slaves[slave].log.max_offset
    reports = (*explanation.wires[slave].late_reports, end)
    after = evolve(fired, cluster=evolve(explanation.cluster, slaves=slaves))
    return after.change_wire(slave, late_reports=reports, reported_before=end)


def explain_late_report(explanation: Explanation, slave: int, offset: int) -> Explanation:
    """A report that reaches nobody: one that was under way, or one of bytes that came late."""
    wire = explanation.wires[slave]
    if offset not in (wire.last_report, *wire.late_reports):
        raise Blocked(f"slave_offset is {offset}, which the slave has not reported")
    return explanation.count_check()
