"""The checker refuses recordings in which one thing was changed.

A quick sample runs with every change, the whole matrix nightly. What is accepted all the same is
listed with the reason why it may really have happened, or why no reader of a recording could tell.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from brokers.recordings.judging import CONFORMS, check_recording
from brokers.recordings.kinds import EXPLAINED_KINDS
from brokers.recordings.reading import Event, Recording, read_recording
from reference.worlds.replication.state import STATUS_NAMES
from tests.brokers.recordings import shared
from tests.brokers.recordings.accepted import (
    EXAMPLES,
    POSSIBLE,
    find_accepted,
    has_reason,
    judge,
    may_stand_at,
)
from tests.brokers.recordings.corruptions import TABLE, corrupt
from tests.brokers.recordings.edits import Corruption, change_event
from tests.brokers.recordings.shared import TRACES, cut_behind, list_cases, list_recordings

PATHS = list_recordings(TRACES)
LATER = list_recordings(shared.LATER)
STAGED = [
    shared.FOUND / f"{name}.jsonl"
    for name in ("empty_first_file", "flush_file_gone", "full_file_skipped", "torn_roll_kill")
]

IN_PLACE, WHOLE = 8, 1
"""How many corruptions of a recording are tried with every change: in the place of their event, and
as whole recordings."""

ACCEPTED_SHARE_MAX = 0.05
"""Which part of all is accepted at most, for the reasons below."""

UNDECIDED_SHARE_MAX = 0.05
"""Of which part the search gives up at most: it has refused nothing then."""

STRICT = (
    "ha_frame.master_offset",
    "ha_report.slave_offset",
    "report beyond the end",
    "swapped ha_frame",
    "swapped ha_report",
    "early first report",
    "recovered offset",
    "log_scan.offset",
    "log_scan.size",
    "log_crc.to_offset",
    "short time-out",
    "node_started.last_exit_normal",
    "node_stop_clean.abort_file_present",
    "divergence_check.common_prefix_equal",
    "divergence_check.range_after_equal",
)
"""Categories of which nothing is accepted."""


def check_refused(recording: Recording, corruptions: list[Corruption], every: int) -> None:
    """What is accepted has a reason, and of ``every`` copies few are."""
    verdicts = [(judge(recording, each), each) for each in corruptions]
    accepted = [each for verdict, each in verdicts if verdict == CONFORMS]
    assert all(map(has_reason, accepted)), accepted
    assert len(accepted) <= 1 + ACCEPTED_SHARE_MAX * every, accepted


SLOW = (
    *("r_random", "big_message", "x2_consumer", "x4_send", "j_rollover", "h_slave_ahead", "u"),
    *("o_sync", "n_clean", "f_slave_restart", "m_master", "x1_pull", "g_new", "k_get", "l_wait"),
    *("e_async", "s_idle_default"),
)
"""How the names of recordings begin of which copies take seconds each."""


@pytest.mark.parametrize("path", list_cases(PATHS, SLOW))
def test_a_sample_of_corruptions_is_refused(path: Path) -> None:
    """A few corruptions of each recording: what is accepted has a reason."""
    recording, chance = read_recording(path), random.Random(path.stem)
    # The sample stays the same when rows of the table change places.
    every = sorted(corrupt(recording), key=lambda each: (each.name, each.seq, each.change))
    chance.shuffle(every)
    in_place = [each for each in every if each.is_in_place][:IN_PLACE]
    whole = [*[each for each in every if not each.is_in_place][:WHOLE], *in_place]
    check_refused(recording, whole, IN_PLACE + WHOLE)


@pytest.mark.nightly
@pytest.mark.parametrize("path", [*PATHS, *LATER, *STAGED], ids=lambda path: path.stem)
def test_every_corruption_is_refused(path: Path) -> None:
    """Every corruption of one event of a recording, and a share of the others."""
    recording, chance = read_recording(path), random.Random(path.stem)
    every = list(corrupt(recording))
    of_one_event = [each for each in every if each.is_in_place]
    others = [each for each in every if not each.is_in_place]
    whole = [each for each, is_taken in find_accepted(recording, of_one_event) if is_taken]
    whole += chance.sample(others, min(NIGHTLY_WHOLE, len(others)))
    check_refused(recording, whole, len(every))


NIGHTLY_WHOLE = 40
"""How many corruptions of more than one event of a recording are judged at night."""


def test_every_kind_has_a_row() -> None:
    """The table of changes knows the kinds of the format."""
    assert TABLE.keys() == EXPLAINED_KINDS.keys()


def test_every_category_is_tried() -> None:
    """No category is empty, and every exception without an example names one that exists."""
    assert not set(POSSIBLE) & set(STRICT)
    left = {*STRICT, *(set(POSSIBLE) - set(EXAMPLES))}
    for path in PATHS:
        if left:
            left -= {corruption.name for corruption in corrupt(read_recording(path), TABLE)}
    assert not left


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.nightly] * file.startswith(SLOW))
        for name, (file, *_) in EXAMPLES.items()
    ],
)
def test_what_is_listed_is_accepted(name: str) -> None:
    """An entry whose example is refused needs another one, or goes."""
    file, seq, change = EXAMPLES[name]
    recording = read_recording(next(path for path in shared.ALL if path.stem == file))
    kind = recording.events[find(recording, seq)].kind
    copies = [
        each
        for each in corrupt(recording, {kind: TABLE[kind]})
        if (each.seq, each.change) == (seq, change) and name in (each.name, f"{each.name} {change}")
    ]
    assert CONFORMS in [judge(recording, each) for each in copies]


A, B, H = (
    read_recording(TRACES / f"{name}.jsonl")
    for name in ("a_sync_healthy", "b_sync_no_slave", "h_slave_ahead_master_empty")
)


def find(recording: Recording, seq: int) -> int:
    """The place of an event."""
    return next(i for i, event in enumerate(recording.events) if event.seq == seq)


def is_explained(recording: Recording, seq: int, **fields: object) -> bool:
    """The recording with these fields of an event changed conforms."""
    return check_recording(change_event(recording, find(recording, seq), **fields)).is_conforming


def is_explained_in_place(recording: Recording, event: Event, **fields: object) -> bool:
    """The event with these fields changed may stand in its place."""
    return may_stand_at(recording, evolve(event, data={**event.data, **fields}))


def list_events(*kinds: str) -> list[Any]:
    """One test case for each event of these kinds in three recordings."""
    return [
        pytest.param(recording, event, id=f"{recording.config['scenario']}-{event.seq}")
        for recording in (A, B, H)
        for event in recording.events
        if event.kind in kinds
    ]


PUTS_STRIDE = 6
"""Of so many puts one is answered otherwise; nightly every corruption is tried."""


def is_slow(recording: Recording, event: Event) -> bool:
    """Puts at a time may have come in many orders, all of which are tried."""
    return (recording is A and event.seq > 70) or (recording is H and event.seq > 80)


@pytest.mark.parametrize(
    ("recording", "event"),
    [each for each in list_events("put")[::PUTS_STRIDE] if not is_slow(*each.values)],
)
def test_another_put_status_is_refused(recording: Recording, event: Event) -> None:
    """No put can have been answered in any other way."""
    others = sorted({*STATUS_NAMES, "OK"} - {event["put_status"]})
    status = random.Random(event.seq).choice(others)
    assert not is_explained(recording, event.seq, put_status=status), status
    assert not is_explained(recording, event.seq, append_status="UNKNOWN_ERROR")
    # A stored message is larger than its body.
    assert not is_explained(recording, event.seq, body_bytes=event["wrote_bytes"])


@pytest.mark.parametrize(("recording", "event"), list_events("node_started", "snapshot"))
def test_offsets_beyond_the_log_are_refused(recording: Recording, event: Event) -> None:
    """Nothing is flushed or dispatched that is not in the log."""
    for field in ("flushed_offset", "dispatched_offset"):
        beyond = event["max_offset"] + 1
        assert not is_explained_in_place(recording, event, **{field: beyond}), field
        assert not is_explained_in_place(recording, event, **{field: -1}), field


DOUBLED_STRIDE = 16
"""Of so many lines one is doubled."""


@pytest.mark.parametrize(
    ("recording", "copy"),
    [
        pytest.param(recording, each, id=f"{recording.config['scenario']}-{each.seq}")
        for recording in (A, B, H)
        for each in [c for c in corrupt(recording) if c.name.startswith("double ")][
            ::DOUBLED_STRIDE
        ]
        if not is_slow(recording, recording.events[find(recording, each.seq)])
    ],
)
def test_a_doubled_line_is_refused(recording: Recording, copy: Corruption) -> None:
    """What happens once happens once; heartbeats and repeated reports look alike."""
    assert judge(recording, copy) != CONFORMS


def find_swapped(recording: Recording, seq: int, kind: str) -> Recording:
    """The copy in which an event and the next one of its kind are exchanged."""
    every = corrupt(recording, {kind: TABLE[kind]})
    found = next(each for each in every if (each.name, each.seq) == (f"swapped {kind}", seq))
    return found.apply(recording)


def test_a_heartbeat_does_not_overtake_a_frame() -> None:
    """Of frames that a stall has held, and that come at once, each keeps its place."""
    recording = read_recording(TRACES / "c_sync_stall_heal.jsonl")
    swapped = find_swapped(recording, 65, "ha_frame")
    assert check_recording(swapped).first_unexplained_seq == 65


def test_reports_do_not_fall_before_a_kill() -> None:
    """Not even where the later one may have come after its connection's end."""
    recording = read_recording(TRACES / "m_master_kill9_page_cache.jsonl")
    assert not check_recording(find_swapped(recording, 56, "ha_report")).is_conforming


def test_a_late_report_tells_nothing_of_a_later_connection() -> None:
    """The first connection of this link has ended, and seq 202 has brought what 205 reports."""
    recording = cut_behind(read_recording(TRACES / "r_random_seed2.jsonl"), 205)
    assert not is_explained(recording, 205, conn=1)


C4 = next(e for e in A.events if e.data.get("msg_id") == "c4")


def test_offsets_that_concurrent_puts_leave_open() -> None:
    """Eight puts at a time: what each producer saw afterwards depends on when it looked.

    The c4 of this recording saw 6626 reported and 6925 written. It may as well have looked after
    another report was read, or another put was appended; but never below what another one had seen
    before its answer, nor below its own end, and never where no report or no message ends.
    """
    event = C4
    end = event["wrote_offset"] + event["wrote_bytes"]
    until = cut_behind(A, event.seq + 12)
    assert not is_explained(until, event.seq, push2_slave_after=end)
    for offset in (6626, 6925):
        assert is_explained(until, event.seq, push2_slave_after=offset)
    for offset in (6925, 7224):
        assert is_explained(until, event.seq, max_offset_after=offset)
    assert not is_explained(until, event.seq, max_offset_after=end - 1)


@pytest.mark.nightly
def test_offsets_at_which_nothing_ends_are_refused() -> None:
    """Of the same put: below what its slave had reported, or within a message."""
    for offset in (4832, 6500):
        assert not is_explained(A, C4.seq, push2_slave_after=offset)
    assert not is_explained(A, C4.seq, max_offset_after=7000)


def test_flushes_that_no_one_saw_are_left_open() -> None:
    """A flush may have happened after any append since the last one; nothing tells after which."""
    until = cut_behind(H, 39)
    for offset in (0, 801, 4806):
        assert is_explained(until, 39, flushed_offset=offset)
    for offset in (802, 4807):
        assert not is_explained(until, 39, flushed_offset=offset)
