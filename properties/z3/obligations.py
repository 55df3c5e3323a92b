"""Every proof obligation of a structure as a value, and its outcome.

The proofs under all fault models use one inductive set of lemmas. Three kinds of obligations make
up a proof: each lemma holds initially, no step of any rule breaks it, and each guarantee follows
from the lemmas if only the faults of its model can happen.

Consecution is reported rule by rule: the lemmas that a step preserves, and a step that breaks one.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import z3
from attrs import field, frozen

from properties.checkout import PROGRAM
from properties.language.fault_model import FaultModel
from properties.language.world import ClaimedStructure
from properties.verdicts.certificates import decode_cells, load
from properties.verdicts.verdict import InternalDisagreementError, VerdictWord
from properties.z3.discharge import (
    DischargeOutcome,
    Fact,
    FactKind,
    ProofQuestion,
    SolverAnswer,
    ask,
    ask_for_minimal_core,
)
from properties.z3.induction import LIMIT_PREFIX, InductionProblem, InductionStep, get_leaf_names
from properties.z3.translation import Translator
from reference.language.leaves import PARAMETER_PREFIX
from reference.language.machine import Action


class ObligationKind(enum.Enum):
    """The part of the induction that an obligation belongs to."""

    INITIATION = "initiation"
    """A lemma holds in the initial state."""
    CONSECUTION = "consecution"
    """A lemma holds after a step from any state in which all lemmas hold."""
    SAFETY = "safety"
    """A guarantee holds in any state in which all lemmas hold."""


@frozen
class Obligation:
    """One claim that the proof of a structure needs."""

    kind: ObligationKind
    claim: str
    """The lemma, or for safety the guarantee."""
    where: str = ""
    """For consecution the rule instance, for safety the fault model."""

    def __str__(self) -> str:
        return " ".join(filter(None, (self.kind.value, self.claim, self.where)))

    @classmethod
    def parse(cls, text: str) -> Obligation:
        """The obligation that ``str`` wrote; raises ValueError for an unknown kind."""
        kind, claim, *where = text.split(" ", 2)
        return cls(ObligationKind(kind), claim, *where)


@frozen
class Counterexample:
    """A state in which a claim fails; for a step, the state before, the step and its effect."""

    before: Mapping[str, int | bool]
    arguments: Mapping[str, int] = field(factory=dict)
    after: Mapping[str, int | bool] = field(factory=dict)
    """The leaves that the step changes, with their new value."""


@frozen
class Discharge:
    """The outcome of an obligation."""

    obligation: Obligation
    outcome: DischargeOutcome
    work: int
    """The work with all facts, in Z3's resource units."""
    core: tuple[Fact, ...] = ()
    """For one that holds: facts that suffice."""
    counterexample: Counterexample | None = None
    """For one that fails: the counterexample."""


class Proof:
    """The obligations of one structure, with the same assumptions as ``prove``."""

    def __init__(
        self,
        structure: ClaimedStructure,
        lemmas: Iterable[str] = (),
        proved: Iterable[tuple[str, str]] = (),
    ) -> None:
        """``lemmas`` is the set that is to be inductive; empty means all lemmas.

        ``proved`` are the pairs (guarantee, fault model) that are to follow from it.
        """
        self.structure = structure
        self.everything = structure.world.everything
        self.problem = InductionProblem(structure, self.everything)
        self.lemmas = tuple(lemmas) or tuple(structure.world.get_lemmas(structure))
        self.proved = tuple(proved)
        self._lemma_facts = {
            Fact(FactKind.LEMMA, name): self.problem.now(self.problem.predicates[name])
            for name in self.lemmas
        }

    def list_obligations(self) -> Iterator[Obligation]:
        """Every obligation: initiation, then consecution rule by rule, then safety."""
        for lemma in self.lemmas:
            yield Obligation(ObligationKind.INITIATION, lemma)
        for instance in self.problem.steps:
            yield from self.list_consecution(instance)
        for guarantee, fault in self.proved:
            yield Obligation(ObligationKind.SAFETY, guarantee, fault)

    def list_consecution(self, instance: str) -> Iterator[Obligation]:
        """The obligations of one rule instance: a lemma for each that reads what it changes."""
        touched = self.problem.steps[instance].touched
        for lemma in self.lemmas:
            if lemma in touched:
                yield Obligation(ObligationKind.CONSECUTION, lemma, instance)

    def pose(self, obligation: Obligation) -> ProofQuestion:
        """The obligation as a question; facts preferred in a core come first.

        Raises KeyError for a lemma, guarantee, instance or fault model that does not exist.
        """
        predicate = self.problem.predicates[obligation.claim]
        if obligation.kind is ObligationKind.INITIATION:
            facts = self._compute_parameter_facts(self.everything)
            return ProofQuestion(facts, self.problem.initially(predicate))
        if obligation.kind is ObligationKind.CONSECUTION:
            step = self.problem.steps[obligation.where]
            facts = _compute_step_facts(step) | self._compute_parameter_facts(self.everything)
            own = Fact(FactKind.LEMMA, obligation.claim)
            facts |= {own: self._lemma_facts[own]} | self._lemma_facts
            return ProofQuestion(facts, step.after(predicate))
        facts = self._compute_parameter_facts(
            self.structure.world.get_fault_model(obligation.where)
        )
        now = Translator(self.problem.arithmetic, self.problem.variables)
        conclusion = now(predicate)
        remainders = _name_remainders(now.side_conditions)
        return ProofQuestion(self._lemma_facts | remainders | facts, conclusion)

    def discharge(self, obligation: Obligation) -> Discharge:
        """Decide an obligation; its core is not minimal."""
        return self._conclude(obligation, ask(self.pose(obligation)))

    def discharge_minimally(self, obligation: Obligation) -> Discharge:
        """Decide an obligation; no fact of its core can be left out.

        Readers want to know which faults must be absent. For safety no absence is assumed that any
        lemma makes needless.
        """
        is_safety = obligation.kind is ObligationKind.SAFETY
        answer = ask_for_minimal_core(self.pose(obligation), is_thorough=is_safety)
        return self._conclude(obligation, answer)

    def _conclude(self, obligation: Obligation, answer: SolverAnswer) -> Discharge:
        shown = None
        if answer.model is not None:
            shown = self._read_counterexample(obligation, answer.model)
        return Discharge(obligation, answer.outcome, answer.work, answer.core, shown)

    def _read_counterexample(self, obligation: Obligation, model: z3.ModelRef) -> Counterexample:
        if obligation.kind is not ObligationKind.CONSECUTION:
            return Counterexample(self.problem.read_state(model))
        step = self.problem.steps[obligation.where]
        found = step.read_counterexample(model, obligation.claim)
        return Counterexample(found.before, found.arguments, found.after)

    def _compute_parameter_facts(self, fault_model: FaultModel) -> dict[Fact, Any]:
        formulas = self.problem.compute_parameter_facts(fault_model)
        return {_name_parameter_fact(path, fault_model): f for path, f in formulas.items()}


def _compute_step_facts(step: InductionStep) -> dict[Fact, Any]:
    """The facts that hold when the instance fires."""
    return (
        {Fact(FactKind.CONDITION, name): formula for name, formula in step.conditions.items()}
        | {Fact(FactKind.RANGE, name): formula for name, formula in step.ranges.items()}
        | _name_remainders(step.remainders)
    )


def _name_remainders(known: list[Any]) -> dict[Fact, Any]:
    return {Fact(FactKind.REMAINDER, str(index)): formula for index, formula in enumerate(known)}


def _name_parameter_fact(path: str, fault_model: FaultModel) -> Fact:
    if not path.startswith(LIMIT_PREFIX):
        return Fact(FactKind.SIZE, path.removeprefix(PARAMETER_PREFIX))
    fault = path.removeprefix(LIMIT_PREFIX)
    is_possible = fault in fault_model.admitted
    return Fact(FactKind.LIMIT if is_possible else FactKind.ABSENCE, fault)


def load_proof(structure: ClaimedStructure) -> Proof:
    """The proof that the certificate of a structure claims: its lemmas and proved verdicts.

    Raises InternalDisagreementError when there is none for these rules.
    """
    document = load(structure)
    if document is None:
        raise InternalDisagreementError(
            f"{structure.name} has no certificate for these rules; run `{PROGRAM} prove --search`"
        )
    cells = decode_cells(structure, document)
    proved = [(c.guarantee, c.fault) for c in cells if c.word is VerdictWord.PROVED]
    return Proof(structure, document["inductive_set"], proved)


@frozen
class ConsecutionRow:
    """The effect of one rule instance on the lemmas."""

    instance: str
    preserved: tuple[str, ...]
    """Lemmas that read something the step changes, and hold afterwards."""
    untouched: tuple[str, ...]
    """Lemmas that read nothing the step changes; nothing has to be proved."""
    broken: tuple[Discharge, ...]
    """The obligations that do not hold or were given up."""

    @property
    def is_ok(self) -> bool:
        """The step breaks no lemma."""
        return not self.broken

    def __str__(self) -> str:
        counts = f"{len(self.preserved):3} preserved, {len(self.untouched):3} untouched"
        word = "ok" if self.is_ok else f"{len(self.broken)} BROKEN"
        return f"{self.instance:32} {counts}  {word}"


def check_rules(proof: Proof) -> Iterator[ConsecutionRow]:
    """A row for each rule instance, with each lemma checked on its own."""
    for instance in proof.problem.steps:
        yield check_rule(proof, instance)


def check_rule(proof: Proof, instance: str) -> ConsecutionRow:
    """The effect of one rule instance on the lemmas; raises KeyError for an unknown one."""
    discharges = [proof.discharge(o) for o in proof.list_consecution(instance)]
    touched = {d.obligation.claim for d in discharges}
    return ConsecutionRow(
        instance,
        preserved=tuple(
            d.obligation.claim for d in discharges if d.outcome is DischargeOutcome.HOLDS
        ),
        untouched=tuple(name for name in proof.lemmas if name not in touched),
        broken=tuple(d for d in discharges if d.outcome is not DischargeOutcome.HOLDS),
    )


def describe_failure(proof: Proof, discharge: Discharge) -> Iterator[str]:
    """The lemma, the step, and what the lemma reads: before the step and, where changed, after."""
    lemma, instance = discharge.obligation.claim, discharge.obligation.where
    shown = discharge.counterexample
    if shown is None:
        yield f"{lemma}: {discharge.outcome.value} at {instance}"
        return
    yield f"{lemma} is lost by {Action(instance, shown.arguments)}"
    leaves = get_leaf_names(proof.problem.predicates[lemma])
    for path in (p for p in shown.before if p in leaves):
        before, after = shown.before[path], shown.after.get(path, shown.before[path])
        yield f"  {path:44} {before}" + (f" -> {after}" if before != after else "")
