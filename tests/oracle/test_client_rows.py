"""The model of a consumer answers the oracle's rows as the real classes did."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.oracle.comparing import UnreadableError, compare, list_differences, read_rows

ROOT = Path(__file__).parents[2]
STORED = ROOT / "tests" / "data" / "oracle_broker" / "client.jsonl.xz"
WHOLE = ROOT.parent / "shared" / "oracle" / "broker" / "client.jsonl"

KINDS = {
    "which_node",
    "pull_from_where",
    "process_queue",
    "offset_store",
    "session",
    "session_moved",
    "session_random",
}


def test_stored_rows() -> None:
    """A few rows of each kind."""
    comparison = compare(STORED)
    assert () == comparison.differences
    assert {row["input"]["kind"] for row in read_rows(STORED)} == KINDS
    assert comparison.alike_count == comparison.row_count > 140


@pytest.mark.skipif(not WHOLE.exists(), reason="the oracle's tables are not here")
def test_every_row() -> None:
    """All rows of the table."""
    comparison = compare(WHOLE)
    assert () == comparison.differences
    assert comparison.alike_count == comparison.row_count > 2_000


def test_cited_rows_are_stored() -> None:
    """Whoever reads of a row in the code finds it in the repository."""
    rooms = ("reference", "brokers", "tests/reference", "tests/brokers")
    files = [file for room in rooms for file in (ROOT / room).rglob("*.py")]
    cited = {row for file in files for row in re.findall(r"B3-\d{5}", file.read_text())}
    assert set() == cited - {row["id"] for row in read_rows(STORED)}
    assert len(cited) > 8


def find_row(row_id: str) -> dict[str, Any]:
    """A stored row that may be changed."""
    row = next(row for row in read_rows(STORED) if row["id"] == row_id)
    changed: dict[str, Any] = json.loads(json.dumps(row))
    return changed


def test_a_difference_names_step_and_field() -> None:
    """What changes though the row does not say so differs too, and the other way round."""
    row = find_row("B3-02956")
    row["output"]["steps"][3]["state"]["next_offset"] = 7
    del row["output"]["steps"][6]["state"]["memory_offset"]
    row["output"]["steps"][8]["sent"] = []
    found = [(each.op_number, each.field) for each in list_differences(row)]
    assert [(3, "next_offset"), (6, "memory_offset"), (8, "sent")] == found


@pytest.mark.parametrize(
    ("row_id", "change"),
    [
        ("B3-02956", {"ops": [["sing"]]}),
        ("B3-02956", {"consumer": {"mood": "good"}}),
        ("B3-02077", {"ops": [["sing", []]]}),
    ],
)
def test_what_cannot_be_asked_is_told(row_id: str, change: dict[str, Any]) -> None:
    """An operation or a setting that nobody knows."""
    row = find_row(row_id)
    row["input"] |= change
    row["output"]["steps"] = row["output"]["steps"][: len(row["input"]["ops"])]
    with pytest.raises(UnreadableError, match=row_id):
        list(list_differences(row))
