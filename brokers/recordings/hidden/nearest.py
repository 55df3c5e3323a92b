"""The rules that would help most directly where a search has stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, TypeAlias

from brokers.recordings.hidden.node import Node
from brokers.recordings.hidden.timeline import Stuck
from reference.language.compiled import CompiledMachine, PythonWriter, State
from reference.language.dependencies import compute_dependencies
from reference.language.structure import BaseStructure

Missing: TypeAlias = tuple[str, tuple[str, ...]]
"""A rule instance, and its conditions that fail."""

Effect: TypeAlias = Callable[[State, Mapping[str, int]], Any]
"""The new value of one leaf, by a state and the arguments; one that is left out is the lowest."""


def list_nearest(
    machine: CompiledMachine, stuck: Stuck, may: Callable[[str], bool]
) -> list[Missing]:
    """The instances that write what is not met, those first that would help most directly.

    Where all of them have had their turn, it is told what stood in their way before that.
    """
    tried = list(list_tried(stuck))
    fired = {node.action.instance for node in tried[:-1] if node.action is not None}
    names = [name for name in list_writers(machine, stuck) if name not in fired]
    unmet = frozenset().union(*(goal.leaves for goal in stuck.unmet))
    nearest: list[Ranked] = []
    for node in tried:
        # What the last step has changed stood otherwise before it.
        turned = unmet | list_changed(machine, node) if not nearest else frozenset()
        told = [rank(machine, turned, may, name, node) for name in names]
        told = sorted(rank_by_values(machine, stuck, node, told), key=get_rank)
        nearest = nearest or told
        if told and told[0][0] < OVER:
            return [each for _, each in told]
    return [each for _, each in nearest]


def list_changed(machine: CompiledMachine, node: Node) -> frozenset[str]:
    """The leaves that the step to a node has changed."""
    if node.action is None or node.parent is None:
        return frozenset()
    before, after = node.parent.state, node.state
    return frozenset(path for path, i in machine.places.items() if before[i] != after[i])


Rank: TypeAlias = tuple[bool, bool, int, int, int]

Ranked: TypeAlias = tuple[Rank, Missing]

OVER: Rank = (False, True, 0, 0, 0)
"""The ranks below belong to instances that may happen, and have not had their turn."""


def list_writers(machine: CompiledMachine, stuck: Stuck) -> list[str]:
    """The instances that write what is not met."""
    writers = compute_dependencies(machine.structure).writers
    wanted = [name for goal in stuck.unmet for name in goal.instances]
    leaves = sorted(frozenset().union(*(goal.leaves for goal in stuck.unmet)))
    return [*dict.fromkeys([*wanted, *(n for leaf in leaves for n in writers.get(leaf, ()))])]


def list_tried(stuck: Stuck) -> Iterator[Node]:
    """The nearest node, and those on the way to it from where the search began."""
    for node in stuck.nearest.list_back():
        yield node
        if node is stuck.begin or stuck.begin is None:
            return


def rank(
    machine: CompiledMachine,
    turned: frozenset[str],
    may: Callable[[str], bool],
    name: str,
    node: Node,
) -> Ranked:
    """An instance in a state, and how directly it would help there.

    Those that fail go first, and of them those that the recording lets happen and that have not had
    their turn, then those whose conditions other instances can still make hold. ``turned``: who
    fails by one of these leaves has had its turn.
    """
    dependencies = compute_dependencies(machine.structure)
    failed = tuple(machine.instances[name].list_failed(node.state))
    needed = [dependencies.needs[name].get(condition, frozenset()) for condition in failed]
    is_out = not failed or not may(name) or any(turned & needs for needs in needed)
    stubborn = sum(
        not any(may(other) for leaf in needs for other in dependencies.writers.get(leaf, ()))
        for needs in needed
    )
    return (not failed, is_out, stubborn, len(failed), 0), (name, failed)


def rank_by_values(
    machine: CompiledMachine, stuck: Stuck, node: Node, ranked: list[Ranked]
) -> Iterator[Ranked]:
    """The same; of two that are alike, the one that makes more of the wanted values goes first."""
    for (*known, _), (name, failed) in ranked:
        effects = machine.instances[name].recorded.effects
        missed = sum(
            compile_effect(machine.structure, name, goal.path)(node.state, {}) != goal.wanted
            for goal in stuck.unmet
            if goal.path in effects
        )
        yield (*known, missed), (name, failed)


def get_rank(ranked: Ranked) -> Rank:
    """What instances are ordered by."""
    return ranked[0]


@cache
def compile_effect(structure: BaseStructure, name: str, path: str) -> Effect:
    """The new value of a leaf after an instance."""
    recorded = compute_dependencies(structure).recorded[name]
    lows = [(argument, low) for argument, _, low, _ in recorded.arguments]
    writer = PythonWriter.of(structure, [*(low for _, low in lows), recorded.effects[path]])
    for argument, low in lows:
        writer.lines.append(f"a_{argument} = a.get({argument!r}, {writer.write(low)})")
    writer.lines.append(f"return {writer.write(recorded.effects[path])}")
    return writer.compile("s, a")
