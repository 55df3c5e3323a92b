"""What a relaxed rule leaves of an inductive set: as by asking every step about every lemma."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from properties.language.world import ClaimedStructure
from properties.restrictions.derivation import Degree, Restriction, list_relaxed, list_restrictions
from properties.restrictions.inductive_set import InductiveSet
from properties.restrictions.results import make_judge
from properties.worlds.catalogue import Tag, list_tagged
from properties.worlds.toy import TOY
from properties.z3 import induction
from properties.z3.induction import InductionProblem, InductionStep
from reference.language.machine import RecordedInstance

TANK = TOY.structures[0]
DELAY = next(s for s in list_tagged(Tag.SMALL) if s.name.startswith("delay/"))
TOPICS = next(s for s in list_tagged(Tag.SMALL) if s.name.startswith("tables/"))


@cache
def make_set(structure: ClaimedStructure) -> InductiveSet:
    """The lemmas of a structure: of the tank its claims and their lemma, else all parts."""
    if structure is not TANK:
        return make_judge(structure).inductive
    lemmas = ("level_is_in_range", "tank_never_overflows", "level_is_never_negative")
    return InductiveSet(InductionProblem(TANK, TANK.world.everything), lemmas)


def run_houdini(inductive: InductiveSet, relaxed: tuple[RecordedInstance, ...]) -> set[str]:
    """The same by asking every step about all that is left, until none breaks anything."""
    problem = inductive.problem
    anew = {r.instance.name: InductionStep(problem, r) for r in relaxed}
    kept, is_changed = list(inductive.lemmas), True
    while is_changed:
        is_changed = False
        for step in (problem.steps | anew).values():
            while broken := {c.lemma for c in step.find_falsified(kept)}:
                kept = [lemma for lemma in kept if lemma not in broken]
                is_changed = True
    return set(kept)


def list_cases() -> list[Any]:
    """Every restriction of three structures that makes a difference; by day of the tank alone."""
    return [
        pytest.param(s, r, marks=[pytest.mark.nightly] * (s is not TANK), id=f"{s.name}, {r.name}")
        for s in (TANK, DELAY, TOPICS)
        for r in list_restrictions(s)
        if list_relaxed(s, r, Degree.ENTIRELY)
    ]


@pytest.mark.parametrize(("structure", "restriction"), list_cases())
def test_as_much_is_left(structure: ClaimedStructure, restriction: Restriction) -> None:
    """As without cores."""
    inductive = make_set(structure)
    relaxed = list_relaxed(structure, restriction, Degree.ENTIRELY)
    steps = [InductionStep(inductive.problem, r) for r in relaxed]
    left = inductive.find_rest(inductive.problem, steps, inductive.lemmas)
    assert run_houdini(inductive, relaxed) == set(left)


def test_something_is_lost_and_something_is_left() -> None:
    """So the cases above compare more than nothing with nothing."""
    inductive = make_set(TOPICS)
    numbers = set()
    for restriction in list_restrictions(TOPICS)[:12]:
        relaxed = list_relaxed(TOPICS, restriction, Degree.ENTIRELY)
        steps = [InductionStep(inductive.problem, r) for r in relaxed]
        numbers.add(len(inductive.find_rest(inductive.problem, steps, inductive.lemmas)))
    assert any(0 < number < len(inductive.lemmas) for number in numbers)


def test_a_core_suffices() -> None:
    """Each lemma that a step could break is kept by its core alone."""
    inductive = make_set(TANK)
    assert any(inductive.cores.values())
    for name, cores in inductive.cores.items():
        for lemma, core in cores.items():
            assert not inductive.problem.steps[name].find_broken([*core], [lemma])


def test_without_an_answer_no_lemma_is_dispensable(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that may do no work gives up."""
    monkeypatch.setattr(induction, "RLIMIT_PER_QUERY", 1)
    lemmas = ("level_is_in_range", "tank_never_overflows")
    inductive = InductiveSet(InductionProblem(TANK, TANK.world.everything), lemmas)
    cores = [core for each in inductive.cores.values() for core in each.values()]
    assert cores
    assert frozenset(lemmas) in cores
