"""What an event may demand of one broker's log: how far it goes, how far it is flushed."""

from __future__ import annotations

from typing import Any

from attrs import evolve

from reference.rule import replace_at
from reference.state import Cluster, CommitLog
from reference.trace.plan import MASTER
from reference.trace.state import Blocked, Explanation, check, fire

NO_FILE = (-1, 0)
"""``min_offset`` and ``mapped_files`` of a log without any file (R-CL-08)."""

ONE_FILE = (0, 1)
"""The same of a log with one file, the only kind that the model has so far."""


def note_growth(explanation: Explanation, node: int) -> Explanation:
    """The log has just grown: it has a file, and a flush may have happened right here."""
    broker, end = explanation.get_broker(node), explanation.get_log(node).max_offset
    return explanation.change_broker(node, has_file=True, flushable=(*broker.flushable, end))


def demand_flushed(explanation: Explanation, node: int, offset: int) -> Explanation:
    """``flushedWhere`` is exactly this: where a flush ended that happened since the last one known.

    A flush goes to the max offset of its moment (R-CL-10), so only former max offsets qualify.
    """
    flushed = explanation.get_log(node).flushed_offset
    if offset < flushed:
        raise Blocked(f"flushed_offset is {offset}, but it was {flushed} before and never sinks")
    if offset > flushed:
        if offset not in explanation.get_broker(node).flushable:
            raise Blocked(
                f"flushed_offset is {offset}, but the log never ended there since it was flushed "
                f"to {flushed}"
            )
        explanation = place_flush(explanation, node, offset)
    return explanation.count_check()


def demand_flushed_at_least(explanation: Explanation, offset: int) -> Explanation:
    """The master has flushed its log up to here or beyond: the least flush that does it."""
    if explanation.log.flushed_offset >= offset:
        return explanation
    later = [end for end in explanation.master.flushable if end >= offset]
    return place_flush(explanation, MASTER, min(later)) if later else explanation


def place_flush(explanation: Explanation, node: int, offset: int) -> Explanation:
    """A flush that ended at this former or present max offset of the log."""
    log = explanation.get_log(node)
    if offset == log.max_offset:
        is_master = node == MASTER
        rule, indexes = ("flush_master", ()) if is_master else ("flush_slave", (node,))
        explanation = fire(explanation, rule, *indexes)
    else:
        # The flush happened in the past, when the log ended here. The rule touches nothing but
        # these two offsets and nothing depended on them since, so its effect is written now. This
        # is the only place where the checker acts for a rule that was enabled before.
        past = evolve(log, flushed_offset=offset, ghost_durable_offset=offset)
        explanation = replace_log(explanation, node, past)
    kept = tuple(end for end in explanation.get_broker(node).flushable if end > offset)
    return explanation.change_broker(node, flushable=kept)


def replace_log(explanation: Explanation, node: int, log: CommitLog) -> Explanation:
    """The explanation with another log of one broker."""
    return evolve(explanation, cluster=_with_log(explanation.cluster, node, log))


def check_dispatched(explanation: Explanation, node: int, offset: int) -> Explanation:
    """The dispatch cursor, which the model leaves out, fits the log.

    It never moves back, nor beyond the log, and goes from message to message (R-RP-01).
    """
    lowest = explanation.get_broker(node).dispatched_offset
    highest = explanation.get_log(node).max_offset
    if not lowest <= offset <= highest:
        raise Blocked(f"dispatched_offset is {offset}, but must be {lowest} to {highest}")
    if offset != lowest and not _is_boundary(explanation, offset):
        raise Blocked(f"dispatched_offset is {offset}, where no message begins or ends")
    return explanation.change_broker(node, dispatched_offset=offset).count_check()


def _is_boundary(explanation: Explanation, offset: int) -> bool:
    messages = explanation.cluster.messages
    return any(offset in (message.start_offset, message.end_offset) for message in messages)


def check_files(explanation: Explanation, node: int, min_offset: int, files: int) -> Explanation:
    """``min_offset`` and ``mapped_files`` fit the log."""
    broker, observed = explanation.get_broker(node), (min_offset, files)
    if observed == ONE_FILE and not broker.has_file and _may_have_empty_file(explanation, node):
        explanation = explanation.change_broker(node, has_file=True)
        broker = explanation.get_broker(node)
    expected = ONE_FILE if broker.has_file else NO_FILE
    return check(explanation, "(min_offset, mapped_files)", expected, observed).count_check()


def _may_have_empty_file(explanation: Explanation, node: int) -> bool:
    """A mere heartbeat makes an empty slave create its first file (R-HC-09).

    The first frame follows the first report at once (R-HA-12). Some recordings leave heartbeats
    out, so the report has to do.
    """
    return node != MASTER and explanation.wires[node].has_carried_report


def _with_log(cluster: Cluster, node: int, log: CommitLog) -> Cluster:
    if node == MASTER:
        return evolve(cluster, master=evolve(cluster.master, log=log))
    slave: Any = evolve(cluster.slaves[node], log=log)
    return evolve(cluster, slaves=replace_at(cluster.slaves, node, slave))
