"""Mistakes planted in what judges: the told ones are found now, the table has every one."""

from __future__ import annotations

import subprocess
import sys

import pytest

from properties.generated_text import ROOT
from properties.mutants.planted import TARGETS, list_planted, list_told
from properties.mutants.planted_results import SURVIVED, load_arguments, load_table
from spark_fuzz.judge_battery import check_lowering

TOLD = tuple(list_told())


def test_the_lowered_source_does_what_the_reference_does() -> None:
    """As plain Python, along known schedules."""
    assert "" == check_lowering()


@pytest.mark.parametrize("name", [planted.name for planted in TOLD])
def test_a_told_mistake_is_found(name: str) -> None:
    """Each in a process of its own, by a check that says what is wrong."""
    words = [sys.executable, "-P", "-m", "spark_fuzz.planted_run", "--name", name]
    result = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert 0 == result.returncode, result.stderr
    (line,) = [line for line in result.stdout.splitlines() if line.startswith(f"{name}: ")]
    found_by = line.removeprefix(f"{name}: ").partition(":")[0]
    assert found_by in ("meaning", "lowering", "bytes", "premises", "proofs")


def test_every_mistake_is_in_the_table() -> None:
    """With the text that the functions have now; else run ``python -m spark_fuzz.planted_run``."""
    listed = {planted.name: planted.digest for planted in list_planted()}
    stored = {name: finding.digest for name, finding in load_table().items()}
    assert listed == stored
    assert set(TARGETS) == {finding.kind for finding in load_table().values()}


def test_every_survivor_has_its_reason() -> None:
    """And no reason is given for a mistake that is found."""
    survivors = {n for n, finding in load_table().items() if finding.found_by == SURVIVED}
    assert survivors == set(load_arguments())
