"""A claim of one's own gets the verdict that the world's claims would get."""

from __future__ import annotations

from typing import Any

import pytest

from properties.schedules.judgement import find_first_violation
from properties.verdicts.own_claim import decide_claim, judge_claim
from properties.verdicts.verdict import VerdictWord
from properties.worlds.toy import TOY
from reference.language.terms import TermError

(TANK,) = TOY.structures
NONE, EVERY = TOY.fault_models


def never_full(tank: Any) -> Any:
    """Broken when it is filled to the brim."""
    return tank.level < tank.parameters.room


def never_leaked(tank: Any) -> Any:
    """Broken by a fault only."""
    return tank.faults.leaks == 0


def is_closed_or_open(tank: Any) -> Any:
    """True in every state."""
    return tank.level >= 0


def is_above_its_room(tank: Any) -> Any:
    """In no state."""
    return tank.level > tank.parameters.room


def test_a_claim_is_refuted_by_the_shortest_schedule() -> None:
    """The reference confirms it, and the last step is the first violation."""
    verdict = decide_claim(TANK, NONE, never_full)
    assert (VerdictWord.REFUTED, 2) == (verdict.word, verdict.steps)
    parameters = TOY.make_search_parameters(NONE)
    steps = judge_claim(TANK, parameters, verdict.schedule, never_full)
    assert 2 == find_first_violation(steps, "never_full")


def test_a_claim_depends_on_the_fault_model() -> None:
    """Proved where the fault cannot happen, refuted where it can."""
    assert VerdictWord.PROVED is decide_claim(TANK, NONE, never_leaked).word
    assert 3 == decide_claim(TANK, EVERY, never_leaked).steps


def test_a_proof_is_vacuous_without_its_premise() -> None:
    """It holds, and says nothing."""
    assert not decide_claim(TANK, EVERY, is_closed_or_open).is_vacuous
    verdict = decide_claim(TANK, EVERY, is_closed_or_open, premise=is_above_its_room)
    assert verdict.word is VerdictWord.PROVED
    assert verdict.is_vacuous


def test_a_claim_stays_open_below_the_depth_of_its_refutation() -> None:
    """The verdict says how deep was searched; lemmas that a step breaks do not help."""
    verdict = decide_claim(
        TANK, EVERY, never_leaked, lemmas={"never_filled": never_full}, depth_limit=2
    )
    assert (VerdictWord.UNDECIDED, 2) == (verdict.word, verdict.depth)
    assert verdict.note.startswith("no failure within 2 steps and not proved; search deeper, ")
    assert "depth_limit=6" in verdict.note
    assert "lemmas={name: predicate}" in verdict.note
    deep = decide_claim(TANK, EVERY, never_leaked, depth_limit=1)
    assert deep.note.startswith("no failure within 1 step and")


def test_a_claim_of_the_world_may_be_a_lemma() -> None:
    """As it stands in the world, under its own name or another one."""
    (claim,) = list(TOY.claims.values())[:1]
    for name in (claim.name, "as_the_world_says"):
        verdict = decide_claim(TANK, NONE, never_leaked, lemmas={name: claim})
        assert verdict.word is VerdictWord.PROVED


def test_names_and_predicates_are_checked() -> None:
    """A name that the world uses is refused, and Python's `and`, which symbols do not have."""

    def level_is_in_range(tank: Any) -> Any:
        return tank.level >= 0

    with pytest.raises(ValueError, match="level_is_in_range is a property of toy/tank"):
        decide_claim(TANK, NONE, level_is_in_range)
    with pytest.raises(TermError, match="no truth value"):
        decide_claim(TANK, NONE, lambda tank: tank.level >= 0 and tank.is_open)
