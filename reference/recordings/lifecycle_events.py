"""Events about the end of a broker: a clean stop, a kill, and what becomes of its store."""

from __future__ import annotations

from attrs import evolve

from reference.recordings.boundaries import find_recovered_range
from reference.recordings.broker_events import demand_node_max
from reference.recordings.clock import SHUTDOWN_MS
from reference.recordings.closings import check_closed_by_stop
from reference.recordings.hidden_steps import (
    append_seen_frames,
    end_connection,
    expire_files,
    send_seen_frames,
    settle_hidden,
    settle_link,
)
from reference.recordings.log_demands import dispatch_all, replace_log
from reference.recordings.plan import MASTER
from reference.recordings.put_order import unfollow_all
from reference.recordings.reading import Event
from reference.recordings.state import Blocked, Explanation, check, fire
from reference.worlds.replication.mapped_files import cut_to


def explain_stop_begin(explanation: Explanation, event: Event) -> Explanation:
    """A clean stop begins: from now on the store takes nothing (R-RC-02)."""
    node = explanation.plan.find_node(event)
    if node == MASTER:
        for slave in range(len(explanation.slaves)):
            explanation = send_seen_frames(explanation, slave)
        explanation = fire(explanation, "begin_master_stop")
    else:
        explanation = append_seen_frames(explanation, node)
        explanation = fire(explanation, "begin_slave_stop", node)
    return explanation.change_broker(node, stop_begin_ms=event.t_ms)


def explain_stop_clean(explanation: Explanation, event: Event) -> Explanation:
    """The store is shut down; the process may live on for a while."""
    node = explanation.plan.find_node(event)
    if not explanation.is_stopping(node) and explanation.plan.are_puts_hidden:
        explanation = explain_stop_begin(explanation, event)  # A whole broker shows only the end.
    if not explanation.is_stopping(node):
        raise Blocked("no clean stop of this broker has begun")
    if explanation.get_broker(node).is_store_closed:
        raise Blocked("the store of this broker is shut down already")
    if event.data.get("shutdown_ms", SHUTDOWN_MS) < SHUTDOWN_MS:
        raise Blocked(f"shutdown_ms is {event['shutdown_ms']}, but a stop takes {SHUTDOWN_MS} ms")
    if node != MASTER:
        explanation = check_closed_by_stop(explanation, node)
    if "max_offset" in event.data:
        explanation = demand_node_max(explanation, node, event["max_offset"])
    explanation = dispatch_all(explanation, node)
    log = explanation.get_log(node)
    if "abort_file_present" in event.data:
        # The abort file stays if the dispatch could not come to the log's end (R-RC-13).
        is_behind = log.dispatched_offset < log.max_offset
        explanation = check(
            explanation, "abort_file_present", is_behind, event["abort_file_present"]
        )
    return explanation.change_broker(node, is_store_closed=True)


def explain_process_exit(explanation: Explanation, event: Event) -> Explanation:
    """A process ends by itself: after a clean stop of its store."""
    node = explanation.plan.find_node(event)
    if not explanation.get_broker(node).is_store_closed:
        raise Blocked("the store of this broker was not shut down before its process ended")
    return _end_process(explanation, event, node, is_kill=False)


def explain_kill(explanation: Explanation, event: Event) -> Explanation:
    """A process ends without warning; with a surgery on its store that is a power loss."""
    return _end_process(explanation, event, explanation.plan.find_node(event), is_kill=True)


def _end_process(
    explanation: Explanation, event: Event, node: int, *, is_kill: bool
) -> Explanation:
    ending = range(len(explanation.slaves)) if node == MASTER else (node,)
    for slave in ending:
        if node == MASTER and not explanation.is_stopping(MASTER):
            explanation = send_seen_frames(explanation, slave)
        explanation = settle_hidden(settle_link(explanation, slave), slave)
    for slave in ending:
        explanation = end_connection(explanation, slave)
    surgery = explanation.plan.surgeries.get(event.seq)
    if surgery is not None:
        explanation = _lose_power(explanation, node, surgery["lost_from_offset"])
    else:
        rule = "kill_{}" if is_kill else "finish_{}_stop"
        explanation = _fire_for(explanation, node, rule)
    if node == MASTER:
        explanation = unfollow_all(explanation)
        explanation = evolve(
            explanation,
            dead=(),
            accepted=(),
            has_read_report=False,
            process=explanation.process + 1,
        )
    else:
        explanation = explanation.change_wire(node, closed_ms=None)
    return explanation.change_broker(
        node, is_started=False, stop_begin_ms=None, is_store_closed=False
    )


def _lose_power(explanation: Explanation, node: int, lost_from: int) -> Explanation:
    """A kill with a surgery on the store: the tail from this offset on is gone.

    What a message has below that offset is no whole record any more: the restart cuts it, too.
    """
    log, parameters = explanation.get_log(node), explanation.cluster.parameters
    if not 0 <= lost_from <= log.max_offset:
        raise Blocked(f"nothing of the log lies at {lost_from}, from where it was lost")
    kept, _ = find_recovered_range(explanation.plan.tables, cut_to(log, lost_from, parameters))
    if kept < log.ghost_durable_offset:
        # The recorder's hand took even what was on disk, which no power loss does and no rule
        # says so. To let the rule act, the disk is first made to hold no more than is kept;
        # nothing else looks at that offset between here and there.
        log = evolve(log, ghost_durable_offset=kept)
        explanation = replace_log(explanation, node, log)
    return _fire_for(explanation, node, "lose_{}_power", kept_offset=kept)


def _fire_for(explanation: Explanation, node: int, rule: str, **arguments: int) -> Explanation:
    if node == MASTER:
        return fire(explanation, rule.format("master"), **arguments)
    return fire(explanation, rule.format("slave"), node, **arguments)


def explain_surgery(explanation: Explanation, event: Event) -> Explanation:
    """The recorder zeroes a tail of the store while its broker is down: see `explain_kill`."""
    node = explanation.plan.find_node(event)
    if event not in explanation.plan.surgeries.values():
        raise Blocked("no end of this broker's process precedes the surgery")
    if explanation.get_log(node).max_offset > event["lost_from_offset"]:
        raise Blocked("the log goes on beyond the offset from which everything was lost")
    return explanation.count_check()


def explain_wipe(explanation: Explanation, event: Event) -> Explanation:
    """The store of a slave that is down is emptied."""
    node = explanation.plan.find_node(event)
    if node == MASTER:
        raise Blocked("the model wipes slaves only", "wipe_slave")
    return fire(explanation, "wipe_slave", node).change_wire(node, reported_before=0)


def explain_expiry(explanation: Explanation, event: Event) -> Explanation:
    """A broker deletes its oldest files (DefaultMessageStore.CleanCommitLogService)."""
    node = explanation.plan.find_node(event)
    if event["deleted"] < 0:
        raise Blocked(f"deleted is {event['deleted']}")
    size = explanation.cluster.parameters.mapped_file_size_bytes
    start = explanation.get_log(node).start_offset + event["deleted"] * size
    return expire_files(explanation, node, start).count_check()
