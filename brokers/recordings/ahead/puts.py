"""Puts that a recording tells of, in the order of their places in the log, and those it leaves out.

A put is written down at its end only, but its bytes were in the log long before. Where a put has no
line, its bytes are some other producer's: that is possible in two cases only. The recorder kept
every so many puts (their queue offsets leap by the same stride), or the put was still under way
when the recording or the broker's process ended.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from attrs import define, evolve, field, frozen

from brokers.recordings.clock import UNDER_WAY_MS
from brokers.recordings.kinds import BROKER_KINDS, END_KINDS
from brokers.recordings.reading import Event
from reference.store.records import PROPERTIES_LENGTH, compute_message_length

SCHEDULE_TOPIC = "SCHEDULE_TOPIC_XXXX"
"""The topic under which a delayed message waits; its queue is the level less one (R-CL-03)."""

STRIDE_MIN = 4
"""One or two missing puts are lines that were lost; a recorder that leaves puts out by a rule
leaves out more (p_slave_behind_master_min: it keeps every tenth)."""


@frozen
class RecordedPut:
    """One put that was appended."""

    number: int
    """Its place among all of them."""
    seq: int
    """Its event."""
    begin_ms: float
    """When the producer called."""
    end_ms: float
    """When the call had returned."""
    duration_ms: float
    """How long the call took."""
    start_offset: int
    """``wrote_offset``."""
    size_bytes: int
    """``wrote_bytes``."""
    properties_bytes: int
    """How many of them are its properties, which come last."""
    waits_for_store: bool
    """``wait_store_ok``."""
    status: str
    """``put_status``: its answer."""
    process: int
    """Which process of the master took it, counted from 0."""
    life: int
    """The life of the master's log in which it was written."""
    queue: str
    """Topic and queue as snapshots name them, for example ``T0-1``."""
    queue_offset: int
    """Its place in that queue."""
    message_id: str
    """``msg_id``: the recorder's name for it, empty where there is none."""
    push2_before: int
    """``push2_slave_before``: the highest report that had been read just before the call. Where
    nobody looked, it was no less than that: what the master was seen to have read earlier."""
    push2_after: int | None
    """``push2_slave_after``: the highest report that had been read when the call had returned;
    None where nobody looked."""
    connections_before: int | None
    """``connection_count_before``: how many connections the master counted just before the call;
    None where nobody looked."""
    is_behind_gap: bool = False
    """Puts that the recording leaves out may lie between it and the one before it."""

    @property
    def end_offset(self) -> int:
        """One past its last byte."""
        return self.start_offset + self.size_bytes

    @property
    def is_scheduled(self) -> bool:
        """It is a delayed message, which waits under a topic of its own."""
        return self.queue.startswith(SCHEDULE_TOPIC)

    def passes_torn_at(self, offset: int) -> bool:
        """A recovery takes it for whole though its bytes end at this offset.

        Nothing but properties is missing then, or zeros of their length. No checksum covers
        properties, and missing bytes read as zeros (T1-00967, T1-04965;
        ``CommitLog#checkMessageAndReturnSize``).
        """
        high, low = divmod(self.properties_bytes, 256)
        zeros = 0 if low else 1 if high else PROPERTIES_LENGTH.size
        return offset >= self.end_offset - self.properties_bytes - zeros


@frozen
class ProcessAhead:
    """What a recording tells in advance of one process of the master."""

    end_ms: float
    """When it ended; of the last one, when the recording did."""
    reported_ms: tuple[float, ...]
    """When more than before was seen to be reported."""
    reported: tuple[int, ...]
    """What was reported then: the highest number so far."""

    def may_be_pending(self, end_offset: float, seen_ms: float, longest_put_ms: float) -> bool:
        """A message that ends here and is there at this moment is not answered at the end.

        It must still wait for a slave then: what is reported is answered at once.
        """
        place = bisect_left(self.reported, end_offset)
        is_answered = (
            place < len(self.reported) and self.reported_ms[place] < self.end_ms - UNDER_WAY_MS
        )
        if is_answered:
            return seen_ms >= self.end_ms - UNDER_WAY_MS
        return seen_ms >= self.end_ms - longest_put_ms

    def may_leave_pending(self, end_offset: int, longest_put_ms: float) -> bool:
        """A message that ends here has no line, for its process has ended before its answer."""
        return self.may_be_pending(end_offset, self.end_ms, longest_put_ms)


def see_processes(
    events: Iterable[Event], master: str, end_ms: float, members: int = 0
) -> tuple[ProcessAhead, ...]:
    """What a recording that ends then tells in advance of each process of the master.

    A put is answered by one report that covers it; with ``members``, by those of so many slaves.
    """
    found: list[ProcessAhead] = []
    times: list[float] = []
    values: list[int] = []
    latest: dict[str, int] = {}
    for event in events:
        if members:
            if event.kind == "ha_report":
                latest[event["link"]] = event["slave_offset"]
            reported = min(latest.values()) if len(latest) == members else -1
        else:
            reported = max(_list_reported(event, master), default=-1)
        if reported > (values[-1] if values else -1):
            times.append(event.t_ms)
            values.append(reported)
        if event.kind in END_KINDS and event["node"] == master:
            found.append(ProcessAhead(event.t_ms, tuple(times), tuple(values)))
            times, values, latest = [], [], {}
    return (*found, ProcessAhead(end_ms, tuple(times), tuple(values)))


def drop_refused_reports(events: Sequence[Event], master: str) -> Iterator[Event]:
    """The events without reports that a master refuses which compares all but the first (4.9.3).

    What lies above every end that its log was seen to have, and is not the first of its connection.
    """
    highest, begun = max(_list_ends(events, master), default=0), set[tuple[str, int]]()
    for event in events:
        if event.kind == "ha_report":
            connection = event["link"], event["conn"]
            if connection in begun and event["slave_offset"] > highest:
                continue
            begun.add(connection)
        yield event


def _list_ends(events: Iterable[Event], master: str) -> Iterator[int]:
    for event in events:
        is_own = event.data.get("node") == master
        if event.kind == "ha_frame":
            yield event["master_offset"] + event["body_bytes"]
        elif is_own and event.kind == "put" and "wrote_offset" in event.data:
            yield event["wrote_offset"] + event["wrote_bytes"]
        elif is_own and "max_offset" in event.data:
            yield event["max_offset"]


def _list_reported(event: Event, master: str) -> Iterator[int]:
    if event.kind == "ha_report":
        yield event["slave_offset"]
    if event.data.get("node") == master and "push2_slave_after" in event.data:
        yield event["push2_slave_after"]
    if event.data.get("node") == master and event.kind in BROKER_KINDS:
        yield event["push2_slave_max_offset"]


def order_puts(
    events: Iterable[Event],
    master: str,
    life_of_process: Sequence[int],
    is_slave_checked: Sequence[bool],
) -> tuple[RecordedPut, ...]:
    """Appended puts by process of the master, then by the place that they got in its log.

    ``is_slave_checked``: by process whether one that waits for the store and is answered PUT_OK has
    been reported.
    """
    found: list[tuple[int, int, Event]] = []
    process, known = 0, _KnownReports(is_slave_checked[0])
    for event in events:
        if event.data.get("node") != master:
            continue
        if event.kind in END_KINDS:
            process, known = process + 1, _KnownReports(is_slave_checked[process + 1])
        if event.kind == "put" and event.data.get("append_status") == "PUT_OK":
            found.append((process, known.find_least(float(event["t_begin_ms"])), event))
        known.learn(event)
    found.sort(key=lambda item: (item[0], item[2]["wrote_offset"]))
    return tuple(
        make_put(number, event, process, life_of_process[process], push2)
        for number, (process, push2, event) in enumerate(found)
    )


@define
class _KnownReports:
    """What one process of the master is seen to have read of its slaves' reports by and by."""

    is_slave_checked: bool
    times_ms: list[float] = field(factory=list)
    values: list[int] = field(factory=list)
    """The highest number so far."""

    def learn(self, event: Event) -> None:
        """A look at the master, or an answer for which it has read a report (R-HA-20)."""
        known = max(_list_reported(event, str(event["node"])), default=0)
        if self.is_slave_checked and event.kind == "put" and _has_waited(event):
            known = max(known, event["wrote_offset"] + event["wrote_bytes"])
        if known > self.find_least(math.inf):
            self.times_ms.append(event.t_ms)
            self.values.append(known)

    def find_least(self, t_ms: float) -> int:
        """What had been read by then at least."""
        place = bisect_right(self.times_ms, t_ms)
        return self.values[place - 1] if place else 0


def _has_waited(event: Event) -> bool:
    """A put that was appended, waited for the store, and is answered PUT_OK."""
    is_stored = event.data.get("append_status") == "PUT_OK" == event["put_status"]
    return is_stored and event["wait_store_ok"] is True


def make_put(number: int, event: Event, process: int, life: int, push2_least: int) -> RecordedPut:
    """What the line of a put tells; ``push2_least``: what its process had read of reports then."""
    topic, _, _ = name_queue(event).rpartition("-")
    other_bytes = compute_message_length(
        event["body_bytes"], len(topic.encode("utf-8", "surrogatepass")), 0
    )
    return RecordedPut(
        number=number,
        seq=event.seq,
        begin_ms=float(event["t_begin_ms"]),
        end_ms=event.t_ms,
        duration_ms=float(event["duration_ms"]),
        start_offset=event["wrote_offset"],
        size_bytes=event["wrote_bytes"],
        properties_bytes=max(0, event["wrote_bytes"] - other_bytes),
        waits_for_store=event["wait_store_ok"],
        status=event["put_status"],
        process=process,
        life=life,
        queue=name_queue(event),
        queue_offset=event["queue_offset"],
        message_id=str(event.data.get("msg_id", "")),
        push2_before=event.data.get("push2_slave_before", push2_least),
        push2_after=event.data.get("push2_slave_after"),
        connections_before=event.data.get("connection_count_before"),
    )


def name_queue(event: Event) -> str:
    """The queue that a put's message goes to."""
    level = event.data.get("delay_level", 0)
    if isinstance(level, int) and level > 0:
        return f"{SCHEDULE_TOPIC}-{level - 1}"
    return f"{event['topic']}-{event['queue']}"


def mark_gaps(
    puts: Sequence[RecordedPut],
    processes: Sequence[ProcessAhead],
    longest_put_ms: float,
    life_begins: Mapping[int, int],
) -> tuple[RecordedPut, ...]:
    """The puts with a mark on those before which unrecorded ones may lie.

    ``life_begins``: where each later life of the log was seen to begin, as far as it was.
    """
    behind_leap = find_sampled(puts)
    return tuple(
        evolve(
            put,
            is_behind_gap=put.number in behind_leap
            or processes[put.process].may_be_pending(put.start_offset, put.end_ms, longest_put_ms)
            or _may_follow_others(before, put, processes, longest_put_ms, life_begins),
        )
        for before, put in zip((None, *puts), puts, strict=False)
    )


def _may_follow_others(
    before: RecordedPut | None,
    put: RecordedPut,
    processes: Sequence[ProcessAhead],
    longest_put_ms: float,
    life_begins: Mapping[int, int],
) -> bool:
    """Earlier processes may have left bytes of puts without a line between a put and this one."""
    end, process = (0, 0) if before is None else (before.end_offset, before.process)
    if before is not None and before.life != put.life:
        end = life_begins.get(put.life, end)
    left = processes[process : put.process]
    return end < put.start_offset and any(
        each.may_leave_pending(put.start_offset, longest_put_ms) for each in left
    )


def find_sampled(puts: Sequence[RecordedPut]) -> frozenset[int]:
    """Numbers of the puts before which a recorder has left puts out by its stride."""
    by_queue: dict[tuple[int, str], list[RecordedPut]] = defaultdict(list)
    for put in puts:
        by_queue[put.life, put.queue].append(put)
    found: set[int] = set()
    for queue in by_queue.values():
        leaps = [
            (later.queue_offset - before.queue_offset, before, later)
            for before, later in itertools.pairwise(queue)
        ]
        stride = max((leap for leap, _, _ in leaps), default=0)
        was_sampled = False
        for leap, before, later in leaps:
            is_sampled = leap > 1 and leap == stride >= STRIDE_MIN
            is_tail = was_sampled and STRIDE_MIN <= leap <= stride
            was_sampled = is_sampled
            if is_sampled or is_tail:
                found.update(range(before.number + 1, later.number + 1))
    return frozenset(found)


def find_sampled_tails(puts: Sequence[RecordedPut]) -> Mapping[int, int]:
    """By process: up to where puts may have written behind the last one that a recorder kept.

    It leaves out no more there than it has left out by its stride before that one.
    """
    sampled, tails = find_sampled(puts), dict[int, int]()
    for before, put in itertools.pairwise(puts):
        tails.pop(put.process, None)
        if put.number in sampled and before.process == put.process:
            tails[put.process] = put.end_offset + put.start_offset - before.end_offset
    return tails


def list_under_way(puts: Sequence[RecordedPut]) -> tuple[tuple[RecordedPut, ...], ...]:
    """By put: those before it in the log that may have been under way when it was called."""
    found: list[tuple[RecordedPut, ...]] = []
    present: list[RecordedPut] = []
    for put in puts:
        present = [other for other in present if other.end_ms > put.begin_ms - UNDER_WAY_MS]
        found.append(tuple(present))
        present.append(put)
    return tuple(found)


def count_overlapping(intervals: Iterable[tuple[float, float]]) -> int:
    """The most of these intervals that hold at the same time."""
    edges: list[tuple[float, int]] = []
    for begin, end in intervals:
        edges += [(begin, 1), (end, -1)]
    edges.sort(key=lambda edge: (edge[0], -edge[1]))
    present = most = 0
    for _, step in edges:
        present += step
        most = max(most, present)
    return most


QueueKey: TypeAlias = tuple[int, str]
"""A life of the master's log, and a queue."""


@frozen
class QueueIndex:
    """The puts of one queue in one life of the master's log, in the order of their places."""

    puts: tuple[RecordedPut, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]


def index_queues(puts: Iterable[RecordedPut]) -> Mapping[QueueKey, QueueIndex]:
    """The puts by life and queue."""
    found: dict[QueueKey, list[RecordedPut]] = defaultdict(list)
    for put in puts:
        found[put.life, put.queue].append(put)
    return {
        key: QueueIndex(
            tuple(group),
            tuple(put.start_offset for put in group),
            tuple(put.end_offset for put in group),
        )
        for key, group in found.items()
    }


MESSAGE_HEAD_BYTES = 91
"""What a stored message has beside body, topic and properties (CommitLog#calMsgLength)."""
