"""What a master writes: single messages and batches.

A message is followed by at least eight free bytes of its file. If they would not be free, the rest
of the file becomes a blank and the message goes to the next file. One too large for any file turns
that next file into a blank as well, is not stored, and is still answered PUT_OK (T5-00048); this
requires a maxMessageSize above the file size less eight.
"""

from __future__ import annotations

import enum
import struct
from collections.abc import Callable
from typing import TypeAlias

from attrs import evolve, frozen

from reference.roles import FlushDiskType, Role
from reference.store import allocation, group_commit, group_transfer, java, mapped_file, records
from reference.store import consume_queue as consume_queues
from reference.store import content as contents
from reference.store import mapped_file_queue as queues
from reference.store.allocation import Creation
from reference.store.content import Content
from reference.store.java import Thrown
from reference.store.mapped_file import MappedFile
from reference.store.records import Record
from reference.store.store import Store, is_writeable

TOPIC_LENGTH_MAX = 127
"""Characters, not bytes: 64 characters of two bytes pass, and cannot be read (T5-00180)."""
PROPERTIES_LENGTH_MAX = 32767
"""Characters at the beginning of a put, bytes when it is written."""
BATCH_ITEM_HEADER = struct.Struct(">iiiii")
"""Of a message in a client's batch: total size, magic, CRC, flag, length of the body."""
BUSY_MAX_MS = 10_000_000


class PutMessageStatus(enum.Enum):
    """``PutMessageStatus``: the answer to the producer."""

    PUT_OK = "PUT_OK"
    FLUSH_DISK_TIMEOUT = "FLUSH_DISK_TIMEOUT"
    FLUSH_SLAVE_TIMEOUT = "FLUSH_SLAVE_TIMEOUT"
    SLAVE_NOT_AVAILABLE = "SLAVE_NOT_AVAILABLE"
    SERVICE_NOT_AVAILABLE = "SERVICE_NOT_AVAILABLE"
    CREATE_MAPEDFILE_FAILED = "CREATE_MAPEDFILE_FAILED"
    MESSAGE_ILLEGAL = "MESSAGE_ILLEGAL"
    PROPERTIES_SIZE_EXCEEDED = "PROPERTIES_SIZE_EXCEEDED"
    OS_PAGECACHE_BUSY = "OS_PAGECACHE_BUSY"
    UNKNOWN_ERROR = "UNKNOWN_ERROR"


class AppendMessageStatus(enum.Enum):
    """``AppendMessageStatus``: the result of the append to one file."""

    PUT_OK = "PUT_OK"
    END_OF_FILE = "END_OF_FILE"
    MESSAGE_SIZE_EXCEEDED = "MESSAGE_SIZE_EXCEEDED"
    PROPERTIES_SIZE_EXCEEDED = "PROPERTIES_SIZE_EXCEEDED"
    UNKNOWN_ERROR = "UNKNOWN_ERROR"


@frozen
class AppendMessageResult:
    """The result of a message's append to one file (``AppendMessageResult``)."""

    status: AppendMessageStatus
    wrote_offset_bytes: int = 0
    wrote_bytes: int = 0
    """How far the file's position moved: over a whole blank, though little of it is written."""
    store_timestamp_ms: int = 0
    logics_offset: int = 0
    message_count: int = 1


@frozen
class PutMessageResult:
    """The answer to a producer (``PutMessageResult``)."""

    status: PutMessageStatus
    append: AppendMessageResult | None = None
    """None: no append was attempted."""


@frozen
class MessageToPut:
    """A message to put (``MessageExtBrokerInner``); a delayed one has its new topic already."""

    topic: str
    queue_id: int
    body: bytes | None = None
    properties: str | None = None
    sys_flag: int = 0
    flag: int = 0
    born_timestamp_ms: int = 0
    born_host: bytes = records.LOCALHOST_1
    store_host: bytes = records.LOCALHOST_1
    is_wait_store_msg_ok: bool = True
    reconsume_times: int = 0
    """How often consumers have given it back."""


@frozen
class BatchItem:
    """One message of a batch."""

    body: bytes = b""
    properties: bytes = b""
    flag: int = 0


@frozen
class MessageBatch:
    """Messages of one queue in one put (``MessageExtBatch``)."""

    topic: str
    queue_id: int
    items: tuple[BatchItem, ...] = ()
    sys_flag: int = 0
    born_timestamp_ms: int = 0
    born_host: bytes = records.LOCALHOST_1
    store_host: bytes = records.LOCALHOST_1
    is_wait_store_msg_ok: bool = True

    @property
    def body_bytes(self) -> int:
        """Size as encoded by the client (``MessageDecoder#encodeMessages``)."""
        fixed = BATCH_ITEM_HEADER.size + records.PROPERTIES_LENGTH.size
        return sum(fixed + len(item.body) + len(item.properties) for item in self.items)


@frozen
class PutEnvironment:
    """Conditions of a put outside the store."""

    now_ms: int
    creation: Creation = Creation.POSSIBLE
    connection_count: int = 0
    """Of slaves."""
    push2_slave_max_offset_bytes: int = 0
    is_transferred: bool = False
    """A slave that is near enough acknowledges in time, as determined by `group_transfer`."""
    epoch: int | None = None
    """Of the log that is written, for provenance; None: it is not kept."""
    os_page_cache_busy_timeout_ms: int = 1000


Answer: TypeAlias = PutMessageResult | Thrown
Appended: TypeAlias = tuple[Store, MappedFile, AppendMessageResult | Thrown]
Appender: TypeAlias = Callable[[Store, MappedFile], Appended]


def put_message(
    store: Store, message: MessageToPut, around: PutEnvironment, *, is_acknowledged: bool = True
) -> tuple[Store, Answer]:
    """Put one message (``DefaultMessageStore#putMessage``).

    The status is for the producer: with FLUSH_DISK_TIMEOUT and SLAVE_NOT_AVAILABLE the message is
    still in the log. Without ``is_acknowledged`` the waits are left to the caller.
    """
    refusal = find_refusal(store, message.topic)
    properties_length = java.count_characters(message.properties or "")
    if refusal is None and properties_length > PROPERTIES_LENGTH_MAX:
        refusal = PutMessageStatus.PROPERTIES_SIZE_EXCEEDED
    if refusal is None and is_os_page_cache_busy(store, around):
        refusal = PutMessageStatus.OS_PAGECACHE_BUSY
    if refusal is not None:
        return store, PutMessageResult(refusal)

    def append(store: Store, file: MappedFile) -> Appended:
        return append_message(store, file, message, around)

    is_waiting = message.is_wait_store_msg_ok and is_acknowledged
    return _put(store, append, around, is_waiting=is_waiting)


def put_messages(
    store: Store, batch: MessageBatch, around: PutEnvironment, *, is_acknowledged: bool = True
) -> tuple[Store, Answer]:
    """Put a batch, whole or not at all (``DefaultMessageStore#putMessages``).

    The size sent by the client is compared with maxMessageSize. The written size is larger; if only
    that one exceeds the limit, the call throws an exception (T5-00528).
    """
    refusal = find_refusal(store, batch.topic)
    if refusal is None and batch.body_bytes > store.config.max_message_size_bytes:
        refusal = PutMessageStatus.MESSAGE_ILLEGAL
    if refusal is None and is_os_page_cache_busy(store, around):
        refusal = PutMessageStatus.OS_PAGECACHE_BUSY
    if refusal is None and batch.sys_flag & records.TRANSACTION_TYPE_BITS:
        refusal = PutMessageStatus.MESSAGE_ILLEGAL
    if refusal is not None:
        return store, PutMessageResult(refusal)
    if compute_batch_bytes(batch) > store.config.max_message_size_bytes:
        return store, Thrown("java.lang.RuntimeException")

    def append(store: Store, file: MappedFile) -> Appended:
        return append_batch(store, file, batch, around)

    is_waiting = batch.is_wait_store_msg_ok and is_acknowledged
    return _put(store, append, around, is_waiting=is_waiting)


def find_refusal(store: Store, topic: str) -> PutMessageStatus | None:
    """Why no message of this topic can be put now; None: it can."""
    is_master = store.config.broker_role is not Role.SLAVE
    if store.is_shutdown or not is_master or not is_writeable(store.running_flags):
        return PutMessageStatus.SERVICE_NOT_AVAILABLE
    if java.count_characters(topic) > TOPIC_LENGTH_MAX:
        return PutMessageStatus.MESSAGE_ILLEGAL
    return None


def is_os_page_cache_busy(store: Store, around: PutEnvironment) -> bool:
    """An earlier put seems to be still running (``DefaultMessageStore#isOSPageCacheBusy``).

    One that has thrown seems so too: from a second later on, for less than three hours, every put
    is refused.
    """
    busy_ms = around.now_ms - store.begin_time_in_lock_ms
    return around.os_page_cache_busy_timeout_ms < busy_ms < BUSY_MAX_MS


def _get_file(store: Store, around: PutEnvironment) -> tuple[Store, MappedFile | None]:
    log, service, file = allocation.get_or_create_last_mapped_file(
        store.commit_log, store.allocation, 0, around.creation, around.now_ms
    )
    return evolve(store, commit_log=log, allocation=service), file


def _append_to(store: Store, file: MappedFile, append: Appender) -> Appended:
    """Append, and keep the file; a refused message clears the file's store time.

    In a file of a negative name that recovery has cut at a place below 0, every put throws.
    """
    if file.wrote_position_bytes < 0:
        return store, file, Thrown("java.lang.IllegalArgumentException")
    store, appended, result = append(store, file)
    if not isinstance(result, Thrown):
        appended = evolve(appended, store_timestamp_ms=result.store_timestamp_ms)
    log = queues.replace_file(store.commit_log, file, appended)
    return evolve(store, commit_log=log), appended, result


def _put(
    store: Store, append: Appender, around: PutEnvironment, *, is_waiting: bool
) -> tuple[Store, Answer]:
    """Append to the last file, or to a new one after a blank (``CommitLog#putMessage``).

    If no file can be created for the message, the blank has been written already (T5-00649).
    """
    store, file = _get_file(evolve(store, begin_time_in_lock_ms=0), around)
    if file is None:
        return store, PutMessageResult(PutMessageStatus.CREATE_MAPEDFILE_FAILED)
    store, _, result = _append_to(store, file, append)
    if isinstance(result, AppendMessageResult) and is_rolled(result):
        store, file = _get_file(store, around)
        if file is None:
            return store, PutMessageResult(PutMessageStatus.CREATE_MAPEDFILE_FAILED, result)
        store, _, result = _append_to(store, file, append)
    elif isinstance(result, AppendMessageResult) and not is_written(result):
        return store, PutMessageResult(PutMessageStatus.MESSAGE_ILLEGAL, result)
    if isinstance(result, Thrown):
        return evolve(store, begin_time_in_lock_ms=around.now_ms), result
    return acknowledge(store, result, around, is_waiting=is_waiting)


def is_written(result: AppendMessageResult) -> bool:
    """The message is in the file."""
    return result.status is AppendMessageStatus.PUT_OK


def is_rolled(result: AppendMessageResult) -> bool:
    """The rest of the file is a blank now."""
    return result.status is AppendMessageStatus.END_OF_FILE


def acknowledge(
    store: Store, result: AppendMessageResult, around: PutEnvironment, *, is_waiting: bool
) -> tuple[Store, PutMessageResult]:
    """Wait for the disk, then for a slave (``CommitLog#handleDiskFlush`` and ``#handleHA``).

    The status starts as PUT_OK, whatever was appended to the second file. A failed slave wait hides
    a failed disk wait.
    """
    status = PutMessageStatus.PUT_OK
    end_offset = result.wrote_offset_bytes + result.wrote_bytes
    if store.config.flush_disk_type is FlushDiskType.SYNC_FLUSH and is_waiting:
        store, (is_flushed,) = group_commit.do_commit(store, (end_offset,))
        status = status if is_flushed else PutMessageStatus.FLUSH_DISK_TIMEOUT
    if store.config.broker_role is Role.SYNC_MASTER and is_waiting:
        pushed = around.push2_slave_max_offset_bytes
        connections = around.connection_count
        if not group_transfer.is_slave_ok(store.config, connections, end_offset, pushed):
            status = PutMessageStatus.SLAVE_NOT_AVAILABLE
        elif not around.is_transferred:
            status = PutMessageStatus.FLUSH_SLAVE_TIMEOUT
    return store, PutMessageResult(status, result)


def _get_queue_offset(store: Store, topic: str, queue_id: int) -> tuple[Store, int]:
    """The next offset of a queue, which stays registered even if the put is refused."""
    key = consume_queues.make_key(topic, queue_id)
    offset = store.topic_queue_table.get(key, 0)
    return _set_queue_offset(store, key, offset), offset


def _set_queue_offset(store: Store, key: str, offset: int) -> Store:
    return evolve(store, topic_queue_table={**store.topic_queue_table, key: offset})


def _tell(data: bytes, offset_bytes: int, around: PutEnvironment) -> Content:
    if around.epoch is None:
        return Content(data)
    return contents.tell_origins(data, around.epoch, offset_bytes)


def append_message(
    store: Store, file: MappedFile, message: MessageToPut, around: PutEnvironment
) -> Appended:
    """Append one message to one file (``DefaultAppendMessageCallback#doAppend``)."""
    offset = file.file_from_offset_bytes + file.wrote_position_bytes
    store, queue_offset = _get_queue_offset(store, message.topic, message.queue_id)
    is_queued = records.is_in_queue(message.sys_flag)
    logics_offset = queue_offset if is_queued else 0
    data = encode_message(message, logics_offset, offset, around.now_ms)
    if len((message.properties or "").encode()) > PROPERTIES_LENGTH_MAX:
        refused = AppendMessageResult(AppendMessageStatus.PROPERTIES_SIZE_EXCEEDED)
        return store, file, refused
    if len(data) > store.config.max_message_size_bytes:
        return store, file, AppendMessageResult(AppendMessageStatus.MESSAGE_SIZE_EXCEEDED)
    if not has_room(file, len(data)):
        return roll(store, file, logics_offset, around)
    told = _tell(data, offset, around)
    memory = contents.write(contents.lengthen(store.message_memory, len(told)), 0, told)
    store = evolve(store, message_memory=memory)
    if is_queued:
        key = consume_queues.make_key(message.topic, message.queue_id)
        store = _set_queue_offset(store, key, queue_offset + 1)
    written = mapped_file.write_and_advance(file, told, len(told), around.now_ms)
    result = AppendMessageResult(
        AppendMessageStatus.PUT_OK, offset, len(data), around.now_ms, logics_offset
    )
    return store, written, result


def encode_message(
    message: MessageToPut, queue_offset: int, offset_bytes: int, store_timestamp_ms: int
) -> bytes:
    """A message's bytes at its place."""
    return records.encode(
        Record(
            topic=message.topic.encode(),
            queue_id=message.queue_id,
            queue_offset=queue_offset,
            physical_offset_bytes=offset_bytes,
            body=message.body or b"",
            properties=(message.properties or "").encode(),
            store_timestamp_ms=store_timestamp_ms,
            born_timestamp_ms=message.born_timestamp_ms,
            sys_flag=message.sys_flag,
            flag=message.flag,
            born_host=message.born_host,
            store_host=message.store_host,
            reconsume_times=message.reconsume_times,
        )
    )


def has_room(file: MappedFile, length_bytes: int) -> bool:
    """The bytes fit, and eight more (``END_FILE_MIN_BLANK_LENGTH``)."""
    left_bytes = file.file_size_bytes - file.wrote_position_bytes
    return length_bytes + records.END_FILE_MIN_BLANK_LENGTH <= left_bytes


def roll(store: Store, file: MappedFile, logics_offset: int, around: PutEnvironment) -> Appended:
    """The rest of the file becomes a blank: its eight bytes, then the last encoded message.

    A blank is therefore not zeros (finding 7 of the oracle). A rest of less than eight bytes, which
    no master leaves, makes every later put throw (T5-00664).
    """
    rest_bytes = file.file_size_bytes - file.wrote_position_bytes
    if rest_bytes < records.END_FILE_MIN_BLANK_LENGTH:
        return store, file, Thrown("java.nio.BufferOverflowException")
    offset = file.file_from_offset_bytes + file.wrote_position_bytes
    header = _tell(records.encode_blank_header(rest_bytes), offset, around)
    memory = contents.write(contents.lengthen(store.message_memory, rest_bytes), 0, header)
    blank = contents.cut(memory, 0, rest_bytes)
    written = mapped_file.write_and_advance(file, blank, rest_bytes, around.now_ms)
    result = AppendMessageResult(
        AppendMessageStatus.END_OF_FILE, offset, rest_bytes, around.now_ms, logics_offset
    )
    return evolve(store, message_memory=memory), written, result


def compute_batch_bytes(batch: MessageBatch) -> int:
    """Size of the batch as written (bytes)."""
    topic_bytes = len(batch.topic.encode())
    return sum(
        records.compute_message_length(len(item.body), topic_bytes, len(item.properties))
        for item in batch.items
    )


def append_batch(
    store: Store, file: MappedFile, batch: MessageBatch, around: PutEnvironment
) -> Appended:
    """Append all messages of a batch to one file.

    Of the blank before one that does not fit only eight bytes are written: after them the file
    keeps its previous bytes.
    """
    offset = file.file_from_offset_bytes + file.wrote_position_bytes
    store, queue_offset = _get_queue_offset(store, batch.topic, batch.queue_id)
    if batch.items and not has_room(file, compute_batch_bytes(batch)):
        return roll_before_batch(store, file, queue_offset, around)
    data = b""
    for index, item in enumerate(batch.items):
        place = offset + len(data)
        data += encode_batch_item(batch, item, queue_offset + index, place, around.now_ms)
    key = consume_queues.make_key(batch.topic, batch.queue_id)
    store = _set_queue_offset(store, key, queue_offset + len(batch.items))
    told = _tell(data, offset, around)
    written = mapped_file.write_and_advance(file, told, len(told), around.now_ms)
    status, count = AppendMessageStatus.PUT_OK, len(batch.items)
    result = AppendMessageResult(status, offset, len(data), around.now_ms, queue_offset, count)
    return store, written, result


def encode_batch_item(
    batch: MessageBatch, item: BatchItem, queue_offset: int, offset_bytes: int, now_ms: int
) -> bytes:
    """The bytes of one message of a batch (``MessageExtBatchEncoder#encode``)."""
    return records.encode(
        Record(
            topic=batch.topic.encode(),
            queue_id=batch.queue_id,
            queue_offset=queue_offset,
            physical_offset_bytes=offset_bytes,
            body=item.body,
            properties=item.properties,
            store_timestamp_ms=now_ms,
            born_timestamp_ms=batch.born_timestamp_ms,
            sys_flag=batch.sys_flag,
            flag=item.flag,
            born_host=batch.born_host,
            store_host=batch.store_host,
        )
    )


def roll_before_batch(
    store: Store, file: MappedFile, logics_offset: int, around: PutEnvironment
) -> Appended:
    """The rest of the file becomes a blank of which only the header is written."""
    rest_bytes = file.file_size_bytes - file.wrote_position_bytes
    header_bytes = records.encode_blank_header(rest_bytes)
    memory = contents.lengthen(store.message_memory, len(header_bytes))
    offset = file.file_from_offset_bytes + file.wrote_position_bytes
    header = _tell(header_bytes, offset, around)
    store = evolve(store, message_memory=contents.write(memory, 0, header))
    if rest_bytes < len(header):
        return store, file, Thrown("java.nio.BufferOverflowException")
    written = mapped_file.write_and_advance(file, header, rest_bytes, around.now_ms)
    result = AppendMessageResult(
        AppendMessageStatus.END_OF_FILE, offset, rest_bytes, around.now_ms, logics_offset
    )
    return store, written, result
