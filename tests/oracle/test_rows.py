"""The store answers the oracle's rows as the real classes did."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.oracle.comparing import Comparison, compare, list_differences, read_rows

ROOT = Path(__file__).parents[2]
STORED = ROOT / "tests" / "data" / "oracle_store"
WHOLE = ROOT.parent / "shared" / "oracle" / "store"
TABLES = ("append_slave", "expiry", "get_data", "group_transfer", "put_append", "recovery")


def find_other(comparison: Comparison) -> list[str]:
    """What differs and must not."""
    return [str(difference) for difference in comparison.differences]


@pytest.mark.parametrize("table", TABLES)
def test_stored_rows(table: str) -> None:
    """A few rows of each family; rows that are races may differ."""
    comparison = compare(STORED / f"{table}.jsonl.xz")
    assert comparison.row_count >= 30
    assert [] == find_other(comparison)
    assert comparison.alike_count == comparison.row_count - len(comparison.may_differ)


@pytest.mark.skipif(not WHOLE.exists(), reason="the oracle's tables are not here")
@pytest.mark.parametrize("table", TABLES)
def test_every_row(table: str) -> None:
    """All rows of a table."""
    comparison = compare(WHOLE / f"{table}.jsonl")
    assert comparison.row_count > 300
    assert [] == find_other(comparison)


def test_cited_rows_are_stored() -> None:
    """Whoever reads of a row in the store's code finds it in the repository."""
    files = (ROOT / "reference" / "store").glob("*.py")
    cited = {row for file in files for row in re.findall(r"T[1-6]-\d{5}", file.read_text())}
    stored = {row["id"] for file in STORED.glob("*.jsonl.xz") for row in read_rows(file)}
    assert set() == cited - stored
    assert len(cited) > 20


def change(table: str, row_id: str) -> dict[str, object]:
    """A stored row that may be changed."""
    rows = read_rows(STORED / f"{table}.jsonl.xz")
    return next(dict(row) for row in rows if row["id"] == row_id)


def test_a_difference_names_its_field() -> None:
    """The row, the operation, the field and both values."""
    row = change("recovery", "T1-00967")
    answer = {**row["out"][0]}  # type: ignore[index]
    answer["max"] += 1
    row["out"] = [answer]
    (difference,) = list_differences(row)
    assert (difference.row_id, difference.op_number, difference.field) == ("T1-00967", 0, "max")
    assert difference.expected == difference.got + 1
    assert str(difference).startswith("T1-00967 op 0 max: expected ")


def test_answers_too_few_are_a_difference() -> None:
    """An answer for each operation."""
    row = change("recovery", "T1-00967")
    row["out"] = []
    (difference,) = list_differences(row)
    assert ("answers", 0, 1) == (difference.field, difference.expected, difference.got)


@pytest.mark.parametrize(
    ("row_id", "answer"), [("T6-00040", True), ("T6-00206", True), ("T6-00214", False)]
)
def test_scripts_are_compared(row_id: str, answer: bool) -> None:
    """The first answer of a script that is turned round differs."""
    row = change("group_transfer", row_id)
    answers = list(row["answers"])  # type: ignore[attr-defined]
    number = next(i for i, a in enumerate(answers) if isinstance(a, list | bool))
    wrong = [answer, *answers[number][1:]] if isinstance(answers[number], list) else answer
    row["answers"] = [*answers[:number], wrong, *answers[number + 1 :]]
    assert ["answer"] == [d.field for d in list_differences(row) if d.op_number == number]
