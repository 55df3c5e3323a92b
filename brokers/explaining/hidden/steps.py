"""Hidden steps: what brokers do without anybody noting it, and what is known of each kind.

Each is taken as soon as it is possible, unless something that is still to be seen forbids it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from attrs import field, frozen

from brokers.explaining.group_state import Arguments
from brokers.explaining.scene import Scene
from reference.language.compiled import CompiledInstance, Ranges, State


@frozen
class HiddenStep:
    """An instance of a rule that nobody notes."""

    name: str
    rule: str
    index: int
    """Of its slave or message; 0 for the master's own."""
    broker: str
    """The path of the broker whose log it is about."""
    instance: CompiledInstance = field(repr=False)
    written: tuple[tuple[str, int], ...] = field(repr=False)
    """The leaves that it may change, with their places."""


Wanted: TypeAlias = Callable[[Scene, HiddenStep], bool]
"""Whether a possible step may be taken now, whatever its arguments."""

Choose: TypeAlias = Callable[[Scene, HiddenStep, Ranges], Iterable[Arguments]]
"""The arguments that it may be taken with, the best first."""

Allowed: TypeAlias = Callable[[Scene, HiddenStep, State], bool]
"""Whether nothing that is still to be seen forbids the state that it leads to."""

Note: TypeAlias = Callable[[Scene, HiddenStep, Arguments, State], None]
"""What it does to the queues, before the state changes."""


@frozen
class Knowledge:
    """What is known about the steps of a few rules, by rule; about others the same as about all."""

    wanted: Mapping[str, Wanted] = field(factory=dict)
    choose: Mapping[str, Choose] = field(factory=dict)
    allowed: Mapping[str, Allowed] = field(factory=dict)
    note: Mapping[str, Note] = field(factory=dict)

    def __or__(self, other: Knowledge) -> Knowledge:
        return Knowledge(
            {**self.wanted, **other.wanted},
            {**self.choose, **other.choose},
            {**self.allowed, **other.allowed},
            {**self.note, **other.note},
        )


def is_below_caps(scene: Scene, step: HiddenStep, after: State) -> bool:
    """No leaf goes beyond what will be seen of it."""
    return all(
        after[place] == scene.state[place] or after[place] <= scene.pins.compute_cap(leaf)
        for leaf, place in step.written
    )


def choose_bounds(scene: Scene, step: HiddenStep, ranges: Ranges) -> Iterable[Arguments]:
    """The highest and the lowest of the first argument."""
    low, high = ranges[0]
    name = step.instance.arguments[0]
    return [{name: high}, {name: low}]


def note_granted(scene: Scene, step: HiddenStep, arguments: Arguments, after: State) -> None:
    """What an event has allowed has happened."""
    scene.granted = {name: t for name, t in scene.granted.items() if name != step.name}
