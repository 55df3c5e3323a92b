"""Bounded search: the shortest schedule that refutes a guarantee or reaches a witness.

Six-bit vectors over a log of a few bytes, one merged if-then-else per leaf and step, incremental in
the depth. Proved lemmas are asserted at each step, and of two orders of independent neighbours only
one is searched. The reference replays each found schedule under the real parameters and judges it
again: no verdict depends on six bits.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

import z3
from attrs import evolve, frozen

from properties.language.fault_model import FaultModel, is_admitted
from properties.language.world import ClaimedStructure
from properties.schedules.possible_steps import find_access
from properties.z3.induction import SolverGaveUpError, get_leaf_names
from properties.z3.translation import BitVectorArithmetic, Translator
from reference.language.leaves import compute_leaf_sorts, flatten, is_parameter
from reference.language.machine import Action, RecordedInstance, record_machine, record_predicate
from reference.language.operator_table import Sort
from reference.language.parameters import BaseParameters
from reference.language.terms import Term, specialise

WIDTH = 6
"""Bits of an offset: the searched log has 12 bytes, and sums of an offset and two files fit too."""

DEPTH_LIMIT = 24
"""The depth after which a search leaves a verdict undecided."""


VARIANT_DEPTH_LIMIT = 16
"""The depth for a variant, of which only the changed verdicts are searched."""

VARIANT_SLAVES_MAX, LARGE_VARIANT_DEPTH_LIMIT = 1, 4
"""With more slaves a variant is hardly searched: it takes over the schedules of smaller groups."""


@frozen
class BoundedAnswer:
    """What bounded search found for one question."""

    schedule: tuple[Action, ...] | None
    """The shortest schedule, or None when there is none up to the depth."""
    depth: int
    """The number of steps of the schedule, or the depth that was searched without result."""


class BoundedSearch:
    """One structure under one fault model, unrolled step by step.

    With ``needed``, only schedules that have a step of one of these rules are searched; none has a
    step of a rule that is left out. Without ``initial`` they begin in the structure's first state.
    """

    def __init__(  # noqa: PLR0913
        self,
        structure: ClaimedStructure,
        fault_model: FaultModel,
        lemmas: Iterable[str] = (),
        *,
        sizes: BaseParameters | None = None,
        needed: Collection[str] = (),
        left_out: Collection[str] = (),
        initial: Any = None,
        offset_bits: int = WIDTH,
    ) -> None:
        self.structure = structure
        self.fault_model = fault_model
        small = sizes or structure.world.sizes.search
        self.parameters = small.limit(fault_model.search_limits)
        self.arithmetic = BitVectorArithmetic(offset_bits)
        begun = structure.make_initial(self.parameters)
        initial = flatten(begun if initial is None else evolve(initial, parameters=self.parameters))
        self.constants = {path: v for path, v in initial.items() if is_parameter(path)}
        self.instances = [
            recorded
            for recorded in record_machine(structure)
            if is_admitted(recorded, fault_model) and recorded.instance.rule.name not in left_out
        ]
        self.sorts = {
            p: s for p, s in compute_leaf_sorts(structure).items() if p not in self.constants
        }
        wanted = structure.world.numbers.zero_if_possible
        self.kept_zero = [path for path in wanted if path in self.sorts]
        self.solver = make_solver_for_bits()
        self.states = [{p: self.arithmetic.constant(initial[p]) for p in self.sorts}]
        self.lemmas = list(self._record_lemmas(lemmas))
        self.needed = frozenset(needed)
        self.needless_orders = compute_needless_orders(self.instances)
        self.picks: list[Any] = []
        self.arguments: list[list[Any]] = []

    def _record_lemmas(self, names: Iterable[str]) -> Iterator[Term]:
        candidates = self.structure.world.get_candidates(self.structure)
        for name in names:
            lemma = record_predicate(self.structure, candidates[name].predicate)
            yield specialise(lemma, self.constants)

    def find_shortest(
        self,
        questions: dict[str, Term],
        *,
        depth_limits: Mapping[str, int],
        on_progress: Callable[[int, int], None] = lambda depth, open_questions: None,
    ) -> dict[str, BoundedAnswer]:
        """For each question (a condition to reach) the shortest schedule that reaches it.

        A leaf of a question that the state does not have is a free number. ``depth_limits`` gives
        per question the steps after which to give up; ``on_progress`` is called with each depth and
        the number of open questions. Raises SolverGaveUpError when Z3 answers *unknown*.
        """
        answers: dict[str, BoundedAnswer] = {}
        goals = {n: specialise(term, self.constants) for n, term in questions.items()}
        for depth in itertools.count():
            still_open = [n for n in goals if n not in answers and depth <= depth_limits[n]]
            if not still_open:
                break
            if depth == len(self.states):
                self._unroll()
            on_progress(depth, len(still_open))
            for name in still_open:
                if (found := self._solve(name, goals[name], depth)) is not None:
                    answers[name] = BoundedAnswer(found, depth)
        return {n: answers.get(n, BoundedAnswer(None, depth_limits[n])) for n in goals}

    def _solve(self, name: str, goal: Term, depth: int) -> tuple[Action, ...] | None:
        free = {n: self.arithmetic.variable(n, s) for n, s in self.free_sorts(goal).items()}
        reached = Translator(self.arithmetic, {**self.states[depth], **free})(goal)
        reached = z3.And(reached, self._has_needed(depth)) if self.needed else reached
        answer = self.solver.check(reached)
        if answer == z3.unknown:
            question = f"whether {depth} steps reach {name}"
            raise SolverGaveUpError(question, self.solver.reason_unknown())
        if answer == z3.unsat:
            return None
        model = self.solver.model()
        if self.kept_zero and self._is_possible(reached, self._stays_zero(depth)):
            model = self.solver.model()
        return self._read_schedule(model, depth)

    def _is_possible(self, *wanted: Any) -> bool:
        return bool(self.solver.check(*wanted) == z3.sat)

    def free_sorts(self, goal: Term) -> dict[str, Sort]:
        """The leaves of a goal that a state does not have: free numbers."""
        return dict.fromkeys(get_leaf_names(goal) - self.sorts.keys(), Sort.INTEGER)

    def _has_needed(self, depth: int) -> Any:
        """Some step before this depth is of a needed rule."""
        names = [recorded.instance.rule.name for recorded in self.instances]
        wanted = [index for index, name in enumerate(names) if name in self.needed]
        return z3.Or([pick == index for pick in self.picks[:depth] for index in wanted])

    def _stays_zero(self, depth: int) -> Any:
        states = self.states[: depth + 1]
        return z3.And([state[path] == 0 for path in self.kept_zero for state in states])

    def _read_schedule(self, model: z3.ModelRef, depth: int) -> tuple[Action, ...]:
        value = self.arithmetic.value
        schedule = []
        for pick, arguments in zip(self.picks[:depth], self.arguments[:depth], strict=True):
            recorded = self.instances[int(value(model, pick))]
            chosen = {
                name: int(value(model, arguments[i]))
                for i, (name, *_) in enumerate(recorded.arguments)
            }
            schedule.append(Action(recorded.instance.name, chosen))
        return tuple(schedule)

    def _unroll(self) -> None:
        """One more step: some instance is picked, its conditions hold, its effect takes place."""
        step, before = len(self.picks), self.states[-1]
        pick = z3.BitVec(f"pick@{step}", 8)
        count = max(len(r.arguments) for r in self.instances)
        self.solver.add([Translator(self.arithmetic, before)(lemma) for lemma in self.lemmas])
        arguments = [z3.BitVec(f"argument{i}@{step}", self.arithmetic.width) for i in range(count)]
        after: dict[str, Any] = dict(before)
        self.solver.add(z3.ULT(pick, len(self.instances)))
        for index, recorded in enumerate(self.instances):
            is_picked = pick == index
            translate = self._translate_step(recorded, before, arguments)
            self.solver.add(z3.Implies(is_picked, self.is_enabled(recorded, translate)))
            for path, term in recorded.effects.items():
                new = translate(specialise(term, self.constants))
                after[path] = z3.If(is_picked, new, after[path])
        if self.picks:
            self._forbid_needless_orders(self.picks[-1], pick)
        self.picks.append(pick)
        self.arguments.append(arguments)
        self.states.append({p: self._name(p, step + 1, after[p]) for p in self.sorts})

    def _forbid_needless_orders(self, earlier: Any, later: Any) -> None:
        """Allow only the list's order for two neighbouring independent steps."""
        for second, first in self.needless_orders:
            self.solver.add(z3.Or(earlier != second, later != first))

    def _translate_step(
        self, recorded: RecordedInstance, before: dict[str, Any], arguments: list[Any]
    ) -> Translator:
        names = (f"argument.{name}" for name, *_ in recorded.arguments)
        return Translator(self.arithmetic, {**before, **dict(zip(names, arguments, strict=False))})

    def is_enabled(self, recorded: RecordedInstance, translate: Translator) -> Any:
        """The conditions and ranges of a step, translated."""
        conditions = [
            translate(specialise(c, self.constants)) for c in recorded.conditions.values()
        ]
        for _, argument, low, high in recorded.arguments:
            low_value = translate(specialise(low, self.constants))
            high_value = translate(specialise(high, self.constants))
            chosen = translate(argument)
            conditions += [low_value <= chosen, chosen <= high_value]
        return z3.And(conditions)

    def _name(self, path: str, step: int, expression: Any) -> Any:
        """A fresh variable for a leaf after a step, so that expressions do not pile up."""
        variable = self.arithmetic.variable(f"{path}@{step}", self.sorts[path])
        self.solver.add(variable == expression)
        return variable


def compute_needless_orders(instances: list[RecordedInstance]) -> list[tuple[int, int]]:
    """Pairs (later in the list, earlier in the list) of instances that commute in every state.

    A schedule with the two independent steps as neighbours in this order is equivalent to the one
    with them exchanged, and only that one is searched.
    """
    accesses = [find_access(recorded) for recorded in instances]
    return [
        (second, first)
        for first, second in itertools.combinations(range(len(instances)), 2)
        if accesses[first].is_independent_of(accesses[second])
    ]


def make_solver_for_bits() -> z3.Solver:
    """An incremental solver for quantifier-free bit vectors, without a time limit."""
    solver = z3.SolverFor("QF_BV")
    solver.set("random_seed", 0)
    return solver
