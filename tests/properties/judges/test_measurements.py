"""Measurements of the project: kept with commit and rules, and none if they are damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from properties.checkout import ROOT
from properties.judges import measurements
from properties.judges.measurements import find_commit, read_measurement, write_measurement


@pytest.fixture(autouse=True)
def _with_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    """The digest of all rules takes seconds."""
    monkeypatch.setattr(measurements, "compute_digest_of_all", lambda: "present")


def test_it_says_when_and_from_what_it_was_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page can tell whether rules have changed since."""
    write_measurement("mutants", [1, {"a": None}], tmp_path)
    measured = read_measurement("mutants", tmp_path)
    assert measured is not None
    assert measured.result == [1, {"a": None}]
    assert measured.commit == find_commit()
    assert "no rule, claim or lemma has changed since" in measured.describe()
    monkeypatch.setattr(measurements, "compute_digest_of_all", lambda: "later")
    assert "rules, claims or lemmas have changed since" in measured.describe()


def test_a_missing_or_damaged_one_is_none(tmp_path: Path) -> None:
    """No reader meets half a measurement."""
    assert read_measurement("mutants", tmp_path) is None
    for text in ("", "[]", "{}", '{"commit": "a", "rules": "b"}'):
        (tmp_path / "mutants.json").write_text(text)
        assert read_measurement("mutants", tmp_path) is None


def test_without_git_the_commit_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """And that is no error."""

    def fail(*_words: str) -> str:
        raise FileNotFoundError("git")

    monkeypatch.setattr(measurements, "run_git", fail)
    assert "" == find_commit()


def test_git_has_no_measurement() -> None:
    """They are in a folder that it is told to leave out."""
    assert measurements.FOLDER.is_relative_to(ROOT / ".rmqspec")
    assert ".rmqspec/" in (ROOT / ".gitignore").read_text().splitlines()
