"""Mistakes planted in what judges: the told ones are found now, the table has every one."""

from __future__ import annotations

import subprocess
import sys

import pytest

from properties.generated_text import ROOT
from properties.judges.planted import TARGETS, list_planted, list_told
from properties.judges.planted_results import SURVIVED, PlantedFinding, load_arguments, load_current
from spark_fuzz.judges import judge_battery, planted_run
from spark_fuzz.judges.judge_battery import check_lowering

TOLD = tuple(list_told())
QUICK = [planted.name for planted in TOLD if planted.kind in {"translation", "ghost"}]
"""Whose finders are tried with every change: of the prover's reading, and of the byte observer."""


def test_the_lowered_source_does_what_the_reference_does() -> None:
    """As plain Python, along known schedules."""
    assert "" == check_lowering()


def find(names: list[str]) -> None:
    """Judge these mistakes in a run, each in a process of its own; a check names what is wrong."""
    asked = [word for name in names for word in ("--name", name)]
    words = [sys.executable, "-P", "-m", "spark_fuzz.judges.planted_run", *asked]
    result = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert 0 == result.returncode, result.stderr
    for name in names:
        (line,) = [x for x in result.stdout.splitlines() if x.startswith(f"{name}: ")]
        found_by = line.removeprefix(f"{name}: ").partition(":")[0]
        assert found_by in ("meaning", "lowering", "bytes", "premises", "proofs"), line


@pytest.fixture(scope="module")
def judged() -> dict[str, PlantedFinding]:
    """The stored findings about mistakes in functions as they are now."""
    return load_current(list_planted())


@pytest.mark.nightly
def test_some_told_mistakes_are_found() -> None:
    """One of each of two kinds."""
    find(QUICK)


@pytest.mark.nightly
def test_every_told_mistake_is_found() -> None:
    """All of them."""
    find([planted.name for planted in TOLD])


def test_a_check_that_always_complains_finds_nothing(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Before anything is judged, every check is asked without a mistake."""
    monkeypatch.setattr(judge_battery, "CHECKS", {"bytes": lambda: "always"})
    assert 1 == planted_run.main([])
    assert "mend it first: bytes: always" in capfd.readouterr().err


def test_the_table_knows_every_told_mistake(judged: dict[str, PlantedFinding]) -> None:
    """Found, each of them; of the derived ones some of each kind are judged."""
    assert all(judged[planted.name].found_by != SURVIVED for planted in TOLD)
    assert set(TARGETS) == {finding.kind for finding in judged.values()}


def test_every_survivor_has_its_reason(judged: dict[str, PlantedFinding]) -> None:
    """And no reason is given for a mistake that is found."""
    survivors = {n for n, finding in judged.items() if finding.found_by == SURVIVED}
    assert survivors == set(load_arguments())
