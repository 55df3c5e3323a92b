"""The loop over entries stays within what a proof takes for it, and attains its ends."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from reference.decisions.reading.consume_queue import MessageLocation, ReadableQueue
from reference.decisions.reading.read import GetMessageStatus, Read
from reference.decisions.reading.scan import Ahead, Scan, gather, is_possible
from reference.decisions.reading.settings import StoreSettings
from reference.roles import Role
from tests.oracle.comparing import read_rows
from tests.oracle.get_message_rows import build_store

ROOT = Path(__file__).parents[4]
ROWS = ROOT / "tests" / "data" / "oracle_broker" / "get_message.jsonl.xz"
SIZE = 100
QUEUE = ReadableQueue(0, 40, 0, tuple(MessageLocation(at * SIZE, SIZE) for at in range(40)), 30)
READ = Read(StoreSettings(), QUEUE, 0, 32, log_max_offset=40 * SIZE)


def look_ahead(read: Read) -> Ahead:
    """What a proof knows of a read."""
    (first, *_) = read.queue.list_from(read.offset)
    entries = read.queue.max_offset - read.offset
    return Ahead(entries, first.physical_offset, read.log_max_offset, read.max_messages)


@st.composite
def reads(draw: st.DrawFn) -> Read:
    """A read of a queue with entries ahead, some deleted, some not asked for."""
    sizes = draw(st.lists(st.integers(1, 300), min_size=1, max_size=60))
    gaps = draw(st.lists(st.integers(0, 300), min_size=len(sizes), max_size=len(sizes)))
    entries, at = [], 0
    for size, gap in zip(sizes, gaps, strict=True):
        entries.append(MessageLocation(at + gap, size))
        at += gap + size
    per_file = draw(st.integers(1, 70))
    queue = ReadableQueue(0, len(entries), 0, tuple(entries), per_file)
    settings = StoreSettings(
        draw(st.sampled_from(Role)),
        draw(st.integers(0, 20_000)),
        bytes_max_in_memory=draw(st.integers(0, 3_000)),
        bytes_max_in_disk=draw(st.integers(0, 3_000)),
        count_max_in_memory=draw(st.integers(0, 40)),
        count_max_in_disk=draw(st.integers(0, 10)),
        commit_log_file_bytes=draw(st.integers(100, 2_000)),
    )
    places = st.integers(0, len(entries) - 1)
    return Read(
        settings,
        queue,
        draw(places),
        draw(st.integers(-1, 40)),
        log_max_offset=at,
        log_min_offset=draw(st.integers(0, at)),
        filtered_out=draw(st.frozensets(places)),
    )


@given(reads())
def test_the_loop_stays_within_the_relation(read: Read) -> None:
    """Whatever lies ahead."""
    assert is_possible(gather(read).scan, look_ahead(read))


def test_real_reads_stay_within_the_relation() -> None:
    """Rows of real classes that looked at entries."""
    scanned = 0
    for row in read_rows(ROWS):
        call, output = row["input"]["call"], row["output"]
        if output["max_phy_offset_pulling"] is None:
            continue
        scanned += 1
        entries = build_store(row["input"]["store"]).get_queue(call["topic"], call["queue"])
        (first, *_) = entries.list_from(call["offset"])
        left = output["max_offset"] - call["offset"]
        ahead = Ahead(left, first.physical_offset, output["max_offset_py"], call["max_msgs"])
        found = output["status"] == "FOUND"
        miss = GetMessageStatus.NO_MATCHED_MESSAGE if found else GetMessageStatus[output["status"]]
        consumed = output["next_begin_offset"] - call["offset"]
        scan = Scan(output["count"], consumed, output["max_phy_offset_pulling"], miss)
        assert is_possible(scan, ahead), row["id"]
    assert scanned > 30


ALONE = evolve(QUEUE, max_offset=1, entries=QUEUE.entries[:1])
ENDS: dict[str, tuple[Read, str, int]] = {
    "none found": (evolve(READ, filtered_out=frozenset(range(40))), "count", 0),
    "as many as wanted": (evolve(READ, max_messages=7), "count", 7),
    "one, though none is wanted": (evolve(READ, max_messages=0), "count", 1),
    "as many as consumed": (evolve(READ, offset=35), "count", 5),
    "one consumed": (evolve(READ, max_messages=1), "consumed", 1),
    "all consumed": (evolve(READ, offset=30), "consumed", 10),
    "the first is the last looked at": (
        evolve(READ, queue=ALONE, log_max_offset=SIZE),
        "last",
        0,
    ),
    "the last one of the log": (evolve(READ, offset=30), "last", 39 * SIZE),
}


@pytest.mark.parametrize("name", ENDS)
def test_the_loop_attains_its_ends(name: str) -> None:
    """By an example each; the last entry ends the log, so it begins a message's size before."""
    read, field, value = ENDS[name]
    assert getattr(gather(read).scan, field) == value


@pytest.mark.parametrize(
    "change",
    [
        {"consumed": 0},
        {"consumed": 41},
        {"count": -1},
        {"count": 33, "consumed": 40},
        {"last": -1},
        {"last": 40 * SIZE},
        {"miss_status": GetMessageStatus.FOUND},
    ],
)
def test_the_relation_is_no_wider(change: dict[str, int]) -> None:
    """One beyond each end."""
    scan, ahead = gather(READ).scan, look_ahead(READ)
    assert is_possible(scan, ahead)
    assert not is_possible(evolve(scan, **change), ahead)
