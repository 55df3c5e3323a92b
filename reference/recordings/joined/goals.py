"""What an event asks of a state: the goals of a search.

A goal can be asked of any state. It knows the leaves on which its answer rests, so that a search
may leave out the rules that do not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, reduce
from typing import Any

from attrs import field, frozen

from reference.language.machine import Action, record_predicate
from reference.language.terms import walk
from reference.worlds.system.state import System

Get = Callable[[Any], Any]


@frozen
class Put:
    """A message in the master's log, as far as the recording tells of it."""

    end_offset: int
    """One past its last byte in the log."""
    is_of_queue: bool | None
    """It is one of the queue that is looked at; None where nobody saw which queue it is of."""


@frozen
class Node:
    """A state in a search, with what led to it since the last event."""

    state: System
    puts: tuple[Put, ...] = ()
    """All messages of the master's log, in their order."""
    taken: tuple[Action, ...] = ()
    """The steps since the last event."""
    owed: tuple[bool | None, ...] = ()
    """Messages that the broker puts by itself sooner or later: `Put.is_of_queue` of each."""
    are_puts_seen: bool = True
    """No message is put but those."""
    spent: tuple[str, ...] = ()
    """Which of the things that only an event permits have been done, by name."""


@frozen(eq=False)
class Goal:
    """One thing that an event shows."""

    text: str
    """It in words, for example ``max_offset of master is 755``."""
    check: Callable[[Node], bool]
    """Whether it holds."""
    leaves: frozenset[str] = frozenset()
    """On which leaves of the state that rests."""
    path: str = ""
    """The only leaf, where the goal is that it has a certain value."""
    wanted: int = 0
    """That value."""
    action: Action | None = None
    """The step that must be among those taken; an argument that it leaves out is free."""
    limit: Callable[[Node], int] | None = None
    """The highest that the leaf can become, by what was put."""

    def compute_distance(self, node: Node) -> float:
        """0 where it holds, else from 1 to 2: how far the leaf's value is from the wanted one."""
        if self.check(node):
            return 0.0
        if not self.path:
            return 2.0
        gap = abs(int(get_leaf(self.path)(node.state)) - self.wanted)
        return 1.0 + gap / (gap + abs(self.wanted) + 1)


@frozen
class Asked:
    """All that one event asks for, and what it permits."""

    goals: tuple[Goal, ...] = ()
    permits: Mapping[str, int] = field(factory=dict)
    """How often steps may be taken that are visible, and so are taken at their event only: by the
    name of an instance, or `COMMIT`."""
    commit: Goal | None = None
    """What a commit that it permits must bring."""
    put: bool | None = None
    """`Put.is_of_queue` of what is put at this event."""
    owes: tuple[bool | None, ...] = ()
    """What the broker will put by itself because of it."""
    ignored: str = ""
    """Why it asks for nothing; empty where it does ask."""


COMMIT = "commit"
"""Stands among permitted steps for one that changes progress on behalf of a consumer."""


@cache
def get_leaf(path: str) -> Get:
    """What reads one leaf of a state, by its path."""
    names = path.split(".")

    def get(state: Any) -> Any:
        return reduce(_go_down, names, state)

    return get


def _go_down(value: Any, name: str) -> Any:
    return value[int(name)] if name.isdigit() else getattr(value, name)


def has_value(text: str, path: str, wanted: int) -> Goal:
    """A leaf has this value; ``text`` says what it is."""
    get = get_leaf(path)
    told = f"{text} is {wanted}"
    return Goal(told, lambda n: get(n.state) == wanted, frozenset((path,)), path, int(wanted))


def holds(text: str, structure: Any, predicate: Callable[[Any], bool]) -> Goal:
    """A predicate of the state holds, that is written with the operators of rules."""
    term = record_predicate(structure, predicate)
    leaves = frozenset(t.payload for t in walk((term,)) if t.operator == "leaf")
    return Goal(text, lambda node: bool(predicate(node.state)), leaves)


def is_taken(text: str, action: Action) -> Goal:
    """A step is taken since the last event, with at least these arguments."""
    wanted = action.arguments.items()

    def check(node: Node) -> bool:
        return any(
            each.instance == action.instance and wanted <= each.arguments.items()
            for each in node.taken
        )

    return Goal(text, check, action=action)


def agrees(text: str, check: Callable[[Node], bool]) -> Goal:
    """Something that no further step changes: it holds or not."""
    return Goal(text, check)
