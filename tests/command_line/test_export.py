"""Exports, run as a user runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.command_line.run import assert_one_line, run

STRUCTURE = "ASYNC_MASTER/ASYNC_FLUSH/0 slaves"


@pytest.mark.parametrize(
    ("what", "unit", "pattern"),
    [("vectors", "vectors", "*.jsonl"), ("smt-lib", "obligations", "*/*/**/*.smt2")],
)
def test_export_writes_a_new_folder(tmp_path: Path, what: str, unit: str, pattern: str) -> None:
    """One line for each structure; a folder that exists is left as it is."""
    out = tmp_path / "out"
    result = run("export", what, "--out", out, "--structure", STRUCTURE)
    assert 0 == result.returncode, result.stderr
    assert 1 == len(result.stdout.splitlines())
    assert result.stdout.rstrip().endswith(unit)
    assert list(out.glob(pattern))
    again = run("export", what, "--out", out, "--structure", STRUCTURE)
    assert "exists and is left as it is" in assert_one_line(again, 3)
