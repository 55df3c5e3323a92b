"""What can influence a guarantee: a search for violations need not distinguish anything else.

Four facts, computed from the recorded terms under the sizes and limits of one search:

* leaves that no possible step ever changes are constants;
* leaves on which no guarantee depends, not even through conditions, ranges and effects, are left
  out, and so are steps that change nothing else: a shortest schedule has none of them;
* a step is left out if another one has the same effect on the remaining leaves under fewer
  conditions;
* a number that is only ever compared with constants matters up to the first one above all these.

The remaining leaves determine their own evolution, so the lengths of shortest schedules are those
of the whole model, and a schedule of the reduced model is a schedule of the whole model.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from attrs import field, frozen

from properties.language.fault_model import FaultModel, is_admitted
from properties.language.world import ClaimedStructure
from properties.schedules.possible_steps import (
    LOWEST,
    Access,
    PossibleStep,
    Values,
    find_constants,
    find_possible_steps,
    get_state_leaves,
)
from reference.language.leaves import flatten, is_parameter
from reference.language.machine import record_machine, record_predicate
from reference.language.parameters import BaseParameters
from reference.language.terms import Term, specialise, walk


@frozen
class Influence:
    """The part of the model that a search for violations of some guarantees needs."""

    leaves: tuple[str, ...]
    """The leaves that make a state, in the order of ``flatten``."""
    instances: tuple[str, ...]
    """The instances that have to fire."""
    highest: Mapping[str, int]
    """For some leaves, the value that represents all larger ones."""
    steps: tuple[PossibleStep, ...] = field(eq=False)
    """These instances, with constants in place of leaves that never change."""
    claims: tuple[Term, ...] = field(eq=False)
    """The guarantees, likewise."""


def compute_influence(
    structure: ClaimedStructure,
    fault_model: FaultModel,
    parameters: BaseParameters,
    guarantees: Iterable[str] | None = None,
) -> Influence:
    """The leaves and instances that decide when one of the guarantees is first violated.

    Without ``guarantees`` they are all those of the structure's world.
    """
    known = structure.world.guarantees
    initial, constants, steps = _find_steps(structure, fault_model, parameters)
    claims = [
        specialise(record_predicate(structure, known[name].predicate), constants)
        for name in (known if guarantees is None else guarantees)
    ]
    relevant = set().union(*map(get_state_leaves, claims))
    kept: list[PossibleStep] = []
    before = -1
    while before < len(relevant):
        before = len(relevant)
        kept = leave_out_replaced([s for s in steps if s.find_needed_for(relevant)], relevant)
        relevant = relevant.union(*(s.find_needed_for(relevant) for s in kept))
    return Influence(
        leaves=tuple(path for path in initial if path in relevant),
        instances=tuple(s.name for s in kept),
        highest=find_highest_values(relevant, kept, claims),
        steps=tuple(kept),
        claims=tuple(claims),
    )


@lru_cache(maxsize=16)
def _find_steps(
    structure: ClaimedStructure, fault_model: FaultModel, parameters: BaseParameters
) -> tuple[Values, Values, list[PossibleStep]]:
    """The initial state, the leaves that never change, and the steps that are possible.

    Cached because they are the same for all guarantees, which are asked for one by one.
    """
    initial = flatten(structure.make_initial(parameters))
    admitted = [r for r in record_machine(structure) if is_admitted(r, fault_model)]
    constants = find_constants(admitted, initial)
    return initial, constants, find_possible_steps(admitted, constants)


def leave_out_replaced(steps: list[PossibleStep], relevant: set[str]) -> list[PossibleStep]:
    """The steps without those that another one replaces; of two that are equal the first stays."""
    return [
        step
        for i, step in enumerate(steps)
        if not any(
            step.is_replaced_by(other, relevant)
            and (j < i or not other.is_replaced_by(step, relevant))
            for j, other in enumerate(steps)
            if j != i
        )
    ]


def keep_everything(structure: ClaimedStructure, highest: Mapping[str, int]) -> Influence:
    """Nothing left out: every leaf and every instance, for counting all states.

    ``highest`` gives, for leaves that could count forever, the value at which they stop.
    """
    initial = flatten(structure.template)
    return Influence(
        leaves=tuple(path for path in initial if not is_parameter(path)),
        instances=tuple(r.instance.name for r in record_machine(structure)),
        highest=highest,
        steps=(),
        claims=(),
    )


def find_independent(influence: Influence) -> dict[str, frozenset[str]]:
    """For each step the others that are independent of it, as far as leaves matter."""
    relevant = set(influence.leaves)
    accesses = {
        s.name: Access(
            frozenset(s.find_needed_for(relevant)), frozenset(relevant.intersection(s.effects))
        )
        for s in influence.steps
    }
    return {
        name: frozenset(n for n, a in accesses.items() if n != name and access.is_independent_of(a))
        for name, access in accesses.items()
    }


def find_highest_values(
    relevant: set[str], steps: Iterable[PossibleStep], claims: Iterable[Term]
) -> dict[str, int]:
    """For each number that is only compared with constants, the first one above all of these.

    A step may also keep the number, but must not use it otherwise.
    """
    roots = [*claims]
    for step in steps:
        roots += [*step.conditions, *step.ranges]
        for path, term in step.effects.items():
            roots += find_other_parts(path, term) if path in relevant else ()
    used = {t.payload for t in roots if t.operator == "leaf"}
    compared: dict[str, int] = {}
    for term in walk(roots):
        constants = [a.payload for a in term.arguments if a.operator == "constant"]
        for path in (a.payload for a in term.arguments if a.operator == "leaf"):
            if term.operator in ("equal", "less", "less_equal") and constants:
                compared[path] = max(compared.get(path, LOWEST), constants[0] + 1)
            else:
                used.add(path)
    return {path: highest for path, highest in compared.items() if path in relevant - used}


def find_other_parts(path: str, effect: Term) -> list[Term]:
    """The terms that decide whether an effect keeps its leaf, and the other values it writes."""
    if effect.operator == "leaf" and effect.payload == path:
        return []
    if effect.operator != "choose":
        return [effect]
    condition, *branches = effect.arguments
    return [condition, *(part for b in branches for part in find_other_parts(path, b))]


def find_chosen_parts(effect: Term) -> list[Term]:
    """The terms between which an effect chooses; it alone if it does not choose."""
    if effect.operator not in ("choose", "choose_flag"):
        return [effect]
    return [part for branch in effect.arguments[1:] for part in find_chosen_parts(branch)]
