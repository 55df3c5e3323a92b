"""Which claims walks have tested: whose premise they met when the claim could still have failed.

A claim whose premise was never met was not tested. Nor was one whose premise only a stored schedule
met, at the beginning of a walk, after which nothing that the claim reads has changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property

import attrs
from attrs import define, field

from properties.language.fault_model import FaultModel
from properties.language.property import Predicate
from properties.language.world import ClaimedStructure
from properties.walks.compiled_predicates import CompiledPredicates
from properties.z3.induction import InductionProblem, SolverGaveUpError, prove_lemmas
from reference.language.compiled import State
from reference.language.machine import record_predicate
from reference.language.operators import negate
from reference.language.parameters import BaseParameters
from reference.language.terms import TermError


class UnmetPremiseError(AssertionError):
    """Raised when walks never tested a claim, and no proof says that none can."""


@define(eq=False, slots=False)
class PremiseTally:
    """How many walks of a structure met each premise, and how many tested each claim."""

    structure: ClaimedStructure
    """The structure that the claims are about; walks may follow more than it."""
    parameters: BaseParameters
    """Their limits say which faults may happen."""
    claims: CompiledPredicates
    premises: Mapping[str, Predicate]
    """The premise of each tested claim that has one, by the claim's name."""
    examples: int = 0
    """The number of walks that have begun."""
    met: Counter[str] = field(factory=Counter)
    """The number of walks in which each milestone was met, by its name."""
    tested: Counter[str] = field(factory=Counter)
    """The number of walks that tested each claim: a step of the walk's own changed something that
    the claim reads, and led to a state with its premise."""
    _vacuous: dict[str, bool] = field(factory=dict, init=False)

    @cached_property
    def milestones(self) -> CompiledPredicates:
        """The milestones of a walk: these premises, those of the world's claims, its witnesses."""
        every = {**compute_milestones(self.structure), **self.premises}
        return CompiledPredicates(self.claims.structure, every)

    @cached_property
    def testable(self) -> Mapping[str, tuple[str, ...]]:
        """By instance: the claims with a premise that a step of it may test."""
        premises = self.milestones.touched
        return {
            instance: tuple(n for n in self.premises if n in names or n in premises[instance])
            for instance, names in self.claims.touched.items()
        }

    def begin_example(self) -> WalkNote:
        """Count a walk, and take notes of it."""
        self.examples += 1
        return WalkNote(self)

    def list_unmet(self) -> tuple[str, ...]:
        """The claims that no walk has tested so far."""
        return tuple(name for name in self.premises if not self.tested[name])

    def list_missing(self) -> tuple[str, ...]:
        """The untested claims whose premise might be met; the others cannot be tested here."""
        return tuple(name for name in self.list_unmet() if not self.is_vacuous(name))

    def is_vacuous(self, name: str) -> bool:
        """The claim is vacuous under these limits: the lemmas exclude its premise."""
        if name not in self._vacuous:
            fault_model = get_admitted(self.parameters)
            premise = self.premises[name]
            self._vacuous[name] = is_unreachable(self.structure, fault_model, premise)
        return self._vacuous[name]

    def check(self) -> None:
        """Raise UnmetPremiseError if a claim that might be tested never was."""
        missing = self.list_missing()
        if met := [name for name in missing if self.met[name]]:
            raise UnmetPremiseError(
                f"{self.structure.name}: in {self.examples} examples the premise of "
                f"{', '.join(met)} is met only where stored schedules lead, and the claim could "
                "not fail afterwards, so nothing was tested"
            )
        if missing:
            raise UnmetPremiseError(
                f"{self.structure.name}: in {self.examples} examples no state meets the premise of "
                f"{', '.join(missing)}, so nothing was tested"
            )

    def __str__(self) -> str:
        width = max(map(len, self.premises), default=0)
        return "\n".join(f"{name:{width}} {self.describe(name)}" for name in self.premises)

    def describe(self, name: str) -> str:
        """The share of the examples that tested a claim, or ``vacuous``."""
        if not self.met[name] and self.is_vacuous(name):
            return "vacuous"
        met, tested = (c[name] / max(1, self.examples) for c in (self.met, self.tested))
        return f"premise met in {met:.0%}, claim tested in {tested:.0%} of {self.examples} examples"


@define(eq=False)
class WalkNote:
    """What one walk has met and tested so far."""

    tally: PremiseTally
    met: set[str] = field(factory=set)
    tested: set[str] = field(factory=set)

    def look(self, state: State, instance: str | None, *, is_stored: bool = False) -> None:
        """Note what a state meets; the step that led to it, if any, may be a stored schedule's."""
        milestones = self.tally.milestones
        asked = milestones.compiled if instance is None else milestones.touched[instance]
        for name in asked:
            if name not in self.met and milestones.compiled[name].holds(state):
                self.met.add(name)
                self.tally.met[name] += 1
        if instance is None or is_stored:
            return
        for name in self.tally.testable[instance]:
            is_ahead = name in self.met and name not in self.tested
            if is_ahead and milestones.compiled[name].holds(state):
                self.tested.add(name)
                self.tally.tested[name] += 1


def compute_milestones(structure: ClaimedStructure) -> dict[str, Predicate]:
    """The milestones of a structure's world, by name: premises and witnesses."""
    claims = structure.world.claims.values()
    premises = {claim.name: claim.premise for claim in claims if claim.premise is not None}
    return premises | {w.name: w.predicate for w in structure.world.witnesses.values()}


def get_admitted(parameters: BaseParameters) -> FaultModel:
    """The faults that may happen under these limits."""
    limits = attrs.asdict(parameters.limits)
    admitted = tuple(name for name, times in limits.items() if times)
    return FaultModel("walk", admitted, counts=type(parameters.limits))


def is_unreachable(
    structure: ClaimedStructure, fault_model: FaultModel, premise: Predicate
) -> bool:
    """The lemmas of a structure exclude a premise, for all sizes.

    Also False if that is undecided: Z3 gives up, or the premise cannot be read as a term.
    """
    try:
        denied = record_predicate(structure, lambda state: negate(premise(state)))
        lemmas = prove_lemmas(structure)
        return InductionProblem(structure, fault_model).follows(denied, lemmas)
    except (SolverGaveUpError, TermError):
        return False
