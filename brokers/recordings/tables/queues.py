"""Consume queues as a reader of a recorded broker finds them: entries from the recorded puts.

Where a recording leaves puts out, their sizes and places are not known. What a read has found then
counts as shown, if it can be true: so large, and somewhere in the log.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

from brokers.recordings.ahead.boundaries import list_segments
from brokers.recordings.ahead.plan import MASTER
from brokers.recordings.ahead.puts import RecordedPut
from brokers.recordings.checks.places import is_known, is_plain, list_places
from brokers.recordings.reading import Event
from brokers.recordings.view import Blocked, View
from reference.configuration.keys import KEYS
from reference.decisions.reading.consume_queue import (
    MessageLocation,
    ReadableQueue,
    compute_entries_per_file,
)
from reference.worlds.replication.lineage import compute_start_of_life

ENTRIES_MAX = 100_000
"""More entries than this are not looked at in one read, whatever a recording says."""


@frozen
class ShownQueue:
    """What a read shows of a queue and of the messages that it has found."""

    name: str
    """Topic and queue as snapshots name them."""
    min_offset: int
    max_offset: int
    offset: int
    next_offset: int
    size_bytes: int
    """Of the messages between these two, where it has found any."""


def name_queue(event: Event) -> str:
    """Topic and queue of a read, as snapshots name them."""
    return f"{event['topic']}-{event['queue']}"


def list_puts(view: View, node: int, name: str) -> Iterator[RecordedPut]:
    """The recorded messages of a queue that a broker's log holds whole."""
    for segment in list_segments(view.get_log(node)):
        index = view.plan.queue_index.get((segment.life, name))
        for put in index.puts if index else ():
            if segment.start_offset <= put.start_offset and put.end_offset <= segment.end_offset:
                yield put


def list_known(view: View, node: int, name: str) -> dict[int, RecordedPut]:
    """The recorded messages of a queue by their queue offset: on a slave, by their place there."""
    if not is_plain(view, node) and is_known(view, node):
        return dict(list_places(view, node, name, view.get_log(node).max_offset))
    return {put.queue_offset: put for put in list_puts(view, node, name)}


def list_deleted(view: View, node: int, name: str) -> dict[int, RecordedPut]:
    """Those that a broker's log has lost to retention, by queue offset.

    A queue keeps their entries where it kept its begin (``ConsumeQueue#correctMinOffset``).
    """
    log, found = view.get_log(node), dict[int, RecordedPut]()
    if not log.start_offset:
        return {}
    for life, end in enumerate(log.ends):
        index = view.plan.queue_index.get((life, name))
        start = compute_start_of_life(log, life)
        for put in index.puts if index else ():
            if start <= put.start_offset and put.end_offset <= min(end, log.start_offset):
                found[put.queue_offset] = put
    return found


def make_queue(
    view: View, node: int, shown: ShownQueue, length: int, *, are_old: bool
) -> ReadableQueue:
    """The queue with an entry for each message from the one asked for on, ``length`` at most.

    ``are_old`` places messages that are not recorded at the log's begin, else they are the newest.
    """
    first = max(shown.offset, shown.min_offset, 0)
    end = min(shown.max_offset, first + min(length, ENTRIES_MAX))
    known = {
        **list_deleted(view, node, shown.name),
        **list_known(view, node, shown.name),
    }
    invented = invent_entries(view, node, shown, range(first, end), are_old=are_old)
    entries = [
        MessageLocation(known[offset].start_offset, known[offset].size_bytes)
        if offset in known
        else invented[offset]
        for offset in range(first, end)
    ]
    per_file = count_entries_per_file(view, node)
    return ReadableQueue(shown.min_offset, shown.max_offset, first, entries, per_file)


def invent_entries(
    view: View, node: int, shown: ShownQueue, offsets: range, *, are_old: bool
) -> Mapping[int, MessageLocation]:
    """Entries of equal size that come to the bytes shown, one behind the other."""
    log = view.get_log(node)
    found = max(shown.next_offset - shown.offset, 1)
    size, rest = divmod(shown.size_bytes, found)
    total = size * len(offsets) + rest
    place = log.start_offset if are_old else max(log.max_offset - total, log.start_offset)
    entries = {}
    for number, offset in enumerate(offsets, start=1):
        bytes_ = size + (rest if number == found else 0)
        entries[offset] = MessageLocation(place, bytes_)
        place += bytes_
    return entries


def compute_log_end(view: View, node: int, queue: ReadableQueue) -> int:
    """The log's end, as far as it is shown: behind every message of the queue."""
    ends = (entry.physical_offset + entry.size_bytes for entry in queue.entries)
    return max(view.get_log(node).max_offset, *ends, 0)


def count_entries_per_file(view: View, node: int) -> int:
    """By the broker's ``mapedFileSizeConsumeQueue``, which cannot change while it runs."""
    key = "mapedFileSizeConsumeQueue"
    value = get_properties(view, node).get(key, KEYS[key].default)
    if type(value) is not int or value <= 0:
        raise Blocked(f"{key} is {value!r}, not a positive number")
    return compute_entries_per_file(value)


def get_name(view: View, node: int) -> str:
    """A broker's name."""
    return view.plan.master if node == MASTER else view.plan.slaves[node]


def get_properties(view: View, node: int) -> Mapping[str, Any]:
    """The properties that differ from the defaults: as configured, and as set since the start."""
    name = get_name(view, node)
    config = view.plan.recording.config["nodes"][name]
    changed = view.reads.get_node(name).properties
    broker = config.get("broker_config")
    return {**config["store_config"], **(broker if isinstance(broker, dict) else {}), **changed}
