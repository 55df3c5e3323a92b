"""Records of a log on disk, in the words of their producers and consumers."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from typing import NamedTuple

from brokers.disk.files.log_files import LogFiles
from brokers.disk.records.walking import ConsecutiveRecords, walk
from reference.store import java, records
from reference.store.records import RecordFormat

UNIQUE_KEY = "UNIQ_KEY"
"""``MessageConst.PROPERTY_UNIQ_CLIENT_MESSAGE_ID_KEYIDX``: the id that a producer's log shows."""
DIGEST_BYTES = 16


class HeldRecord(NamedTuple):
    """A record of a log, without its body."""

    offset: int
    """Where it lies in the log."""
    size_bytes: int
    topic: str
    queue_id: int
    queue_offset: int
    own_offset: int
    """The physical offset that its master gave it; another one lies at a foreign place."""
    sys_flag: int
    store_timestamp_ms: int
    message_id: str
    """The broker's id: its address and the record's own offset (``offsetMsgId``)."""
    unique_key: str
    """The producer's id; empty for a message without one."""
    delay_level: int
    """Of a delayed message, and of the copy that is delivered; 0: it is not delayed."""
    properties_bytes: int
    digest: bytes
    """Of its bytes: a copy at a foreign place has the same, with its own offsets."""

    @property
    def queue(self) -> tuple[str, int]:
        """Topic and queue."""
        return self.topic, self.queue_id

    @property
    def is_at_its_place(self) -> bool:
        """It lies at the offset that it names, to which its queue's entry leads."""
        return self.own_offset == self.offset

    @property
    def is_in_queue(self) -> bool:
        """It has an entry in its queue, unless it is part of a transaction."""
        return records.is_in_queue(self.sys_flag)

    def __str__(self) -> str:
        return f"{self.topic}/{self.queue_id} at {self.queue_offset}"


def make_message_id(host: bytes, own_offset: int) -> str:
    """``MessageDecoder#createMessageId``."""
    return (host + struct.pack(">q", own_offset)).hex().upper()


def make_held_record(data: bytes, offset: int, record_format: RecordFormat) -> HeldRecord:
    """A whole record, which lies at an offset of the log."""
    record = records.decode(data, record_format)
    assert record is not None  # It is whole.
    properties = records.parse_properties(java.decode_utf8(record.properties))
    return HeldRecord(
        offset,
        len(data),
        java.decode_utf8(record.topic),
        record.queue_id,
        record.queue_offset,
        record.physical_offset_bytes,
        record.sys_flag,
        record.store_timestamp_ms,
        make_message_id(record.store_host, record.physical_offset_bytes),
        properties.get(UNIQUE_KEY, ""),
        read_level(properties.get(records.PROPERTY_DELAY_TIME_LEVEL, "")),
        len(record.properties),
        hashlib.blake2b(data, digest_size=DIGEST_BYTES).digest(),
    )


def read_level(text: str) -> int:
    """A delay level; 0 for none, or for a text that is no number."""
    return int(text) if text.isdecimal() else 0


def list_held_records(
    log: LogFiles, begin: int, end: int, record_format: RecordFormat
) -> Iterator[HeldRecord]:
    """The records that begin between two offsets, in order; ``begin`` is where one begins.

    Raises OSError.
    """
    index = next((i for i, f in enumerate(log.files) if begin < f.end_offset), len(log.files))
    walking = walk(log, index, record_format, begin=begin, stop=end, is_crc_checked=False)
    for passed in walking:
        for at in passed.begins:
            (size,) = struct.unpack_from(">i", passed.buffer, at)
            data = passed.buffer[at : at + size]
            yield make_held_record(data, passed.offset + at, record_format)


def read_record(log: LogFiles, offset: int, record_format: RecordFormat) -> HeldRecord | None:
    """The whole record at an offset; None if there is none. Raises OSError."""
    return next(list_held_records(log, offset, offset + 1, record_format), None)


class QueuePlace(NamedTuple):
    """What dispatch needs of a record."""

    topic: bytes
    queue_id: int
    queue_offset: int
    own_offset: int
    size_bytes: int


def list_queue_places(
    passed: ConsecutiveRecords, record_format: RecordFormat
) -> Iterator[QueuePlace]:
    """What dispatch enters into queues, in order: no parts of transactions."""
    unpack, buffer = records.HEADER.unpack_from, passed.buffer
    for at in passed.begins:
        header = unpack(buffer, at)
        sys_flag = header[records.SYS_FLAG_INDEX]
        if not records.is_in_queue(sys_flag):
            continue
        layout = records.get_header(sys_flag, record_format)
        if layout is not records.HEADER:
            header = layout.unpack_from(buffer, at)
        topic = _read_topic(buffer, at + layout.size + max(0, header[14]), header[1])
        yield QueuePlace(topic, header[3], header[5], header[6], header[0])


def _read_topic(buffer: bytes, position: int, magic_code: int) -> bytes:
    layout = records.get_topic_length(magic_code)
    (length,) = layout.unpack_from(buffer, position)
    begin = position + layout.size
    return buffer[begin : begin + length]
