"""Triage: whether a run reaches the state of a counterexample to induction.

A property that is not inductive has states in which it holds and from which one step breaks it. If
no run reaches such a state, it concerns no broker. The leaves of it that the step and the property
read are the goal of a bounded search from the initial state. The answer is a verdict of its own
kind and never counts as a refutation. Only *reachable* comes with a schedule, which the reference
has confirmed.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import z3
from attrs import evolve, field, frozen

from properties.generated_text import count_steps
from properties.language.fault_model import FaultModel
from properties.language.property import Property, PropertyRole
from properties.language.world import ClaimedStructure
from properties.schedules.judgement import is_reached_by, replay
from properties.schedules.possible_steps import find_access
from properties.verdicts.verdict import InternalDisagreementError
from properties.z3.bounded_search import BoundedAnswer, BoundedSearch
from properties.z3.induction import (
    InductionProblem,
    InductionStep,
    get_leaf_names,
    prove_lemmas,
)
from properties.z3.smallest_model import find_smallest_model, make_small_problem
from reference.language.leaves import flatten, is_parameter, symbolic_cluster, unflatten
from reference.language.machine import (
    Action,
    RecordedInstance,
    compute_machine,
    probe,
    record_predicate,
)
from reference.language.operators import all_of, is_same, negate
from reference.language.terms import Term

TRIAGE_DEPTH_LIMIT = 12
"""Steps after which a state counts as unreached."""


class TriageWord(enum.Enum):
    """The answers for a counterexample to induction."""

    REACHABLE = "reachable"
    """A run reaches it: the property is false, or the protocol has a defect."""
    UNREACHED = "unreached"
    """No run of the searched length reaches it: the property may need a stronger lemma."""
    EXCLUDED = "excluded"
    """A proved property excludes it: nothing is to be done."""
    OUT_OF_RANGE = "out of range"
    """No such state fits into the searched log of a few bytes: it was not searched."""


@frozen
class TriagedCounterexample:
    """One rule that can break a property, the state from which it does, and the answer."""

    property_name: str
    action: Action | None
    """The step that breaks the property; None if it is false from the start."""
    before: Mapping[str, int | bool] = field(repr=False)
    """The leaves that the step and the property read, with their values before the step."""
    word: TriageWord
    schedule: tuple[Action, ...] = ()
    """For a reachable one: the schedule to it and the step, in a log of a few bytes."""
    is_same_state: bool = True
    """False if another state was reached, from which a step of the same rule breaks it too."""
    depth: int | None = None
    """For an unreached one: the number of steps within which the rule cannot break it."""
    excluded_by: tuple[str, ...] = ()
    """For an excluded one: the proved properties that fail in the state."""

    def describe(self) -> str:
        """The answer in a few words."""
        if self.word is TriageWord.REACHABLE:
            where = "" if self.is_same_state else " from another state"
            return f"reachable{where}, {count_steps(len(self.schedule))}"
        if self.word is TriageWord.UNREACHED:
            return f"unreached within {self.depth} steps"
        if self.word is TriageWord.EXCLUDED:
            return f"excluded by {', '.join(self.excluded_by)}"
        return "out of the range of the searched log"


def triage(
    structure: ClaimedStructure,
    fault_model: FaultModel,
    property_name: str,
    *,
    depth_limit: int = TRIAGE_DEPTH_LIMIT,
    on_progress: Callable[[str], None] = lambda text: None,
) -> tuple[TriagedCounterexample, ...]:
    """For each rule that can break a guarantee, lemma or sanity check, whether a run does so.

    Empty for a property that every step preserves by itself. Raises KeyError for a name that does
    not exist, SolverGaveUpError, and InternalDisagreementError when the reference rejects what a
    solver found.
    """
    candidate = structure.world.get_candidates(structure)[property_name]
    return triage_candidate(
        structure, fault_model, candidate, depth_limit=depth_limit, on_progress=on_progress
    )


def triage_candidate(
    structure: ClaimedStructure,
    fault_model: FaultModel,
    candidate: Property,
    *,
    depth_limit: int = TRIAGE_DEPTH_LIMIT,
    on_progress: Callable[[str], None] = lambda text: None,
) -> tuple[TriagedCounterexample, ...]:
    """For each rule that can break any property, such as a new lemma, whether a run does."""
    initial = structure.make_initial(structure.world.make_search_parameters(fault_model))
    if not candidate.predicate(initial):
        return (TriagedCounterexample(candidate.name, None, {}, TriageWord.REACHABLE),)
    on_progress(f"{structure.name}: induction")
    triager = _Triager(structure, fault_model, candidate)
    found = [t for r in triager.small.instances if (t := triager.examine(r)) is not None]
    return triager.search(found, depth_limit, on_progress)


class _Triager:
    """One property of one structure under one fault model."""

    def __init__(
        self, structure: ClaimedStructure, fault_model: FaultModel, candidate: Property
    ) -> None:
        self.structure = structure
        self.fault_model = fault_model
        self.candidate = candidate
        self.candidates = structure.world.get_candidates(structure)
        self.sizes = structure.world.make_search_parameters(fault_model)
        self.small = make_small_problem(structure, fault_model)
        self.unbounded = InductionProblem(structure, fault_model)
        self.claim = record_predicate(structure, candidate.predicate)
        lemmas = prove_lemmas(structure)
        guarantees = self.unbounded.find_consequences(lemmas).proved
        self.proved = [n for n in (*lemmas, *guarantees) if n != candidate.name]

    def _is_sanity_check(self, name: str) -> bool:
        return self.candidates[name].role is PropertyRole.SANITY

    def examine(self, recorded: RecordedInstance) -> TriagedCounterexample | None:
        """How this rule breaks the property, with as many assumptions as possible; None if never.

        A counterexample that needs a search is marked unreached until then.
        """
        if recorded.effects.keys().isdisjoint(get_leaf_names(self.claim)):
            return None
        sanity = [n for n in self.proved if self._is_sanity_check(n)]
        for assumed in (self.proved, sanity, []):
            for problem in (self.small, self.unbounded):
                values = self._find_values(problem, recorded, assumed)
                if values is not None:
                    return self._classify(recorded, values, problem, assumed)
        return None

    def _find_values(
        self, problem: InductionProblem, recorded: RecordedInstance, assumed: Iterable[str]
    ) -> dict[str, int | bool] | None:
        """A state, and arguments, with which the rule breaks the property."""
        step = InductionStep(problem, recorded)
        question = z3.And(
            *(problem.now(problem.predicates[n]) for n in assumed),
            problem.now(self.claim),
            z3.Not(step.after(self.claim)),
        )
        if problem is self.small:
            return find_smallest_model(problem, step.solver, question, step.arguments)
        model = problem.check(step.solver, question)
        if model is None:
            return None
        variables = {**problem.variables, **step.arguments}
        return {name: problem.arithmetic.value(model, v) for name, v in variables.items()}

    def _classify(
        self,
        recorded: RecordedInstance,
        values: Mapping[str, int | bool],
        problem: InductionProblem,
        assumed: list[str],
    ) -> TriagedCounterexample:
        names = (name for name, *_ in recorded.arguments)
        action = Action(
            recorded.instance.name, {name: int(values[f"argument.{name}"]) for name in names}
        )
        before = {p: v for p, v in values.items() if p in self._compute_support(recorded)}
        found = TriagedCounterexample(self.candidate.name, action, before, TriageWord.UNREACHED)
        if assumed is self.proved:
            is_small = problem is self.small
            return found if is_small else evolve(found, word=TriageWord.OUT_OF_RANGE)
        initial = flatten(self.structure.make_initial(self.sizes))
        state = unflatten(self.structure, {**initial, **values})
        excluded_by = [n for n in self.proved if not self.candidates[n].predicate(state)]
        telling = sorted(excluded_by, key=self._is_sanity_check)
        return evolve(found, word=TriageWord.EXCLUDED, excluded_by=tuple(telling))

    def _compute_support(self, recorded: RecordedInstance) -> set[str]:
        """The leaves of the state that the step and the property read."""
        leaves = flatten(symbolic_cluster(self.structure))
        read = find_access(recorded).reads | get_leaf_names(self.claim)
        return {p for p in leaves if p in read and not is_parameter(p)}

    def search(
        self,
        found: list[TriagedCounterexample],
        depth_limit: int,
        on_progress: Callable[[str], None],
    ) -> tuple[TriagedCounterexample, ...]:
        """The counterexamples, with schedules for the open ones that a run reaches."""
        instances = {r.instance.name: r for r in self.small.instances}
        questions: dict[str, Term] = {}
        for t in found:
            if t.word is TriageWord.UNREACHED and t.action is not None:
                name = t.action.instance
                questions[name] = self._record_state(t)
                questions[f"{name} elsewhere"] = self._record_breaking(instances[name])
        search = BoundedSearch(self.structure, self.fault_model, self.proved)
        answers = search.find_shortest(
            questions,
            depth_limits=dict.fromkeys(questions, depth_limit - 1),
            on_progress=lambda depth, left: on_progress(
                f"{self.structure.name}: depth {depth}, {left} open"
            ),
        )
        return tuple(self._settle(t, answers, depth_limit) for t in found)

    def _record_state(self, found: TriagedCounterexample) -> Term:
        """The condition that the relevant leaves have these values."""
        leaves = flatten(symbolic_cluster(self.structure))
        equal: Any = all_of(
            *(
                is_same(leaves[p], v) if isinstance(v, bool) else leaves[p] == v
                for p, v in found.before.items()
            )
        )
        return equal  # type: ignore[no-any-return]

    def _record_breaking(self, recorded: RecordedInstance) -> Term:
        """The condition that a step of this rule, with some arguments, breaks the property."""
        leaves = flatten(symbolic_cluster(self.structure))
        after = unflatten(self.structure, {**leaves, **recorded.effects})
        ranges: Any = [(low <= x) & (x <= high) for _, x, low, high in recorded.arguments]
        conditions: Any = recorded.conditions.values()
        claim: Any = self.claim
        broken = negate(self.candidate.predicate(after))
        return all_of(*conditions, *ranges, claim, broken)  # type: ignore[return-value]

    def _settle(
        self,
        found: TriagedCounterexample,
        answers: Mapping[str, BoundedAnswer],
        depth_limit: int,
    ) -> TriagedCounterexample:
        if found.word is not TriageWord.UNREACHED or found.action is None:
            return found
        name = found.action.instance
        for question, is_same_state in ((name, True), (f"{name} elsewhere", False)):
            way = answers[question].schedule
            if way is not None:
                schedule = (*way, self._find_breaking_action(way, name))
                return evolve(
                    found,
                    word=TriageWord.REACHABLE,
                    schedule=schedule,
                    is_same_state=is_same_state,
                )
        return evolve(found, depth=depth_limit)

    def _find_breaking_action(self, way: tuple[Action, ...], instance: str) -> Action:
        """The step after which the reference finds the property broken."""
        *_, last = replay(self.structure, self.sizes, way)
        failed, ranges = probe(compute_machine(self.structure).instances[instance], last.cluster)
        choices = itertools.product(*(range(r.low, r.high + 1) for r in ranges))

        def is_broken(cluster: Any) -> bool:
            return not self.candidate.predicate(cluster)

        for numbers in [] if failed else choices:
            action = Action(instance, dict(zip((r.name for r in ranges), numbers, strict=True)))
            if is_reached_by(is_broken, self.structure, self.sizes, (*way, action)):
                return action
        raise InternalDisagreementError(
            f"bounded search reaches a state from which {instance} breaks {self.candidate.name} of "
            f"{self.structure.name}, the reference does not: {'; '.join(map(str, way))}"
        )
