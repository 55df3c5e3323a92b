"""Differences of releases under changed rules: what is known is replayed, and not searched."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from properties.comparison import difference_search
from properties.comparison.difference_search import (
    ObservableDifference,
    load_differences,
    renew_differences,
    save_differences,
)
from properties.verdicts.storage.certificate_files import read_entries
from properties.verdicts.verdict import InternalDisagreementError

RELEASE = "4.9.3"
STORED = load_differences(RELEASE)
REACHED = next(d for d in STORED if d.schedule)
IMPOSSIBLE = next(d for d in STORED if d.is_impossible)


@pytest.fixture(name="anew")
def _count_searches(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The releases that were decided anew."""
    asked: list[str] = []

    def search(name: str) -> tuple[ObservableDifference, ...]:
        asked.append(name)
        return ()

    monkeypatch.setattr(difference_search, "search_differences", search)
    return asked


def store(folder: Path, differences: Any) -> Path:
    """A table with these differences of the release."""
    path = folder / "differences.json"
    save_differences({RELEASE: tuple(differences)}, path)
    return path


def test_what_holds_still_is_not_searched(tmp_path: Path, anew: list[str]) -> None:
    """All is as it was."""
    assert renew_differences(RELEASE, store(tmp_path, STORED)) == STORED
    assert not anew


def test_what_has_become_impossible_has_no_schedule(tmp_path: Path, anew: list[str]) -> None:
    """A proof is an answer, whatever was known before."""
    changed = [
        evolve(d, schedule=REACHED.schedule, is_impossible=False) if d is IMPOSSIBLE else d
        for d in STORED
    ]
    assert renew_differences(RELEASE, store(tmp_path, changed)) == STORED
    assert not anew


@pytest.mark.parametrize(
    "change", ["schedule", "impossible", "missing", "damaged", "damaged inside"]
)
def test_what_is_lost_is_searched(tmp_path: Path, anew: list[str], change: str) -> None:
    """A schedule that leads elsewhere, a proof that fails, nothing that is stored."""
    assert REACHED.schedule is not None
    shorter = evolve(REACHED, schedule=REACHED.schedule[:-1])
    unproved = evolve(REACHED, schedule=None, is_impossible=True)
    replaced = {"schedule": shorter, "impossible": unproved}.get(change, REACHED)
    path = store(tmp_path, [replaced if d is REACHED else d for d in STORED])
    if change == "missing":
        path.unlink()
    if change == "damaged":
        path.write_text("{")
    if change == "damaged inside":
        entry = read_entries(path)[RELEASE]
        path.write_text(json.dumps({RELEASE: {"digest": entry["digest"], "schedules": []}}))
        with pytest.raises(InternalDisagreementError, match="damaged"):
            load_differences(RELEASE, path)
    assert renew_differences(RELEASE, path) == ()
    assert anew == [RELEASE]
