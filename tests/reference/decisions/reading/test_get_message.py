"""getMessage: each status, each end of a batch, and the suggestion by the last entry looked at."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve

from reference.decisions.reading.consume_queue import (
    MessageLocation,
    ReadableQueue,
    compute_entries_per_file,
)
from reference.decisions.reading.get_message import get_message
from reference.decisions.reading.read import GetMessageStatus, Read
from reference.decisions.reading.scan import find_full
from reference.decisions.reading.settings import StoreSettings, change_store
from reference.roles import Role

SIZE = 700
MASTER = StoreSettings(total_memory_bytes=10**9)
SLAVE = evolve(MASTER, role=Role.SLAVE)
CHECKING = evolve(SLAVE, is_offset_checked_in_slave=True)


def read(offset: int, settings: StoreSettings = MASTER, **changes: Any) -> Read:
    """A read from a queue of messages 10 to 49, one behind the other in the log."""
    entries = [MessageLocation(n * SIZE, SIZE) for n in range(10, 50)]
    queue = ReadableQueue(10, 50, 10, entries)
    found = Read(settings, queue, offset, 32, log_max_offset=50 * SIZE)
    return evolve(found, **changes)


ROWS = [
    (9, "is_offset_too_small", "OFFSET_TOO_SMALL", 10),
    (-1, "is_offset_too_small", "OFFSET_TOO_SMALL", 10),
    (50, "is_offset_at_end", "OFFSET_OVERFLOW_ONE", 50),
    (51, "is_offset_beyond_end", "OFFSET_OVERFLOW_BADLY", 50),
]
"""Offset, condition, status and corrected offset."""


@pytest.mark.parametrize(("offset", "by", "status", "corrected"), ROWS)
@pytest.mark.parametrize("settings", [MASTER, SLAVE, CHECKING])
def test_nothing_to_scan(
    offset: int, by: str, status: str, corrected: int, settings: StoreSettings
) -> None:
    """Status and reason are the same everywhere; only a slave by default leaves the offset."""
    result = get_message(read(offset, settings))
    assert (result.status.name, result.status_decided_by) == (status, by)
    assert result.next_begin_offset == (offset if settings is SLAVE else corrected)
    assert not result.is_slave_suggested
    assert (result.message_count, result.min_offset, result.max_offset) == (0, 10, 50)


def test_an_empty_queue_decides_before_everything_else() -> None:
    """Also for an offset below or above it."""
    for offset in (-1, 0, 5):
        result = get_message(read(offset, queue=ReadableQueue()))
        assert result.status is GetMessageStatus.NO_MESSAGE_IN_QUEUE
        assert result.next_begin_offset == 0


def test_far_too_large_goes_to_zero_while_the_queue_begins_there() -> None:
    """The whole queue is read again; else only what is new."""
    entries = [MessageLocation(n * SIZE, SIZE) for n in range(50)]
    assert get_message(read(51, queue=ReadableQueue(0, 50, 0, entries))).next_begin_offset == 0
    assert get_message(read(51)).next_begin_offset == 50


def test_a_missing_file_of_the_queue_is_passed_over() -> None:
    """The reader goes on at the next file."""
    queue = ReadableQueue(10, 50, 40, [MessageLocation(n * SIZE, SIZE) for n in range(40, 50)], 20)
    result = get_message(read(12, queue=queue))
    assert (result.status.name, result.next_begin_offset) == ("OFFSET_FOUND_NULL", 20)


@pytest.mark.parametrize(
    ("changes", "count", "by"),
    [
        ({}, 32, "is_count_reached"),
        ({"max_messages": 40}, 32, "is_memory_count_reached"),
        ({"max_messages": 0}, 1, "is_count_reached"),
        ({"offset": 45}, 5, "is_queue_file_read"),
    ],
)
def test_a_batch_ends(changes: dict[str, Any], count: int, by: str) -> None:
    """By the count asked for, by the count allowed, or with the queue's file."""
    result = get_message(read(**{"offset": 10, **changes}))
    assert (result.message_count, result.ended_by) == (count, by)
    assert result.size_bytes == count * SIZE
    assert result.next_begin_offset == changes.get("offset", 10) + count


@pytest.mark.parametrize(
    ("properties", "count", "by"),
    [
        ({"maxTransferBytesOnMessageInMemory": 5 * SIZE}, 5, "is_memory_size_exceeded"),
        ({"maxTransferCountOnMessageInMemory": 3}, 3, "is_memory_count_reached"),
        ({"accessMessageInMemoryMaxRatio": 0}, 8, "is_disk_count_reached"),
        (
            {"accessMessageInMemoryMaxRatio": 0, "maxTransferBytesOnMessageInDisk": "1400"},
            2,
            "is_disk_size_exceeded",
        ),
    ],
)
def test_limits_are_settings(properties: dict[str, Any], count: int, by: str) -> None:
    """Tighter ones hold for what is taken to lie on disk."""
    result = get_message(read(10, change_store(MASTER, properties)))
    assert (result.message_count, result.ended_by) == (count, by)


def test_one_message_of_any_size_is_answered() -> None:
    """A batch without messages is never full."""
    assert find_full(read(10), 0, 10**9, is_in_disk=True) == ""
    assert find_full(read(10), 1, 10**9, is_in_disk=True) == "is_disk_size_exceeded"


def test_the_suggestion_goes_by_the_last_entry_looked_at() -> None:
    """That is the first one that did not go into the full batch; the comparison is strict."""
    behind = (50 - 11) * SIZE
    for memory, is_suggested in ((behind, False), (behind - 1, True)):
        settings = evolve(MASTER, total_memory_bytes=memory, memory_ratio=100)
        result = get_message(read(10, settings, max_messages=1))
        assert (result.message_count, result.last_looked_at_offset) == (1, 11 * SIZE)
        assert result.is_slave_suggested is is_suggested


def test_the_end_of_a_queue_file_ends_a_batch() -> None:
    """With 20 entries to a file, the reader needs a second call; sizes are rounded up."""
    assert compute_entries_per_file(390) == 20
    queue = evolve(read(10).queue, entries_per_file=20)
    assert get_message(read(12, queue=queue)).next_begin_offset == 20


def test_filtered_messages_are_passed() -> None:
    """Nothing for this reader, but it need not ask again for what it has passed."""
    result = get_message(read(45, filtered_out=frozenset(range(10, 50))))
    assert (result.status.name, result.next_begin_offset) == ("NO_MATCHED_MESSAGE", 50)
    assert result.status_decided_by == "is_filter_refusing"
    part = get_message(read(45, filtered_out=frozenset({45, 47})))
    assert (part.status.name, part.message_count, part.next_begin_offset) == ("FOUND", 3, 50)


def test_removed_messages_are_passed_file_by_file() -> None:
    """Entries that point into a file that is gone are not looked up one by one."""
    settings = change_store(MASTER, {"mapedFileSizeCommitLog": 10 * SIZE})
    result = get_message(read(12, settings, log_min_offset=50 * SIZE))
    assert (result.status.name, result.next_begin_offset) == ("MESSAGE_WAS_REMOVING", 50)
    assert result.status_decided_by == "is_message_removed"
    rest = get_message(read(12, settings, log_min_offset=20 * SIZE))
    assert (rest.message_count, rest.next_begin_offset) == (30, 50)


def test_patience_with_a_filter_ends() -> None:
    """800 entries are looked at, or as many as the caller wants messages."""
    entries = [MessageLocation(n * SIZE, SIZE) for n in range(2_000)]
    queue, all_ = ReadableQueue(0, 2_000, 0, entries), frozenset(range(2_000))
    for max_messages, consumed in ((32, 800), (1_000, 1_000)):
        result = get_message(
            read(0, queue=queue, max_messages=max_messages, filtered_out=all_, log_max_offset=10**7)
        )
        assert (result.next_begin_offset, result.ended_by) == (consumed, "is_scan_limit_reached")


def test_settings_refuse_values_of_another_type() -> None:
    """As text or as a value."""
    for value in ("yes", 1, None, 0.5):
        with pytest.raises(ValueError, match="offsetCheckInSlave is"):
            change_store(MASTER, {"offsetCheckInSlave": value})
    assert change_store(MASTER, {"offsetCheckInSlave": "true", "listenPort": 0}) != MASTER
