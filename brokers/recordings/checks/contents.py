"""Looks at the bytes of a store: checksums, a scan from record to record, a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve

from brokers.recordings.ahead.boundaries import MessageTable, find_scan_end, list_segments
from brokers.recordings.ahead.plan import MASTER
from brokers.recordings.ahead.puts import MESSAGE_HEAD_BYTES, RecordedPut
from brokers.recordings.checks.displaced import check_displaced_scan, list_pieces
from brokers.recordings.checks.logs import check_max
from brokers.recordings.reading import Event
from brokers.recordings.view import Blocked, View, check
from reference.worlds.replication.lineage import is_known_from
from reference.worlds.replication.mapped_files import compute_file_base
from reference.worlds.replication.state import CommitLog


def clip_lineage(log: CommitLog, low: int, high: int) -> tuple[int, ...]:
    """Which life of the master's log wrote which bytes of this range."""
    return tuple(min(max(end, low), high) for end in log.ends)


def check_checksums(view: View, event: Event) -> View:
    """One CRC for each file: equal exactly where the bytes are."""
    node = view.plan.find_node(event)
    files = [each for each in event["files"] if each["from_offset"] < each["to_offset"]]
    if files and view.is_up(node):
        view = check_max(view, node, files[-1]["to_offset"])
    log = view.get_log(node)
    size = view.cluster.parameters.mapped_file_size_bytes
    bases = range(log.start_offset, log.max_offset, size)
    expected = [(base, min(base + size, log.max_offset)) for base in bases]
    shown = [(each["from_offset"], each["to_offset"]) for each in files]
    view = check(view, "the ranges of the files", expected, shown)
    pieces = list_pieces(view, node)
    for (low, high), each in zip(expected, files, strict=True):
        is_foreign = low < log.ghost_unknown_below_offset
        if (is_foreign and not pieces) or has_foreign_bytes(log, low, high):
            continue
        foreign = (pieces[0].end, pieces[0].source) if is_foreign else ()
        content = (low, high, *clip_lineage(log, low, high), *foreign)
        view = note_checksum(view, content, each["crc32"])
    return view


def note_checksum(view: View, content: tuple[int, ...], crc: str) -> View:
    """The same bytes have the same CRC, and other bytes at the same place another one."""
    low, high = content[:2]
    for other, known in view.checksums.items():
        if other[:2] == (low, high) and (other == content) != (known == crc):
            are_same = "the same" if other == content else "other"
            raise Blocked(
                f"the CRC of the bytes from {low} to {high} is {crc}, but {known} was seen of "
                f"{are_same} bytes there"
            )
    seen = {**view.checksums, content: crc}
    return evolve(view, checksums=seen)


def check_scan(view: View, event: Event) -> View:
    """Every record of a store, one after another, up to the first that is none."""
    node = view.plan.find_node(event)
    log, tables = view.get_log(node), view.plan.tables
    if log.start_offset < log.ghost_unknown_below_offset:
        pieces = list_pieces(view, node)
        found = check_displaced_scan(view, log, pieces, event["entries"]) if pieces else ()
        for put, entry in found:
            view = _check_message(view, put, entry)
        return view
    end = find_scan_end(tables, log)
    offset = log.start_offset
    for entry in event["entries"]:
        view = check(view, "offset of a record", offset, entry["offset"])
        if entry["kind"] not in ("msg", "blank"):
            view = check(view, f"offset of {entry['kind']}", end, offset)
            continue
        size = entry.get("size")
        if not isinstance(size, int) or size <= 0 or offset + size > max(end, log.max_offset):
            raise Blocked(f"the record at {offset} of size {size!r} goes beyond the log")
        view = _check_record(view, log, entry)
        offset += size
    return check(view, "where the records end", end, offset)


def _check_record(view: View, log: CommitLog, entry: Mapping[str, Any]) -> View:
    offset, size = entry["offset"], entry["size"]
    table = _find_table(view.plan.tables, log, offset)
    if entry["kind"] == "blank":
        file_size = view.cluster.parameters.mapped_file_size_bytes
        base = compute_file_base(offset, view.cluster.parameters)
        view = check(view, "end of a filler", base + file_size, offset + size)
        if not table.is_in_blank(offset) and not table.is_open_at(offset):
            raise Blocked(f"a filler at {offset}, where a message lies")
        return view
    put = table.find_at(offset)
    if put is None:
        if not table.is_open_at(offset) or size < MESSAGE_HEAD_BYTES:
            raise Blocked(f"a message at {offset}, where none was put")
        return view
    return _check_message(view, put, entry)


def _find_table(tables: Sequence[MessageTable], log: CommitLog, offset: int) -> MessageTable:
    for segment in list_segments(log):
        if segment.start_offset <= offset < segment.end_offset:
            return tables[segment.life]
    raise Blocked(f"the log has no byte at {offset}")


def _check_message(view: View, put: RecordedPut, entry: Mapping[str, Any]) -> View:
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
        view = check(view, what, expected, observed)
    return view


def check_comparison(view: View, event: Event) -> View:
    """Master and slave compared, below an offset and from it on."""
    split, end = event["lost_from_offset"], event["compared_to_offset"]
    if not view.slaves:
        raise Blocked("there is no slave to compare with")
    master = view.get_log(MASTER)
    slave = view.get_log(0)
    highest = min(master.max_offset, slave.max_offset)
    view = check(view, "compared_to_offset", highest, end)
    for name, low, high in (
        ("common_prefix_equal", 0, split),
        ("range_after_equal", split, end),
    ):
        if not any(has_foreign_bytes(log, low, high) for log in (master, slave)):
            view = check(view, name, has_equal_range(master, slave, low, high), event[name])
    return view


def has_foreign_bytes(log: CommitLog, low: int, high: int) -> bool:
    """A recovery has taken bytes in this range for received: zeros, or what lay there before.

    They are equal to the master's only if it has zeros there, as in a blank.
    """
    first, end = log.ghost_foreign_start_offset, log.ghost_foreign_end_offset
    return max(first, low) < min(end, high)


def has_equal_range(one: CommitLog, other: CommitLog, low: int, high: int) -> bool:
    """Both logs hold these bytes, and they are the same."""
    if low >= high:
        return True
    is_known = is_known_from(one, low) and is_known_from(other, low)
    is_there = high <= min(one.max_offset, other.max_offset)
    is_same = clip_lineage(one, low, high) == clip_lineage(other, low, high)
    return is_known and is_there and is_same
