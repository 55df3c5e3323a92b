"""Nothing is vacuous: every rule, premise and witness is reached, or proved unreachable."""

from __future__ import annotations

from pathlib import Path

import pytest

from properties.language.world import ClaimedStructure
from properties.verdicts.fingerprint import compute_digest
from properties.worlds.reading.world import READERS, READING, ClaimedReading
from properties.worlds.replication.world import WITNESSES, ClaimedGroup
from properties.z3 import vacuity
from properties.z3.vacuity import (
    are_witnesses_current,
    compute_questions,
    find_unwitnessed,
    has_witnesses,
    load_open_questions,
    load_witnesses,
    save_witnesses,
)
from reference.language.terms import constant
from tests.structures import (
    GROUPS,
    OTHER_STRUCTURES,
    SYNCHRONOUS_PAIR,
    leave_large_to_night,
    name_of,
)

ALL = (*GROUPS, *OTHER_STRUCTURES)


def test_nothing_is_open() -> None:
    """No rule, premise or witness is left of which nobody knows whether it can be reached."""
    assert [] == [q for structure in ALL for q in load_open_questions(structure)]


@pytest.mark.parametrize("structure", leave_large_to_night(ALL), ids=name_of)
def test_everything_is_reached_or_impossible(structure: ClaimedStructure) -> None:
    """A stored schedule reaches it in the reference, or the lemmas exclude it."""
    answers = load_witnesses(structure)
    assert set(compute_questions(structure)) == {a.question for a in answers}
    assert load_open_questions(structure) == find_unwitnessed(structure)


def test_the_full_pair_reaches_everything() -> None:
    """With SYNC_FLUSH and a slave no rule, premise or witness is impossible."""
    full = next(s for s in GROUPS if s.name == "SYNC_MASTER/SYNC_FLUSH/1 slave")
    assert [] == [a.question for a in load_witnesses(full) if a.is_impossible]
    assert {f"witness {w}" for w in WITNESSES} <= set(compute_questions(full))


@pytest.mark.parametrize("structure", READERS, ids=name_of)
def test_a_consumer_reaches_everything(structure: ClaimedReading) -> None:
    """No rule and no premise is impossible, and each guarantee has one."""
    answers = load_witnesses(structure)
    assert [] == [a.question for a in answers if a.is_impossible]
    premises = {f"premise of {name}" for name in READING.claims}
    assert premises <= {a.question for a in answers}


def test_what_is_asked_since_the_search_makes_it_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new premise or witness has no answer yet."""
    structure = READERS[0]
    assert are_witnesses_current(structure)
    asked = {**compute_questions(structure), "witness new": constant(True)}
    monkeypatch.setattr(vacuity, "compute_questions", lambda structure: asked)
    assert not are_witnesses_current(structure)


def test_a_structure_that_was_never_searched_is_told(tmp_path: Path) -> None:
    """And others are kept when it is."""
    one, other = READERS[:2]
    save_witnesses({one: load_witnesses(one)}, tmp_path)
    assert (has_witnesses(one, tmp_path), has_witnesses(other, tmp_path)) == (True, False)
    assert are_witnesses_current(one, tmp_path)
    assert not are_witnesses_current(other, tmp_path)
    with pytest.raises(KeyError, match="never searched"):
        load_witnesses(other, tmp_path)
    save_witnesses({other: load_witnesses(other)}, tmp_path)
    assert load_witnesses(one) == load_witnesses(one, tmp_path)


def test_digests_tell_structures_apart() -> None:
    """A digest is of the rules, not of a name."""
    assert len(GROUPS) == len({compute_digest(s) for s in GROUPS})
    assert compute_digest(SYNCHRONOUS_PAIR) == compute_digest(ClaimedGroup())


@pytest.mark.parametrize("structure", leave_large_to_night(GROUPS), ids=name_of)
def test_no_premise_needs_a_change_of_role(structure: ClaimedGroup) -> None:
    """No column has one: a premise that is met in no other way would be vacuous in all of them."""
    switched = [
        answer.question
        for answer in load_witnesses(structure)
        for action in answer.schedule or ()
        if answer.question.startswith("premise of") and action.instance == "switch_master_role"
    ]
    assert [] == switched
