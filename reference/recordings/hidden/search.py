"""The search for hidden steps: best first, on how far the goals of an event are from being met.

It is bounded: in the rules by what they read and write, in arguments by what the recording shows,
and in steps by a budget. Where it ends without having spent its budget, no schedule of such steps
meets the goals.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

from attrs import define, evolve, field, frozen

from reference.language.compiled import CompiledMachine, Ranges, State
from reference.language.machine import Action
from reference.recordings.hidden.estimate import Estimate
from reference.recordings.hidden.node import Asked, Goal, Node
from reference.recordings.hidden.reach import Reach
from reference.recordings.hidden.relevance import list_relevant

DEPTHS = ((1, 200), (2, 1_500), (3, 1_500), (8, 1_000_000))
"""Over how many other instances a help may go, one after another, and how many steps may be tried
for that at most."""


GOAL_STEPS = 600
"""How many steps may be tried for one of several goals by itself."""

WEIGHT = 2.0
"""How many steps a goal that is not met counts for."""


class Guide(Protocol):
    """What a recording says about the hidden steps of a world."""

    machine: CompiledMachine

    def may(self, node: Node, name: str) -> bool:
        """The instance may fire without an event of its own."""

    def may_change(self, node: Node, name: str, path: str) -> bool:
        """It may fire so, here or later, and change this leaf; without a path: it may fire."""

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

    def weigh(self, action: Action) -> float:
        """How unlikely a step is: 1 for a usual one, and as many more as it counts for."""


@define
class Budget:
    """How many steps may still be tried."""

    steps_left: int
    whole: Budget | None = None
    """The one that this is a part of."""

    @property
    def is_spent(self) -> bool:
        """None may."""
        return self.steps_left <= 0 or (self.whole is not None and self.whole.is_spent)

    def spend(self) -> bool:
        """One more is tried; False when none is left."""
        self.steps_left -= 1
        return self.steps_left >= 0 and (self.whole is None or self.whole.spend())


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
    """The goals that no hidden step can bring any more."""


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
            budget = self.budget if len(goals) == 1 else Budget(GOAL_STEPS, self.budget)
            searched = self._run(node, (*met, goal), budget)
            if searched.found is None:
                return searched if len(goals) == 1 else self._run(start, goals, self.budget)
            node = searched.found
            met = [each for each in goals if each.check(node)]
        if len(met) == len(goals):
            return Searched(node, node, is_exhausted=True)
        return self._run(start, goals, self.budget)

    def _run(self, start: Node, goals: tuple[Goal, ...], budget: Budget) -> Searched:
        """The shortest help first, then what takes more rules."""
        self.goals = goals
        searched = Searched(None, start, is_exhausted=True)
        if not self._list_unmet(start):
            return Searched(start, start, is_exhausted=True)
        if any(goal.is_lost and goal.is_lost(start) for goal in self._list_unmet(start)):
            return searched
        for depth, most in DEPTHS:
            if depth > 1:
                lost = self._list_out_of_reach(start)
                if lost:
                    return Searched(None, start, is_exhausted=True, out_of_reach=lost)
            searched = self._run_to_depth(start, depth, Budget(most, budget))
            if searched.found is not None or budget.is_spent:
                break
        return searched

    def _list_out_of_reach(self, start: Node) -> tuple[Goal, ...]:
        reach = Reach.of(self.guide.machine, start.state, lambda n, p: self.may_change(start, n, p))
        unmet = self._list_unmet(start)
        return tuple(g for g in unmet if g.path and not reach.can_become(g.path, g.wanted))

    def may_change(self, node: Node, name: str, path: str) -> bool:
        """The instance may fire from here on, and change this leaf."""
        return name in self.asked.permits or self.guide.may_change(node, name, path)

    def _list_unmet(self, node: Node) -> list[Goal]:
        return [goal for goal in self.goals if not goal.check(node)]

    def _run_to_depth(self, start: Node, depth: int, budget: Budget) -> Searched:
        counter, seen = itertools.count(), {start.key}
        far = self._measure(start)
        waiting, nearest = [(0.0, next(counter), start)], (far, start)
        while waiting:
            _, _, node = heapq.heappop(waiting)
            unmet = self._list_unmet(node)
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
                rank = self._rank(after, far) + after.cost - start.cost
                heapq.heappush(waiting, (rank, next(counter), after))
        return Searched(None, nearest[1], is_exhausted=True)

    def _rank(self, node: Node, far: float) -> float:
        estimate = Estimate(self.guide.machine, node.state, lambda name: self.may(node, name))
        return WEIGHT * (far + sum(estimate.measure(node, goal) for goal in self.goals))

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
        name = action.instance
        is_spent = node.spent.count(name) < self.asked.permits.get(name, 0)
        return node.step(action, state, notes, self.guide.weigh(action), is_spent)


def begin_event(node: Node) -> Node:
    """The node in which nothing is spent yet of what the next event permits."""
    return evolve(node, spent=()) if node.spent else node
