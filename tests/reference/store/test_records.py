"""Records as bytes, and what a reader makes of bytes."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.store import java, records
from reference.store.java import JavaError
from reference.store.records import Record, check_message_and_return_size, encode

RECORDS = st.builds(
    Record,
    topic=st.text("Topic%é", max_size=20).map(str.encode),
    queue_id=st.integers(-(2**31), 2**31 - 1),
    queue_offset=st.integers(-(2**63), 2**63 - 1),
    physical_offset_bytes=st.integers(-(2**63), 2**63 - 1),
    body=st.binary(max_size=60),
    properties=st.text("KEYSv\x01\x02", max_size=60).map(str.encode),
    store_timestamp_ms=st.integers(0, 2**62),
    sys_flag=st.integers(0, 15),
)


@given(RECORDS, st.binary(max_size=20), st.booleans())
def test_what_was_encoded_is_read(record: Record, behind: bytes, is_body_read: bool) -> None:
    """Whatever follows it."""
    data = encode(record)
    request = check_message_and_return_size(data + behind, is_body_read=is_body_read)
    assert request.is_success
    assert len(data) == request.size_bytes == request.end_position
    assert record.topic.decode() == request.topic
    assert record.queue_id == request.queue_id
    assert record.queue_offset == request.consume_queue_offset
    assert record.physical_offset_bytes == request.commit_log_offset_bytes
    assert record.store_timestamp_ms == request.store_timestamp_ms
    assert record.sys_flag == request.sys_flag


@given(RECORDS.filter(lambda r: r.topic and r.properties and r.body), st.data())
def test_a_torn_record_is_whole_without_its_properties(record: Record, data: st.DataObject) -> None:
    """91 bytes, body and topic suffice: zeros stand for the rest (T1-00967)."""
    whole = encode(record)
    enough = len(whole) - len(record.properties)
    cut = data.draw(st.integers(0, len(whole)))
    request = check_message_and_return_size(whole[:cut].ljust(len(whole) + 8, b"\0"))
    if cut >= enough:
        assert request.is_success
        assert len(whole) == request.size_bytes
    if cut <= enough - 3 - len(record.topic) and record.body[-1] != 0:
        assert not request.is_success


@given(st.binary(max_size=120), st.booleans(), st.booleans())
def test_any_bytes_have_an_answer(data: bytes, is_crc_checked: bool, is_body_read: bool) -> None:
    """What is no record is unreadable, whatever it is."""
    magic = struct.pack(">i", records.MESSAGE_MAGIC_CODE)
    for bytes_ in (data, data[:4] + magic + data[4:]):
        request = check_message_and_return_size(
            bytes_,
            is_crc_checked=is_crc_checked,
            is_body_read=is_body_read,
            largest_array_bytes=java.INT_MAX,
        )
        assert request.size_bytes >= -1
        assert request.end_position <= len(bytes_)


def test_a_blank_has_no_size() -> None:
    """Eight bytes of it are enough, and its size is not looked at."""
    blank = records.encode_blank_header(12345)
    assert (0, True) == (
        check_message_and_return_size(blank).size_bytes,
        check_message_and_return_size(blank).is_success,
    )
    assert not check_message_and_return_size(blank[:7]).is_success


def test_a_wrong_total_size_is_told() -> None:
    """A reader moves on by it: only the dispatcher does."""
    data = bytearray(encode(Record(b"T", 0, 0, 0, b"abc", b"x")))
    struct.pack_into(">i", data, 0, len(data) - 1)
    request = check_message_and_return_size(bytes(data))
    assert (len(data) - 1, False, len(data)) == (
        request.size_bytes,
        request.is_success,
        request.end_position,
    )


@pytest.mark.parametrize(("size", "limit"), [(2**31 - 1, 2**31 - 3), (5000, 4999)])
def test_a_huge_total_size_is_an_error(size: int, limit: int) -> None:
    """It is no exception, so nobody catches it (T1-13853)."""
    data = struct.pack(">ii", size, records.MESSAGE_MAGIC_CODE).ljust(200, b"\0")
    with pytest.raises(JavaError) as raised:
        check_message_and_return_size(data, largest_array_bytes=limit)
    assert raised.value.class_name == "java.lang.OutOfMemoryError"


def test_a_topic_of_128_bytes_cannot_be_read() -> None:
    """Its length is cast to one byte (T5-00180)."""
    assert check_message_and_return_size(encode(Record(b"t" * 127, 0, 0, 0))).is_success
    assert not check_message_and_return_size(encode(Record(b"t" * 128, 0, 0, 0))).is_success


@pytest.mark.parametrize(
    ("text", "properties"),
    [
        ("a\x01b\x02c\x01d\x02", {"a": "b", "c": "d"}),
        ("a\x01b\x01\x02", {"a": "b"}),
        ("a\x01\x02b\x02", {}),
        ("a\x01b\x01c\x02\x01d\x02", {"": "d"}),
    ],
)
def test_properties(text: str, properties: dict[str, str]) -> None:
    """Items that are not a name and a value are skipped."""
    assert properties == records.parse_properties(text)


@pytest.mark.parametrize(
    ("topic", "properties", "code"),
    [
        ("T", {}, 0),
        ("T", {"TAGS": "TagA"}, 2598919),
        ("T", {"DELAY": "3"}, 0),
        (records.SCHEDULE_TOPIC, {"DELAY": "3"}, 1000 + 10_000),
        (records.SCHEDULE_TOPIC, {"DELAY": "99"}, 1000 + 2 * records.HOUR_MS),
        (records.SCHEDULE_TOPIC, {"DELAY": "0", "TAGS": "TagA"}, 2598919),
    ],
)
def test_tags_code(topic: str, properties: dict[str, str], code: int) -> None:
    """The tags' hash, or when a delayed message is due."""
    assert code == records.compute_tags_code(topic, properties, 1000)


def test_a_delay_that_is_no_number_makes_a_record_unreadable() -> None:
    """As of a record that was torn inside its DELAY (T1-07963)."""
    topic = records.SCHEDULE_TOPIC.encode()
    good = encode(Record(topic, 0, 0, 0, properties=b"DELAY\x013\x02"))
    torn = encode(Record(topic, 0, 0, 0, properties=b"DELAY\x013\0"))
    assert check_message_and_return_size(good).is_success
    assert not check_message_and_return_size(torn).is_success
