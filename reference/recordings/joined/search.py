"""The search for hidden steps: best first, on how many goals of an event are not met yet.

It is bounded: in the rules by what they read and write (`relevance`), in arguments by numbers that
the recording shows, and in steps by a budget. Within these bounds it is complete: where it ends
without having spent its budget, no schedule of such steps explains the event.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Iterator, Sequence

from attrs import define, evolve, field, frozen

from reference.language.machine import Action, compute_machine
from reference.recordings.joined.arguments import list_actions
from reference.recordings.joined.estimate import FAR, Estimate
from reference.recordings.joined.goals import COMMIT, Asked, Goal, Node, Put
from reference.recordings.joined.reachability import Reachability
from reference.recordings.joined.relevance import list_relevant
from reference.recordings.joined.visibility import (
    PROGRESS_KEEPERS,
    TABLES,
    Visibility,
    takes_commit,
)
from reference.worlds.system.state import System

DEPTHS = ((1, 1_000), (2, 2_000), (3, 5_000), (8, 1_000_000))
"""Over how many other rules a help may go, one after another, and how many steps that may cost."""

WEIGHT = 2.0
"""How many steps a goal that is not met counts for."""


@define
class Budget:
    """How many steps of the reference may still be judged."""

    steps_left: int
    whole: Budget | None = None
    """The one that this is a part of."""

    @property
    def is_spent(self) -> bool:
        """None may."""
        return self.steps_left <= 0 or (self.whole is not None and self.whole.is_spent)

    def spend(self) -> None:
        """One more is judged."""
        self.steps_left -= 1
        if self.whole is not None:
            self.whole.spend()


@frozen
class Searched:
    """What a search has come to."""

    found: Node | None
    """A state that meets all goals, with the steps to it; None where there is none."""
    nearest: Node
    """The one that met most."""
    blocked: tuple[Goal, ...] = ()
    """The goals that nothing can bring any more."""
    is_exhausted: bool = field(kw_only=True)
    """Everything within the bounds was looked at: the budget was not the reason."""


@frozen(eq=False)
class Search:
    """A search for one event."""

    asked: Asked
    visibility: Visibility
    """What may happen without an event of its own."""
    is_sound: Callable[[Node], bool]
    """Whether a state agrees with what the recording says throughout."""
    budget: Budget = field(repr=False)

    def run(self, start: Node) -> Searched:
        """The shortest help first, then what takes more rules."""
        searched = Searched(None, start, is_exhausted=True)
        reach = Reachability(start.state, self.may_write_from(start))
        blocked = tuple(g for g in self.asked.goals if not reach.is_reachable(start, g))
        if blocked:
            return evolve(searched, blocked=blocked)
        for depth, most in DEPTHS:
            searched = self._run_to_depth(start, depth, self.budget.steps_left - most)
            if searched.found or self.budget.is_spent:
                break
        return searched

    def _run_to_depth(self, start: Node, depth: int, least: int) -> Searched:
        counter = itertools.count()
        waiting = [(0.0, next(counter), start)] if self._rank(start) < math.inf else []
        seen = {(start.state, start.spent)}
        nearest = (self._measure(start), start)
        while waiting:
            _, _, node = heapq.heappop(waiting)
            unmet = [goal for goal in self.asked.goals if not goal.check(node)]
            nearest = min(nearest, (self._measure(node), node), key=lambda each: each[0])
            if not unmet:
                return Searched(node, node, is_exhausted=True)
            if self.budget.is_spent or self.budget.steps_left <= least:
                return Searched(None, nearest[1], is_exhausted=False)
            for after in self.expand(node, unmet, depth):
                key = (after.state, after.spent)
                if key in seen:
                    continue
                seen.add(key)
                rank = self._rank(after)
                if rank < math.inf:
                    heapq.heappush(waiting, (rank, next(counter), after))
        return Searched(None, nearest[1], is_exhausted=True)

    def _measure(self, node: Node) -> float:
        return sum(goal.compute_distance(node) for goal in self.asked.goals)

    def _rank(self, node: Node) -> float:
        faults = sum(self.visibility.is_last_resort(a.rule_name) for a in node.taken)
        estimate = Estimate(node.state, lambda name: self.may(node, name))
        distances = [estimate.measure(node, goal) for goal in self.asked.goals]
        if max(distances, default=0) >= FAR:
            return math.inf
        ahead = sum(distances)
        return WEIGHT * (ahead + 4 * faults + self._measure(node)) + len(node.taken)

    def expand(self, node: Node, unmet: Sequence[Goal], depth: int) -> Iterator[Node]:
        """The states one step further that may be nearer to the goals."""
        leaves = sorted(frozenset().union(*(goal.leaves for goal in unmet)))
        wanted = [goal.action for goal in unmet if goal.action]
        names = [action.instance for action in wanted if self.may(node, action.instance)]
        for chosen in list_relevant(
            node.state, leaves, names, lambda name: self.may(node, name), depth
        ):
            for action in list_actions(node, chosen, unmet):
                self.budget.spend()
                after = self.take(node, action)
                if after is not None:
                    yield after

    def may(self, node: Node, name: str) -> bool:
        """The instance may fire here: it is hidden, or the event permits it, or it is owed."""
        permitted = self.asked.permits.get(name, 0)
        return (
            self.visibility.is_hidden(name)
            or node.spent.count(name) < permitted
            or (bool(node.owed) and self.visibility.is_of_put(name))
        )

    def may_write_from(self, node: Node) -> Callable[[str, str], bool]:
        """Whether an instance may change a leaf, or, for no leaf, fire at all."""
        is_commit_free = self.asked.commit is not None or not self.visibility.are_commits_seen

        def may_write(name: str, path: str) -> bool:
            is_table = path in TABLES
            return self.may(node, name) and (
                not is_table or is_commit_free or name.startswith(PROGRESS_KEEPERS)
            )

        return may_write

    def take(self, node: Node, action: Action) -> Node | None:
        """The node after one step; None where it is refused, or not sound."""
        outcome = compute_machine(node.state.structure).step(node.state, action)
        if outcome.is_refused:
            return None
        after = self.follow(node, action, outcome.cluster)
        return after if after is not None and self.is_sound(after) else None

    def follow(self, node: Node, action: Action, state: System) -> Node | None:
        """The account of a step that was taken; None where it was not permitted after all."""
        name, spent, owed, puts = action.instance, node.spent, node.owed, node.puts
        is_permitted = spent.count(name) < self.asked.permits.get(name, 0)
        if is_permitted:
            spent = (*spent, name)
        if self.visibility.are_commits_seen and takes_commit(action, node.state, state):
            commit = self.asked.commit
            if commit is None or COMMIT in spent or not commit.check(Node(state)):
                return None
            spent = (*spent, COMMIT)
        if action.rule_name in ("append_message", "append_other_message"):
            is_of_queue = self.asked.put
            if not is_permitted and owed:
                is_of_queue, owed = owed[0], owed[1:]
            end = state.cluster.master.log.max_offset
            puts = (*puts, Put(end, None if self.visibility.is_hidden(name) else is_of_queue))
        taken = (*node.taken, action)
        return evolve(node, state=state, puts=puts, taken=taken, owed=owed, spent=spent)
