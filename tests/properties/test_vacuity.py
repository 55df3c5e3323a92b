"""Nothing is vacuous: every rule, premise and witness is reached, or proved unreachable."""

from __future__ import annotations

import pytest

from properties.certificates import compute_digest
from properties.property import WITNESSES
from properties.vacuity import find_unwitnessed, load_open_questions, load_witnesses
from properties.witnesses import compute_questions
from reference.structure import Structure
from tests.structures import STRUCTURES, SYNCHRONOUS_PAIR, name_of


def test_nothing_is_open() -> None:
    """No rule, premise or witness is left of which nobody knows whether it can be reached."""
    assert [] == [q for structure in STRUCTURES for q in load_open_questions(structure)]


@pytest.mark.parametrize("structure", STRUCTURES, ids=name_of)
def test_everything_is_reached_or_impossible(structure: Structure) -> None:
    """A stored schedule reaches it in the reference, or the lemmas exclude it."""
    answers = load_witnesses(structure)
    assert set(compute_questions(structure)) == {a.question for a in answers}
    assert load_open_questions(structure) == find_unwitnessed(structure)


def test_the_full_pair_reaches_everything() -> None:
    """With SYNC_FLUSH and a slave no rule, premise or witness is impossible."""
    full = next(s for s in STRUCTURES if s.name == "SYNC_MASTER/SYNC_FLUSH/1 slave")
    assert [] == [a.question for a in load_witnesses(full) if a.is_impossible]
    assert {f"witness {w}" for w in WITNESSES} <= set(compute_questions(full))


def test_digests_tell_structures_apart() -> None:
    """A digest is of the rules, not of a name."""
    assert len(STRUCTURES) == len({compute_digest(s) for s in STRUCTURES})
    assert compute_digest(SYNCHRONOUS_PAIR) == compute_digest(Structure())
