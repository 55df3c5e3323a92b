"""Consume queues on disk: where a start finds their ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from attrs import evolve, field, frozen

from brokers.disk.files.file_bytes import FileBytes
from brokers.disk.files.folders import CONSUME_QUEUE, StoreFolder
from brokers.disk.files.mapped_folders import (
    FoundFile,
    guess_size,
    list_folder,
    split_by_length,
)
from brokers.disk.records.held_records import QueuePlace
from reference.releases.start_rules import StartRules
from reference.store.consume_queue import (
    CQ_STORE_UNIT_SIZE_BYTES,
    PRE_BLANK,
    RECOVERED_FILES,
    ConsumeQueueEntry,
    compute_file_size,
    is_filled,
    list_entries,
)

QUEUE_FILE_SIZE = "mapedFileSizeConsumeQueue"
ENTRIES_READ = 4096
"""How many are read at once."""
USUAL_PLACES = 300_000
"""Of a file of the default size."""
NO_ENTRY = ConsumeQueueEntry(0, 0, 0)


@frozen
class QueueFile:
    """One file of a queue."""

    path: Path
    begin_index: int
    """Index of its first place."""
    places: int
    """How many entries it has room for."""

    @property
    def data(self) -> FileBytes:
        """Its bytes."""
        return FileBytes(self.path, self.places * CQ_STORE_UNIT_SIZE_BYTES)

    def list_entries(self) -> Iterator[ConsumeQueueEntry]:
        """Its places, empty ones too. Raises OSError."""
        length = ENTRIES_READ * CQ_STORE_UNIT_SIZE_BYTES
        for first in range(0, self.places, ENTRIES_READ):
            yield from list_entries(self.data.read(first * CQ_STORE_UNIT_SIZE_BYTES, length))


@frozen
class Queue:
    """A queue as a start finds it (``ConsumeQueue#load`` and ``#recover``)."""

    topic: str
    queue_id: int
    files: tuple[QueueFile, ...] = field(default=(), repr=False)
    begin_index: int = 0
    """Index of the first place of its first file."""
    max_index: int = 0
    """One past its last entry: ``getMaxOffsetInQueue``."""
    read_index: int = 0
    """Below it all entries are on disk; recovery enters those from it on."""
    max_physic_offset: int = -1
    """``maxPhysicOffset``: where its last message begins, in later releases where it ends."""

    @property
    def key(self) -> tuple[str, int]:
        """Topic and queue."""
        return self.topic, self.queue_id


@frozen
class Queues:
    """All queues, and why the broker does not start because of them, if it does not."""

    queues: tuple[Queue, ...]
    problem: str = ""


def list_queues(folder: StoreFolder, rules: StartRules) -> Queues:
    """All queues, recovered (``DefaultMessageStore#loadConsumeQueue``). Raises OSError."""
    found = list(_list_folders(folder.root / CONSUME_QUEUE, rules))
    told = compute_file_size(folder.get_number(QUEUE_FILE_SIZE))
    size = told or guess_size(file for *_, files in found for file in files)
    places = size // CQ_STORE_UNIT_SIZE_BYTES
    queues = []
    for topic, queue_id, files in found:
        mapped, others = split_by_length(files, size, rules)
        if others and rules.is_other_length_refused:
            name = others[0].path.name
            problem = f"{name} of queue {topic}/{queue_id} has another length than {size} bytes"
            return Queues((), problem)
        own = (
            QueueFile(each.path, int(each.path.name) // CQ_STORE_UNIT_SIZE_BYTES, places)
            for each in mapped
        )
        queues.append(recover(Queue(topic, queue_id, tuple(own) if places else ()), rules))
    return Queues(tuple(queues))


def _list_folders(root: Path, rules: StartRules) -> Iterator[tuple[str, int, list[FoundFile]]]:
    """Topic, queue, and its files, in order."""
    for topic in sorted(root.iterdir()) if root.is_dir() else ():
        for path in sorted(topic.iterdir()) if topic.is_dir() else ():
            if path.is_dir() and path.name.isdecimal():
                files = list_folder(path, rules)
                yield topic.name, int(path.name), [f for f in files if f.path.name.isdecimal()]


def get_physic_offset(entry: ConsumeQueueEntry, rules: StartRules) -> int:
    """What a queue remembers of its last entry."""
    return entry.offset_bytes + (entry.size_bytes if rules.are_entries_known_by_end else 0)


def recover(queue: Queue, rules: StartRules) -> Queue:
    """Its end: the first empty place of its last three files (``ConsumeQueue#recover``)."""
    if not queue.files:
        return queue
    max_index, last = 0, None
    for file in queue.files[max(0, len(queue.files) - RECOVERED_FILES) :]:
        count = 0
        for entry in file.list_entries():
            if not is_filled(entry):
                break
            count, last = count + 1, entry
        max_index = file.begin_index + count
        if count < file.places:
            break
    return evolve(
        queue,
        begin_index=queue.files[0].begin_index,
        max_index=max_index,
        read_index=max_index,
        max_physic_offset=-1 if last is None else get_physic_offset(last, rules),
    )


def truncate(
    queue: Queue, log_end: int, rules: StartRules, entered: Sequence[ConsumeQueueEntry] = ()
) -> Queue | None:
    """Without entries of messages that the log has no more; None: the start never ends.

    ``entered`` are those that recovery has made, at the queue's end. See
    ``consume_queue.truncate_dirty_logic_files``.
    """
    for begin, places, entries in _list_files_backwards(queue, entered):
        count, last = 0, None
        for entry in entries:
            if entry.offset_bytes >= log_end or (count > 0 and not is_filled(entry)):
                break
            count, last = count + 1, entry
        if last is None:
            continue
        if places == 1:
            return None
        end = begin + count
        return evolve(
            queue,
            max_index=end,
            read_index=min(end, queue.max_index - len(entered)) if entered else end,
            max_physic_offset=get_physic_offset(last, rules),
        )
    behind = log_end - (0 if rules.are_entries_known_by_end else 1)
    return evolve(queue, files=(), max_index=0, begin_index=0, max_physic_offset=behind)


def _list_files_backwards(
    queue: Queue, entered: Sequence[ConsumeQueueEntry]
) -> Iterator[tuple[int, int, Iterator[ConsumeQueueEntry]]]:
    """Each file from the last one on: its first index, how many places it has, and its entries."""
    by_begin = {file.begin_index: file for file in queue.files}
    places = queue.files[0].places if queue.files else USUAL_PLACES
    first_entered = queue.max_index - len(entered)
    begins = {b for b in by_begin if b <= queue.max_index}
    if entered:
        begins |= {i - i % places for i in (*range(first_entered, queue.max_index, places),)}
        begins.add(queue.max_index - 1 - (queue.max_index - 1) % places)
    for begin in sorted(begins, reverse=True):
        own = by_begin[begin].list_entries() if begin in by_begin else iter(())
        yield begin, places, _lay_over(own, begin, places, first_entered, entered)


def _lay_over(
    own: Iterator[ConsumeQueueEntry],
    begin: int,
    places: int,
    first: int,
    entered: Sequence[ConsumeQueueEntry],
) -> Iterator[ConsumeQueueEntry]:
    """What a file holds once other entries are written into it; what is before them counts."""
    for index in range(begin, begin + places):
        found = next(own, None)
        if entered and first <= index < first + len(entered):
            yield entered[index - first]
        else:
            yield found or (PRE_BLANK if entered and index < first else NO_ENTRY)


def enter(queue: Queue, place: QueuePlace, rules: StartRules) -> Queue:
    """With a message that recovery dispatches (``ConsumeQueue#putMessagePositionInfo``).

    The same queue if it counts as a repetition.
    """
    end = place.own_offset + place.size_bytes
    if (end if rules.are_entries_known_by_end else place.own_offset) <= queue.max_physic_offset:
        return queue
    if not queue.files and queue.max_physic_offset < 0:
        queue = evolve(queue, begin_index=place.queue_offset, max_index=place.queue_offset)
    elif 0 < place.queue_offset < queue.max_index:
        return queue
    physic = end if rules.are_entries_known_by_end else place.own_offset
    return evolve(queue, max_index=queue.max_index + 1, max_physic_offset=physic)


def find_empty_last_file(queue: Queue) -> Path | None:
    """The last file of a queue, if it has no entry and is not the one at 0."""
    kept = [file for file in queue.files if file.begin_index <= queue.max_index]
    is_empty = bool(kept) and kept[-1].begin_index == queue.max_index > 0
    return kept[-1].path.relative_to(kept[-1].path.parents[3]) if is_empty else None


def compute_max_physic_offset(queues: Iterable[Queue]) -> int:
    """The furthest place in the log to which a queue points (bytes); -1: to none."""
    return max((queue.max_physic_offset for queue in queues), default=-1)
