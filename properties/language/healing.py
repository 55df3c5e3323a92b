"""Healing: the steps that continue once faults stop, and the rank that they decrease."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import frozen

from properties.language.property import Predicate
from reference.language.leaves import is_parameter, list_changed
from reference.language.machine import Instance, count_arguments
from reference.language.operator_table import Sort
from reference.language.operators import all_of, any_of, is_same, negate
from reference.language.rule import RuleBody

SEARCH_LIMITS = ("is_within_limit", "has_modelled_life_left")
"""Conditions that only bound a search: they prevent no broker's step."""


@frozen
class Healing:
    """How a structure comes to rest."""

    steps: tuple[str, ...]
    """The rules that continue."""
    rank: tuple[Callable[[Any], int], ...]
    """Numbers, the weightiest first; not negative in quiescence."""
    is_quiescent: Predicate
    """Quiescence: no fault happens, and every broker and consumer runs."""
    is_idling_left_out: bool = False
    """Whether a step without effect does not count."""
    endless: tuple[str, ...] = ()
    """Steps that are known to repeat forever in certain states, for a documented reason."""
    recovery: tuple[str, ...] = ()
    """The rules that lead back to quiescence after faults and stops."""
    last_resorts: tuple[str, ...] = ()
    """Steps that end a wait, or shorten it, although the awaited event may still come."""


def is_possible(instance: Instance, state: Any) -> bool:
    """The step is possible, whatever limit a search has set."""
    _, _, possible = begin_step(instance, state)
    return possible


def is_moving(instance: Instance, state: Any) -> bool:
    """The step is possible, and changes something."""
    possible, after = try_step(instance, state)
    if possible is False:
        return False
    changed = (
        negate(is_same(old, new) if sort is Sort.BOOLEAN else old == new)
        for path, sort, old, new in list_changed(state, after)
        if not is_parameter(path)
    )
    return possible & any_of(*changed)


def try_step(instance: Instance, state: Any) -> tuple[bool, Any]:
    """Whether a step is possible, and the state after it, with the lowest arguments."""
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
