"""The search tells releases apart about as well as the plan does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.reference.recordings.recordings_page import PAGE, PATHS, VERSIONS, replace_table
from tests.reference.recordings.versions_by_search import (
    CONFORMS,
    PART,
    Row,
    compute_row,
    load,
    render,
)

ROWS = load()
BY_NAME: dict[str, Path] = {path.stem: path for path in PATHS}


def test_nothing_but_the_own_release_is_refused_by_search_alone() -> None:
    """Where the plan explains a recording under a release, the search does not refuse it."""
    refused = [
        (row.name, version.name)
        for row in ROWS
        for version, seq, cell in zip(VERSIONS, row.plan, row.search, strict=True)
        if seq is None and cell.word == "refused"
    ]
    assert refused == []


def test_the_page_has_the_table() -> None:
    """As the file says."""
    page = PAGE.read_text(encoding="utf-8")
    assert replace_table(page, PART, "\n".join(render(ROWS))) == page
    assert page.count(f"begin generated: {PART}") == 1


def test_what_the_plan_refuses_the_search_does_not_explain() -> None:
    """Under the rules of another release."""
    explained = [
        (row.name, version.name)
        for row in ROWS
        for version, seq, cell in zip(VERSIONS, row.plan, row.search, strict=True)
        if seq is not None and cell.word == CONFORMS
    ]
    assert explained == []


@pytest.mark.nightly
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_rows_are_up_to_date(row: Row) -> None:
    """Each recording under each version, once more."""
    assert compute_row(BY_NAME[row.name]) == row
