"""Goals on the leaves of a flat state, and on the steps that an event permits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

from brokers.recordings.hidden.node import Goal, Node
from reference.language.compiled import (
    CompiledMachine,
    compile_predicate,
)
from reference.language.dependencies import list_leaves
from reference.language.machine import ARGUMENT_PREFIX, Action, record_predicate
from reference.language.operator_table import Sort
from reference.language.structure import BaseStructure
from reference.language.terms import leaf


def holds(
    structure: BaseStructure,
    text: str,
    make: Callable[..., Any],
    *given: int,
    numbers: tuple[int, ...] = (),
) -> Goal:
    """A predicate of the state holds, that ``make`` writes with the operators of rules.

    ``make``, a function of a module, gets the state, what is ``given``, and the ``numbers``. It is
    compiled once for each ``given``, of which there are few: brokers. The numbers are only filled
    in: each event has others.
    """
    compiled, leaves = compile_made(structure, make, given, len(numbers))
    return Goal(text, lambda n: compiled(n.state, *numbers), leaves)


@cache
def compile_made(
    structure: BaseStructure, make: Callable[..., Any], given: tuple[int, ...], count: int
) -> tuple[Callable[..., bool], frozenset[str]]:
    """A predicate of a state and so many numbers, compiled, with the leaves that it reads."""
    names = tuple(f"number{place}" for place in range(count))
    numbers = [leaf(f"{ARGUMENT_PREFIX}{name}", Sort.INTEGER) for name in names]

    def predicate(state: Any) -> Any:
        return make(state, *given, *numbers)

    leaves = list_leaves([record_predicate(structure, predicate)])
    return compile_predicate(structure, predicate, *names), leaves


def fires(text: str, *instances: str) -> Goal:
    """One of these instances has fired since the last event, as this event permits."""
    return Goal(text, lambda n: any(i in n.spent for i in instances), instances=instances)


def list_wanted(
    machine: CompiledMachine, node: Node, action: Action, lowest: int, goals: Sequence[Goal]
) -> Iterator[int]:
    """Values of a step's argument that goals want: their own, and those that make a leaf so.

    The latter if each one more of the argument, above its ``lowest`` value, makes the leaf one
    more; the step's other arguments are as low as they may be.
    """
    yield from (goal.wanted for goal in goals if goal.path)
    writes = machine.instances[action.instance].recorded.effects
    written = [goal for goal in goals if goal.path in writes]
    after = machine.take(node.state, Action(action.instance)) if written else None
    if after is not None:
        yield from (lowest + goal.wanted - int(after[goal.place]) for goal in written)
