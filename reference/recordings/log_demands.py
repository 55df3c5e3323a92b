"""What an event may demand of one broker's log: its files, its flush, its dispatch."""

from __future__ import annotations

from typing import Any

from attrs import evolve

from reference.language.rule import replace_at
from reference.recordings.boundaries import find_scan_end, has_boundary
from reference.recordings.plan import MASTER, find_next
from reference.recordings.state import Blocked, Explanation, check, fire
from reference.worlds.replication.commit_log import (
    compute_second_file,
    is_old_file_copied,
    is_old_file_flushed,
)
from reference.worlds.replication.mapped_files import (
    compute_last_file_end,
    cut_to,
    is_first_file_not_full,
    is_flush_below_first_file,
)
from reference.worlds.replication.state import Cluster, CommitLog


def demand_flushed(explanation: Explanation, node: int, offset: int) -> Explanation:
    """``flushedWhere`` is exactly this: where a flush ended that happened since the last one known.

    A flush goes to the max offset of its moment (R-CL-10), or to the base of the first file if it
    was the first one and found too few pages. So only former max offsets qualify, and that base.
    """
    log = explanation.get_log(node)
    if offset < log.flushed_offset:
        raise Blocked(
            f"flushed_offset is {offset}, but it was {log.flushed_offset} before and never sinks"
        )
    if offset > log.flushed_offset:
        if _is_found_too_few(explanation, node, offset):
            return _fire_too_few_pages(explanation, node).count_check()
        if not _is_former_max(explanation, node, offset):
            raise Blocked(
                f"flushed_offset is {offset}, but the log never ended there since it was flushed "
                f"to {log.flushed_offset}"
            )
        explanation = flush_to(explanation, node, offset)
    return explanation.count_check()


def _is_former_max(explanation: Explanation, node: int, offset: int) -> bool:
    """The log ends here, or it may have ended here once."""
    log, plan = explanation.get_log(node), explanation.plan
    if offset == log.max_offset:
        return True
    if offset > log.max_offset:
        return False
    if node == MASTER:
        return plan.are_puts_hidden or has_boundary(plan.tables, log, offset)
    return plan.links[node].is_traffic_hidden or offset in plan.links[node].slave_ends


def _is_found_too_few(explanation: Explanation, node: int, offset: int) -> bool:
    """The first flush of a log that begins here with some bytes may have found too few pages."""
    log = explanation.get_log(node)
    is_asked = node != MASTER or not explanation.cluster.structure.is_sync_flush
    is_few = is_first_file_not_full(log, explanation.cluster.parameters)
    is_behind = is_flush_below_first_file(log) and log.start_offset < log.max_offset
    return is_asked and is_few and is_behind and offset == log.start_offset


def _fire_too_few_pages(explanation: Explanation, node: int) -> Explanation:
    """A flush that forces nothing, and counts all below the first file as flushed."""
    if node == MASTER:
        return fire(explanation, "flush_master_too_few_pages")
    return fire(explanation, "flush_slave_too_few_pages", node)


def flush_to(explanation: Explanation, node: int, offset: int) -> Explanation:
    """Flushes, file after file, that ended at this former or present max offset of the log.

    A flush that is seen late happened when the log ended at its end. So the rule is fired on the
    log as it was then; it touches but two offsets, and nothing has depended on them since.
    """
    while explanation.get_log(node).flushed_offset < offset:
        log = explanation.get_log(node)
        is_past = offset < log.max_offset
        past = cut_to(log, offset, explanation.cluster.parameters) if is_past else log
        flushed = _fire_flush(replace_log(explanation, node, past), node, offset)
        after = flushed.get_log(node)
        forward = evolve(
            log,
            flushed_offset=after.flushed_offset,
            ghost_durable_offset=after.ghost_durable_offset,
        )
        explanation = replace_log(flushed, node, forward)
    return explanation


def _fire_flush(explanation: Explanation, node: int, offset: int) -> Explanation:
    if node != MASTER:
        return fire(explanation, "flush_slave", node)
    if offset > find_lost_offset(explanation):
        # The disk did not keep these bytes, although the broker believed so.
        return fire(explanation, "swallow_flush_error")
    return fire(explanation, "flush_master")


def find_lost_offset(explanation: Explanation) -> float:
    """From where on the end of the master's present process takes what was flushed."""
    lost = explanation.plan.lost_offsets.get(explanation.process)
    return float("inf") if lost is None else lost


def replace_log(explanation: Explanation, node: int, log: CommitLog) -> Explanation:
    """The explanation with another log of one broker."""
    if log is explanation.get_log(node):
        return explanation
    return evolve(explanation, cluster=_with_log(explanation.cluster, node, log))


def _with_log(cluster: Cluster, node: int, log: CommitLog) -> Cluster:
    if node == MASTER:
        return evolve(cluster, master=evolve(cluster.master, log=log))
    slave: Any = evolve(cluster.slaves[node], log=log)
    return evolve(cluster, slaves=replace_at(cluster.slaves, node, slave))


def demand_dispatched(explanation: Explanation, node: int, offset: int) -> Explanation:
    """The dispatch cursor is exactly this: between two records, and behind no torn one."""
    log, tables = explanation.get_log(node), explanation.plan.tables
    if offset < log.dispatched_offset:
        raise Blocked(
            f"dispatched_offset is {offset}, but it was {log.dispatched_offset} before and never "
            "sinks"
        )
    if offset == log.dispatched_offset:
        return explanation.count_check()
    highest = find_scan_end(tables, log)
    if offset > highest:
        raise Blocked(f"dispatched_offset is {offset}, but the records end at {highest}")
    if not explanation.plan.are_puts_hidden and not has_boundary(tables, log, offset):
        raise Blocked(f"dispatched_offset is {offset}, where no message begins or ends")
    return dispatch_to(explanation, node, offset).count_check()


def dispatch_to(explanation: Explanation, node: int, offset: int) -> Explanation:
    """The dispatch goes on to this offset, where a record ends."""
    if offset <= explanation.get_log(node).dispatched_offset:
        return explanation
    if node == MASTER:
        return fire(explanation, "dispatch_master", dispatched_offset=offset)
    return fire(explanation, "dispatch_slave", node, dispatched_offset=offset)


def dispatch_all(explanation: Explanation, node: int) -> Explanation:
    """The dispatch goes as far as it can come."""
    end = find_scan_end(explanation.plan.tables, explanation.get_log(node))
    return dispatch_to(explanation, node, end)


def check_files(explanation: Explanation, node: int, min_offset: int, files: int) -> Explanation:
    """``min_offset`` and ``mapped_files`` are those of the log (R-CL-08: -1 without any file)."""
    log = explanation.get_log(node)
    size = explanation.cluster.parameters.mapped_file_size_bytes
    if not log.has_file:
        return check(explanation, "(min_offset, mapped_files)", (-1, 0), (min_offset, files))
    explanation = check(explanation, "min_offset", log.start_offset, min_offset)
    expected = (log.last_file_offset - log.start_offset) // size + 1
    is_full = log.max_offset == compute_last_file_end(log, explanation.cluster.parameters)
    if is_full and files == expected + 1:
        # Who asks for a file to append to gets the next one, even if nothing is appended then
        # (MappedFileQueue#getLastMappedFile): a heartbeat does so on a slave.
        return explanation.count_check()
    return check(explanation, "mapped_files", expected, files)


def expire_file(explanation: Explanation, node: int) -> Explanation:
    """A broker deletes its oldest file: the next look at its flush and dispatch tells how far."""
    parameters = explanation.cluster.parameters
    end = compute_second_file(explanation.get_log(node), parameters)
    seen = explanation.plan if node == MASTER else explanation.plan.links[node]
    flushed = find_next(seen.flushed_observations, explanation.now_ms)
    if flushed is not None and flushed >= end:
        explanation = flush_to(explanation, node, end)
    dispatched = find_next(seen.dispatched_observations, explanation.now_ms)
    if dispatched is not None and dispatched >= end > explanation.get_log(node).dispatched_offset:
        explanation = dispatch_to(explanation, node, end)
    is_flushed = is_old_file_flushed(explanation.get_log(node), parameters)
    if node != MASTER:
        rule = "expire_slave_file" if is_flushed else "delete_young_slave_file"
        return fire(explanation, rule, node)
    if not is_flushed:
        return fire(explanation, "delete_young_master_file")
    is_copied = is_old_file_copied(explanation.cluster)
    rule = "expire_master_file" if is_copied else "expire_uncopied_master_file"
    return fire(explanation, rule)
