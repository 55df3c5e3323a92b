"""What the master has learnt from its slaves: connections accepted, reports read, a position."""

from __future__ import annotations

from attrs import evolve

from reference.recordings.clock import UNDER_WAY_MS, compute_time_out_ms
from reference.recordings.puts_ahead import Put
from reference.recordings.state import Blocked, Explanation, fire, get_timers
from reference.worlds.replication.changes import answered_in_line
from reference.worlds.replication.put import TRANSFER_WAKE_UPS_MAX
from reference.worlds.replication.replication import is_positioned
from reference.worlds.replication.state import WAITS_FOR_SLAVE, Link


def get_link(explanation: Explanation, slave: int) -> Link:
    """A replication connection as the model has it."""
    return explanation.cluster.links[slave]


def accept_connection(explanation: Explanation, slave: int) -> Explanation:
    """The master takes the connection that the slave has opened, and counts it."""
    wire = explanation.wires[slave]
    if wire.is_accepted:
        return explanation
    if not wire.is_open and explanation.plan.links[slave].is_connection_hidden:
        explanation = explanation.change_wire(slave, is_open=True, opened_ms=explanation.now_ms)
    elif not wire.is_open:
        raise Blocked("the slave has no connection open", f"connect_slave[{slave}]")
    taken = fire(explanation, "connect_slave", slave)
    taken = evolve(taken, accepted=(*taken.accepted, slave))
    return taken.change_wire(slave, is_accepted=True)


def find_waiting_connection(explanation: Explanation) -> int | None:
    """The slave whose open connection the master has not taken for the longest time."""
    links = explanation.plan.links
    waiting = [
        slave
        for slave, wire in enumerate(explanation.wires)
        if not wire.is_accepted
        and (wire.is_open or links[slave].is_connection_hidden)
        and explanation.cluster.slaves[slave].is_up
        and explanation.slaves[slave].is_started | wire.is_open
    ]
    return min(waiting, key=lambda s: explanation.wires[s].opened_ms, default=None)


def drop_connection(explanation: Explanation) -> Explanation:
    """The master notices that a connection is dead; the one that ended first."""
    dropped = fire(explanation, "drop_connection")
    return evolve(dropped, dead=dropped.dead[1:])


def read_report(explanation: Explanation, slave: int) -> Explanation:
    """The master reads the next report that was forwarded on a connection."""
    wire = explanation.wires[slave]
    if not wire.unread:
        raise Blocked(
            "the master has read every report that was forwarded to it",
            f"receive_report[{slave}]",
            ("has_report_in_flight",),
        )
    if explanation.plan.version.has(answered_in_line.VARIANT):
        explanation = serve_line(explanation)
    report, rest = wire.unread[0], wire.unread[1:]
    # A repeated number changes nothing, and the model keeps no such reports.
    if report.offset > get_link(explanation, slave).slave_ack_offset:
        explanation = fire(explanation, "receive_report", slave, slave_offset=report.offset)
    explanation = explanation.change_wire(slave, unread=rest)
    return give_up_worn_waits(evolve(explanation, has_read_report=True))


def list_line(explanation: Explanation) -> list[int]:
    """The followed puts in the order in which they asked for a slave."""
    messages = dict(zip(explanation.followed, explanation.cluster.messages, strict=False))
    return sorted(messages, key=lambda number: messages[number].transfer_turn)


def serve_line(explanation: Explanation) -> Explanation:
    """Before a report is read: whoever is known to have been answered by now was answered before.

    Only a clock that nobody has but the group transfer makes that needful (V-11): a put that has
    timed out was at the head of the line, and no report covered it then. Its line may come later.
    """
    puts, master = explanation.plan.puts, explanation.cluster.master
    for number in list_line(explanation):
        slot, put = explanation.followed.index(number), puts[number]
        message = explanation.cluster.messages[slot]
        if message.phase != WAITS_FOR_SLAVE:
            continue
        is_covered = message.end_offset <= master.push2_slave_max_offset
        if put.end_ms > explanation.now_ms + UNDER_WAY_MS:
            break
        if put.status == "FLUSH_SLAVE_TIMEOUT" and not is_covered:
            explanation = fire(explanation, "time_out_slave_wait", slot)
        elif put.status == "PUT_OK" and is_covered:
            explanation = fire(explanation, "answer_slave_wait", slot)
        else:
            break
    return explanation


def give_up_worn_waits(explanation: Explanation) -> Explanation:
    """A put whose wake-ups are used up is answered at once; the next one gets its own (R-HA-21)."""
    for slot, number in enumerate(explanation.followed):
        message = explanation.cluster.messages[slot]
        is_worn = message.wake_ups == TRANSFER_WAKE_UPS_MAX
        is_short = message.end_offset > explanation.cluster.master.push2_slave_max_offset
        if message.phase == WAITS_FOR_SLAVE and is_worn and is_short:
            put = explanation.plan.puts[number]
            if put.status == "FLUSH_SLAVE_TIMEOUT" and not is_timed_out(explanation, put):
                explanation = fire(explanation, "give_up_slave_wait", slot)
    return explanation


def is_timed_out(explanation: Explanation, put: Put) -> bool:
    """The call took so long that a clock may have ended its wait for a slave."""
    return put.duration_ms + 1 >= compute_time_out_ms(get_timers(explanation))


def position(explanation: Explanation, slave: int) -> Explanation:
    """The master fixes where it sends from, by its log as it is now (R-HA-11)."""
    link = get_link(explanation, slave)
    if is_positioned(link):
        return explanation
    if link.slave_request_offset < 0:
        explanation = read_report(explanation, slave)
        link = get_link(explanation, slave)
    is_late = link.slave_request_offset == 0 and explanation.log.last_file_offset > 0
    rule = "position_at_last_file" if is_late else "position_transfer"
    explanation = fire(explanation, rule, slave)
    start = get_link(explanation, slave).next_transfer_offset
    return explanation.change_wire(slave, next_frame_offset=start)
