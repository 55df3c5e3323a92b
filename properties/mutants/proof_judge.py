"""Z3's judgement of a mutant, for all offsets: that it is equivalent, or the lemma it breaks.

Two questions, both under all lemmas and sanity checks that are inductive in a structure, with every
fault admitted. Is there a step that the true rule and the mutant do not have in common? If there is
none, the two are equivalent in every reachable state. And which lemma or sanity check does a step
of the mutant break? The first one in their order is reported.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from typing import Any

import z3
from attrs import frozen

from properties.language.world import ClaimedStructure
from properties.mutants.derivation import (
    RuleMutant,
    compute_fingerprint,
    list_proof_structures,
    list_source_structures,
    mutate,
    record_rule,
)
from properties.z3.discharge import make_plain_solver
from properties.z3.induction import InductionProblem, InductionStep, prove_lemmas
from properties.z3.translation import Translator
from reference.language.machine import RecordedInstance
from reference.language.operator_table import Sort
from reference.language.terms import Term, leaf, record, walk

Arguments = Mapping[str, Term]
"""The term in place of each argument of a rule."""


class StepComparison:
    """One instance of a rule, and the instance with a mistake.

    Both are translated together, so that a common remainder is the same number.
    """

    def __init__(
        self, problem: InductionProblem, true: RecordedInstance, mutated: RecordedInstance
    ) -> None:
        self.true, self.mutated = true, mutated
        leaves = dict(problem.variables)
        for name, *_ in true.arguments:
            path = f"argument.{name}"
            leaves[path] = problem.arithmetic.variable(path, Sort.INTEGER)
        self.now = Translator(problem.arithmetic, leaves)
        self.given = {name: argument for name, argument, *_ in true.arguments}
        fires, fires_too = (self._compute_guard(r, self.given) for r in (true, mutated))
        same = self._lead_to_the_same(true, self.given, mutated, self.given)
        self.is_other_step = z3.Or(fires != fires_too, z3.And(fires, z3.Not(same)))
        """One of the two has a step that the other lacks."""
        self.is_other_successor = z3.Or(
            self._is_beyond(true, mutated), self._is_beyond(mutated, true)
        )
        """One of the two has a step that the other lacks; the step changes the state, and the other
        has none to the same state with these arguments, or with the lowest or highest ones."""

    def _is_beyond(self, one: RecordedInstance, other: RecordedInstance) -> Any:
        """``one`` has a step to a state that ``other`` is not shown to reach."""
        ends = [(leaf_, low, high) for _, leaf_, low, high in other.arguments]
        reached = [
            z3.And(
                self._compute_guard(other, dict(zip(self.given, chosen, strict=True))),
                self._lead_to_the_same(
                    one, self.given, other, dict(zip(self.given, chosen, strict=True))
                ),
            )
            for chosen in itertools.product(*ends)
        ]
        changes = [
            self._get(one, p, self.given) != self.now(leaf(p, t.sort))
            for p, t in one.effects.items()
        ]
        fires = self._compute_guard(one, self.given)
        return z3.And(fires, z3.Or(changes), z3.Not(z3.Or(reached)))

    def _compute_guard(self, recorded: RecordedInstance, chosen: Arguments) -> Any:
        """The instance may fire with these arguments."""
        conditions = [self.now(c) for c in recorded.conditions.values()]
        ranges = [
            z3.And(self.now(low) <= self.now(chosen[n]), self.now(chosen[n]) <= self.now(high))
            for n, _, low, high in recorded.arguments
        ]
        return z3.And([*conditions, *ranges])

    def _lead_to_the_same(
        self, one: RecordedInstance, chosen: Arguments, other: RecordedInstance, others: Arguments
    ) -> Any:
        """Both effects, each with its arguments, give the same state."""
        return z3.And(
            [
                self._get(one, path, chosen) == self._get(other, path, others)
                for path in {**one.effects, **other.effects}
            ]
        )

    def _get(self, recorded: RecordedInstance, path: str, chosen: Arguments) -> Any:
        """The value of a leaf after the step with these arguments."""
        if path not in recorded.effects:
            return self.now.leaves[path]
        return self.now(replace_arguments(recorded.effects[path], chosen))


def replace_arguments(term: Term, chosen: Arguments) -> Term:
    """The term with other terms in place of the arguments."""
    results: dict[int, Term] = {}
    for node in walk([term]):
        if node.arguments:
            results[id(node)] = record(node.operator, *(results[id(a)] for a in node.arguments))
        elif node.operator == "leaf" and node.payload.startswith("argument."):
            results[id(node)] = chosen[node.payload.removeprefix("argument.")]
        else:
            results[id(node)] = node
    return results[id(term)]


RLIMIT_PER_QUESTION = 1_000_000
"""Z3 resource units: a question that needs more counts as undecided."""


class Likeness(enum.Enum):
    """How similar a rule and its mutant are, in all states that have the lemmas."""

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

    def __init__(self, structure: ClaimedStructure) -> None:
        self.structure = structure
        self.problem = InductionProblem(structure, structure.world.everything)
        self.lemmas = prove_lemmas(structure)

    @cached_property
    def known(self) -> list[Any]:
        """The known facts about every reachable state and about the parameters."""
        problem = self.problem
        lemmas = [problem.now(problem.predicates[name]) for name in self.lemmas]
        return [*problem.parameter_constraints, *lemmas, *problem.now.side_conditions]

    def list_changed(self, mutant: RuleMutant) -> list[tuple[RecordedInstance, RecordedInstance]]:
        """The instances in which the mistake changes something, true and mutated."""
        pairs = [(r, mutate(r, mutant)) for r in record_rule(self.structure, mutant.rule)]
        return [p for p in pairs if compute_fingerprint(p[0]) != compute_fingerprint(p[1])]

    def compare(self, mutant: RuleMutant) -> Likeness | None:
        """How similar the rule and the mutant are here; None if Z3 gives up."""
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
        """The first lemma, in their order, that some step of the mutant breaks.

        A lemma on which Z3 gives up does not count as broken.
        """
        found = None
        asked = self.lemmas
        for _, mutated in self.list_changed(mutant):
            first = self._find_first_broken(InductionStep(self.problem, mutated), asked)
            if first is not None:
                found = BrokenLemma(first, mutated.instance.name)
                asked = asked[: asked.index(first)]
        return found

    def _find_first_broken(self, step: InductionStep, asked: tuple[str, ...]) -> str | None:
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
def get_proofs(structure: ClaimedStructure) -> MutantProofs:
    """The questions of a structure, prepared once."""
    return MutantProofs(structure)


def decide_likeness(world: str, mutant: RuleMutant, name: str = "") -> Likeness | None:
    """How similar the rule and the mutant are in all structures, or in those of this name.

    None if Z3 gives up.
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
