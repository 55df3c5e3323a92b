"""Which proved cells hang on a restriction: those that no longer follow when it is relaxed.

A cell falls when its claim does not follow from the lemmas that are left. That is a statement about
the proof: whether a run of the relaxed rules breaks the claim is not asked. What Z3 gives up does
not follow, and is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import field, frozen

from properties.fault_class import FaultClass, is_admitted
from properties.fault_sets import FaultSetProver
from properties.induction import InductionProblem, SolverGaveUpError, Step
from properties.restrictions.derivation import Degree, Restriction, list_relaxed
from properties.subject import get_everything, get_fault_classes
from reference.machine import RecordedInstance

Cells = Mapping[str, tuple[str, ...]]
"""Columns by claim, both in the order of the matrix."""


@frozen
class Fall:
    """What a relaxation costs."""

    cells: Cells
    """The proved cells that do not follow any more."""
    gave_up: tuple[str, ...] = field(default=())
    """The columns in which Z3 gave up a question."""


class RestrictionJudge:
    """Relaxes the restrictions of one structure."""

    def __init__(self, structure: Any, lemmas: Iterable[str], proved: Cells) -> None:
        """``lemmas`` are inductive under every fault, and the ``proved`` cells follow from them."""
        self.structure = structure
        self.lemmas = list(lemmas)
        self.proved = proved
        self.columns = {c.name: c for c in get_fault_classes(structure)}
        self._problems: dict[FaultClass, InductionProblem] = {}

    def judge(self, restriction: Restriction) -> tuple[Fall, Fall]:
        """What it costs to relax a restriction entirely, and by one."""
        entirely = self.find_fall(restriction, Degree.ENTIRELY, self.proved)
        return entirely, self.find_fall(restriction, Degree.BY_ONE, entirely.cells)

    def find_fall(self, restriction: Restriction, degree: Degree, among: Cells) -> Fall:
        """Which of these proved cells fall without the restriction."""
        relaxed = list_relaxed(self.structure, restriction, degree)
        if not relaxed or not among or not self._is_any_lemma_lost(relaxed):
            return Fall({})
        return _Relaxed(self, relaxed, among).find_fall()

    def _is_any_lemma_lost(self, relaxed: tuple[RecordedInstance, ...]) -> bool:
        problem = self.get_problem(get_everything(self.structure))
        try:
            return any(Step(problem, r).find_falsified(self.lemmas) for r in relaxed)
        except SolverGaveUpError:
            return True

    def get_problem(self, column: FaultClass) -> InductionProblem:
        """The true rules under the faults of a column; made once."""
        if column not in self._problems:
            self._problems[column] = InductionProblem(self.structure, column)
        return self._problems[column]


class _Relaxed:
    """One relaxation: what still follows, column by column, by as few inductions as possible."""

    def __init__(
        self, judge: RestrictionJudge, relaxed: tuple[RecordedInstance, ...], among: Cells
    ) -> None:
        self.judge = judge
        self.relaxed = relaxed
        self.among = among
        self.fallen: dict[str, set[str]] = {name: set() for name in judge.columns}
        self.holding: dict[str, set[str]] = {name: set() for name in judge.columns}
        self.gave_up: list[str] = []
        self.lemmas = judge.lemmas
        """Lemmas that may be left: what the weakest column loses every other one loses too."""

    def find_fall(self) -> Fall:
        """Ask for all columns at once; then the weakest column, then what is still open."""
        self._note_what_follows_everywhere()
        for column in self.judge.columns.values():
            if not any(is_admitted(r, column) for r in self.relaxed):
                self.holding[column.name] |= set(self._list_asked(column))
            if open_claims := self._list_open(column):
                self._decide(column, open_claims)
        fallen = {
            claim: tuple(c for c in columns if claim in self.fallen[c])
            for claim, columns in self.among.items()
        }
        return Fall({k: v for k, v in fallen.items() if v}, tuple(self.gave_up))

    def _note_what_follows_everywhere(self) -> None:
        """One inductive set under every fault decides most cells that do not fall."""
        everything = get_everything(self.judge.structure)
        try:
            kept = self._run_houdini(everything)
            prover = FaultSetProver(self.judge.structure, kept)
            for name, column in self.judge.columns.items():
                faults = frozenset(column.admitted)
                asked = self._list_asked(column)
                self.holding[name] |= {c for c in asked if prover.find_survived(c, faults)}
        except SolverGaveUpError:
            self.gave_up.append(everything.name)

    def _list_asked(self, column: FaultClass) -> list[str]:
        return [claim for claim, columns in self.among.items() if column.name in columns]

    def _list_open(self, column: FaultClass) -> list[str]:
        """The claims of a column's cells that neither it nor a weaker column has decided."""
        weaker = (n for n, c in self.judge.columns.items() if c.is_contained_in(column))
        fallen = set[str]().union(*(self.fallen[n] for n in weaker))
        asked = [c for c in self._list_asked(column) if c not in self.holding[column.name]]
        self.fallen[column.name] |= fallen.intersection(asked)
        return [c for c in asked if c not in fallen]

    def _decide(self, column: FaultClass, claims: list[str]) -> None:
        holding: set[str] = set()
        try:
            kept = self._run_houdini(column)
            if not column.admitted:
                self.lemmas = kept
            problem = self.judge.get_problem(column)
            holding |= {c for c in claims if problem.follows(problem.predicates[c], kept)}
        except SolverGaveUpError:
            self.gave_up.append(column.name)
        self.holding[column.name] |= holding
        self.fallen[column.name] |= set(claims) - holding

    def _run_houdini(self, column: FaultClass) -> list[str]:
        """The lemmas that stay inductive under these faults. Raises SolverGaveUpError."""
        problem = self.judge.get_problem(column)
        true_steps = dict(problem.steps)
        for recorded in self.relaxed:
            if is_admitted(recorded, column):
                problem.steps[recorded.instance.name] = Step(problem, recorded)
        try:
            kept, _ = problem.run_houdini(self.lemmas)
            return kept
        finally:
            problem.steps.clear()
            problem.steps.update(true_steps)
