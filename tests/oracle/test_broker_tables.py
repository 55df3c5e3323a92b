"""Decisions about the name server, copied tables and delayed delivery answer the oracle's rows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.oracle.comparing import UnreadableError, compare, list_differences, read_rows

ROOT = Path(__file__).parents[2]
STORED = ROOT / "tests" / "data" / "oracle_broker"
WHOLE = ROOT.parent / "shared" / "oracle" / "broker"
TABLES = ("name_server", "tables", "delay")


@pytest.mark.parametrize("table", TABLES)
def test_stored_rows(table: str) -> None:
    """Some of each kind."""
    comparison = compare(STORED / f"{table}.jsonl.xz")
    assert comparison.row_count >= 60
    assert () == comparison.differences
    assert comparison.alike_count == comparison.row_count


@pytest.mark.skipif(not WHOLE.exists(), reason="the oracle's tables are not here")
@pytest.mark.parametrize("table", TABLES)
def test_every_row(table: str) -> None:
    """All rows of a table."""
    comparison = compare(WHOLE / f"{table}.jsonl")
    assert comparison.row_count >= 150
    assert () == comparison.differences


def test_cited_rows_are_stored() -> None:
    """Whoever reads of a row in the code of decisions finds it in the repository."""
    files = (ROOT / "reference" / "decisions").rglob("*.py")
    cited = {row for file in files for row in re.findall(r"B[456]-\d{4,5}", file.read_text())}
    stored = {row["id"] for table in TABLES for row in read_rows(STORED / f"{table}.jsonl.xz")}
    assert set() == cited - stored
    assert len(cited) >= 9


def change(table: str, row_id: str) -> dict[str, Any]:
    """A stored row that may be changed."""
    rows = read_rows(STORED / f"{table}.jsonl.xz")
    return next(dict(row) for row in rows if row["id"] == row_id)


@pytest.mark.parametrize(
    ("table", "row_id", "number", "field", "wrong"),
    [
        ("name_server", "B4-1006", 0, "result", {"masterAddr": "x", "haServerAddr": None}),
        ("delay", "B6-0144", 1, "table", {"1": 0}),
    ],
)
def test_another_answer_is_a_difference(
    table: str, row_id: str, number: int, field: str, wrong: object
) -> None:
    """Of a step of the name server, and of a call of delayed delivery behind its begin."""
    row = change(table, row_id)
    steps = row["output"]["steps"]
    at = number + (table == "delay")
    row["output"] = {"steps": [*steps[:at], {**steps[at], field: wrong}, *steps[at + 1 :]]}
    (difference,) = list_differences(row)
    assert (difference.op_number, difference.field, difference.expected) == (number, field, wrong)


@pytest.mark.parametrize("name", ["m.topics", "s.offsets"])
def test_another_change_of_a_table_is_a_difference(name: str) -> None:
    """Also one that is not there."""
    row = change("tables", "B5-00221")
    output = row["output"]
    first, *rest = output["steps"]
    changed = {**first["changed"], name: {"x": None}}
    row["output"] = {**output, "steps": [{**first, "changed": changed}, *rest]}
    found = [(d.op_number, d.field) for d in list_differences(row)]
    assert found == [(0, name)]


@pytest.mark.parametrize(
    ("table", "row_id", "key"),
    [
        ("name_server", "B4-1006", "steps"),
        ("tables", "B5-00221", "ops"),
        ("delay", "B6-0144", "ops"),
    ],
)
def test_an_unknown_call_is_told(table: str, row_id: str, key: str) -> None:
    """Not passed over."""
    row = change(table, row_id)
    _, *rest = row["input"][key]
    row["input"] = {**row["input"], key: [["forget"], *rest]}
    with pytest.raises(UnreadableError, match="there is no operation 'forget'"):
        list(list_differences(row))
