"""The search for hidden steps: best first, on how far the goals of an event are from being met.

It is bounded: in the rules by what they read and write, in arguments by what the recording shows,
and in steps by a budget. Where it ends without having spent its budget, no schedule of such steps
meets the goals.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Protocol

from attrs import define, field, frozen

from brokers.recordings.hidden.node import Goal, Node, Requirements
from reference.language.compiled import CompiledMachine, Ranges, State
from reference.language.machine import Action

DEPTHS = (1, 2, 3, 5, 8)
"""Over how many other instances a help may go, one after another."""

WEIGHT = 3.0
"""How many steps a goal that is not met counts for."""

GOAL_STEPS = 1_000
"""How many steps may be tried for one of several goals by itself: a step for the first one may rule
out the second, and then all of them are to be met at once."""


class Guide(Protocol):
    """What a recording says about the hidden steps of a world."""

    machine: CompiledMachine

    def look_at(self, observation: Any) -> None:
        """What follows is asked at the time of this observation."""

    def may(self, node: Node, name: str) -> bool:
        """The instance may fire without an event of its own."""

    def find_visible(self, node: Node) -> frozenset[str]:
        """Instances for which ``may`` says no, whatever the state: none need ask again."""

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

    def list_due(self, node: Node, action: Action) -> Sequence[Action]:
        """The steps that a later observation shows, and that cannot be taken after this one."""


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
class HiddenStepSearch:
    """A search for the goals of one stage."""

    guide: Guide
    asked: Requirements
    budget: Budget
    goals: tuple[Goal, ...] = field(default=())

    def run(self, start: Node, goals: tuple[Goal, ...]) -> Searched:
        """One goal after another, each with those that are met already; else all at once."""
        node, met = start, [goal for goal in goals if goal.check(start)]
        for goal in goals:
            if goal.check(node):
                continue
            usual = self._take_usual(node, goal)
            if all(each.check(usual) for each in (*met, goal)):
                node, met = usual, [each for each in goals if each.check(usual)]
                continue
            if goal.is_lost and goal.is_lost(node):
                return Searched(None, usual, is_exhausted=True, out_of_reach=(goal,))
            part = Budget(GOAL_STEPS, self.budget) if len(goals) > 1 else self.budget
            searched = self._run(node, (*met, goal), part)
            if searched.found is None:
                return self._run_at_once(start, goals, goal, searched)
            node = searched.found
            met = [each for each in goals if each.check(node)]
        if len(met) == len(goals):
            return Searched(node, node, is_exhausted=True)
        return self._run(start, goals, self.budget)

    def _take_usual(self, node: Node, goal: Goal) -> Node:
        """The node after the usual steps to a goal, as far as they are possible."""
        for action in goal.usual(node) if goal.usual is not None else ():
            if goal.check(node) or not self.budget.spend():
                break
            if self.may(node, action.instance):
                node = self.take(node, action) or node
        return node

    def _run_at_once(
        self, start: Node, goals: tuple[Goal, ...], goal: Goal, searched: Searched
    ) -> Searched:
        """All goals together, where one of them could not be met after the others.

        What cannot be met by itself cannot be met together with others.
        """
        by_itself = self._run(start, (goal,), self.budget) if searched.is_exhausted else searched
        if by_itself.found is None and by_itself.is_exhausted:
            return by_itself
        return self._run(start, goals, self.budget)

    def _run(self, start: Node, goals: tuple[Goal, ...], budget: Budget) -> Searched:
        """The shortest help first, then what takes more rules."""
        self.goals = goals
        if not self.list_unmet(start):
            return Searched(start, start, is_exhausted=True)
        lost = self.list_lost(start)
        if lost:
            return Searched(None, start, is_exhausted=True, out_of_reach=lost)
        searched = Searched(None, start, is_exhausted=True)
        for depth in DEPTHS:
            searched = self.run_to_depth(start, depth, budget)
            if searched.found is not None or not searched.is_exhausted:
                break
        return searched

    def list_lost(self, start: Node) -> tuple[Goal, ...]:
        """The unmet goals that are known to be lost."""
        unmet = self.list_unmet(start)
        return tuple(g for g in unmet if not g.is_possible or (g.is_lost and g.is_lost(start)))

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
        out = self.guide.find_visible(node).difference(self.asked.permits)
        relevance = Relevance(self.guide.machine, node, self.may, depth, set(out))
        for name, ranges in relevance.list(unmet):
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
        """The node after one step, and before it what is due; None where it is not possible."""
        for due in self.guide.list_due(node, action):
            node = self.take(node, due) or node
        return self._take_one(node, action)

    def _take_one(self, node: Node, action: Action) -> Node | None:
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
    return node.edit(spent=()) if node.spent else node


@define(eq=False)
class Relevance:
    """Which instances may fire in one state and matter.

    An instance matters if it writes a leaf of a goal, or makes a condition hold of one that
    matters, over at most ``depth`` instances.
    """

    machine: CompiledMachine
    node: Node
    may: Callable[[Node, str], bool]
    depth: int
    looked: set[str]
    """The instances that were looked at, and those that need not be."""
    below: dict[str, int] = field(factory=dict)
    """By leaf that matters: over how many instances it does."""
    waiting: list[str] = field(factory=list)
    found: dict[str, Ranges | None] = field(factory=dict)
    """By instance that matters: the ranges of its arguments; None where it is not enabled."""

    def list(self, unmet: Iterable[Goal]) -> list[tuple[str, Ranges]]:
        """The enabled ones, with the ranges of their arguments, nearest first."""
        dependencies = self.machine.dependencies
        writers, sources = dependencies.writers, dependencies.sources
        for goal in unmet:
            self._add(goal.leaves, 0)
            for name in goal.instances:
                self._look(name, 1)
        place = 0
        while place < len(self.waiting):
            leaf = self.waiting[place]
            place, below = place + 1, self.below[leaf] + 1
            for name in writers.get(leaf, ()):
                if name not in self.looked:
                    self._look(name, below)
                if self.found.get(name) is not None and below <= self.depth:
                    self._add(sources[name, leaf], below)
        return [(name, ranges) for name, ranges in self.found.items() if ranges is not None]

    def _add(self, leaves: frozenset[str], below: int) -> None:
        for leaf in sort_leaves(leaves):
            if leaf not in self.below:
                self.below[leaf] = below
                self.waiting.append(leaf)

    def _look(self, name: str, below: int) -> None:
        """An instance matters; so do the leaves that its failed conditions or its ranges read."""
        if name in self.looked:
            return
        self.looked.add(name)
        if not self.may(self.node, name):
            return
        instance = self.machine.instances[name]
        ranges = self.found[name] = instance.find_ranges(self.node.state)
        if below > self.depth:
            return
        needs = self.machine.dependencies.needs[name]
        for failed in ("",) if ranges is not None else instance.list_failed(self.node.state):
            self._add(needs.get(failed, frozenset()), below)


@cache
def sort_leaves(leaves: frozenset[str]) -> tuple[str, ...]:
    """Leaves in the order in which they are looked at; the same sets come again and again."""
    return tuple(sorted(leaves))
