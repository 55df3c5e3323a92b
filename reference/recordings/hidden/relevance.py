"""Which rule instances may bring a state nearer to a goal, by what rules read and write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from reference.language.compiled import CompiledMachine, Ranges, State
from reference.language.dependencies import compute_dependencies, list_leaves
from reference.recordings.hidden.node import Goal


@cache
def compute_writers(structure: Any) -> Mapping[str, tuple[str, ...]]:
    """The instances that write a leaf, by the leaf's path."""
    writers: dict[str, tuple[str, ...]] = {}
    for name, paths in compute_dependencies(structure).writes.items():
        for path in paths:
            writers[path] = (*writers.get(path, ()), name)
    return writers


@cache
def compute_needs(structure: Any) -> Mapping[str, Mapping[str, frozenset[str]]]:
    """By instance and condition: the leaves that the condition reads; those of ranges by ''."""
    recorded = compute_dependencies(structure).recorded
    return {
        name: {
            **{condition: list_leaves([term]) for condition, term in each.conditions.items()},
            "": list_leaves([b for _, _, low, high in each.arguments for b in (low, high)]),
        }
        for name, each in recorded.items()
    }


@cache
def compute_sources(structure: Any) -> Mapping[tuple[str, str], frozenset[str]]:
    """By instance and leaf that it writes: the leaves that the new value is made of."""
    recorded = compute_dependencies(structure).recorded
    return {
        (name, path): list_leaves([term])
        for name, each in recorded.items()
        for path, term in each.effects.items()
    }


def list_relevant(
    machine: CompiledMachine,
    state: State,
    unmet: Iterable[Goal],
    may: Callable[[str], bool],
    depth: int,
) -> list[tuple[str, Ranges]]:
    """The instances that may fire and matter, with the ranges of their arguments, nearest first.

    An instance matters if it writes a leaf of a goal, or makes a condition hold of one that
    matters, over at most ``depth`` instances.
    """
    structure = machine.structure
    writers, needs, sources = (
        compute_writers(structure),
        compute_needs(structure),
        compute_sources(structure),
    )
    agenda: dict[str, int] = {}
    found: dict[str, Ranges | None] = {}
    names = [(name, 0) for goal in unmet for name in goal.instances]
    for goal in unmet:
        agenda |= dict.fromkeys(sorted(goal.leaves), 0)
    waiting = list(agenda)

    def add(leaves: Iterable[str], below: int) -> None:
        for leaf in sorted(leaves):
            if leaf not in agenda:
                agenda[leaf] = below
                waiting.append(leaf)

    def look(name: str, below: int) -> None:
        if name in found or not may(name):
            return
        instance = machine.instances[name]
        found[name] = instance.find_ranges(state)
        if below <= depth:
            if found[name] is None:
                for failed in instance.list_failed(state):
                    add(needs[name].get(failed, ()), below)
            else:
                add(needs[name][""], below)

    for name, below in names:
        look(name, below + 1)
    while waiting:
        leaf = waiting.pop(0)
        below = agenda[leaf] + 1
        for name in writers.get(leaf, ()):
            look(name, below)
            if found.get(name) is not None and below <= depth:
                add(sources[name, leaf], below)
    return [(name, ranges) for name, ranges in found.items() if ranges is not None]
