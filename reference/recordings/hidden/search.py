"""The search for hidden steps: best first, on how far the goals of an event are from being met.

It is bounded: in the rules by what they read and write, in arguments by what the recording shows,
and in steps by a budget. Where it ends without having spent its budget, no schedule of such steps
meets the goals.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Protocol

from attrs import define, evolve, field, frozen

from reference.language.compiled import CompiledMachine, Ranges, State
from reference.language.dependencies import compute_dependencies, list_leaves
from reference.language.machine import Action
from reference.recordings.hidden.node import Asked, Goal, Node

DEPTHS = (1, 2, 3, 5, 8)
"""Over how many other instances a help may go, one after another."""

WEIGHT = 3.0
"""How many steps a goal that is not met counts for."""


class Guide(Protocol):
    """What a recording says about the hidden steps of a world."""

    machine: CompiledMachine

    def may(self, node: Node, name: str) -> bool:
        """The instance may fire without an event of its own."""

    def list_values(
        self,
        node: Node,
        action: Action,
        argument: str,
        bounds: tuple[int, int],
        goals: Sequence[Goal],
    ) -> Iterable[int]:
        """The values of an argument that are worth a try; ``action`` has those before it."""

    def follow(self, node: Node, action: Action, state: State) -> Any:
        """The notes after a step; None for a step that the recording rules out."""


@define
class Budget:
    """How many steps may still be tried."""

    steps_left: int
    whole: Budget | None = None
    """The one that this is a part of."""

    @property
    def is_spent(self) -> bool:
        """None is left."""
        return self.steps_left <= 0 or (self.whole is not None and self.whole.is_spent)

    def spend(self) -> bool:
        """One more is tried; False when none is left."""
        if self.is_spent:
            return False
        self.steps_left -= 1
        if self.whole is not None:
            self.whole.spend()
        return True


@frozen(eq=False)
class Searched:
    """The result of a search."""

    found: Node | None
    """A node that meets all goals; None where there is none."""
    nearest: Node
    """The one that came nearest."""
    is_exhausted: bool
    """Everything within the bounds was tried: the budget was not the reason."""
    out_of_reach: tuple[Goal, ...] = ()
    """The goals that no hidden step can bring any more, as far as somebody has looked."""


@define(eq=False)
class Search:
    """A search for the goals of one stage."""

    guide: Guide
    asked: Asked
    budget: Budget
    goals: tuple[Goal, ...] = field(default=())

    def run(self, start: Node, goals: tuple[Goal, ...]) -> Searched:
        """One goal after another, each with those that are met already; else all at once."""
        node, met = start, [goal for goal in goals if goal.check(start)]
        for goal in goals:
            if goal.check(node):
                continue
            searched = self._run(node, (*met, goal))
            if searched.found is None:
                return self._run(start, goals) if met or node is not start else searched
            node = searched.found
            met = [each for each in goals if each.check(node)]
        if len(met) == len(goals):
            return Searched(node, node, is_exhausted=True)
        return self._run(start, goals)

    def _run(self, start: Node, goals: tuple[Goal, ...]) -> Searched:
        """The shortest help first, then what takes more rules."""
        self.goals = goals
        searched = Searched(None, start, is_exhausted=True)
        if not self.list_unmet(start):
            return Searched(start, start, is_exhausted=True)
        for depth in DEPTHS:
            searched = self.run_to_depth(start, depth, self.budget)
            if searched.found is not None or not searched.is_exhausted:
                break
        return searched

    def list_unmet(self, node: Node) -> list[Goal]:
        """The goals that are not met in a node."""
        return [goal for goal in self.goals if not goal.check(node)]

    def run_to_depth(self, start: Node, depth: int, budget: Budget) -> Searched:
        """The best node first, by help that goes over so many other instances."""
        counter, seen = itertools.count(), {start.key}
        far = self._measure(start)
        waiting, nearest = [(0.0, next(counter), start)], (far, start)
        while waiting:
            _, _, node = heapq.heappop(waiting)
            unmet = self.list_unmet(node)
            if not unmet:
                return Searched(node, node, is_exhausted=True)
            for after in self.expand(node, unmet, depth):
                if not budget.spend():
                    return Searched(None, nearest[1], is_exhausted=False)
                if after.key in seen:
                    continue
                seen.add(after.key)
                far = self._measure(after)
                if far < nearest[0]:
                    nearest = (far, after)
                rank = self.rank(after, start, far)
                heapq.heappush(waiting, (rank, next(counter), after))
        return Searched(None, nearest[1], is_exhausted=True)

    def rank(self, node: Node, start: Node, far: float) -> float:
        """The lowest is looked at first; ``far``: how far all goals are from being met."""
        return WEIGHT * far + node.length - start.length

    def _measure(self, node: Node) -> float:
        return sum(goal.compute_distance(node) for goal in self.goals)

    def may(self, node: Node, name: str) -> bool:
        """The instance may fire: it is hidden, or this event permits it."""
        if name in self.asked.permits and node.spent.count(name) < self.asked.permits[name]:
            return True
        return self.guide.may(node, name)

    def expand(self, node: Node, unmet: Sequence[Goal], depth: int) -> Iterator[Node]:
        """The nodes one step further that may be nearer to the goals."""
        for name, ranges in list_relevant(
            self.guide.machine, node.state, unmet, lambda n: self.may(node, n), depth
        ):
            for action in self._list_actions(node, name, ranges, unmet):
                after = self.take(node, action)
                if after is not None:
                    yield after

    def _list_actions(
        self, node: Node, name: str, ranges: Ranges, unmet: Sequence[Goal]
    ) -> list[Action]:
        arguments = self.guide.machine.instances[name].arguments
        shown = self.asked.arguments.get(name, {})
        actions = [Action(name)]
        for argument, (low, high) in zip(arguments, ranges, strict=True):
            longer: list[Action] = []
            for action in actions:
                if argument in shown:
                    values: Iterable[int] = (shown[argument],)
                elif high - low <= 1:
                    values = range(low, high + 1)
                else:
                    values = self.guide.list_values(node, action, argument, (low, high), unmet)
                fitting = [v for v in dict.fromkeys(values) if low <= v <= high]
                longer += [Action(name, {**action.arguments, argument: v}) for v in fitting]
            actions = longer
        return actions

    def take(self, node: Node, action: Action) -> Node | None:
        """The node after one step; None where it is refused, or ruled out by the recording."""
        state = self.guide.machine.take(node.state, action)
        if state is None:
            return None
        notes = self.guide.follow(node, action, state)
        if notes is None:
            return None
        name, spent = action.instance, node.spent
        if spent.count(name) < self.asked.permits.get(name, 0):
            spent = (*spent, name)
        return node.step(action, state, notes, spent)


def begin_event(node: Node) -> Node:
    """The node in which nothing is spent yet of what the next event permits."""
    return evolve(node, spent=()) if node.spent else node


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
