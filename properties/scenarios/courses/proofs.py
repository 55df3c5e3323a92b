"""Proofs about sequences of rules, from every state that has the lemmas.

Z3 follows the rules one after another on free variables: all offsets and sizes, every choice that
a rule leaves open. What holds afterwards holds after every outage of a group in which no other
faults than the admitted ones have happened.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

import z3
from attrs import frozen

from properties.language.property import Predicate
from properties.language.world import ClaimedStructure
from properties.scenarios.courses.courses import (
    SLAVE_STOP,
    CourseClaim,
    MasterEnd,
    OutageCourse,
    Sequence,
    is_slave_down,
)
from properties.scenarios.procedures.procedures import compute_operated_machine
from properties.z3.fault_sets import FaultSet, find_harmless
from properties.z3.induction import InductionProblem, make_solver, prove_lemmas
from properties.z3.translation import Translator, conjoin
from reference.language.machine import RecordedInstance, record_instance, record_predicate
from reference.language.operator_table import Sort
from reference.language.terms import Term

BOUNDS = ("has_modelled_life_left", "is_within_limit", "is_counted_within_limit")
"""Bounds of the model, and no conditions of brokers: neither its epochs nor its faults are used up.

How often a fault may happen is any number, so no state is left out by the latter.
"""

COUNT_PREFIX = "faults."

QUERY = "whether a course keeps a claim"


@frozen
class Path:
    """States after a sequence of rules, as expressions over the state before it."""

    leaves: Mapping[str, Any]
    """The value of each leaf."""
    conditions: tuple[Any, ...] = ()
    """What must hold for the sequence to be possible."""
    facts: tuple[Any, ...] = ()
    """Bounds of the model, and what is known of numbers of their own."""


def choose_within(low: Any, argument: Any, high: Any) -> Any:
    """The argument is within its range, unless that is empty: then a condition does not hold."""
    return z3.Implies(low <= high, z3.And(low <= argument, argument <= high))


class CourseProver:
    """Decides what courses of one structure keep, whatever happened before the outage."""

    def __init__(self, structure: ClaimedStructure) -> None:
        self.structure = structure
        self.problem = InductionProblem(structure, structure.world.everything)
        self.lemmas = prove_lemmas(structure)
        self.recorded: dict[str, RecordedInstance] = {}
        self.terms: dict[Predicate, Term] = {}
        self.steps = 0

    @cached_property
    def solver(self) -> z3.Solver:
        """A solver with the lemmas, and with literals for the absence of faults."""
        solver, problem = make_solver(QUERY), self.problem
        solver.set(unsat_core=True)
        solver.add(problem.parameter_constraints)
        solver.add([problem.now(problem.predicates[name]) for name in self.lemmas])
        solver.add(
            [
                z3.Implies(absent, problem.variables[COUNT_PREFIX + name] == 0)
                for name, absent in self.absence.items()
            ]
        )
        return solver

    @cached_property
    def absence(self) -> dict[str, Any]:
        """For each fault a literal that says that it has not happened before the outage."""
        return {name: z3.Bool(f"no {name}") for name in self.problem.fault_model.admitted}

    def follow(self, path: Path, sequence: Sequence) -> Path:
        """The states after these rules, from those of a path."""
        for name in sequence:
            path = self._take(path, name)
        return path

    def _take(self, path: Path, name: str) -> Path:
        if name not in self.recorded:
            instance = compute_operated_machine(self.structure).instances[name]
            self.recorded[name] = record_instance(self.structure, instance)
        step, self.steps = self.recorded[name], self.steps + 1
        arithmetic = self.problem.arithmetic
        chosen = {
            f"argument.{each}": arithmetic.variable(f"{self.steps}.{each}", Sort.INTEGER)
            for each, *_ in step.arguments
        }
        now = Translator(arithmetic, {**path.leaves, **chosen})
        conditions = [now(term) for key, term in step.conditions.items() if key not in BOUNDS]
        bounds = [now(term) for key, term in step.conditions.items() if key in BOUNDS]
        ranges = [
            choose_within(now(low), now(argument), now(high))
            for _, argument, low, high in step.arguments
        ]
        leaves = {**path.leaves, **{key: now(term) for key, term in step.effects.items()}}
        facts = (*path.facts, *bounds, *ranges, *now.side_conditions)
        return Path(leaves, (*path.conditions, *conditions), facts)

    def ask(self, path: Path, predicate: Predicate) -> tuple[Any, tuple[Any, ...]]:
        """A predicate of the states of a path, and the facts that it needs."""
        if predicate not in self.terms:
            self.terms[predicate] = record_predicate(self.structure, predicate)
        now = Translator(self.problem.arithmetic, path.leaves)
        return now(self.terms[predicate]), tuple(now.side_conditions)

    def list_outages(self, outage: MasterEnd, course: OutageCourse) -> Iterator[Path]:
        """The states in which a course begins: both brokers are down, and its premise holds."""
        begin = Path(self.problem.variables)
        for ended in (self.follow(begin, each) for each in outage.sequences):
            stopped = self.follow(ended, SLAVE_STOP)
            down, facts = self.ask(ended, is_slave_down)
            was_down = Path(ended.leaves, (*ended.conditions, down), (*ended.facts, *facts))
            for path in (stopped, was_down):
                if course.premise is None:
                    yield path
                else:
                    met, more = self.ask(path, course.premise)
                    yield Path(path.leaves, (*path.conditions, met), (*path.facts, *more))

    def list_failures(
        self, outage: MasterEnd, course: OutageCourse, question: CourseClaim
    ) -> Iterator[Any]:
        """What must not be: no sequence is possible, or the claim does not hold after one."""
        for before in self.list_outages(outage, course):
            begun = Path(before.leaves)
            after = [self.follow(begun, each) for each in course.sequences]
            stuck = [z3.Not(conjoin(*path.conditions)) for path in after]
            facts = [fact for path in after for fact in path.facts]
            yield conjoin(*before.conditions, *before.facts, *facts, *stuck)
            for path in after:
                holds, more = self.ask(path, question.holds)
                yield conjoin(
                    *(*before.conditions, *before.facts, *path.conditions, *path.facts),
                    *(*more, z3.Not(holds)),
                )

    def find_survived(self, failures: Iterable[Any], faults: FaultSet) -> FaultSet | None:
        """A set of faults, with at least these, after which no failure is possible; or None.

        Raises SolverGaveUpError.
        """
        survived = frozenset(self.absence)
        for failure in failures:
            found = find_harmless(self.solver, self.absence, [failure], faults, QUERY)
            if found is None:
                return None
            survived &= found
        return survived
