"""Which rule instances may bring a state nearer to a goal, by what they read and write.

An instance writes leaves; its conditions and the ranges of its arguments read others. What stands
in its way is made to hold by instances that write those, and so on to a certain depth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from attrs import frozen

from reference.language.dependencies import list_leaves
from reference.language.machine import (
    ARGUMENT_PREFIX,
    RecordedInstance,
    probe,
    record_machine,
)
from reference.language.rule import Argument
from reference.language.terms import Term, walk


@frozen(eq=False)
class Reach:
    """What an instance reads and writes."""

    recorded: RecordedInstance
    conditions: Mapping[str, frozenset[str]]
    """The leaves that each condition reads."""
    ranges: frozenset[str]
    """The leaves that the ranges of its arguments read."""
    chosen: frozenset[str]
    """The leaves of which the new value depends on an argument."""
    effects: Mapping[str, frozenset[str]]
    """By the leaf that it writes: the leaves that its new value is made of."""


@frozen(eq=False)
class Chosen:
    """An instance that may fire, with the ranges of its arguments."""

    reach: Reach
    ranges: tuple[Argument, ...]


def depends_on_argument(term: Term) -> bool:
    """The value of a term depends on what is chosen."""
    names = (t.payload for t in walk((term,)) if t.operator == "leaf")
    return any(name.startswith(ARGUMENT_PREFIX) for name in names)


@cache
def compute_reaches(structure: Any) -> dict[str, Reach]:
    """What each instance of a structure reads and writes, by its name."""
    return {each.instance.name: _compute_reach(each) for each in record_machine(structure)}


def _compute_reach(recorded: RecordedInstance) -> Reach:
    bounds = [bound for _, _, low, high in recorded.arguments for bound in (low, high)]
    return Reach(
        recorded,
        {name: list_leaves([term]) for name, term in recorded.conditions.items()},
        list_leaves(bounds),
        frozenset(p for p, term in recorded.effects.items() if depends_on_argument(term)),
        {path: list_leaves([term]) for path, term in recorded.effects.items()},
    )


@cache
def compute_writers(structure: Any) -> dict[str, tuple[Reach, ...]]:
    """The instances that write a leaf, by the leaf."""
    writers: dict[str, tuple[Reach, ...]] = {}
    for reach in compute_reaches(structure).values():
        for path in reach.effects:
            writers[path] = (*writers.get(path, ()), reach)
    return writers


def list_relevant(
    state: Any,
    leaves: Iterable[str],
    wanted: Iterable[str],
    may: Callable[[str], bool],
    depth: int,
) -> list[Chosen]:
    """The instances that may fire and matter, the nearest first.

    ``leaves``: where goals are not met; ``wanted``: instances that must fire; ``may``: whether an
    instance may fire here at all; ``depth``: over how many others a help may go.
    """
    reaches, writers = compute_reaches(state.structure), compute_writers(state.structure)
    agenda: dict[str, int] = dict.fromkeys(leaves, 0)
    waiting = list(agenda)
    met: dict[str, Chosen | None] = {}
    for name in wanted:
        met[name] = _look(state, reaches[name], agenda, waiting, 1)
    while waiting:
        leaf = waiting.pop(0)
        for reach in writers.get(leaf, ()):
            name = reach.recorded.instance.name
            if not may(name):
                continue
            below = agenda[leaf] + 1
            if name not in met:
                met[name] = _look(state, reach, agenda, waiting, below if below <= depth else -1)
            if met[name] is not None and below <= depth:
                _add(reach.effects[leaf] | reach.ranges, below, agenda, waiting)
    return [each for each in met.values() if each is not None]


def _look(
    state: Any, reach: Reach, agenda: dict[str, int], waiting: list[str], below: int
) -> Chosen | None:
    """An instance if it may fire; else what its failed conditions read is put on the agenda."""
    failed, ranges = probe(reach.recorded.instance, state)
    if below >= 0:
        for name in failed:
            _add(reach.conditions.get(name, frozenset()), below, agenda, waiting)
        if not failed:
            _add(reach.ranges, below, agenda, waiting)
    return None if failed else Chosen(reach, ranges)


def _add(leaves: frozenset[str], depth: int, agenda: dict[str, int], waiting: list[str]) -> None:
    for leaf in sorted(leaves):
        if leaf not in agenda:
            agenda[leaf] = depth
            waiting.append(leaf)


def find_nearest_rule(
    state: Any, leaves: Iterable[str], wanted: Iterable[str]
) -> tuple[str, tuple[str, ...]]:
    """The instance that would help most directly, and its conditions that fail; empty: none."""
    reaches, writers = compute_reaches(state.structure), compute_writers(state.structure)
    near = [*(reaches[n] for n in wanted), *(r for leaf in leaves for r in writers.get(leaf, ()))]
    told = [(r.recorded.instance.name, tuple(probe(r.recorded.instance, state)[0])) for r in near]
    return min(told, key=lambda each: (not each[1], len(each[1])), default=("", ()))
