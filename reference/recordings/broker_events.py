"""Events about a whole broker: its start, and what a look at it shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve

from reference.recordings.boundaries import find_recovered_range, find_scan_end
from reference.recordings.clock import TIMER_RANGES
from reference.recordings.hidden_steps import expire_files
from reference.recordings.link_demands import (
    demand_ack,
    demand_connection_count,
    demand_first_file,
    demand_next_transfer,
    demand_push2,
    demand_slave_max,
    take_arrival,
)
from reference.recordings.log_demands import (
    check_files,
    demand_dispatched,
    demand_flushed,
    dispatch_to,
)
from reference.recordings.plan import MASTER, has_near
from reference.recordings.put_order import demand_max
from reference.recordings.queues import check_queues
from reference.recordings.reading import Event
from reference.recordings.reports import (
    accept_connection,
    drop_connection,
    find_waiting_connection,
    get_link,
)
from reference.recordings.state import (
    Blocked,
    DeadConnection,
    Explanation,
    check,
    fire,
    get_timers,
)
from reference.releases.timing_differences import HA_AFTER_DISPATCH


def explain_start(explanation: Explanation, event: Event) -> Explanation:
    """A broker has started: the first time, or with the log that its last life left."""
    node = explanation.plan.find_node(event)
    if explanation.get_broker(node).is_started:
        raise Blocked("this broker runs already")
    is_first = explanation.is_up(node)
    cluster = explanation.cluster
    broker = cluster.master if node == MASTER else cluster.slaves[node]
    # A broker that was never started before has left no abort file behind (R-RC-01).
    is_normal = is_first or not broker.has_abort_file
    explanation = check(explanation, "last_exit_normal", is_normal, event["last_exit_normal"])
    if not is_first:
        explanation = _restart(explanation, node, event["max_offset"])
    explanation = check_dispatched_at_start(explanation, node, event)
    role = explanation.plan.recording.config["nodes"][event["node"]]["role"]
    explanation = check(explanation, "role", role, event["role"])
    address = event.data.get("ha_master_address")
    explanation = explanation.change_broker(
        node,
        is_started=True,
        started_ms=event.t_ms,
        stop_begin_ms=None,
        is_store_closed=False,
        ha_master_address=address if isinstance(address, str) else None,
    )
    return explain_snapshot(explanation, event)


def check_dispatched_at_start(explanation: Explanation, node: int, event: Event) -> Explanation:
    """A start is over when all that the log holds is dispatched, where it waits for that (V-03)."""
    if not explanation.plan.version.has(HA_AFTER_DISPATCH):
        return explanation
    least = find_scan_end(explanation.plan.tables, explanation.get_log(node))
    if event["dispatched_offset"] < least and not explanation.plan.are_puts_hidden:
        raise Blocked(
            f"dispatched_offset is {event['dispatched_offset']}, but a start waits until it is "
            f"{least} (V-03: DefaultMessageStore#start)"
        )
    return explanation.count_check()


def _restart(explanation: Explanation, node: int, recovered: int) -> Explanation:
    if node == MASTER:
        return fire(explanation, "restart_master")
    low, high = find_recovered_range(explanation.plan.tables, explanation.get_log(node))
    if not low <= recovered <= high and not explanation.plan.are_puts_hidden:
        raise Blocked(f"max_offset is {recovered}, but recovery cuts the log to {low}")
    explanation = fire(explanation, "restart_slave", node, recovered_offset=recovered)
    return explanation.change_wire(node, reported_before=0, closed_ms=None)


def explain_snapshot(explanation: Explanation, event: Event) -> Explanation:
    """A look at a broker; its fields were read one after another, in this order."""
    node = explanation.plan.find_node(event)
    if not explanation.is_up(node) or not explanation.get_broker(node).is_started:
        raise Blocked("this broker does not run")
    explanation = demand_node_max(explanation, node, event["max_offset"])
    explanation = demand_flushed(explanation, node, event["flushed_offset"])
    if node != MASTER and event["mapped_files"]:
        explanation = demand_first_file(explanation, node, event["max_offset"])
    if explanation.plan.are_puts_hidden:
        # A whole broker deletes old files by itself, and no event tells of it; where its dispatch
        # is ahead of them now, it was when they went.
        explanation = dispatch_to(explanation, node, event["dispatched_offset"])
        explanation = expire_files(explanation, node, event["min_offset"])
    explanation = check_files(explanation, node, event["min_offset"], event["mapped_files"])
    explanation = demand_dispatched(explanation, node, event["dispatched_offset"])
    explain = _explain_master_fields if node == MASTER else _explain_slave_fields
    explanation = explain(explanation, node, event)
    return check_queues(explanation, node, event)


def demand_node_max(explanation: Explanation, node: int, offset: int) -> Explanation:
    """A broker's max offset is exactly this."""
    if node == MASTER:
        shown = demand_max(explanation, offset)
        return evolve(shown, sends=0, max_seen_ms=explanation.now_ms)
    return demand_slave_max(explanation, node, offset)


def _explain_master_fields(explanation: Explanation, node: int, event: Event) -> Explanation:
    explanation = demand_push2(explanation, event["push2_slave_max_offset"])
    explanation = demand_connection_count(explanation, event["connection_count"])
    behind = event["max_offset"] - explanation.cluster.master.push2_slave_max_offset
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
    following = connection["next_transfer_from"]
    if ack not in (dead.link.slave_ack_offset, *dead.unread):
        raise Blocked(f"slave_ack_offset is {ack}, which nobody has reported on this connection")
    if following < dead.link.next_transfer_offset or (request < 0 <= following):
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
    ahead = explanation.plan.links[slave]
    wire = explanation.wires[slave]
    if ahead.is_traffic_hidden:
        return _explain_hidden_fields(explanation, slave, event)
    latest_ms = TIMER_RANGES["client_notices"](get_timers(explanation)).high_ms
    is_end = explanation.plan.end_ms - explanation.now_ms <= latest_ms
    is_changing = is_end or has_near(ahead.changes_ms, explanation.now_ms, latest_ms)
    is_held = wire.is_stalled or explanation.now_ms - wire.healed_ms < latest_ms
    is_end_held = is_connected and is_held and wire.closed_ms is not None
    if wire.is_open != is_connected and not is_changing and not is_end_held:
        raise Blocked(f"ha_client_connected is {is_connected}, but the link says otherwise")
    explanation = explanation.count_check()
    if not get_link(explanation, slave).is_open or not is_connected:
        # HAClient#connectMaster sets it to the own max, even if the connect fails (R-HC-02).
        own = explanation.get_log(slave).max_offset
        if reported not in (wire.reported_before, own):
            raise Blocked(f"ha_client_reported_offset is {reported}, but {own} by the model")
        return explanation.count_check()
    while get_link(explanation, slave).reported_offset < reported:
        explanation = take_arrival(explanation, slave)
    expected = get_link(explanation, slave).reported_offset
    return check(explanation, "ha_client_reported_offset", expected, reported)


def _explain_hidden_fields(explanation: Explanation, slave: int, event: Event) -> Explanation:
    """Without a proxy's word, the slave's own is taken; it never reports more than it has."""
    is_direct = explanation.plan.links[slave].is_connection_hidden
    is_there = explanation.wires[slave].is_open or is_direct
    if event["ha_client_connected"] and is_there and explanation.is_up(MASTER):
        explanation = accept_connection(explanation, slave)
    own, reported = explanation.get_log(slave).max_offset, event["ha_client_reported_offset"]
    if reported not in (0, own, explanation.wires[slave].reported_before):
        raise Blocked(f"ha_client_reported_offset is {reported}, but {own} by the model")
    return explanation.count_check(2)
