"""Mistakes planted in what judges: the told ones are found, every survivor has its reason."""

from __future__ import annotations

import subprocess
import sys

import pytest

from properties.checkout import ROOT
from properties.judges.planted import TARGETS, list_planted, list_told
from properties.judges.planted_results import SURVIVED, PlantedFinding, load_arguments
from spark_fuzz.judges import judge_battery, planted_run
from spark_fuzz.judges.judge_battery import check_lowering

TOLD = tuple(list_told())
QUICK = [planted.name for planted in TOLD if planted.kind in {"translation", "ghost"}]
"""Whose finders are tried with every change: of the prover's reading, and of the byte observer."""


def test_the_lowered_source_does_what_the_reference_does() -> None:
    """Operator by operator, along known schedules, and in whole walks."""
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


def test_whoever_plants_has_imported_nothing_that_is_planted_in() -> None:
    """Else no mistake could be made in it: a fresh process says so."""
    files = {planted.file for planted in TOLD} | {f for files in TARGETS.values() for f in files}
    program = (
        "from spark_fuzz.judges import planted_run\n"
        f"for file in {sorted(files)}:\n    planted_run.check_is_fresh(file)"
    )
    words = [sys.executable, "-P", "-c", program]
    result = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert 0 == result.returncode, result.stderr


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


def test_told_mistakes_and_derived_ones_are_of_every_kind() -> None:
    """No kind of mistake is without one."""
    assert set(TARGETS) == {planted.kind for planted in list_planted()}


def test_every_reason_is_about_a_mistake() -> None:
    """One that is derived, not one of those that are told; the run says whether it survives."""
    derived = {planted.name for planted in list_planted()} - {planted.name for planted in TOLD}
    assert set(load_arguments()) <= derived


def test_survivors_without_a_reason_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    """And reasons for what is found."""
    argued = [PlantedFinding(name, "claim", "", SURVIVED, "", 0.1) for name in load_arguments()]
    assert 0 == planted_run.tell_unargued(argued)
    other = PlantedFinding("a mistake", "claim", "", SURVIVED, "", 0.1)
    assert 1 == planted_run.tell_unargued([*argued[1:], other])
    told = capsys.readouterr().err
    assert "a mistake survives without a reason" in told
    assert f"{argued[0].name} has a reason and is found" in told
