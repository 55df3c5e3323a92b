"""Mistakes planted in what judges: the told ones are found now, the table has every one."""

from __future__ import annotations

import subprocess
import sys

import pytest

from properties.generated_text import ROOT
from properties.judges.planted import TARGETS, list_planted, list_told
from properties.judges.planted_results import SURVIVED, load_arguments, load_current
from spark_fuzz.judges.judge_battery import check_lowering

TOLD = tuple(list_told())


def test_the_lowered_source_does_what_the_reference_does() -> None:
    """As plain Python, along known schedules."""
    assert "" == check_lowering()


@pytest.mark.parametrize("name", [planted.name for planted in TOLD])
def test_a_told_mistake_is_found(name: str) -> None:
    """Each in a process of its own, by a check that says what is wrong."""
    words = [sys.executable, "-P", "-m", "spark_fuzz.judges.planted_run", "--name", name]
    result = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert 0 == result.returncode, result.stderr
    (line,) = [line for line in result.stdout.splitlines() if line.startswith(f"{name}: ")]
    found_by = line.removeprefix(f"{name}: ").partition(":")[0]
    assert found_by in ("meaning", "lowering", "bytes", "premises", "proofs")


def test_the_table_knows_every_told_mistake() -> None:
    """Found, each of them; of the derived ones some of each kind are judged."""
    judged = load_current(list_planted())
    assert all(judged[planted.name].found_by != SURVIVED for planted in TOLD)
    assert set(TARGETS) == {finding.kind for finding in judged.values()}


def test_every_survivor_has_its_reason() -> None:
    """And no reason is given for a mistake that is found."""
    judged = load_current(list_planted())
    survivors = {n for n, finding in judged.items() if finding.found_by == SURVIVED}
    assert survivors == set(load_arguments())
