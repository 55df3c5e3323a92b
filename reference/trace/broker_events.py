"""Events about a whole broker: its start and end, and what a look at it shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve

from reference.trace.clock import TIMER_RANGES
from reference.trace.hidden_steps import end_connection, settle_link
from reference.trace.link_demands import (
    accept_connection,
    append_arrival,
    demand_ack,
    demand_connection_count,
    demand_next_transfer,
    demand_push2,
    demand_slave_max,
    drop_connection,
    find_waiting_connection,
    get_link,
)
from reference.trace.log_demands import (
    check_dispatched,
    check_files,
    demand_flushed,
    replace_log,
)
from reference.trace.plan import MASTER
from reference.trace.put_order import demand_max
from reference.trace.reading import Event
from reference.trace.state import Blocked, DeadConnection, Explanation, check, fire


def explain_start(explanation: Explanation, event: Event) -> Explanation:
    """A broker has started: the first time, or with the log that its last life left."""
    node = explanation.plan.find_node(event)
    broker = explanation.get_broker(node)
    if broker.is_started:
        raise Blocked("this broker runs already")
    if not _is_up(explanation, node):
        explanation = _restart(explanation, node, event["max_offset"])
    role = explanation.plan.recording.config["nodes"][event["node"]]["role"]
    explanation = check(explanation, "role", role, event["role"])
    # The dispatch begins at the end of the log that was found (R-RC-11).
    dispatched = explanation.get_log(node).max_offset
    explanation = explanation.change_broker(
        node, is_started=True, is_stopping=False, flushable=(), dispatched_offset=dispatched
    )
    return explain_snapshot(explanation, event)


def _restart(explanation: Explanation, node: int, recovered: int) -> Explanation:
    if node == MASTER:
        return fire(explanation, "restart_master")
    explanation = fire(explanation, "restart_slave", node, recovered_offset=recovered)
    return explanation.change_wire(node, reported_before=0)


def _is_up(explanation: Explanation, node: int) -> bool:
    cluster = explanation.cluster
    return cluster.master.is_up if node == MASTER else cluster.slaves[node].is_up


def explain_snapshot(explanation: Explanation, event: Event) -> Explanation:
    """A look at a broker; its fields were read one after another, in this order."""
    node = explanation.plan.find_node(event)
    if not _is_up(explanation, node) or not explanation.get_broker(node).is_started:
        raise Blocked("this broker does not run")
    explanation = _demand_max(explanation, node, event["max_offset"])
    explanation = demand_flushed(explanation, node, event["flushed_offset"])
    explanation = check_files(explanation, node, event["min_offset"], event["mapped_files"])
    explanation = check_dispatched(explanation, node, event["dispatched_offset"])
    explain = _explain_master_fields if node == MASTER else _explain_slave_fields
    return explain(explanation, node, event)


def _demand_max(explanation: Explanation, node: int, offset: int) -> Explanation:
    if node == MASTER:
        return demand_max(explanation, offset)
    return demand_slave_max(explanation, node, offset)


def _explain_master_fields(explanation: Explanation, node: int, event: Event) -> Explanation:
    explanation = demand_push2(explanation, event["push2_slave_max_offset"])
    explanation = demand_connection_count(explanation, event["connection_count"])
    behind = explanation.log.max_offset - explanation.cluster.master.push2_slave_max_offset
    explanation = check(explanation, "slave_fall_behind", behind, event["slave_fall_behind"])
    return _explain_connections(explanation, event["connections"])


def _explain_connections(
    explanation: Explanation, observed: Sequence[Mapping[str, Any]]
) -> Explanation:
    """All that the master counts: dead ones first, for a slave opens its next one after its end."""
    count = explanation.cluster.master.connection_count
    explanation = check(explanation, "number of connections", count, len(observed))
    dead = len(explanation.dead)
    try:
        for each, connection in zip(explanation.dead, observed[:dead], strict=True):
            explanation = _explain_dead_connection(explanation, each, connection)
        for slave, connection in zip(explanation.accepted, observed[dead:], strict=True):
            explanation = _explain_connection(explanation, slave, connection)
    except Blocked:
        slave_waiting = find_waiting_connection(explanation)
        if not dead or slave_waiting is None:
            raise
        # As many connections, but other ones: one was dropped, and one was accepted.
        explanation = accept_connection(drop_connection(explanation), slave_waiting)
        return _explain_connections(explanation, observed)
    return explanation


def _explain_dead_connection(
    explanation: Explanation, dead: DeadConnection, connection: Mapping[str, Any]
) -> Explanation:
    """What the master knew at the end; it may have read or sent a little more since."""
    request, ack = connection["slave_request_offset"], connection["slave_ack_offset"]
    check(explanation, "slave_request_offset", dead.link.slave_request_offset, request)
    is_less = connection["next_transfer_from"] < dead.link.next_transfer_offset
    if ack < dead.link.slave_ack_offset or is_less:
        raise Blocked("a connection knew more before its end than it does afterwards")
    return explanation.count_check()


def _explain_connection(
    explanation: Explanation, slave: int, connection: Mapping[str, Any]
) -> Explanation:
    explanation = demand_ack(explanation, slave, connection["slave_ack_offset"])
    request = get_link(explanation, slave).slave_request_offset
    explanation = check(
        explanation, "slave_request_offset", request, connection["slave_request_offset"]
    )
    return demand_next_transfer(explanation, slave, connection["next_transfer_from"])


def _explain_slave_fields(explanation: Explanation, slave: int, event: Event) -> Explanation:
    is_connected, reported = event["ha_client_connected"], event["ha_client_reported_offset"]
    wire = explanation.wires[slave]
    if wire.is_open != is_connected and not _is_changing(explanation, slave):
        raise Blocked(f"ha_client_connected is {is_connected}, but the link says otherwise")
    explanation = explanation.count_check()
    if not get_link(explanation, slave).is_open or not is_connected:
        # HAClient#connectMaster sets it to the own max, even if the connect fails (R-HC-02).
        own = explanation.get_log(slave).max_offset
        if reported not in (wire.reported_before, own):
            raise Blocked(f"ha_client_reported_offset is {reported}, but {own} by the model")
        return explanation.count_check()
    while get_link(explanation, slave).reported_offset < reported:
        explanation = append_arrival(explanation, slave)
    expected = get_link(explanation, slave).reported_offset
    return check(explanation, "ha_client_reported_offset", expected, reported)


def _is_changing(explanation: Explanation, slave: int) -> bool:
    """The slave's connection begins or ends right now; proxy and slave see it one by one."""
    recording, now_ms = explanation.plan.recording, explanation.now_ms
    latest_ms = TIMER_RANGES["client_notices"](explanation.plan.timers).high_ms
    return any(
        event.kind in ("ha_link_open", "ha_link_close")
        and explanation.plan.find_slave_of_link(event) == slave
        and abs(event.t_ms - now_ms) <= latest_ms
        for event in recording.events
    )


def explain_stop_begin(explanation: Explanation, event: Event) -> Explanation:
    """A clean stop begins: from now on the store takes nothing (R-RC-02)."""
    node = explanation.plan.find_node(event)
    return explanation.change_broker(node, is_stopping=True)


def explain_stop_clean(explanation: Explanation, event: Event) -> Explanation:
    """The store is shut down; the process may live on for a while."""
    node = explanation.plan.find_node(event)
    if "max_offset" not in event.data:
        return explanation
    return _demand_max(explanation, node, event["max_offset"])


def explain_process_exit(explanation: Explanation, event: Event) -> Explanation:
    """A stopped broker's process ends.

    The model has no clean stop. What it leaves on disk is what a kill leaves in the page cache: all
    bytes; what it takes with it is the same as well, so it is explained as a kill.
    """
    return explain_kill(explanation, event)


def explain_kill(explanation: Explanation, event: Event) -> Explanation:
    """A process ends without warning; with a surgery on its store that is a power loss."""
    node = explanation.plan.find_node(event)
    ending = range(len(explanation.slaves)) if node == MASTER else (node,)
    for slave in ending:
        explanation = settle_link(explanation, slave)
    for slave in ending:
        explanation = end_connection(explanation, slave)
    surgery = explanation.plan.surgeries.get(event.seq)
    if surgery is None:
        explanation = _fire_fault(explanation, node, "kill_{}")
    else:
        explanation = _lose_power(explanation, node, surgery["lost_from_offset"])
    if node == MASTER:
        explanation = evolve(
            explanation, dead=(), accepted=(), reports_seen=(), push2_before_append=0
        )
    return explanation.change_broker(node, is_started=False, is_stopping=False, flushable=())


def _lose_power(explanation: Explanation, node: int, kept_offset: int) -> Explanation:
    """A kill with a surgery on the store: the tail from this offset on is gone."""
    log = explanation.get_log(node)
    if 0 <= kept_offset < log.ghost_durable_offset:
        # The recorder's hand took even what was on disk, which no power loss does and no rule
        # says so far. To let the rule act, the disk is first made to hold no more than is kept;
        # nothing else looks at that offset between here and there.
        log = evolve(log, ghost_durable_offset=kept_offset)
        explanation = replace_log(explanation, node, log)
    return _fire_fault(explanation, node, "lose_{}_power", kept_offset=kept_offset)


def _fire_fault(explanation: Explanation, node: int, fault: str, **arguments: int) -> Explanation:
    if node == MASTER:
        return fire(explanation, fault.format("master"), **arguments)
    return fire(explanation, fault.format("slave"), node, **arguments)


def explain_surgery(explanation: Explanation, event: Event) -> Explanation:
    """The recorder zeroes a tail of the store while its broker is down: see `explain_kill`."""
    node = explanation.plan.find_node(event)
    if event not in explanation.plan.surgeries.values():
        raise Blocked("no kill of this broker precedes the surgery")
    if explanation.get_log(node).max_offset > event["lost_from_offset"]:
        raise Blocked("the log goes on beyond the offset from which everything was lost")
    return explanation.count_check()
