"""Messages that consumers give back, on numbers and records."""

from __future__ import annotations

import pytest
from attrs import evolve

from reference.decisions.reading.subscription_group import DEFAULT_GROUP
from reference.decisions.sending import send_back
from reference.decisions.sending.send_back import TELLS_RETRIES_SINCE, Back, BackCode, Tried
from reference.store import records
from reference.store.java import JavaError
from reference.store.records import Record

RECORD = Record(b"T", 0, 5, 4096, b"body", b"DELAY\x014\x02", store_host=b"\x7f\x00\x00\x01" * 2)


def test_what_ends_a_request_before_its_message_is_looked_up() -> None:
    """In the order of the code; a group without queues for it drops the message."""
    off = evolve(DEFAULT_GROUP, retry_queues=0)
    ends = [
        send_back.find_end(each)
        for each in (Back(None, 4), Back(off, 4), Back(off), Back(DEFAULT_GROUP))
    ]
    assert [end and end.value for end in ends] == [
        BackCode.SUBSCRIPTION_GROUP_NOT_EXIST,
        BackCode.NO_PERMISSION,
        BackCode.SUCCESS,
        None,
    ]


@pytest.mark.parametrize(
    ("tried", "level"),
    [(Tried(0, 16), 3), (Tried(2, 16), 5), (Tried(2, 16, 1), 1), (Tried(16, 16), None)],
)
def test_each_try_waits_longer(tried: Tried, level: int | None) -> None:
    """Unless the consumer has chosen; after the last try there is none."""
    is_dead = send_back.is_dead(tried)
    assert (None if is_dead else send_back.compute_retry_level(tried)) == level


def test_a_negative_level_asks_for_no_retry() -> None:
    """Whatever the number of tries."""
    assert send_back.is_dead(Tried(0, 16, -1))


def test_only_old_consumers_leave_the_number_of_tries_to_their_group() -> None:
    """A newer one that says nothing is answered with an exception."""
    old = TELLS_RETRIES_SINCE - 1
    assert send_back.compute_retries_max(DEFAULT_GROUP, 3, old) == DEFAULT_GROUP.retries_max
    assert send_back.compute_retries_max(DEFAULT_GROUP, 3, TELLS_RETRIES_SINCE) == 3
    with pytest.raises(JavaError):
        send_back.compute_retries_max(DEFAULT_GROUP, None, TELLS_RETRIES_SINCE)


def test_a_dead_letter_keeps_its_old_delay() -> None:
    """It waits once more, and only then its first id is kept."""
    host = b"\x0a\x00\x00\x01\x00\x00\x2a\x9f"
    copy, delay = send_back.make_copy(RECORD, "%DLQ%G", 0, None, host)
    found = records.parse_properties(copy.properties or "")
    assert (delay, copy.reconsume_times, copy.store_host) == (4, 1, host)
    assert found["ORIGIN_MESSAGE_ID"] == "7F0000017F0000010000000000001000"
    assert (found["RETRY_TOPIC"], found["WAIT"]) == ("T", "false")
    plain, delay = send_back.make_copy(evolve(RECORD, properties=b""), "%DLQ%G", 0, None, host)
    assert delay == 0
    assert "ORIGIN_MESSAGE_ID" not in records.parse_properties(plain.properties or "")


def test_a_copy_that_failed_too_often_is_a_dead_letter() -> None:
    """A consumer that has put it into the topic of failed messages itself."""
    target = send_back.find_dead_letter_target("%RETRY%G", DEFAULT_GROUP, 2, 293, 2)
    assert target is not None
    assert (target.name, target.permission, target.write_queues) == ("%DLQ%G", 2, 1)
    assert send_back.find_dead_letter_target("%RETRY%G", DEFAULT_GROUP, 2, 293, 1) is None
