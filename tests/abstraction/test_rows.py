"""What real classes made of logs that were cut is in the range of some restart rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.abstraction.rows import EXCEPTIONS, UNCOVERED, Row, find_exception, find_rule, read_case
from tests.oracle.comparing import read_rows

ROOT = Path(__file__).parents[2]
STORED = ROOT / "tests" / "data" / "oracle_store" / "recovery.jsonl.xz"
WHOLE = ROOT.parent / "shared" / "oracle" / "store" / "recovery.jsonl"


def judge(rows: Iterable[Row]) -> tuple[Counter[str], list[str]]:
    """How many rows each rule covers, or why none has to; and what is covered by none."""
    counts: Counter[str] = Counter()
    missing = []
    for row in rows:
        if row["family"] in UNCOVERED:
            counts[row["family"]] += 1
            continue
        exception = find_exception(row)
        for is_followed in (False, True):
            name, told = find_rule(read_case(row, is_followed=is_followed))
            counts[name or exception or "none"] += 1
            if name is None and exception is None:
                missing.append(f"{row['id']}: {'; '.join(told)}")
    return counts, missing


def test_stored_rows() -> None:
    """A few rows of each family; those that no rule has to cover are counted."""
    counts, missing = judge(read_rows(STORED))
    assert missing == []
    assert {name: counts[name] for name in UNCOVERED} == {
        "damage_inside_checkpoint": 11,
        "field": 11,
        "odd_files": 12,
        "no_blank_left": 9,
    }
    assert min(counts["restart_slave"], counts["restart_slave_beyond_received"]) > 20
    assert counts["restart_slave_with_stale_bytes"] > 0


@pytest.mark.skipif(not WHOLE.exists(), reason="the oracle's tables are not here")
def test_every_row() -> None:
    """All rows of the table."""
    counts, missing = judge(read_rows(WHOLE))
    assert missing == []
    assert {name: counts[name] for name in UNCOVERED} == {
        "damage_inside_checkpoint": 230,
        "field": 303,
        "odd_files": 42,
        "no_blank_left": 40,
    }
    assert {name: counts[name] for name in EXCEPTIONS} == {
        "three files made in advance": 39,
        "old bytes in later files": 86,
    }
