"""Decisions of brokers and clients answer the oracle's rows as the real classes did."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import pytest

from tests.oracle.comparing import UnreadableError, compare, list_differences, read_rows

ROOT = Path(__file__).parents[2]
STORED = ROOT / "tests" / "data" / "oracle_broker"
WHOLE = ROOT.parent / "shared" / "oracle" / "broker"
TABLES = ("get_message", "get_message_stores", "pull", "progress_query")


@pytest.mark.parametrize("table", TABLES)
def test_stored_rows(table: str) -> None:
    """A few rows of each kind."""
    comparison = compare(STORED / f"{table}.jsonl.xz")
    assert comparison.row_count >= 10
    assert [] == [str(difference) for difference in comparison.differences]


@pytest.mark.skipif(not WHOLE.exists(), reason="the oracle's tables are not here")
@pytest.mark.parametrize("table", TABLES)
def test_every_row(table: str) -> None:
    """All rows of a table."""
    comparison = compare(WHOLE / f"{table}.jsonl")
    assert comparison.row_count > 50
    assert [] == [str(difference) for difference in comparison.differences]


def test_cited_rows_are_stored() -> None:
    """Whoever reads of a row in a decision's code finds it in the repository."""
    files = (ROOT / "reference" / "decisions").rglob("*.py")
    cited = {row for file in files for row in re.findall(r"B[1-7]-\d{4,5}", file.read_text())}
    tables = [
        file for file in STORED.glob("*.jsonl.xz") if file.name != "get_message_stores.jsonl.xz"
    ]
    stored = {row["id"] for file in tables for row in read_rows(file)}
    assert set() == cited - stored
    assert len(cited) >= 4


def find_row(table: str, row_id: str) -> dict[str, Any]:
    """A stored row that may be changed."""
    rows = read_rows(STORED / f"{table}.jsonl.xz")
    return copy.deepcopy(next(dict(row) for row in rows if row["id"] == row_id))


@pytest.mark.parametrize(
    ("table", "row_id", "path"),
    [
        ("get_message", "B1-04007", ("next_begin_offset",)),
        ("pull", "B2-00629", ("answer", "code")),
        ("progress_query", "B7-0004", ("queue_min_offset",)),
    ],
)
def test_a_wrong_answer_is_told(table: str, row_id: str, path: tuple[str, ...]) -> None:
    """By its field, with both values."""
    row = find_row(table, row_id)
    place = row["output"]
    for name in path[:-1]:
        place = place[name]
    place[path[-1]] += 1
    (difference,) = list_differences(row)
    assert (difference.row_id, difference.field) == (row_id, path[-1])
    assert difference.expected == difference.got + 1


def test_a_row_of_no_table_is_refused() -> None:
    """One line says what it lacks."""
    with pytest.raises(UnreadableError, match="no table has rows with colour"):
        list(list_differences({"id": "X-1", "input": {"colour": 1}, "output": {}}))
