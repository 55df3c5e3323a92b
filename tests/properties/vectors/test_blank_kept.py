"""A blank at the log's end that a start keeps: nobody sees that on the wire, so vectors hold it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from properties.vectors.archive import make_archive
from properties.vectors.run import run_vectors
from properties.vectors.sets.store import STORE
from reference.store import recovery
from tests.oracle.comparing import list_differences, read_rows
from tests.properties.vectors.blank_kept_driver import walk_over_blank

DRIVER = f"{sys.executable} -m tests.properties.vectors.blank_kept_driver"
ROWS = Path("tests") / "data" / "oracle_store"
NOTICED, ALL = 46, 741
"""Of the questions of the set; `spec/own_broker.md` tells both."""


def test_a_driver_that_keeps_it_fails() -> None:
    """After a clean stop and after a kill, and in nothing else; the archive is of one set."""
    run = run_vectors(make_archive(lambda text: None, (STORE,)), DRIVER, "4.4.0")
    (result,) = run.sets
    assert not run.problem
    assert (result.different, result.total) == (NOTICED, ALL)
    assert {d.rule for d in result.differences} == {"recover_normally", "recover_abnormally"}
    ends = [d for d in result.differences if d.field == "log.maxOffset"]
    assert len(ends) == NOTICED
    assert all(d.expected < d.given for d in ends)
    assert f"fails {NOTICED} of {ALL}" in Path("spec/own_broker.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("table", "name"), [("recovery", "T1-13678"), ("append_slave", "T2-00476")]
)
def test_a_row_of_the_oracle_differs(
    table: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The real classes have cut it."""
    row = next(row for row in read_rows(ROWS / f"{table}.jsonl.xz") if row["id"] == name)
    assert not list(list_differences(row))
    monkeypatch.setattr(recovery, "walk", walk_over_blank)
    assert {d.field for d in list_differences(row)} >= {"committed"}
