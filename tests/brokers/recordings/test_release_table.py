"""Recordings are refused under the rules of a release that cannot have made them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from brokers.recordings.judging import CONFORMS, check_recording
from brokers.recordings.reading import read_recording
from reference.releases.versions import parse_version
from tests.brokers.recordings.recordings_page import PAGE, PATHS, VERSIONS, replace_table
from tests.brokers.recordings.release_table import PART, Row, compute_row, load, render

ROWS = load()
BY_NAME: Mapping[str, Path] = {path.stem: path for path in PATHS}
NAMES = [version.name for version in VERSIONS]


def test_the_table_has_every_recording() -> None:
    """In the order of the page, which has the table."""
    assert [row.name for row in ROWS] == [path.stem for path in PATHS]
    page = PAGE.read_text(encoding="utf-8")
    assert replace_table(page, PART, "\n".join(render(ROWS))) == page
    assert page.count(f"begin generated: {PART} -->") == 1


def test_every_recording_conforms_under_its_own_release() -> None:
    """The rules of the release that made it can take its steps."""
    assert not [r.name for r in ROWS if r.cells[NAMES.index(r.recorded)].word != CONFORMS]


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("s_idle_500_3000", "4.5.2"),
        ("big_message_acks_slow_link", "4.6.0"),
        ("o_sync_flush_rollover", "4.8.0"),
        ("n_clean_restart", "4.9.3"),
        ("k_get_message", "4.9.8"),
    ],
)
def test_the_table_says_since_when(name: str, first: str) -> None:
    """A recording of 4.4.0 conforms up to the version that changed what it shows."""
    (row,) = (row for row in ROWS if row.name == name)
    assert row.recorded == "4.4.0"
    conforms = [cell.word == CONFORMS for cell in row.cells]
    assert conforms == [number < NAMES.index(first) for number in range(len(NAMES))]


TELLING = [
    ("v498_a_sync_healthy", "4.4.0", "a repeated report"),
    ("v498_f_slave_restart_resume", "4.4.0", "a repeated report"),
    ("v498_r_random_seed22", "4.4.0", "closing a connection"),
    ("v498_s_idle_500_3000", "4.4.0", "a repeated report"),
    ("b2_slave_node_rejects_put", "4.9.8", "MESSAGE_ILLEGAL"),
    ("d2_fallbehind_exact", "4.9.8", "not answered FLUSH_SLAVE_TIMEOUT yet"),
    ("f_slave_restart_resume", "4.9.8", "still open"),
    pytest.param(
        "h_slave_ahead_aligned", "4.9.8", "has reported nothing", marks=pytest.mark.nightly
    ),
    ("k_get_message", "4.9.8", "next_begin_offset is 0"),
    ("n_clean_restart", "4.9.8", "still open"),
    ("r_random_seed10", "4.9.8", "not answered FLUSH_SLAVE_TIMEOUT yet"),
    ("s_idle_500_3000", "4.9.8", "has reported nothing"),
    ("x1_pull_decision_table", "4.9.8", "next_begin_offset is 0"),
]
"""How a release is told apart: the recording, the other release, and a part of the reason."""


@pytest.mark.parametrize(("name", "version", "reason"), TELLING)
def test_another_release_is_told_apart(name: str, version: str, reason: str) -> None:
    """At the event that the table names, and by what it shows."""
    (row,) = (row for row in ROWS if row.name == name)
    verdict = check_recording(read_recording(BY_NAME[name]), version=parse_version(version))
    cell = row.cells[NAMES.index(version)]
    assert (verdict.verdict, verdict.first_unexplained_seq) == (cell.word, cell.seq)
    assert reason in verdict.reason


@pytest.mark.nightly
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_rows_are_up_to_date(row: Row) -> None:
    """Each recording under each version, once more."""
    assert compute_row(BY_NAME[row.name]) == row
