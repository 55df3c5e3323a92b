"""A recording conforms when its plan or the search explains it; corrupted ones stay rejected."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from reference.recordings.log.judging import BY_SEARCH, is_searchable, judge_recording

from reference.recordings.judging import CONFORMS
from reference.recordings.log.explain import find_version
from reference.recordings.reading import read_recording
from tests.reference.recordings.corruptions import corrupt

DATA = Path(__file__).parents[2] / "data"
BY_SEARCH_PATHS = sorted((DATA / "traces_by_search").glob("*.jsonl"))
LATER_PATHS = sorted((DATA / "traces_5x").glob("*.jsonl"))

SAMPLE = 4
"""How many corrupted copies of a recording are judged."""


@pytest.mark.parametrize("path", BY_SEARCH_PATHS, ids=lambda path: path.stem)
def test_the_search_explains_what_no_plan_does(path: Path) -> None:
    """Real brokers, whose events come in an order that the plan does not foresee."""
    verdict = judge_recording(read_recording(path))
    assert (verdict.verdict, verdict.explained_by) == (CONFORMS, BY_SEARCH)
    assert verdict.explained + verdict.ignored == verdict.events
    assert verdict.fields_checked > 2 * verdict.explained


@pytest.mark.parametrize("path", LATER_PATHS, ids=lambda path: path.stem)
def test_recordings_of_5_3_3_conform(path: Path) -> None:
    """By the rules of 5.3.3 in the mode that the settings choose."""
    recording = read_recording(path)
    verdict = judge_recording(recording, version=find_version(recording))
    assert verdict.is_conforming, verdict.reason


@pytest.mark.parametrize("path", BY_SEARCH_PATHS, ids=lambda path: path.stem)
def test_corrupted_copies_are_rejected(path: Path) -> None:
    """Also those of recordings that only the search explains."""
    copies = list(corrupt(read_recording(path)))
    random.Random(7).shuffle(copies)
    accepted = [
        (copy.category, copy.seq, copy.what)
        for copy in copies[:SAMPLE]
        if judge_recording(copy.recording).is_conforming
    ]
    assert not accepted


def test_tables_are_not_searched() -> None:
    """A recording with events that the search does not look at is judged by its plan alone."""
    tables = read_recording(DATA / "traces" / "x2_consumer_offsets_and_sync.jsonl")
    assert not is_searchable(tables)
    assert is_searchable(read_recording(BY_SEARCH_PATHS[0]))
