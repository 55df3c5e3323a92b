"""A search that looks ahead: by how many steps rules need, and by what they cannot bring at all.

It is for recordings in which much is hidden. Each look costs a few milliseconds, so a recording
that shows most steps and arguments is explained sooner without.
"""

from __future__ import annotations

from typing import Protocol

from attrs import define, field

from brokers.recordings.hidden.estimate import Estimate
from brokers.recordings.hidden.node import Asked, Goal, Node
from brokers.recordings.hidden.reach import Reach
from brokers.recordings.hidden.search import Budget, Guide, Search, Searched
from reference.language.machine import Action

DEPTHS = ((1, 200), (2, 1_500), (3, 1_500), (8, 1_000_000))
"""Over how many other instances a help may go, one after another, and how many steps may be tried
for that at most."""

GOAL_STEPS = 200
"""How many steps may be tried for one of several goals by itself."""

WEIGHT = 2.0
"""How many steps a goal that is not met counts for, and each step that it seems away."""


class AheadGuide(Guide, Protocol):
    """A guide that knows what is unlikely, and what changes by no hidden step."""

    def may_change(self, node: Node, name: str, path: str) -> bool:
        """It may fire so, here or later, and change this leaf; without a path: it may fire."""

    def weigh(self, action: Action) -> float:
        """How unlikely a step is: 1 for a usual one, and as many more as it counts for."""


@define(eq=False)
class AheadSearch(Search):
    """A search for the goals of one stage."""

    guide: AheadGuide
    asked: Asked
    budget: Budget
    goals: tuple[Goal, ...] = field(default=())

    def run(self, start: Node, goals: tuple[Goal, ...]) -> Searched:
        """One goal after another if that is easy; else all at once."""
        node = start
        met = [goal for goal in goals if goal.check(start)]
        for goal in goals if len(goals) > 1 else ():
            if goal.check(node):
                continue
            searched = self._meet(node, (*met, goal), Budget(GOAL_STEPS, self.budget))
            if searched.found is None:
                return self._meet(start, goals, self.budget)
            node = searched.found
            met = [each for each in goals if each.check(node)]
        if len(met) == len(goals):
            return Searched(node, node, is_exhausted=True)
        return self._meet(start, goals, self.budget)

    def _meet(self, start: Node, goals: tuple[Goal, ...], budget: Budget) -> Searched:
        """The shortest help first, then what takes more rules, unless a goal is out of reach."""
        self.goals = goals
        searched = Searched(None, start, is_exhausted=True)
        for depth, most in DEPTHS:
            lost = self._list_out_of_reach(start) if depth > 1 else self.list_lost(start)
            if lost:
                return Searched(None, start, is_exhausted=True, out_of_reach=lost)
            searched = self.run_to_depth(start, depth, Budget(most, budget))
            if searched.found is not None or budget.is_spent:
                break
        return searched

    def _list_out_of_reach(self, start: Node) -> tuple[Goal, ...]:
        reach = Reach.of(self.guide.machine, start.state, lambda n, p: self.may_change(start, n, p))
        unmet = self.list_unmet(start)
        return tuple(g for g in unmet if g.path and not reach.can_become(g.path, g.wanted))

    def may_change(self, node: Node, name: str, path: str) -> bool:
        """The instance may fire from here on, and change this leaf."""
        return name in self.asked.permits or self.guide.may_change(node, name, path)

    def rank(self, node: Node, start: Node, far: float) -> float:
        """By the steps that the goals are away, and by how unlikely those are that were taken."""
        estimate = Estimate(self.guide.machine, node.state, lambda name: self.may(node, name))
        ahead = sum(estimate.measure(node, goal) for goal in self.goals)
        taken, each = 0.0, node
        while each is not start and each.parent is not None:
            taken += self.guide.weigh(each.action) if each.action is not None else 0.0
            each = each.parent
        return WEIGHT * (far + ahead) + taken
