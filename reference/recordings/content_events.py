"""Looks at the bytes of a store: checksums, a scan from record to record, a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve

from reference.recordings.boundaries import Table, find_scan_end, list_segments
from reference.recordings.broker_events import demand_node_max
from reference.recordings.plan import MASTER
from reference.recordings.put_order import MESSAGE_HEAD_BYTES
from reference.recordings.puts_ahead import Put
from reference.recordings.reading import Event
from reference.recordings.state import Blocked, Explanation, check
from reference.worlds.replication.lineage import is_known_from
from reference.worlds.replication.mapped_files import compute_file_base
from reference.worlds.replication.state import CommitLog


def clip_lineage(log: CommitLog, low: int, high: int) -> tuple[int, ...]:
    """Which life of the master's log wrote which bytes of this range."""
    return tuple(min(max(end, low), high) for end in log.ends)


def explain_checksums(explanation: Explanation, event: Event) -> Explanation:
    """One CRC for each file: equal exactly where the bytes are."""
    node = explanation.plan.find_node(event)
    files = [each for each in event["files"] if each["from_offset"] < each["to_offset"]]
    if files and explanation.is_up(node):
        explanation = demand_node_max(explanation, node, files[-1]["to_offset"])
    log = explanation.get_log(node)
    size = explanation.cluster.parameters.mapped_file_size_bytes
    bases = range(log.start_offset, log.max_offset, size)
    expected = [(base, min(base + size, log.max_offset)) for base in bases]
    shown = [(each["from_offset"], each["to_offset"]) for each in files]
    explanation = check(explanation, "the ranges of the files", expected, shown)
    for (low, high), each in zip(expected, files, strict=True):
        if low < log.ghost_unknown_below_offset:
            continue
        content = (low, high, *clip_lineage(log, low, high))
        explanation = note_checksum(explanation, content, each["crc32"])
    return explanation


def note_checksum(explanation: Explanation, content: tuple[int, ...], crc: str) -> Explanation:
    """The same bytes have the same CRC, and other bytes at the same place another one."""
    low, high = content[:2]
    for other, known in explanation.checksums.items():
        if other[:2] == (low, high) and (other == content) != (known == crc):
            are_same = "the same" if other == content else "other"
            raise Blocked(
                f"the CRC of the bytes from {low} to {high} is {crc}, but {known} was seen of "
                f"{are_same} bytes there"
            )
    seen = {**explanation.checksums, content: crc}
    return evolve(explanation, checksums=seen).count_check()


def explain_scan(explanation: Explanation, event: Event) -> Explanation:
    """Every record of a store, one after another, up to the first that is none."""
    node = explanation.plan.find_node(event)
    log, tables = explanation.get_log(node), explanation.plan.tables
    if log.start_offset < log.ghost_unknown_below_offset:
        return explanation
    end = find_scan_end(tables, log)
    offset = log.start_offset
    for entry in event["entries"]:
        explanation = check(explanation, "offset of a record", offset, entry["offset"])
        if entry["kind"] not in ("msg", "blank"):
            explanation = check(explanation, f"offset of {entry['kind']}", end, offset)
            continue
        size = entry.get("size")
        if not isinstance(size, int) or size <= 0 or offset + size > max(end, log.max_offset):
            raise Blocked(f"the record at {offset} of size {size!r} goes beyond the log")
        explanation = _explain_record(explanation, log, entry)
        offset += size
    return check(explanation, "where the records end", end, offset)


def _explain_record(
    explanation: Explanation, log: CommitLog, entry: Mapping[str, Any]
) -> Explanation:
    offset, size = entry["offset"], entry["size"]
    table = _find_table(explanation.plan.tables, log, offset)
    if entry["kind"] == "blank":
        file_size = explanation.cluster.parameters.mapped_file_size_bytes
        base = compute_file_base(offset, explanation.cluster.parameters)
        explanation = check(explanation, "end of a filler", base + file_size, offset + size)
        if not table.is_in_blank(offset) and not table.is_open_at(offset):
            raise Blocked(f"a filler at {offset}, where a message lies")
        return explanation.count_check()
    put = table.find_at(offset)
    if put is None:
        if not table.is_open_at(offset) or size < MESSAGE_HEAD_BYTES:
            raise Blocked(f"a message at {offset}, where none was put")
        return explanation.count_check()
    return _explain_message(explanation, put, entry)


def _find_table(tables: Sequence[Table], log: CommitLog, offset: int) -> Table:
    for segment in list_segments(log):
        if segment.start_offset <= offset < segment.end_offset:
            return tables[segment.life]
    raise Blocked(f"the log has no byte at {offset}")


def _explain_message(explanation: Explanation, put: Put, entry: Mapping[str, Any]) -> Explanation:
    """The record is that of a recorded put, in every field that both show."""
    queue = f"{entry.get('topic')}-{entry.get('queue')}"
    for name, expected, observed in (
        ("size", put.size_bytes, entry["size"]),
        ("msg_id", put.message_id, entry.get("msg_id", put.message_id)),
        ("topic and queue", put.queue, queue if "topic" in entry else put.queue),
        ("queue_offset", put.queue_offset, entry.get("queue_offset", put.queue_offset)),
        (
            "recorded_phy_offset",
            put.start_offset,
            entry.get("recorded_phy_offset", put.start_offset),
        ),
    ):
        what = f"{name} of the message at {put.start_offset}"
        explanation = check(explanation, what, expected, observed)
    return explanation


def explain_comparison(explanation: Explanation, event: Event) -> Explanation:
    """Master and slave compared, below an offset and from it on."""
    split, end = event["lost_from_offset"], event["compared_to_offset"]
    if not explanation.slaves:
        raise Blocked("there is no slave to compare with")
    master = explanation.get_log(MASTER)
    slave = explanation.get_log(0)
    highest = min(master.max_offset, slave.max_offset)
    explanation = check(explanation, "compared_to_offset", highest, end)
    is_prefix_equal = has_equal_range(master, slave, 0, split)
    explanation = check(
        explanation, "common_prefix_equal", is_prefix_equal, event["common_prefix_equal"]
    )
    is_rest_equal = has_equal_range(master, slave, split, end)
    return check(explanation, "range_after_equal", is_rest_equal, event["range_after_equal"])


def has_equal_range(one: CommitLog, other: CommitLog, low: int, high: int) -> bool:
    """Both logs hold these bytes, and they are the same."""
    if low >= high:
        return True
    is_known = is_known_from(one, low) and is_known_from(other, low)
    is_there = high <= min(one.max_offset, other.max_offset)
    is_same = clip_lineage(one, low, high) == clip_lineage(other, low, high)
    return is_known and is_there and is_same
