"""The proved verdicts that depend on a restriction: they no longer follow when it is relaxed.

A verdict is lost when its claim does not follow from the remaining lemmas. That is a statement
about the proof, not about a run of the relaxed rules that breaks the claim. Questions that Z3 gives
up count as not following, and are counted.

Lemmas are split first, since one relaxation seldom breaks all parts of a lemma.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from attrs import field, frozen

from properties.language.fault_model import FaultModel, is_admitted
from properties.language.world import ClaimedStructure
from properties.restrictions.derivation import Degree, Restriction, list_relaxed
from properties.restrictions.inductive_set import InductiveSet
from properties.z3.fault_sets import FaultSetProver
from properties.z3.induction import InductionProblem, InductionStep, SolverGaveUpError
from reference.language.machine import RecordedInstance, record_predicate
from reference.language.terms import Term, record

Cells = Mapping[str, tuple[str, ...]]
"""Fault models by claim, both in the table's order."""


@frozen
class Fall:
    """The cost of a relaxation."""

    cells: Cells
    """The proved verdicts that no longer follow."""
    gave_up: tuple[str, ...] = field(default=())
    """The fault models under which Z3 gave up a question."""


def split_lemmas(structure: ClaimedStructure, lemmas: Iterable[str]) -> dict[str, Term]:
    """The parts of each lemma, by name; their conjunction is equivalent to the lemmas."""
    candidates = structure.world.get_candidates(structure)
    terms = {name: record_predicate(structure, candidates[name].predicate) for name in lemmas}
    return {
        f"{name} {number}": part
        for name, term in terms.items()
        for number, part in enumerate(split(term))
    }


def split(term: Term) -> tuple[Term, ...]:
    """The conjuncts of a term, none of which is a conjunction."""
    if term.operator == "and":
        return tuple(dict.fromkeys(p for a in term.arguments for p in split(a)))
    if term.operator == "or":
        one, other = (split(a) for a in term.arguments)
        return tuple(dict.fromkeys(record("or", a, b) for a in one for b in other))
    if term.operator == "not" and term.arguments[0].operator == "or":
        return split(record("and", *(record("not", a) for a in term.arguments[0].arguments)))
    return (term,)


class RestrictionJudge:
    """Relaxes the restrictions of one structure."""

    def __init__(self, structure: ClaimedStructure, lemmas: Iterable[str], proved: Cells) -> None:
        """``lemmas`` are inductive under every fault; the ``proved`` verdicts follow from them."""
        self.structure = structure
        self.facts = split_lemmas(structure, lemmas)
        self.lemmas = list(self.facts)
        self.proved = proved
        self.fault_models = {c.name: c for c in structure.world.fault_models}
        self._problems: dict[FaultModel, InductionProblem] = {}

    def judge(self, restriction: Restriction) -> tuple[Fall, Fall]:
        """The cost of relaxing a restriction entirely, and by one."""
        entirely = self.find_fall(restriction, Degree.ENTIRELY, self.proved)
        return entirely, self.find_fall(restriction, Degree.BY_ONE, entirely.cells)

    def find_fall(self, restriction: Restriction, degree: Degree, among: Cells) -> Fall:
        """The proved verdicts among these that are lost without the restriction."""
        relaxed = list_relaxed(self.structure, restriction, degree)
        if not relaxed or not among:
            return Fall({})
        return _Relaxed(self, relaxed, among).find_fall()

    @cached_property
    def inductive(self) -> InductiveSet:
        """The lemmas, with what their proofs under every fault need."""
        return InductiveSet(self.get_problem(self.structure.world.everything), self.lemmas)

    def get_problem(self, fault_model: FaultModel) -> InductionProblem:
        """The true rules under the faults of a model; made once."""
        if fault_model not in self._problems:
            self._problems[fault_model] = InductionProblem(
                self.structure, fault_model, facts=self.facts
            )
        return self._problems[fault_model]


class _Relaxed:
    """One relaxation: what still follows, fault model by fault model, by few inductions."""

    def __init__(
        self, judge: RestrictionJudge, relaxed: tuple[RecordedInstance, ...], among: Cells
    ) -> None:
        self.judge = judge
        self.relaxed = relaxed
        self.among = among
        self.fallen: dict[str, set[str]] = {name: set() for name in judge.fault_models}
        self.holding: dict[str, set[str]] = {name: set() for name in judge.fault_models}
        self.gave_up: list[str] = []
        self.lemmas = judge.lemmas
        """Lemmas that may remain: what the weakest fault model loses every other one loses too."""

    def find_fall(self) -> Fall:
        """First all fault models at once, then the weakest one, then what is still open."""
        self._note_what_follows_everywhere()
        for fault_model in self.judge.fault_models.values():
            if not any(is_admitted(r, fault_model) for r in self.relaxed):
                self.holding[fault_model.name] |= set(self._list_asked(fault_model))
            if open_claims := self._list_open(fault_model):
                self._decide(fault_model, open_claims)
        fallen = {
            claim: tuple(c for c in fault_models if claim in self.fallen[c])
            for claim, fault_models in self.among.items()
        }
        return Fall({k: v for k, v in fallen.items() if v}, tuple(self.gave_up))

    def _note_what_follows_everywhere(self) -> None:
        """One inductive set under every fault decides most verdicts that are not lost."""
        everything = self.judge.structure.world.everything
        try:
            kept = self._find_rest(everything)
            if len(kept) == len(self.judge.lemmas):
                self.holding = {
                    n: set(self._list_asked(c)) for n, c in self.judge.fault_models.items()
                }
                return
            prover = FaultSetProver(self.judge.structure, kept, self.judge.facts)
            for name, fault_model in self.judge.fault_models.items():
                faults = frozenset(fault_model.admitted)
                asked = self._list_asked(fault_model)
                self.holding[name] |= {c for c in asked if prover.find_survived(c, faults)}
        except SolverGaveUpError:
            self.gave_up.append(everything.name)

    def _list_asked(self, fault_model: FaultModel) -> list[str]:
        return [
            claim for claim, fault_models in self.among.items() if fault_model.name in fault_models
        ]

    def _list_open(self, fault_model: FaultModel) -> list[str]:
        """The claims that neither this fault model nor a weaker one has decided."""
        weaker = (n for n, c in self.judge.fault_models.items() if c.is_contained_in(fault_model))
        fallen = set[str]().union(*(self.fallen[n] for n in weaker))
        asked = [
            c for c in self._list_asked(fault_model) if c not in self.holding[fault_model.name]
        ]
        self.fallen[fault_model.name] |= fallen.intersection(asked)
        return [c for c in asked if c not in fallen]

    def _decide(self, fault_model: FaultModel, claims: list[str]) -> None:
        holding: set[str] = set()
        try:
            kept = self._find_rest(fault_model)
            if not fault_model.admitted:
                self.lemmas = kept
            problem = self.judge.get_problem(fault_model)
            holding |= {c for c in claims if problem.follows(problem.predicates[c], kept)}
        except SolverGaveUpError:
            self.gave_up.append(fault_model.name)
        self.holding[fault_model.name] |= holding
        self.fallen[fault_model.name] |= set(claims) - holding

    def _find_rest(self, fault_model: FaultModel) -> list[str]:
        """The lemmas that stay inductive under these faults. Raises SolverGaveUpError.

        All of them hold initially, in any case.
        """
        problem = self.judge.get_problem(fault_model)
        relaxed = [InductionStep(problem, r) for r in self.relaxed if is_admitted(r, fault_model)]
        return self.judge.inductive.find_rest(problem, relaxed, self.lemmas)
