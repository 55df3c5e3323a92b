"""Replication that a recording does not show: what came, only the logs and the counters tell.

Without a proxy, or with one that keeps its frames to itself, a slave is connected and sent whatever
an event shows to have arrived. The steps are the same ones; they are taken when they are needed.
"""

from __future__ import annotations

from reference.recordings.clock import NOTICE_MS
from reference.recordings.reports import accept_connection, get_link, position
from reference.recordings.state import Arrival, Blocked, Explanation, fire
from reference.worlds.replication.replication import is_positioned


def carry_hidden_bytes(explanation: Explanation, slave: int, offset: int) -> Explanation:
    """The slave receives the master's bytes up to this offset, in the largest frames possible."""
    explanation = make_ready(explanation, slave)
    parameters = explanation.cluster.parameters
    if not explanation.get_log(slave).has_file:
        explanation = fire(explanation, "create_first_file", slave)
    while explanation.get_log(slave).max_offset < offset:
        start = get_link(explanation, slave).next_transfer_offset
        in_file = parameters.mapped_file_size_bytes - start % parameters.mapped_file_size_bytes
        size = min(parameters.ha_transfer_batch_size_bytes, in_file, offset - start)
        explanation = fire(explanation, "transfer_batch", slave, size_bytes=size)
        explanation = fire(explanation, "append_to_slave", slave, size_bytes=size)
    return explanation


def carry_hidden_report(explanation: Explanation, slave: int, offset: int) -> Explanation:
    """The master reads a report of this offset, which the slave's log reaches."""
    explanation = make_ready(explanation, slave)
    if explanation.get_log(slave).max_offset < offset:
        explanation = carry_hidden_bytes(explanation, slave, offset)
    if get_link(explanation, slave).slave_ack_offset < offset:
        explanation = fire(explanation, "receive_report", slave, slave_offset=offset)
    return explanation


def make_ready(explanation: Explanation, slave: int) -> Explanation:
    """The slave is connected, has reported, and the master knows where to send from."""
    if not explanation.plan.links[slave].is_traffic_hidden:
        raise Blocked("the recording shows the traffic of this link")
    explanation = accept_connection(explanation, slave)
    link = get_link(explanation, slave)
    if not link.has_reported:
        explanation = fire(explanation, "report_offset", slave)
        first = Arrival(explanation.now_ms, link.reported_offset)
        explanation = explanation.change_wire(slave, unread=(first,))
    if not is_positioned(get_link(explanation, slave)):
        explanation = position(explanation, slave)
    return explanation


def position_before_rollover(explanation: Explanation, begin_ms: float) -> Explanation:
    """Transfers that begin in the file that is the last one now are positioned before the next.

    Where nothing shows where one begins, it does so soon after the first report (R-HA-10).
    """
    for slave, wire in enumerate(explanation.wires):
        ahead, link = explanation.plan.links[slave], get_link(explanation, slave)
        last = explanation.log.last_file_offset
        if ahead.is_traffic_hidden:
            is_started = explanation.slaves[slave].is_started
            is_there = is_started and (wire.is_open or ahead.is_connection_hidden)
            if is_there and ahead.begins.values[:1] == (last,) and not is_positioned(link):
                explanation = make_ready(explanation, slave)
            continue
        is_next = bool(wire.unread) or link.slave_request_offset >= 0
        first = ahead.first_offsets.get(wire.connection)
        is_here = first == last or (first is None and begin_ms - wire.first_report_ms > NOTICE_MS)
        if link.is_open and is_next and is_here and not is_positioned(link):
            explanation = position(explanation, slave)
    return explanation
