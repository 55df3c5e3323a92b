"""What is noticed when a value of a recording is changed stays noticed."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest

from brokers.recordings.inspection.looks import Value, list_values
from brokers.recordings.reading import read_recording
from tests.brokers.recordings.perturbing import (
    RECORDINGS,
    SEED,
    Sample,
    draw,
    judge,
    judge_all,
    load_list,
    render,
)
from tests.brokers.recordings.value_changes import (
    AWAY_MS,
    change_values,
    change_values_far,
    list_changes,
)
from tests.brokers.recordings.ways import LARGEST, find_file_size, list_far_numbers

HEALTHY = Path(__file__).parents[2] / "data" / "traces" / "a_sync_healthy.jsonl"

QUICK = 9
"""So many of the list, which chance chooses, are judged with every change."""

NOTICED_SHARE_MIN = 0.75
"""So much of what is drawn from one recording is noticed; of all of them 0.9 was measured."""

DRAWN_EACH = 8
"""Of so many drawn changes one is judged at night."""

SAMPLES = load_list()


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
    recording = read_recording(HEALTHY)
    assert find_file_size(recording) == 16_384
    found = list(change_values_far(recording, lambda *_: True))
    assert {each.change for each in found} == {*far, "largest"}
    assert all(type(each.edits[0].old) is int for each in found)


def test_a_copy_differs_in_one_value() -> None:
    """But for an event that moves in time: then the others stay in their order."""
    recording = read_recording(HEALTHY)
    every = list(change_values(recording, random.Random(1), lambda *_: True))
    assert len(every) > 3_000
    for each in random.Random(2).sample(every, 60):
        copy = each.apply(recording)
        assert len(copy.events) == len(recording.events)
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


def test_the_list_has_changes_that_were_noticed() -> None:
    """Of recordings that are explained quickly, each other changes of other kinds of events."""
    assert all(sample.is_noticed for sample in SAMPLES)
    assert {sample.recording for sample in SAMPLES} <= set(RECORDINGS)
    kinds = [(s.copy.name.partition(".")[0], s.copy.change) for s in SAMPLES]
    assert len(set(kinds)) == len(kinds) > 100


def is_lost(sample: Sample) -> bool:
    """What was noticed is not any more."""
    found = judge(sample.recording, sample.copy)
    return sample.is_noticed and not found.is_noticed


def list_quick() -> list[Sample]:
    """A few samples of different fields, each time the same."""
    return random.Random(SEED).sample(SAMPLES, QUICK)


@pytest.mark.parametrize("sample", list_quick(), ids=lambda s: f"{s.copy.name}-{s.copy.change}")
def test_a_sample_stays_noticed(sample: Sample) -> None:
    """With every change of the program."""
    assert not is_lost(sample), sample.copy.describe()


@pytest.mark.nightly
@pytest.mark.parametrize("name", RECORDINGS)
def test_all_samples_stay_noticed(name: str) -> None:
    """Those of one recording."""
    mine = [sample for sample in SAMPLES if sample.recording == name]
    lost = [each.copy.describe() for each in mine if is_lost(each)]
    assert not lost


@pytest.mark.nightly
@pytest.mark.parametrize("name", RECORDINGS)
def test_most_changes_are_noticed(name: str) -> None:
    """Some values, as a time within its range, may as well have been others."""
    found = list(judge_all(draw([name])[::DRAWN_EACH]))
    assert sum(sample.is_noticed for sample in found) >= NOTICED_SHARE_MIN * len(found)


def test_the_table_counts_samples() -> None:
    """By field, and all together."""
    head, *rows, last = render(SAMPLES)
    assert head.startswith("field | tried | noticed")
    assert len(rows) == len({sample.copy.name for sample in SAMPLES})
    assert last.startswith(f"all | {len(SAMPLES)} | {len(SAMPLES)} |")
