"""What goes on in a world that is left in peace, and the rank that these steps make smaller."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import frozen

from properties.property import Predicate
from reference.language.leaves import compute_leaf_sorts, flatten, is_parameter
from reference.language.machine import Instance, count_arguments
from reference.language.operators import all_of, any_of, is_same, negate
from reference.language.rule import RuleBody
from reference.language.terms import Sort

SEARCH_LIMITS = ("is_within_limit", "has_modelled_life_left")
"""Conditions that only bound a search: they keep no broker from a step."""


@frozen
class Healing:
    """How a structure comes to rest."""

    steps: tuple[str, ...]
    """The rules that go on."""
    rank: tuple[Callable[[Any], int], ...]
    """Numbers, the weightiest first; not negative in peace."""
    is_quiescent: Predicate
    """Nothing strikes, and everybody is there."""
    is_idling_left_out: bool = False
    """A step that changes nothing is none."""
    endless: tuple[str, ...] = ()
    """Steps that are known to go on for ever in certain states, for a reason that is told."""
    recovery: tuple[str, ...] = ()
    """The rules by which everybody comes back after faults and stops, before there is peace."""
    last_resorts: tuple[str, ...] = ()
    """Steps that end a wait, or come nearer to its end, while what is waited for may yet come."""


def is_possible(instance: Instance, state: Any) -> bool:
    """Somebody may take this step, whatever limit a search has set."""
    _, _, possible = begin_step(instance, state)
    return possible


def is_moving(instance: Instance, state: Any) -> bool:
    """The step is possible, and changes something."""
    possible, after = try_step(instance, state)
    sorts = compute_leaf_sorts(state.structure)
    changed = (
        negate(is_same(old, new) if sorts[path] is Sort.BOOLEAN else old == new)
        for (path, old), new in zip(flatten(state).items(), flatten(after).values(), strict=True)
        if new is not old and not is_parameter(path)
    )
    return possible & any_of(*changed)


def try_step(instance: Instance, state: Any) -> tuple[bool, Any]:
    """Whether a step is possible, and the state after it, its arguments being the lowest."""
    steps, answer, possible = begin_step(instance, state)
    try:
        steps.send(answer)
    except StopIteration as finished:
        return possible, finished.value
    raise AssertionError("a rule asks for one more argument than it is recorded with")


def begin_step(instance: Instance, state: Any) -> tuple[RuleBody, Any, bool]:
    """A step that waits for its last answer; that answer; whether the step is possible."""
    steps = instance.start(state)
    named = next(steps).named
    possible = all_of(*(holds for name, holds in named.items() if name not in SEARCH_LIMITS))
    answer = None
    for _ in range(count_arguments(instance, state.structure)):
        argument = steps.send(answer)
        possible = possible & (argument.low <= argument.high)
        answer = argument.low
    return steps, answer, possible
