"""States from which nothing can be violated any more: on steps written for the purpose."""

from __future__ import annotations

import itertools

from properties.schedules.possible_steps import PossibleStep
from reference.language.operator_table import Sort
from reference.language.terms import Term, constant, leaf, record
from spark_fuzz.search.influence import Influence
from spark_fuzz.search.safe_states import (
    Picture,
    ViolationReachability,
    compute_violation_reachability,
)

PHASE, WAITS = leaf("phase", Sort.INTEGER), leaf("waits", Sort.BOOLEAN)
SORTS = {"phase": Sort.INTEGER, "waits": Sort.BOOLEAN, "other": Sort.INTEGER}

SENT, ANSWERED, REFUSED = 1, 2, 3
CLAIM = record("not", record("and", record("equal", PHASE, ANSWERED), WAITS))
"""Violated by an answer to a producer that waits."""

CHOICE = record("equal", leaf("argument.waits", Sort.INTEGER), 1)
SEND = PossibleStep(
    "send", (record("equal", PHASE, 0),), (), {"phase": constant(SENT), "waits": CHOICE}
)
ANSWER = PossibleStep("answer", (record("equal", PHASE, SENT),), (), {"phase": constant(ANSWERED)})
REFUSE = PossibleStep("refuse", (record("equal", PHASE, SENT),), (), {"phase": constant(REFUSED)})
ABANDON = PossibleStep(
    "abandon",
    (),
    (),
    {"phase": record("choose", record("equal", PHASE, SENT), constant(REFUSED), PHASE)},
)


def compute(*steps: PossibleStep, claim: Term = CLAIM) -> ViolationReachability:
    """The prospects of a search with these steps."""
    influence = Influence(
        leaves=("phase", "waits"),
        instances=tuple(s.name for s in steps),
        highest={"phase": 4},
        steps=steps,
        claims=(claim,),
    )
    return compute_violation_reachability(influence, SORTS)


def find_reaching(reachability: ViolationReachability) -> set[Picture]:
    """The pictures with prospects, without the values -1 and 4 that no step gives to the phase."""
    pictures = itertools.product(*reachability.domains.values())
    pairs = zip(pictures, reachability.can_reach_violation, strict=True)
    return {p for p, can_reach_violation in pairs if can_reach_violation and 0 <= p[0] <= REFUSED}


def test_only_what_may_still_be_violated_is_hopeful() -> None:
    """Before the choice both, later only a producer that waits, and no refused message."""
    reaching = find_reaching(compute(SEND, ANSWER, REFUSE, ABANDON))
    assert reaching == {(0, False), (0, True), (SENT, True), (ANSWERED, True)}


def test_step_of_unknown_effect_may_lead_anywhere() -> None:
    """An argument may be any value; a leaf that is written from another one is not pictured."""
    jump = PossibleStep("jump", (), (), {"phase": leaf("argument.phase", Sort.INTEGER)})
    assert (REFUSED, True) in find_reaching(compute(SEND, ANSWER, jump))
    taking_over = PossibleStep("take over", (), (), {"phase": leaf("other", Sort.INTEGER)})
    assert list(compute(SEND, ANSWER, taking_over).domains) == ["waits"]


def test_without_a_step_only_violations_are_hopeful() -> None:
    """Nothing leads to them, so nothing else is."""
    assert find_reaching(compute()) == {(ANSWERED, True)}


def test_claim_that_always_holds_leaves_no_prospects() -> None:
    """A search for violations of it ends at once."""
    assert find_reaching(compute(SEND, ANSWER, claim=constant(True))) == set()


def test_values_above_all_constants_are_told_from_the_constants() -> None:
    """The last value of a leaf represents all larger ones: it is in the picture, and violates."""
    below = record("less", PHASE, 4)
    jump = PossibleStep("jump", (record("equal", PHASE, REFUSED),), (), {"phase": constant(7)})
    reachability = compute(jump, claim=below)
    assert {"phase": (-1, 0, 1, 2, 3, 4)} == dict(reachability.domains)
    assert find_reaching(reachability) == {(REFUSED,)}
    assert reachability.can_reach_violation == (False, False, False, False, True, True)
