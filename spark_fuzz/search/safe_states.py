"""States without prospects: no violation is possible after them, so they are not searched.

For example, a put whose producer does not wait is never acknowledged. This is computed on a coarse
picture of the state: the values of a few leaves on which the guarantees depend directly. A step
leads from one picture to every picture that its effect may give; if the picture does not determine
a value, any is possible. A picture has no prospects if no picture is reachable from it in which
some guarantee may be violated.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping

from attrs import frozen

from properties.schedules.possible_steps import LOWEST, PossibleStep, get_state_leaves, is_constant
from reference.language.operator_table import Sort
from reference.language.terms import Term, specialise
from spark_fuzz.search.influence import Influence, find_chosen_parts

Picture = tuple[int | bool, ...]
"""The values of the pictured leaves."""


@frozen
class ViolationReachability:
    """The pictures that have prospects."""

    domains: Mapping[str, tuple[int | bool, ...]]
    """The pictured leaves, with their values in ascending order."""
    can_reach_violation: tuple[bool, ...]
    """Per picture, the last leaf changing fastest: a guarantee may still be violated."""


EVERYTHING_REACHES = ViolationReachability({}, (True,))
"""One picture for all states, with prospects: none is left out."""


def compute_violation_reachability(
    influence: Influence, sorts: Mapping[str, Sort]
) -> ViolationReachability:
    """The states of a search that are worth expanding."""
    domains = find_domains(influence, sorts)
    pictures = list(itertools.product(*domains.values()))
    reaching = {
        p for p in pictures if may_violate(influence.claims, dict(zip(domains, p, strict=True)))
    }
    successors = {
        p: find_successors(influence.steps, domains, p) for p in pictures if p not in reaching
    }
    before = -1
    while before < len(reaching):
        before = len(reaching)
        reaching |= {p for p, after in successors.items() if not reaching.isdisjoint(after)}
    return ViolationReachability(domains, tuple(p in reaching for p in pictures))


def find_domains(
    influence: Influence, sorts: Mapping[str, Sort]
) -> dict[str, tuple[int | bool, ...]]:
    """The leaves of the guarantees that have few values and are not written from other leaves.

    Leaves written from other leaves would make the picture larger, but hardly sharper.
    """
    mentioned = set().union(*map(get_state_leaves, influence.claims))
    return {
        path: (False, True)
        if sorts[path] is Sort.BOOLEAN
        else tuple(range(LOWEST, influence.highest[path] + 1))
        for path in influence.leaves
        if path in mentioned
        and (sorts[path] is Sort.BOOLEAN or path in influence.highest)
        and not any(is_written_from_others(path, step) for step in influence.steps)
    }


def is_written_from_others(path: str, step: PossibleStep) -> bool:
    """The step writes something into a leaf that depends on other leaves of the state."""
    written = find_chosen_parts(step.effects[path]) if path in step.effects else []
    return any(get_state_leaves(part) - {path} for part in written)


def may_violate(claims: Iterable[Term], values: dict[str, int | bool]) -> bool:
    """Under these values some guarantee is not certain to hold."""
    return any(not is_constant(specialise(claim, values), True) for claim in claims)


def find_successors(
    steps: Iterable[PossibleStep], domains: Mapping[str, tuple[int | bool, ...]], picture: Picture
) -> set[Picture]:
    """The pictures to which a step may lead."""
    values = dict(zip(domains, picture, strict=True))
    found: set[Picture] = set()
    for step in steps:
        if any(is_constant(specialise(c, values), False) for c in step.conditions):
            continue
        options = [
            find_options(specialise(step.effects[path], values), domains[path])
            if path in step.effects
            else (values[path],)
            for path in domains
        ]
        found |= set(itertools.product(*options))
    return found


def find_options(effect: Term, domain: tuple[int | bool, ...]) -> tuple[int | bool, ...]:
    """The values that an effect may give to a leaf; the last of a domain represents larger ones."""
    parts = find_chosen_parts(effect)
    if all(part.operator == "constant" for part in parts):
        return tuple({min(part.payload, domain[-1]) for part in parts})
    return domain
