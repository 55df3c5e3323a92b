"""Messages and blanks as bytes, and how a reader checks them.

A record is 91 bytes plus its topic, body and properties. The CRC covers only the body, and the
properties come last: a reader cannot see that they are missing, and takes a torn record for whole
as soon as 91 bytes, topic and body are there (T1-00967). Zeros after the cut may stand in for its
last bytes: one byte less suffices if the properties' length ends in a zero byte (T1-04965), and
without properties the topic may end in zeros (T1-00621).
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from attrs import frozen

from reference.store import java
from reference.store.java import JavaError

MESSAGE_MAGIC_CODE = 0xDAA320A7 - 2**32
LONG_TOPIC_MAGIC_CODE = 0xDAA320AB - 2**32
"""``MESSAGE_MAGIC_CODE_V2``: two bytes for the topic's length (``MessageVersion`` at 5.1.0)."""
BLANK_MAGIC_CODE = 0xCBD43194 - 2**32
END_FILE_MIN_BLANK_LENGTH = 8
"""The least that a message leaves free: a blank's size and magic (bytes)."""
MAGIC_CODE_POSITION = 4
STORE_TIMESTAMP_POSITION = 56
"""``MessageDecoder#MESSAGE_STORE_TIMESTAMP_POSTION`` (bytes)."""

HEADER = struct.Struct(">iiiii qq i q 8s q 8s i q i")
"""From the total size to the body's length, big-endian: 88 bytes."""
SYS_FLAG_INDEX, BODY_LENGTH_INDEX = 7, 14
"""Places in the header's fields."""
BORN_HOST_IPV6, STORE_HOST_IPV6 = 1 << 4, 1 << 5
"""Bits of ``sysFlag``: the host has twenty bytes (``MessageSysFlag`` at 4.6.0)."""
HEADERS = {
    0: HEADER,
    BORN_HOST_IPV6: struct.Struct(">iiiii qq i q 20s q 8s i q i"),
    STORE_HOST_IPV6: struct.Struct(">iiiii qq i q 8s q 20s i q i"),
    BORN_HOST_IPV6 | STORE_HOST_IPV6: struct.Struct(">iiiii qq i q 20s q 20s i q i"),
}
"""By the two bits."""
TOPIC_LENGTH = struct.Struct(">b")
LONG_TOPIC_LENGTH = struct.Struct(">h")
PROPERTIES_LENGTH = struct.Struct(">h")

TRANSACTION_TYPE_BITS = 0xC
TRANSACTION_NOT_TYPE = 0x0
TRANSACTION_COMMIT_TYPE = 0x8
SCHEDULE_TOPIC = "SCHEDULE_TOPIC_XXXX"
PROPERTY_DELAY_TIME_LEVEL = "DELAY"
PROPERTY_TAGS = "TAGS"
NAME_VALUE_SEPARATOR = "\x01"
PROPERTY_SEPARATOR = "\x02"
SECOND_MS = 1000
MINUTE_MS = 60 * SECOND_MS
HOUR_MS = 60 * MINUTE_MS
DELAYS_MS = (
    *(seconds * SECOND_MS for seconds in (1, 5, 10, 30)),
    *(minutes * MINUTE_MS for minutes in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 20, 30)),
    HOUR_MS,
    2 * HOUR_MS,
)
"""``messageDelayLevel`` of 4.4.0: level 1 is the first (ms)."""
LOCALHOST_1 = bytes((127, 0, 0, 1, 0, 0, 0, 1))


class Bytes(Protocol):
    """Bytes in memory, or those of a file that are read when they are asked for."""

    def __len__(self) -> int:
        """How many there are."""
        ...

    def __getitem__(self, asked: slice, /) -> bytes:
        """Some of them."""
        ...


@frozen
class RecordFormat:
    """What a release's reader knows beyond 4.4.0's (``CommitLog#checkMessageAndReturnSize``)."""

    has_ipv6_hosts: bool = False
    """Since 4.6.0."""
    has_long_topics: bool = False
    """Since 5.1.0."""
    is_size_checked_first: bool = False
    """A size beyond the file's end is refused before the magic is read: since 5.3.2."""


FORMAT_4_4_0 = RecordFormat()


@frozen
class Record:
    """A message with everything that is written of it."""

    topic: bytes
    queue_id: int
    queue_offset: int
    physical_offset_bytes: int
    body: bytes = b""
    properties: bytes = b""
    store_timestamp_ms: int = 0
    born_timestamp_ms: int = 0
    sys_flag: int = 0
    flag: int = 0
    born_host: bytes = LOCALHOST_1
    """Four bytes of an address, or sixteen, and four of a port."""
    store_host: bytes = LOCALHOST_1
    reconsume_times: int = 0
    prepared_transaction_offset_bytes: int = 0


@frozen
class DispatchRequest:
    """A reader's result for the bytes at a position (``DispatchRequest``)."""

    size_bytes: int
    """Of the record, whole or not; 0: a blank, the next file follows; -1: unreadable."""
    is_success: bool
    end_position: int = 0
    """The buffer's position after a record was read to its end (bytes)."""
    topic: str = ""
    queue_id: int = 0
    commit_log_offset_bytes: int = 0
    """As stored in the record; it is not compared with the record's actual place."""
    tags_code: int = 0
    store_timestamp_ms: int = 0
    consume_queue_offset: int = 0
    sys_flag: int = 0


BLANK = DispatchRequest(0, is_success=True)
UNREADABLE = DispatchRequest(-1, is_success=False)


class _BufferError(Exception):
    """Any exception inside checkMessageAndReturnSize, which catches them all."""


def compute_message_length(body_bytes: int, topic_bytes: int, properties_bytes: int) -> int:
    """Size of a record (bytes); lengths below 0 count as 0, the topic's does not.

    ``CommitLog#calMsgLength``.
    """
    fixed = HEADER.size + TOPIC_LENGTH.size + PROPERTIES_LENGTH.size
    return fixed + max(0, body_bytes) + topic_bytes + max(0, properties_bytes)


def compute_body_crc(body: bytes) -> int:
    """``UtilAll#crc32``: 31 bits; an empty body has 0 (a missing and an empty one are alike)."""
    return zlib.crc32(body) & java.INT_MAX


def encode(record: Record) -> bytes:
    """A record's bytes (``DefaultAppendMessageCallback#doAppend``).

    Lengths are cast: a topic of 128 bytes has the length -128, and the record is unreadable
    (T5-00180).
    """
    body, topic, properties = record.body, record.topic, record.properties
    header = HEADER.pack(
        compute_message_length(len(body), len(topic), len(properties)),
        MESSAGE_MAGIC_CODE,
        compute_body_crc(body),
        record.queue_id,
        record.flag,
        record.queue_offset,
        record.physical_offset_bytes,
        record.sys_flag,
        record.born_timestamp_ms,
        record.born_host,
        record.store_timestamp_ms,
        record.store_host,
        record.reconsume_times,
        record.prepared_transaction_offset_bytes,
        len(body),
    )
    topic_length = TOPIC_LENGTH.pack(java.wrap(len(topic), 8))
    properties_length = PROPERTIES_LENGTH.pack(java.wrap(len(properties), 16))
    return header + body + topic_length + topic + properties_length + properties


def encode_blank_header(size_bytes: int) -> bytes:
    """The eight bytes that end a file; any bytes may follow them (finding 7 of the oracle)."""
    return struct.pack(">ii", size_bytes, BLANK_MAGIC_CODE)


def is_in_queue(sys_flag: int) -> bool:
    """Neither a prepared message nor a rollback: it gets a place in its queue."""
    return sys_flag & TRANSACTION_TYPE_BITS in (TRANSACTION_NOT_TYPE, TRANSACTION_COMMIT_TYPE)


def parse_properties(text: str) -> dict[str, str]:
    """``MessageDecoder#string2messageProperties``: parts other than name and value are skipped."""
    items = (
        java.split(item, NAME_VALUE_SEPARATOR) for item in java.split(text, PROPERTY_SEPARATOR)
    )
    return {item[0]: item[1] for item in items if len(item) == 2}


def join_properties(properties: Mapping[str, str]) -> str:
    """``MessageDecoder#messageProperties2String``, in the order of the given table."""
    return "".join(
        f"{name}{NAME_VALUE_SEPARATOR}{value}{PROPERTY_SEPARATOR}"
        for name, value in properties.items()
    )


def compute_tags_code(
    topic: str,
    properties: Mapping[str, str],
    store_timestamp_ms: int,
    delays_ms: Sequence[int] = DELAYS_MS,
) -> int:
    """The third field of a queue's entry: the tags' hash, or when a delayed message is due (ms).

    Raises JavaError (NumberFormatException) for a delay that is not a number: a record torn inside
    its DELAY is refused, one torn before it has lost its delay (T1-07963).
    """
    tags_code = java.hash_string(properties.get(PROPERTY_TAGS, ""))
    delay = properties.get(PROPERTY_DELAY_TIME_LEVEL)
    if topic == SCHEDULE_TOPIC and delay is not None:
        level = min(java.parse_integer(delay, java.INT_BITS), len(delays_ms))
        if level > 0:
            return java.to_long(store_timestamp_ms + delays_ms[level - 1])
    return tags_code


def _take(buffer: Bytes, position: int, length: int, total_size: int) -> bytes:
    """``ByteBuffer#get`` into an array of a record's total size."""
    if not 0 <= length <= total_size or position + length > len(buffer):
        raise _BufferError
    return buffer[position : position + length]


def _unpack(layout: struct.Struct, buffer: Bytes, position: int) -> tuple[Any, ...]:
    if position + layout.size > len(buffer):
        raise _BufferError
    return layout.unpack(buffer[position : position + layout.size])


def check_message_and_return_size(  # noqa: PLR0913
    buffer: Bytes,
    position: int = 0,
    *,
    is_crc_checked: bool = True,
    is_body_read: bool = True,
    largest_array_bytes: int = java.LARGEST_ARRAY_BYTES,
    delays_ms: Sequence[int] = DELAYS_MS,
    record_format: RecordFormat = FORMAT_4_4_0,
) -> DispatchRequest:
    """The record or blank at a position of a buffer (``CommitLog#checkMessageAndReturnSize``).

    Only recovery reads bodies, and only there can a CRC be checked. Raises JavaError
    (OutOfMemoryError) for a total size above what an array can have: it is an error, not an
    exception, so it escapes from ``load`` or ends the dispatcher's thread (T1-13853).
    """
    try:
        total_size, magic_code = _unpack(struct.Struct(">ii"), buffer, position)
        if record_format.is_size_checked_first and total_size > len(buffer) - position:
            return UNREADABLE
        if magic_code == BLANK_MAGIC_CODE:
            return BLANK
        is_long = magic_code == LONG_TOPIC_MAGIC_CODE and record_format.has_long_topics
        if magic_code != MESSAGE_MAGIC_CODE and not is_long:
            return UNREADABLE
        if total_size > largest_array_bytes:
            raise JavaError("java.lang.OutOfMemoryError")
        _take(buffer, position, 8, total_size)
        crc = is_crc_checked if is_body_read else None
        return _read_message(buffer, position, crc, delays_ms, record_format)
    except (_BufferError, struct.error):
        return UNREADABLE


def get_header(sys_flag: int, record_format: RecordFormat) -> struct.Struct:
    """The layout up to the body's length."""
    bits = sys_flag & (BORN_HOST_IPV6 | STORE_HOST_IPV6) if record_format.has_ipv6_hosts else 0
    return HEADERS[bits]


def get_topic_length(magic_code: int) -> struct.Struct:
    """The layout of the topic's length."""
    return LONG_TOPIC_LENGTH if magic_code == LONG_TOPIC_MAGIC_CODE else TOPIC_LENGTH


def _read_tags_code(
    topic: str, properties: bytes, store_timestamp_ms: int, delays_ms: Sequence[int]
) -> int:
    try:
        parsed = parse_properties(java.decode_utf8(properties))
        return compute_tags_code(topic, parsed, store_timestamp_ms, delays_ms)
    except JavaError as error:
        raise _BufferError from error


def _read_topic(buffer: Bytes, position: int, header: Sequence[Any]) -> tuple[str, int]:
    """The topic, and the position behind it."""
    layout = get_topic_length(header[1])
    (length,) = _unpack(layout, buffer, position)
    begin = position + layout.size
    return java.decode_utf8(_take(buffer, begin, length, header[0])), begin + length


def _read_message(
    buffer: Bytes,
    position: int,
    is_crc_checked: bool | None,
    delays_ms: Sequence[int],
    record_format: RecordFormat,
) -> DispatchRequest:
    """Read on after the magic; the body is skipped if is_crc_checked is None."""
    begin = position
    layout = get_header(_unpack(HEADER, buffer, position)[SYS_FLAG_INDEX], record_format)
    header = _unpack(layout, buffer, position)
    total_size, body_length = header[0], header[BODY_LENGTH_INDEX]
    position += layout.size
    if body_length > 0:
        limit = java.INT_MAX if is_crc_checked is None else total_size
        body = _take(buffer, position, body_length, limit)
        if is_crc_checked and compute_body_crc(body) != header[2]:
            return UNREADABLE
        position += body_length
    topic, position = _read_topic(buffer, position, header)
    (properties_length,) = _unpack(PROPERTIES_LENGTH, buffer, position)
    position += PROPERTIES_LENGTH.size
    tags_code = 0
    if properties_length > 0:
        properties = _take(buffer, position, properties_length, total_size)
        position += properties_length
        tags_code = _read_tags_code(topic, properties, header[10], delays_ms)
    if total_size != position - begin:
        return DispatchRequest(total_size, is_success=False, end_position=position)
    return DispatchRequest(
        size_bytes=total_size,
        is_success=True,
        end_position=position,
        topic=topic,
        queue_id=header[3],
        commit_log_offset_bytes=header[6],
        tags_code=tags_code,
        store_timestamp_ms=header[10],
        consume_queue_offset=header[5],
        sys_flag=header[SYS_FLAG_INDEX],
    )


def decode(data: Bytes, record_format: RecordFormat = FORMAT_4_4_0) -> Record | None:
    """A record's parts, whatever its size and magic are (``MessageDecoder#decode``).

    None: the bytes end before the record does.
    """
    try:
        layout = get_header(_unpack(HEADER, data, 0)[SYS_FLAG_INDEX], record_format)
        header = _unpack(layout, data, 0)
        body = _take(data, layout.size, max(0, header[BODY_LENGTH_INDEX]), java.INT_MAX)
        position = layout.size + len(body)
        topic_layout = get_topic_length(header[1])
        (topic_length,) = _unpack(topic_layout, data, position)
        topic = _take(data, position + topic_layout.size, topic_length, java.INT_MAX)
        position += topic_layout.size + len(topic)
        (properties_length,) = _unpack(PROPERTIES_LENGTH, data, position)
        length = max(0, properties_length)
        properties = _take(data, position + PROPERTIES_LENGTH.size, length, java.INT_MAX)
    except _BufferError:
        return None
    return Record(
        topic=topic,
        queue_id=header[3],
        queue_offset=header[5],
        physical_offset_bytes=header[6],
        body=body,
        properties=properties,
        store_timestamp_ms=header[10],
        born_timestamp_ms=header[8],
        sys_flag=header[SYS_FLAG_INDEX],
        flag=header[4],
        born_host=header[9],
        store_host=header[11],
        reconsume_times=header[12],
        prepared_transaction_offset_bytes=header[13],
    )
