"""Copies of recordings with one change are refused, but for those that may have happened."""

from __future__ import annotations

import itertools
import random
from functools import cache
from pathlib import Path

import pytest

from brokers.recordings.inspection.looks import Value, list_values
from brokers.recordings.kinds import EXPLAINED_KINDS
from brokers.recordings.reading import read_recording
from tests.brokers.recordings.changes.allowed import find_reason, read_allowed
from tests.brokers.recordings.changes.edits import Corruption
from tests.brokers.recordings.changes.events import WAYS
from tests.brokers.recordings.changes.perturber import (
    ALLOWED,
    SEED,
    Copy,
    draw,
    judge,
    list_names,
    list_wrong,
    render,
)
from tests.brokers.recordings.changes.values import (
    AWAY_MS,
    LARGEST,
    change_values,
    find_file_bytes,
    list_changes,
    list_far_numbers,
)

HEALTHY = Path(__file__).parents[2] / "data" / "traces" / "a_sync_healthy.jsonl"

QUICK = ("a_sync_healthy", "c_sync_stall_heal", "x4_send_codes_sync_master", "topic_answer")
"""Recordings of which some copies are judged with every change of the program."""
QUICK_COPIES = 60

ALLOWED_SHARE = 0.7
"""Of how many entries a copy is drawn that is accepted; of others it takes a larger draw."""

SLICES = 16
"""The drawn copies are judged in so many parts."""


@pytest.mark.parametrize(
    ("path", "old", "changes"),
    [
        (("max_offset",), 7, {"+1": 8, "-1": 6, "null": None, "other": 99}),
        (("load_ok",), True, {"negated": False, "null": None}),
        (("put_status",), "PUT_OK", {"other": "X", "unheard of": "PUT_OK_", "null": None}),
        (("files", 0, "crc32"), "0a", {"other": "00000000", "null": None}),
        (("t_ms",), 7.5, {"later": 7.5 + AWAY_MS, "earlier": 7.5 - AWAY_MS, "null": None}),
        (("offset",), None, {}),
    ],
)
def test_changes_follow_the_form_of_a_value(
    path: tuple[str | int, ...], old: object, changes: dict[str, object]
) -> None:
    """Numbers, truth values, names, checksums and times."""
    elsewhere: dict[type, list[object]] = {int: [99], str: ["X"]}
    others = elsewhere.get(type(old), [])
    assert dict(list_changes(Value(path, old), others)) == changes


def test_numbers_far_away() -> None:
    """None of them is next to the old one, and each is there once."""
    far = {"zero": 0, "half": 3, "double": 14, "a file more": 1007, "a file less": -993}
    assert dict(list_far_numbers(7, 1000)) == {**far, "largest": LARGEST}
    assert dict(list_far_numbers(0, 2)) == {"a file more": 2, "a file less": -2, "largest": LARGEST}
    assert find_file_bytes(read_recording(HEALTHY)) == 16_384


def test_a_copy_differs_in_one_value() -> None:
    """But for an event that moves in time: then the others stay in their order."""
    recording = read_recording(HEALTHY)
    every = list(change_values(recording, random.Random(1), lambda *_: True))
    assert len(every) > 5_000
    for each in random.Random(2).sample(every, 60):
        copy = each.apply(recording)
        seqs = [event.seq for event in copy.events]
        assert all(one < other for one, other in itertools.pairwise(seqs))
        (edit,) = each.edits
        if edit.path == ("t_ms",):
            continue
        changed = [
            (event.seq, value.path, value.value)
            for event, before in zip(copy.events, recording.events, strict=True)
            for value, old in zip(list_values(event.data), list_values(before.data), strict=True)
            if value != old
        ]
        assert changed == [(edit.seq, edit.path, edit.new)]


def test_ways_are_those_of_kinds_that_exist() -> None:
    """No row is for an event that no recording has."""
    assert WAYS.keys() <= EXPLAINED_KINDS.keys()


def test_a_few_changed_copies_are_refused() -> None:
    """Of four recordings; of each change of each field one at most."""
    drawn = draw(QUICK, per_change=1)
    assert len(drawn) > 10 * QUICK_COPIES
    assert [] == list_wrong(random.Random(SEED).sample(drawn, QUICK_COPIES))


@pytest.mark.nightly
@pytest.mark.parametrize("part", range(SLICES))
def test_every_changed_copy_is_refused(part: int) -> None:
    """Of all recordings that are explained quickly, a few of each change of each field."""
    drawn = draw_all()[part::SLICES]
    assert len(drawn) > 200
    assert len(list_names()) > 90
    assert [] == list_wrong(drawn)


@cache
def draw_all() -> list[Copy]:
    """A few of each change of each field of all recordings."""
    return draw()


@pytest.mark.nightly
def test_what_is_allowed_is_accepted() -> None:
    """Of most entries a copy is drawn that needs it."""
    drawn = [copy for copy in draw_all() if find_reason(copy.change)]
    used = {copy.change.name for copy in drawn if judge(copy) == ALLOWED}
    assert len(used & read_allowed().keys()) > ALLOWED_SHARE * len(read_allowed())


def test_a_reason_is_found() -> None:
    """By field and change, and none for another change."""
    (copy, *_) = draw(QUICK, per_change=1)
    assert not find_reason(copy.change)
    late = Corruption("put.t_ms", "later", copy.change.edits)
    assert find_reason(late) == read_allowed()["*.t_ms"][0].reason


def test_the_table_counts_copies() -> None:
    """By field, and all together."""
    counts = {"put.queue": {"rejected": 2, "allowed": 1}, "put.topic": {"malformed": 1}}
    head, *rows, last = render(counts)
    assert head == "field | tried | malformed | rejected | allowed | conforms | undecided"
    assert rows == ["put.queue | 3 | 0 | 2 | 1 | 0 | 0", "put.topic | 1 | 1 | 0 | 0 | 0 | 0"]
    assert last == "all | 4 | 1 | 2 | 1 | 0 | 0"
