"""Witnesses as artefacts: what is reached still is kept, and what is lost is told."""

from __future__ import annotations

import re
from typing import Any

import pytest

from command_line.renewal import register
from command_line.renewal.artefact import NotRenewedError
from properties.worlds.delay.world import DELAY
from properties.z3 import vacuity

STRUCTURE = DELAY.structures[0]


@pytest.fixture(name="saved")
def _keep_what_is_saved(monkeypatch: pytest.MonkeyPatch) -> dict[Any, Any]:
    """Nothing is written."""
    saved: dict[Any, Any] = {}
    monkeypatch.setattr(register, "save_witnesses", saved.update)
    return saved


def test_only_the_digest_changes_where_all_is_reached_still(
    saved: dict[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No question is searched again: its stored schedule reaches it."""
    monkeypatch.setattr(vacuity, "_search", None)
    text = register.make_witnesses(STRUCTURE, lambda _: None)
    before = vacuity.load_witnesses(STRUCTURE)
    assert {a.question: a for a in before} == {a.question: a for a in saved[STRUCTURE]}
    assert text == f"{sum(a.schedule is not None for a in before)} reached"


def test_what_is_reached_no_more_is_searched_and_told(
    saved: dict[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A question with a schedule that nothing reaches now leaves the stored ones as they were."""
    lost = next(a.question for a in vacuity.load_witnesses(STRUCTURE) if a.schedule)
    monkeypatch.setattr(vacuity, "find_unwitnessed", lambda structure: [lost])
    monkeypatch.setattr(vacuity, "find_known_witnesses", lambda *_: {})
    monkeypatch.setattr(vacuity, "_search", lambda *_: {})
    with pytest.raises(NotRenewedError, match=re.escape(f"nothing shows that {lost} is reachable")):
        register.make_witnesses(STRUCTURE, lambda _: None)
    assert not saved


def test_a_structure_that_was_never_searched_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that does it."""
    monkeypatch.setattr(register, "has_witnesses", lambda structure: False)
    with pytest.raises(NotRenewedError, match="was never searched for witnesses"):
        register.make_witnesses(STRUCTURE, lambda _: None)
