"""What no sequence of permitted steps can bring: the goals that a search need not look for.

An instance counts as possible when each of its conditions that fails reads a leaf that another
possible one writes; what one step breaks for another is left out. So a goal that is out of reach
here is out of reach.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from attrs import define, field

from reference.language.leaves import flatten
from reference.language.machine import probe
from reference.language.terms import substitute
from reference.recordings.joined.goals import Goal, Node
from reference.recordings.joined.relevance import Reach, compute_reaches, compute_writers

GROWING = (
    *("log.ends.0", "log.ends.1", "log.ends.2"),
    *("log.start_offset", "log.flushed_offset", "log.dispatched_offset"),
    *("push2_slave_max_offset", "queue_min", "queue_max"),
)
"""How the paths end of numbers that become lower by a broker's end or start only."""

LOWERING = ("restart_", "lose_", "kill_", "finish_master", "finish_slave", "wipe_")
"""How the rules begin that end or start a broker."""


@define(slots=False)
class Reachability:
    """What can come of one state."""

    state: Any
    may_write: Callable[[str, str], bool]
    """Whether an instance, by its name, may change a leaf at all."""
    values: dict[str, Any] = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        self.values = flatten(self.state)

    @cached_property
    def possible(self) -> set[str]:
        """The instances that can fire sooner or later."""
        reaches = compute_reaches(self.state.structure)
        waiting = {
            name: probe(reach.recorded.instance, self.state)[0]
            for name, reach in reaches.items()
            if self.may_write(name, "")
        }
        found: set[str] = set()
        written: set[str] = set()
        while True:
            new = [n for n, failed in waiting.items() if _is_open(reaches[n], failed, written)]
            if not new:
                return found
            for name in new:
                del waiting[name]
                found.add(name)
                written |= {p for p in reaches[name].effects if self.may_write(name, p)}

    def is_reachable(self, node: Node, goal: Goal) -> bool:
        """Whether a goal may be met."""
        if goal.check(node):
            return True
        if goal.limit is not None and goal.limit(node) < goal.wanted:
            return False
        if goal.action:
            return goal.action.instance in self.possible
        if goal.path:
            return self.can_become(goal.path, goal.wanted, frozenset())
        return not goal.leaves or any(self.list_writers(leaf) for leaf in goal.leaves)

    def list_writers(self, path: str) -> list[Reach]:
        """The possible instances that may change a leaf."""
        return [
            each
            for each in compute_writers(self.state.structure).get(path, ())
            if each.recorded.instance.name in self.possible
            and self.may_write(each.recorded.instance.name, path)
        ]

    def can_become(self, path: str, wanted: int, above: frozenset[str]) -> bool:
        """Whether a leaf may come to have a value."""
        if self.values[path] == wanted:
            return True
        if path in above or self.is_passed(path, wanted):
            return False
        return any(self.can_make(w, path, wanted, above | {path}) for w in self.list_writers(path))

    def can_make(self, reach: Reach, path: str, wanted: int, above: frozenset[str]) -> bool:
        """Whether an instance may make this of a leaf: by an argument, or a leaf that it copies.

        What is made of numbers in another way may become anything.
        """
        term = reach.recorded.effects[path]
        if path in reach.chosen or substitute(term, self.values) == wanted:
            return True
        is_flag = isinstance(wanted, bool)
        sources = [
            p
            for p in sorted(reach.effects[path])
            if p != path
            and isinstance(self.values[p], bool) == is_flag
            and not p.startswith("parameters.")
            and substitute(term, {**self.values, p: wanted}) == wanted
        ]
        return not sources or any(self.can_become(p, wanted, above) for p in sources)

    def is_passed(self, path: str, wanted: int) -> bool:
        """A number is above the wanted one, and nothing that may happen lowers it."""
        if not path.endswith(GROWING) or self.values[path] < wanted:
            return False
        return not any(
            each.recorded.instance.name.startswith(LOWERING) for each in self.list_writers(path)
        )


def _is_open(reach: Reach, failed: list[str], written: set[str]) -> bool:
    return all(reach.conditions.get(each, frozenset()) & written for each in failed)
