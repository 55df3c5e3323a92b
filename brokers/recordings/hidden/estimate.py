"""How many steps a state is away from a goal: an estimate by what rules need, read off their terms.

For each leaf that has not its wanted value there is an instance that writes it, which wants its
conditions to hold, which rest on leaves that other instances write. What one step breaks that
another one made is left out, so that the number may be too low, or too high where one step serves
two. A search looks at the lowest first; nothing is left out because of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from attrs import define, field

from brokers.recordings.hidden.node import Goal, Node
from reference.language.compiled import CompiledMachine, Ranges, State, Writer
from reference.language.dependencies import compute_dependencies
from reference.language.leaves import compute_leaf_sorts, is_parameter
from reference.language.machine import ARGUMENT_PREFIX
from reference.language.structure import BaseStructure
from reference.language.terms import walk

FAR = 100.0
"""What counts for a goal that nothing can meet."""

UNKNOWN = 6.0
"""What counts where terms do not tell: too many rules behind one another, or a number that is made
of others in another way than by copying one."""

DEPTH = 7
"""How many instances may stand behind one another."""

Effect = Callable[[State, Mapping[str, int]], Any]
"""The new value of one leaf, by a state and the arguments; one that is left out is the lowest."""


@define(eq=False)
class Estimate:
    """The estimate in one state."""

    machine: CompiledMachine
    state: State
    may: Callable[[str], bool]
    """Whether an instance may fire at all."""
    allowed: dict[str, bool] = field(init=False, factory=dict)
    failed: dict[str, tuple[str, ...]] = field(init=False, factory=dict)
    known: dict[Any, float] = field(init=False, factory=dict)

    def measure(self, node: Node, goal: Goal) -> float:
        """How many steps it takes until a goal is met."""
        if goal.check(node):
            return 0.0
        if goal.path:
            return self.change(goal.path, goal.wanted, DEPTH)
        if goal.instances:
            return min(self.fire(name, DEPTH) for name in goal.instances)
        return self.flip(goal.leaves, DEPTH) if goal.leaves else 1.0

    def fire(self, name: str, depth: int) -> float:
        """Until an instance has fired."""
        if depth <= 0:
            return UNKNOWN
        key = (name, depth)
        if key not in self.known:
            self.known[key] = FAR
            if name not in self.failed:
                self.failed[name] = self.machine.instances[name].list_failed(self.state)
            needs = compute_dependencies(self.machine.structure).needs[name]
            needed = [
                self.flip(needs[each], depth - 1) if each in needs else FAR
                for each in self.failed[name]
            ]
            self.known[key] = min(FAR, 1.0 + sum(needed))
        return self.known[key]

    def flip(self, leaves: frozenset[str], depth: int) -> float:
        """Until one of these leaves has another value."""
        if depth <= 0:
            return UNKNOWN
        key = (leaves, depth)
        if key not in self.known:
            self.known[key] = FAR
            nearest = FAR
            for name in list_near(self.machine.structure, leaves):
                if self.is_allowed(name):
                    nearest = min(nearest, self.fire(name, depth))
                    if nearest <= 1.0:
                        break
            self.known[key] = nearest
        return self.known[key]

    def is_allowed(self, name: str) -> bool:
        """An instance may fire at all, asked once."""
        if name not in self.allowed:
            self.allowed[name] = self.may(name)
        return self.allowed[name]

    def change(self, path: str, wanted: int, depth: int) -> float:
        """Until a leaf has a certain value."""
        if self.state[self.machine.places[path]] == wanted:
            return 0.0
        if depth <= 0:
            return UNKNOWN
        key = (path, wanted, depth)
        if key not in self.known:
            self.known[key] = FAR
            found = [
                self.fire(name, depth) + self.make(name, path, wanted, depth - 1)
                for name in compute_dependencies(self.machine.structure).writers.get(path, ())
                if self.is_allowed(name)
            ]
            self.known[key] = min(found, default=FAR)
        return self.known[key]

    def make(self, name: str, path: str, wanted: int, depth: int) -> float:
        """Until an instance makes this of a leaf: by an argument, or by a leaf that it copies."""
        structure = self.machine.structure
        effect = compile_effect(structure, name, path)
        if path in compute_chosen(structure)[name]:
            return self.choose(name, effect, wanted, depth)
        if effect(self.state, {}) == wanted:
            return 0.0
        found = [
            self.change(source, wanted, depth)
            for source in list_copied(structure, name, path)
            if effect(self._substitute(source, wanted), {}) == wanted
        ]
        return min(found, default=UNKNOWN)

    def _substitute(self, path: str, value: int) -> State:
        place = self.machine.places[path]
        return (*self.state[:place], value, *self.state[place + 1 :])

    def choose(self, name: str, effect: Effect, wanted: int, depth: int) -> float:
        """Until an argument may have the value that makes this of a leaf."""
        instance = self.machine.instances[name]
        ranges: Ranges = instance.find_ranges(self.state) or ()
        if len(ranges) != 1:
            return 0.0
        ((low, high),), (argument,) = ranges, instance.arguments
        for value in (wanted, low + wanted - int(effect(self.state, {}))):
            if low <= value <= high and effect(self.state, {argument: value}) == wanted:
                return 0.0
        return 1.0 + self.flip(compute_dependencies(self.machine.structure).needs[name][""], depth)


@cache
def list_near(structure: BaseStructure, leaves: frozenset[str]) -> tuple[str, ...]:
    """The instances that write one of these leaves."""
    writers = compute_dependencies(structure).writers
    return tuple(sorted({name for leaf in leaves for name in writers.get(leaf, ())}))


@cache
def compile_effect(structure: BaseStructure, name: str, path: str) -> Effect:
    """The new value of a leaf after an instance."""
    recorded = compute_dependencies(structure).recorded[name]
    lows = [(argument, low) for argument, _, low, _ in recorded.arguments]
    writer = Writer.of(structure, [*(low for _, low in lows), recorded.effects[path]])
    for argument, low in lows:
        writer.lines.append(f"a_{argument} = a.get({argument!r}, {writer.write(low)})")
    writer.lines.append(f"return {writer.write(recorded.effects[path])}")
    return writer.compile("s, a")


@cache
def compute_chosen(structure: BaseStructure) -> Mapping[str, frozenset[str]]:
    """By instance: the leaves whose new value depends on an argument."""
    return {
        name: frozenset(
            path
            for path, term in each.effects.items()
            if any(
                part.operator == "leaf" and part.payload.startswith(ARGUMENT_PREFIX)
                for part in walk((term,))
            )
        )
        for name, each in compute_dependencies(structure).recorded.items()
    }


@cache
def list_copied(structure: BaseStructure, name: str, path: str) -> tuple[str, ...]:
    """The leaves that an instance may copy to a leaf: those of its sort that it is made of."""
    sorts = compute_leaf_sorts(structure)
    return tuple(
        source
        for source in sorted(compute_dependencies(structure).sources[name, path])
        if source != path and not is_parameter(source) and sorts[source] is sorts[path]
    )
