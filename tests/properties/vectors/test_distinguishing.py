"""Schedules of mutants: kept with the rules of the mutants, and stale under others."""

from __future__ import annotations

from pathlib import Path

import pytest

from properties.mutants.findings import compute_world_digest
from properties.vectors.sets import distinguishing


def test_they_are_kept_with_the_rules_of_their_mutants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same schedules are stale when they were found with other rules."""
    chosen = list(distinguishing.load())[:3]
    monkeypatch.setattr(distinguishing, "FILE", tmp_path / "kept.json")
    distinguishing.save(chosen, compute_world_digest(distinguishing.WORLD))
    assert list(distinguishing.load()) == chosen
    assert distinguishing.main(["--check"]) == 0
    distinguishing.save(chosen, "other rules")
    assert distinguishing.main(["--check"]) == 1


def test_without_mutants_of_these_rules_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is missing is said."""
    monkeypatch.setattr(distinguishing, "FILE", tmp_path / "kept.json")
    monkeypatch.setattr(distinguishing, "load_table", lambda: ())
    assert distinguishing.main([]) == 1
    assert "run ./rmqspec mutants" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
