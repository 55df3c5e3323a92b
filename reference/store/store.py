"""Everything that a broker's store keeps in memory and on disk; its start and its shutdown."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping

from attrs import evolve, field, frozen

from reference.roles import MASTER_ID, FlushDiskType, Role
from reference.store import allocation, java, records
from reference.store import consume_queue as consume_queues
from reference.store import mapped_file_queue as queues
from reference.store.allocation import AllocateMappedFileService
from reference.store.consume_queue import ConsumeQueue
from reference.store.content import NOTHING, Content
from reference.store.mapped_file_queue import CreateContent, MappedFileQueue

CHECKPOINT_TOLERANCE_MS = 3000
SHUTDOWN_FLUSHES_MAX = 10


@frozen
class StoreConfig:
    """Settings of a store (``MessageStoreConfig``, ``BrokerConfig``)."""

    mapped_file_size_commit_log_bytes: int
    mapped_file_size_consume_queue_bytes: int = 400
    """Rounded up to whole entries."""
    max_message_size_bytes: int = 4 * 1024 * 1024
    broker_role: Role = Role.ASYNC_MASTER
    broker_id: int = MASTER_ID
    flush_disk_type: FlushDiskType = FlushDiskType.ASYNC_FLUSH
    is_crc_checked_on_recover: bool = True
    is_message_index_enabled: bool = True
    is_message_index_safe: bool = False
    is_duplication_enabled: bool = False
    ha_slave_fallbehind_max_bytes: int = 256 * 1024 * 1024
    delays_ms: tuple[int, ...] = records.DELAYS_MS
    """``messageDelayLevel``, level by level; level 1 is the first."""
    largest_array_bytes: int = java.LARGEST_ARRAY_BYTES
    """The largest total size of a record before an OutOfMemoryError: less in a small heap."""


class Flag(enum.IntFlag):
    """``RunningFlags``: reasons why a store does not write."""

    NOT_READABLE = 1
    NOT_WRITEABLE = 2
    WRITE_LOGICS_QUEUE_ERROR = 4
    WRITE_INDEX_FILE_ERROR = 8
    DISK_FULL = 16


NO_FLAG = Flag(0)
QUEUE_WRITE_ERRORS = (
    Flag.NOT_WRITEABLE | Flag.WRITE_LOGICS_QUEUE_ERROR | Flag.WRITE_INDEX_FILE_ERROR
)


def is_writeable(flags: Flag) -> bool:
    """Messages are accepted (``RunningFlags#isWriteable``)."""
    return not flags & (QUEUE_WRITE_ERRORS | Flag.DISK_FULL)


def is_queue_writeable(flags: Flag) -> bool:
    """Consume queues are written: a full disk does not matter (``RunningFlags#isCQWriteable``)."""
    return not flags & QUEUE_WRITE_ERRORS


@frozen
class StoreCheckpoint:
    """Store times of the last messages that are surely on disk (ms); 0: none."""

    physic_msg_timestamp_ms: int = 0
    """Moved by flushes on a master; a slave's stays, since it puts no messages."""
    logics_msg_timestamp_ms: int = 0
    index_msg_timestamp_ms: int = 0

    @property
    def min_timestamp_ms(self) -> int:
        """What the log and the queues surely hold, less three seconds; at least 0."""
        least = min(self.physic_msg_timestamp_ms, self.logics_msg_timestamp_ms)
        return max(0, least - CHECKPOINT_TOLERANCE_MS)

    @property
    def min_timestamp_index_ms(self) -> int:
        """What the log, the queues and the index surely hold, less three seconds; at least 0."""
        return min(self.min_timestamp_ms, self.index_msg_timestamp_ms)


@frozen
class Store:
    """A store in memory and on disk (``DefaultMessageStore``)."""

    config: StoreConfig
    commit_log: MappedFileQueue
    allocation: AllocateMappedFileService = field(factory=AllocateMappedFileService)
    consume_queues: Mapping[str, ConsumeQueue] = field(factory=dict)
    """By topic and queue id: consumeQueueTable; empty before load."""
    consume_queues_on_disk: tuple[ConsumeQueue, ...] = ()
    """The folders that load finds, with their files not mapped yet."""
    topic_queue_table: Mapping[str, int] = field(factory=dict)
    """The next queue offset of each queue, for a master's puts."""
    checkpoint: StoreCheckpoint = field(factory=StoreCheckpoint)
    checkpoint_on_disk: StoreCheckpoint = field(factory=StoreCheckpoint)
    running_flags: Flag = NO_FLAG
    reput_from_offset_bytes: int = 0
    """The dispatcher has reached this offset."""
    confirm_offset_bytes: int = -1
    """Used with duplicationEnable only, and never set in 4.4.0."""
    message_memory: Content = NOTHING
    """``msgStoreItemMemory``: the last message encoded by a master, which also fills blanks."""
    begin_time_in_lock_ms: int = 0
    """Start of the put that holds the lock; 0: none. A put that throws never resets it."""
    is_shutdown: bool = True
    """Puts, appends and getCommitLogData are refused; true before start too."""
    are_services_running: bool = False
    """From start to the end of the shutdown."""
    is_dispatcher_running: bool = False
    """Its thread is alive; an error may have ended it."""
    has_abort_file: bool = False
    """The next load takes this exit for a kill."""
    create_queue_content: Callable[[str, int], CreateContent] | None = field(
        default=None, eq=False, repr=False
    )
    """For a topic and queue id: where its new files' bytes are to lie; None: in memory."""


def create_store(config: StoreConfig) -> Store:
    """A store over an empty folder."""
    return Store(config, MappedFileQueue(config.mapped_file_size_commit_log_bytes))


def get_max_physical_offset(store: Store) -> int:
    """Where the next byte goes (``getMaxPhyOffset``, bytes)."""
    return queues.get_max_offset(store.commit_log)


def get_min_physical_offset(store: Store) -> int:
    """Where the log begins (``CommitLog#getMinOffset``, bytes); -1: there is no file.

    A first file that is being deleted does not count, though it still exists (T2-00796).
    """
    first = queues.get_first_mapped_file(store.commit_log)
    if first is None:
        return -1
    begin = first.file_from_offset_bytes
    return begin if first.is_available else roll_next_file(store.config, begin)


def roll_next_file(config: StoreConfig, offset_bytes: int) -> int:
    """Beginning of the next file (``CommitLog#rollNextFile``, bytes)."""
    size = config.mapped_file_size_commit_log_bytes
    return offset_bytes + size - java.remainder(offset_bytes, size)


def compute_dispatch_behind(store: Store) -> int:
    """Undispatched bytes; below 0 after a blank was cut (``dispatchBehindBytes``)."""
    return get_max_physical_offset(store) - store.reput_from_offset_bytes


def find_consume_queue(store: Store, topic: str, queue_id: int) -> ConsumeQueue:
    """The queue, or an empty new one (``DefaultMessageStore#findConsumeQueue``)."""
    key = consume_queues.make_key(topic, queue_id)
    if key in store.consume_queues:
        return store.consume_queues[key]
    size = consume_queues.compute_file_size(store.config.mapped_file_size_consume_queue_bytes)
    make = store.create_queue_content
    create = make(topic, queue_id) if make is not None else None
    return ConsumeQueue(topic, queue_id, MappedFileQueue(size, create_content=create))


def replace_consume_queues(store: Store, *changed: ConsumeQueue) -> Store:
    """The store with other or new queues."""
    changes = {queue.key: queue for queue in changed}
    return evolve(store, consume_queues={**store.consume_queues, **changes})


def start(store: Store) -> Store:
    """Services start, and the abort file is created (``DefaultMessageStore#start``).

    The dispatcher begins at the log's end, whatever the queues hold.
    """
    is_confirmed = store.config.is_duplication_enabled
    begin = store.confirm_offset_bytes if is_confirmed else get_max_physical_offset(store)
    return evolve(
        store,
        reput_from_offset_bytes=begin,
        are_services_running=True,
        is_dispatcher_running=True,
        is_shutdown=False,
        has_abort_file=True,
    )


def begin_shutdown(store: Store) -> Store:
    """No more puts and reads; services still run for a second."""
    return evolve(store, is_shutdown=True)


def keep_physic_timestamp(store: Store) -> Store:
    """A flush service records in the checkpoint what it has flushed, if a master put it."""
    timestamp = store.commit_log.store_timestamp_ms
    if timestamp <= 0:
        return store
    return evolve(store, checkpoint=evolve(store.checkpoint, physic_msg_timestamp_ms=timestamp))


def flush_at_shutdown(store: Store) -> Store:
    """The last work of ``FlushRealTimeService#run`` when it is stopped.

    It flushes once as always, then until a flush changes nothing, but at most ten times. One flush
    reaches one file, so a log of more unflushed files stays unflushed.
    """
    log, _ = queues.flush(store.commit_log, 0)
    store = keep_physic_timestamp(evolve(store, commit_log=log))
    for _ in range(SHUTDOWN_FLUSHES_MAX):
        log, is_done = queues.flush(store.commit_log, 0)
        store = evolve(store, commit_log=log)
        if is_done:
            break
    return store


def finish_shutdown(store: Store) -> Store:
    """Flush, stop all services, delete the abort file (``DefaultMessageStore#shutdown``).

    A store that was not started has nothing to stop. The dispatcher is idle when this is called.
    The abort file stays if the dispatcher is not exactly at the log's end: a slave that ends inside
    a record or a blank recovers as after a kill (T2-00472).
    """
    if not store.are_services_running:
        return store
    store = flush_at_shutdown(store)
    is_clean = is_writeable(store.running_flags) and compute_dispatch_behind(store) == 0
    return evolve(
        store,
        allocation=allocation.shut_down(store.allocation),
        are_services_running=False,
        is_dispatcher_running=False,
        checkpoint_on_disk=store.checkpoint,
        has_abort_file=store.has_abort_file and not is_clean,
    )


def leave_to_next_process(store: Store) -> Store:
    """The files that another process finds on disk, after a shutdown or a kill."""
    log = queues.close(store.commit_log)
    made = allocation.list_disk_files(store.allocation)
    left = (queue for queue in store.consume_queues.values() if queue.has_folder)
    found = (
        ConsumeQueue(queue.topic, queue.queue_id, queues.close(queue.files), has_folder=True)
        for queue in left
    )
    return Store(
        store.config,
        evolve(log, other_files=(*log.other_files, *made)),
        consume_queues_on_disk=(*found, *store.consume_queues_on_disk),
        checkpoint_on_disk=store.checkpoint_on_disk,
        has_abort_file=store.has_abort_file,
    )
