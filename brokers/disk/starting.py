"""What a broker would do with its store now: the recovery of a start, without a change on disk.

It says what ``reference.store.recovery.load`` makes of the same files; here no file lies in memory.
"""

from __future__ import annotations

import enum
import struct
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TypeAlias

from attrs import define, evolve, field, frozen

from brokers.disk.files.checkpoint_files import read_checkpoint
from brokers.disk.files.file_bytes import PIECE_BYTES
from brokers.disk.files.folders import StoreFolder
from brokers.disk.files.log_files import LogFile, LogFiles, list_log_files
from brokers.disk.files.queue_files import (
    Queue,
    Queues,
    compute_max_physic_offset,
    enter,
    find_empty_last_file,
    list_queues,
    truncate,
)
from brokers.disk.records.held_records import QueuePlace, list_queue_places
from brokers.disk.records.walking import ConsecutiveRecords, StopReason, WalkEnd, finish, walk
from reference.releases.start_rules import StartRules
from reference.store import java, records, recovery
from reference.store.consume_queue import ConsumeQueueEntry, is_folder_nameable
from reference.store.java import JavaError
from reference.store.records import RecordFormat
from reference.store.store import StoreCheckpoint

HEAD_BYTES = 100
"""Of a file, as much as decides whether recovery begins there."""
SYS_FLAG_POSITION = 36
IPV6_MORE_BYTES = 12
QueueKey: TypeAlias = tuple[str, int]
Progress: TypeAlias = Callable[[int], None]
"""Is told of each piece that was read (bytes)."""
SINGLE_ENTRY = "a consume queue has files of a single entry"


class StartOutcome(enum.Enum):
    """How a start ends."""

    STARTS = "starts"
    REFUSES = "does not start"
    HANGS = "never ends its start"


@frozen
class StoreStart:
    """A start on paper."""

    outcome: StartOutcome
    problem: str = ""
    """Why it fails."""
    is_after_kill: bool = False
    """It finds an abort file: all is read again from the checkpoint on, and dispatched."""
    begin_offset: int = 0
    """``getMinPhyOffset`` (bytes)."""
    end_offset: int = 0
    """``getMaxPhyOffset`` (bytes)."""
    last_offset: int = -1
    """Where the last record that was read begins (bytes); -1: none was."""
    stop: StopReason = StopReason.UNREADABLE
    """Why the log ends there."""
    read_from_offset: int = 0
    """Where recovery begins to read; what lies before is not checked (bytes)."""
    records_read: int = 0
    queues: Mapping[QueueKey, Queue] = field(factory=dict)
    entries_cut: int = 0
    """Entries of queues that pointed behind the log's end."""
    entries_made: int = 0
    """Entries that the start enters again after a kill."""
    queue_end_offset: int = -1
    """How far in the log the queues pointed before (bytes), see ``Queue.max_physic_offset``."""
    deleted: tuple[LogFile, ...] = ()
    """Files behind the log's end."""
    landmarks: tuple[int, ...] = field(default=(), repr=False)
    """Offsets at which records begin, about one in each piece that was read; in order."""

    @property
    def is_started(self) -> bool:
        """The broker comes up."""
        return self.outcome is StartOutcome.STARTS


@frozen
class Inputs:
    """What a start reads besides the log's records."""

    log: LogFiles
    queues: Mapping[QueueKey, Queue]
    checkpoint: StoreCheckpoint
    is_after_kill: bool
    rules: StartRules
    progress: Progress
    problem: str = ""
    """Why the files are not loaded; empty if they are."""

    @property
    def max_physic_offset(self) -> int:
        """How far in the log the queues point (bytes)."""
        return compute_max_physic_offset(self.queues.values())


def read_inputs(folder: StoreFolder, rules: StartRules, progress: Progress) -> Inputs:
    """Everything but the records. Raises OSError."""
    log = list_log_files(folder, rules)
    found = Queues((), log.problem) if log.problem else list_queues(folder, rules)
    queues = {queue.key: queue for queue in found.queues}
    checkpoint = read_checkpoint(folder)
    return Inputs(
        log, queues, checkpoint, folder.has_abort_file, rules, progress, problem=found.problem
    )


def compute_start(inputs: Inputs) -> StoreStart:
    """What a start makes of a store (``DefaultMessageStore#load``). Raises OSError."""
    log, is_after_kill = inputs.log, inputs.is_after_kill
    if inputs.problem:
        return StoreStart(StartOutcome.REFUSES, inputs.problem, is_after_kill)
    if not log.files:
        is_destroyed = is_after_kill or inputs.rules.are_queues_destroyed
        left: Mapping[QueueKey, Queue] = {} if is_destroyed else inputs.queues
        return StoreStart(StartOutcome.STARTS, is_after_kill=is_after_kill, queues=left)
    try:
        start = _recover(inputs)
    except JavaError as error:
        problem = f"reading the log throws {error.class_name}"
        return StoreStart(StartOutcome.REFUSES, problem, is_after_kill)
    if start.is_started and inputs.rules.is_empty_queue_file_fatal:
        return _look_for_empty_files(start)
    return start


def _look_for_empty_files(start: StoreStart) -> StoreStart:
    """``ConsumeQueue#correctMinOffset`` throws where a queue's last file has no entry."""
    empty = next(filter(None, map(find_empty_last_file, start.queues.values())), None)
    if empty is None:
        return start
    problem = f"{empty}, the last file of its queue, has no entry; remove it, and it starts"
    return evolve(start, outcome=StartOutcome.REFUSES, problem=problem)


def find_begin(inputs: Inputs) -> int:
    """Index of the file from which recovery reads. Raises JavaError, OSError."""
    files = inputs.log.files
    indexes = reversed(range(len(files)))
    if inputs.is_after_kill:
        times, known = inputs.checkpoint, inputs.rules.record_format
        return next((i for i in indexes if is_file_matched(files[i], times, known)), 0)
    if inputs.rules.is_begin_found_by_queues:
        reached = (i for i in indexes if files[i].begin_offset <= inputs.max_physic_offset)
        return next(reached, 0)
    return max(0, len(files) - recovery.RECOVERED_FILES)


def is_file_matched(file: LogFile, times: StoreCheckpoint, record_format: RecordFormat) -> bool:
    """Recovery after a kill may begin there, with ``messageIndexSafe=false``, the default.

    ``recovery.is_file_matched``, and the longer hosts and topics of later releases. Raises
    JavaError, OSError.
    """
    head = file.data.read(0, HEAD_BYTES)
    try:
        (magic_code,) = struct.unpack_from(">i", head, records.MAGIC_CODE_POSITION)
        is_long = magic_code == records.LONG_TOPIC_MAGIC_CODE and record_format.has_long_topics
        if magic_code != records.MESSAGE_MAGIC_CODE and not is_long:
            return False
        (sys_flag,) = struct.unpack_from(">i", head, SYS_FLAG_POSITION)
        is_longer = record_format.has_ipv6_hosts and sys_flag & records.BORN_HOST_IPV6
        position = records.STORE_TIMESTAMP_POSITION + (IPV6_MORE_BYTES if is_longer else 0)
        (timestamp,) = struct.unpack_from(">q", head, position)
    except struct.error as error:
        raise JavaError("java.lang.IndexOutOfBoundsException") from error
    return bool(0 != timestamp <= times.min_timestamp_ms)


@define
class RecoveryReader:
    """Recovery reads the log; after a kill it dispatches each record.

    Later releases dispatch those behind the queues' ends after a normal exit, too, but for the one
    that begins where they end. Entries are kept only where the queues point so far that some may
    have to be cut again.
    """

    inputs: Inputs
    queues: dict[QueueKey, Queue]
    entered: dict[QueueKey, list[ConsumeQueueEntry]] = field(factory=dict)
    landmarks: list[int] = field(factory=list)
    records: int = 0
    last_offset: int = -1

    def visit(self, passed: ConsecutiveRecords) -> None:
        """Some records more."""
        inputs, rules = self.inputs, self.inputs.rules
        inputs.progress(len(passed.buffer))
        self.records += len(passed.begins)
        self.last_offset = passed.last_offset
        if not self.landmarks or passed.offset >= self.landmarks[-1] + PIECE_BYTES // 2:
            self.landmarks.append(passed.offset)
        if not (inputs.is_after_kill or rules.is_begin_found_by_queues):
            return
        entered = self.entered if self.most_offset >= passed.offset else None
        for place in list_queue_places(passed, rules.record_format):
            if inputs.is_after_kill or place.own_offset > self.most_offset:
                _dispatch(place, rules, self.queues, entered)

    @cached_property
    def most_offset(self) -> int:
        """How far the queues pointed before (bytes)."""
        return self.inputs.max_physic_offset


def _recover(inputs: Inputs) -> StoreStart:
    log, index = inputs.log, find_begin(inputs)
    reader = RecoveryReader(inputs, dict(inputs.queues))
    end = finish(walk(log, index, inputs.rules.record_format), reader.visit)
    queues = reader.queues
    start = StoreStart(
        StartOutcome.STARTS,
        is_after_kill=inputs.is_after_kill,
        begin_offset=log.begin_offset,
        end_offset=end.offset,
        last_offset=reader.last_offset,
        stop=end.stop,
        read_from_offset=log.files[index].begin_offset,
        records_read=reader.records,
        queue_end_offset=inputs.max_physic_offset,
        deleted=tuple(file for file in log.files if file.begin_offset > end.offset),
        landmarks=tuple(reader.landmarks),
    )
    made = _count_entries(queues)
    whole = _cut_queues(inputs, end, queues, reader.entered)
    if whole is None:
        return evolve(start, outcome=StartOutcome.HANGS, problem=SINGLE_ENTRY)
    left = _count_entries(whole)
    if inputs.rules.are_queues_caught_up:
        _catch_up(inputs, end, whole)
    caught_up = _count_entries(whole) - left
    return evolve(
        start,
        queues=whole,
        entries_cut=made - left,
        entries_made=made - _count_entries(inputs.queues) + caught_up,
    )


def _cut_queues(
    inputs: Inputs,
    end: WalkEnd,
    queues: dict[QueueKey, Queue],
    entered: Mapping[QueueKey, list[ConsumeQueueEntry]],
) -> dict[QueueKey, Queue] | None:
    """No queue points behind the log's end; None: the start never ends.

    Whether one does is judged by their content before any dispatch.
    """
    if inputs.max_physic_offset < end.offset:
        return queues
    cut = {k: truncate(q, end.offset, inputs.rules, entered.get(k, ())) for k, q in queues.items()}
    whole = {key: queue for key, queue in cut.items() if queue is not None}
    return whole if len(whole) == len(cut) else None


def _catch_up(inputs: Inputs, end: WalkEnd, queues: dict[QueueKey, Queue]) -> None:
    """Dispatch from the furthest place to which a queue points; a reader checks no bodies.

    Where it finds no record it goes on in the next file, as a master does.
    """
    begin = max(inputs.log.begin_offset, compute_max_physic_offset(queues.values()))
    for file in inputs.log.files:
        low, high = max(begin, file.begin_offset), min(end.offset, file.end_offset)
        if low < high:
            one = evolve(inputs.log, files=(file,))
            known = inputs.rules.record_format
            for passed in walk(one, 0, known, begin=low, stop=high, is_crc_checked=False):
                for place in list_queue_places(passed, known):
                    _dispatch(place, inputs.rules, queues, None)


def _count_entries(queues: Mapping[QueueKey, Queue]) -> int:
    return sum(queue.max_index for queue in queues.values())


def _dispatch(
    place: QueuePlace,
    rules: StartRules,
    queues: dict[QueueKey, Queue],
    entered: dict[QueueKey, list[ConsumeQueueEntry]] | None,
) -> None:
    topic = java.decode_utf8(place.topic)
    if not is_folder_nameable(topic):
        return
    key = topic, place.queue_id
    before = queues.setdefault(key, Queue(*key))
    queues[key] = after = enter(before, place, rules)
    if after is not before and entered is not None:
        entry = ConsumeQueueEntry(place.own_offset, place.size_bytes, 0)
        entered.setdefault(key, []).append(entry)
