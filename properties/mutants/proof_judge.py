"""What Z3 says of a mutant, for all offsets: that it is no mistake at all, or which lemma it ends.

Two questions, both under all lemmas and sanity checks that are inductive in a structure, with every
fault admitted. Is there a step that the true rule and the mutant do not have in common? Where there
is none, the two are equivalent in every state that can be reached. And which lemma or sanity check
does a step of the mutant end that held before it? The first one in their order is told.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from typing import Any

import z3
from attrs import frozen

from properties.mutants.derivation import (
    RuleMutant,
    compute_fingerprint,
    list_proof_structures,
    list_source_structures,
    mutate,
    record_rule,
)
from properties.mutants.step_comparison import StepComparison
from properties.worlds import find_world
from properties.z3.discharge import make_plain_solver
from properties.z3.induction import InductionProblem, Step, prove_lemmas
from reference.language.machine import RecordedInstance

RLIMIT_PER_QUESTION = 1_000_000
"""Z3 resource units: what takes more counts as not decided."""


class Likeness(enum.Enum):
    """How alike a rule and its mutant are, in all states that have the lemmas."""

    SAME_STEPS = "same steps"
    """They have the same steps, with the same arguments, to the same states."""
    SAME_SUCCESSORS = "same successors"
    """Each step of one that the other lacks changes nothing, or the other has one to the same
    state with another argument."""
    DIFFERENT = "different"
    """A state that has the lemmas, perhaps one that no run reaches, has a step of one only."""


@frozen
class BrokenLemma:
    """The first lemma that a mutant's steps do not preserve."""

    lemma: str
    instance: str


class MutantProofs:
    """The two questions for one structure."""

    def __init__(self, structure: Any) -> None:
        self.structure = structure
        self.problem = InductionProblem(structure, find_world(structure).everything)
        self.lemmas = prove_lemmas(structure)

    @cached_property
    def known(self) -> list[Any]:
        """What holds of every state that can be reached, and of the parameters."""
        problem = self.problem
        lemmas = [problem.now(problem.predicates[name]) for name in self.lemmas]
        return [*problem.parameter_constraints, *lemmas, *problem.now.side_conditions]

    def list_changed(self, mutant: RuleMutant) -> list[tuple[RecordedInstance, RecordedInstance]]:
        """The instances in which the mistake changes something, true and mutated."""
        pairs = [(r, mutate(r, mutant)) for r in record_rule(self.structure, mutant.rule)]
        return [p for p in pairs if compute_fingerprint(p[0]) != compute_fingerprint(p[1])]

    def compare(self, mutant: RuleMutant) -> Likeness | None:
        """How alike the rule and the mutant are here; None where Z3 gives up."""
        found = Likeness.SAME_STEPS
        for pair in self.list_changed(mutant):
            likeness = self._compare(*pair)
            if likeness is None or likeness is Likeness.DIFFERENT:
                return likeness
            found = max(found, likeness, key=list(Likeness).index)
        return found

    def _compare(self, true: RecordedInstance, mutated: RecordedInstance) -> Likeness | None:
        comparison = StepComparison(self.problem, true, mutated)
        if self._check(comparison, comparison.is_other_step) == z3.unsat:
            return Likeness.SAME_STEPS
        answer = self._check(comparison, comparison.is_other_successor)
        if answer == z3.unsat:
            return Likeness.SAME_SUCCESSORS
        return Likeness.DIFFERENT if answer == z3.sat else None

    def _check(self, comparison: StepComparison, question: Any) -> z3.CheckSatResult:
        return self._make_solver([*comparison.now.side_conditions, question]).check()

    def _make_solver(self, formulas: Iterable[Any]) -> z3.Solver:
        solver = make_plain_solver()
        solver.set("rlimit", RLIMIT_PER_QUESTION)
        solver.add([*self.known, *formulas])
        return solver

    def find_broken_lemma(self, mutant: RuleMutant) -> BrokenLemma | None:
        """The first lemma, in their order, that some step of the mutant ends.

        What Z3 gives up does not count as broken.
        """
        found = None
        asked = self.lemmas
        for _, mutated in self.list_changed(mutant):
            first = self._find_first_broken(Step(self.problem, mutated), asked)
            if first is not None:
                found = BrokenLemma(first, mutated.instance.name)
                asked = asked[: asked.index(first)]
        return found

    def _find_first_broken(self, step: Step, asked: tuple[str, ...]) -> str | None:
        claims = {n: step.after(self.problem.predicates[n]) for n in asked if n in step.touched}
        fires = [*step.conditions.values(), *step.ranges.values(), *step.remainders]
        solver = self._make_solver(fires)
        first = None
        while claims:
            solver.push()
            solver.add(z3.Or([z3.Not(claim) for claim in claims.values()]))
            if solver.check() != z3.sat:
                return first
            first = self._read_first_false(solver.model(), claims)
            solver.pop()
            before = itertools.takewhile(first.__ne__, claims)
            claims = {name: claims[name] for name in before}
        return first

    def _read_first_false(self, model: z3.ModelRef, claims: Mapping[str, Any]) -> str:
        value = self.problem.arithmetic.value
        return next(name for name, claim in claims.items() if not value(model, claim))


@cache
def get_proofs(structure: Any) -> MutantProofs:
    """The questions of a structure, prepared once."""
    return MutantProofs(structure)


def decide_likeness(world: str, mutant: RuleMutant, name: str = "") -> Likeness | None:
    """How alike the rule and the mutant are in all structures, or in those of this name.

    None where Z3 gives up.
    """
    found = Likeness.SAME_STEPS
    for structure in list_source_structures(world, name):
        likeness = get_proofs(structure).compare(mutant)
        if likeness is None or likeness is Likeness.DIFFERENT:
            return likeness
        found = max(found, likeness, key=list(Likeness).index)
    return found


def find_broken_lemma(
    world: str, mutant: RuleMutant, name: str = ""
) -> tuple[BrokenLemma, str] | None:
    """The first lemma that the mutant breaks, in the first structure in which it breaks one."""
    for structure in list_proof_structures(world, name):
        found = get_proofs(structure).find_broken_lemma(mutant)
        if found is not None:
            return found, structure.name
    return None
