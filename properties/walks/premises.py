"""The premises that walks have met, and beginnings of walks that meet more of them.

A claim whose premise was never met was not tested. A walk may begin in the initial state or along a
stored schedule. Stored schedules are hints: each is followed as far as it is possible, even if it
was made from other rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import attrs
from attrs import define, field, frozen

from properties.language.fault_model import FaultModel
from properties.language.property import Predicate
from properties.language.world import ClaimedStructure
from properties.schedules.judgement import follow_while_possible
from properties.schedules.related_structures import Schedule
from properties.verdicts.certificates import load_schedules
from properties.z3.induction import InductionProblem, SolverGaveUpError, prove_lemmas
from properties.z3.vacuity import load_witness_schedules
from reference.language.machine import Action, record_predicate
from reference.language.operators import negate
from reference.language.parameters import BaseParameters
from reference.language.terms import TermError


class UnmetPremiseError(AssertionError):
    """Raised when walks never met a claim's premise, and no proof says that nothing can."""


@define(eq=False)
class PremiseTally:
    """The number of walks of a structure in which each premise was met."""

    structure: ClaimedStructure
    parameters: BaseParameters
    premises: Mapping[str, Predicate]
    """The premise of each tested claim, by the claim's name."""
    examples: int = 0
    """The number of walks that have begun."""
    met: Counter[str] = field(factory=Counter)
    """The number of walks in which each milestone was met, by its name."""
    _vacuous: dict[str, bool] = field(factory=dict, init=False)

    @cached_property
    def milestones(self) -> Mapping[str, Predicate]:
        """The milestones of a walk: these premises, those of the world's claims, its witnesses."""
        return {**compute_milestones(self.structure), **self.premises}

    def begin_example(self) -> Callable[[Any], frozenset[str]]:
        """Count a walk; the result takes its states, and returns all milestones met so far."""
        self.examples += 1
        ahead, met = dict(self.milestones), set[str]()

        def note(state: Any) -> frozenset[str]:
            for name in find_reached(ahead, state):
                del ahead[name]
                met.add(name)
                self.met[name] += 1
            return frozenset(met)

        return note

    def list_unmet(self) -> tuple[str, ...]:
        """The claims whose premise no walk has met so far."""
        return tuple(name for name in self.premises if not self.met[name])

    def list_missing(self) -> tuple[str, ...]:
        """The unmet claims whose premise might be met; the others cannot be tested here."""
        return tuple(name for name in self.list_unmet() if not self.is_vacuous(name))

    def is_vacuous(self, name: str) -> bool:
        """The claim is vacuous under these limits: the lemmas exclude its premise."""
        if name not in self._vacuous:
            fault_model = get_admitted(self.parameters)
            premise = self.premises[name]
            self._vacuous[name] = is_unreachable(self.structure, fault_model, premise)
        return self._vacuous[name]

    def check(self) -> None:
        """Raise UnmetPremiseError if a premise that might be met never was."""
        if missing := self.list_missing():
            raise UnmetPremiseError(
                f"{self.structure.name}: in {self.examples} examples no state meets the premise of "
                f"{', '.join(missing)}, so nothing was tested"
            )

    def __str__(self) -> str:
        width = max(map(len, self.premises), default=0)
        return "\n".join(f"{name:{width}} {self.describe(name)}" for name in self.premises)

    def describe(self, name: str) -> str:
        """The share of the examples in which a premise was met, or ``vacuous``."""
        if not self.met[name] and self.is_vacuous(name):
            return "vacuous"
        return f"{self.met[name] / max(1, self.examples):.0%} of {self.examples} examples"


def find_reached(milestones: Mapping[str, Predicate], state: Any) -> list[str]:
    """The milestones that a state meets; a premise of several claims is checked once."""
    answers = {predicate: predicate(state) for predicate in dict.fromkeys(milestones.values())}
    return [name for name, predicate in milestones.items() if answers[predicate]]


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


STARTS_MAX = 3
"""The number of schedules to one milestone that are kept, the shortest ones."""


@frozen
class WalkStarts:
    """Schedules that are possible from the initial state on."""

    ways: tuple[Schedule, ...]
    """Stored schedules, as far as they are possible."""
    leading_to: Mapping[str, tuple[Schedule, ...]]
    """Their beginnings up to a milestone, by its name; one that holds initially has none."""


def load_starts(
    structure: ClaimedStructure, parameters: BaseParameters, milestones: Mapping[str, Predicate]
) -> WalkStarts:
    """The schedules of a structure's certificate and witnesses, followed under these sizes."""
    stored = (*load_schedules(structure), *load_witness_schedules(structure))
    ways: list[Schedule] = []
    found: dict[str, list[Schedule]] = {name: [] for name in milestones}
    for schedule in sorted(stored, key=len):
        steps: list[Action] = []
        ahead = {n: m for n, m in milestones.items() if len(found[n]) < STARTS_MAX}
        for action, state in follow_while_possible(structure, parameters, schedule):
            steps += [] if action is None else [action]
            for name in find_reached(ahead, state):
                del ahead[name]
                if tuple(steps) not in found[name]:
                    found[name].append(tuple(steps))
        ways.append(tuple(steps))
    return WalkStarts(
        tuple({str(way): way for way in ways if way}.values()),
        {name: tuple(starts) for name, starts in found.items() if any(starts)},
    )
