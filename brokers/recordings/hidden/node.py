"""States in a search for hidden steps, and what an event asks of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from attrs import define, evolve, field, frozen

from reference.language.compiled import State
from reference.language.machine import Action


@define(eq=False)
class Node:
    """A state, what the recording shows beside it, and the steps that led here."""

    state: State
    notes: Any
    """What the recording has shown so far that the state does not hold; hashable."""
    parent: Node | None = field(default=None, repr=False)
    action: Action | None = None
    """The step from the parent to here; None for a change that is no step of a rule."""
    length: int = 0
    """How many steps led here from the first state."""
    spent: tuple[str, ...] = ()
    """The instances that only this event permits, and that have fired since it."""

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells two nodes of one search apart."""
        return self.state, self.notes, self.spent

    def step(self, action: Action, state: State, notes: Any, spent: tuple[str, ...]) -> Node:
        """The node after one step."""
        return Node(state, notes, self, action, self.length + 1, spent)

    def edit(self, **changes: Any) -> Node:
        """The node with another state or other notes, by no step of a rule."""
        made: Node = evolve(self, parent=self, action=None, **changes)
        return made

    def cut_off(self) -> None:
        """Forgets how it was reached, so that memory is bounded."""
        self.parent = self.action = None

    def list_back(self) -> Iterator[Node]:
        """This node and those before it, the latest first."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.parent

    def list_actions(self) -> tuple[Action, ...]:
        """The steps from the first state to here."""
        return tuple(n.action for n in self.list_back() if n.action is not None)[::-1]


@frozen(eq=False)
class Goal:
    """One thing that an event shows."""

    text: str
    """It in words, for example ``max_offset of master is 755``."""
    check: Callable[[Node], bool]
    leaves: frozenset[str] = frozenset()
    """The paths of the leaves that decide it."""
    path: str = ""
    """The only one of them, where the goal is that it has a certain value."""
    wanted: int = 0
    """That value."""
    place: int = -1
    """Where the leaf stands in a state."""
    instances: tuple[str, ...] = ()
    """The instances that meet the goal by firing."""
    is_lost: Callable[[Node], bool] | None = None
    """Whether no hidden step can meet the goal any more, and no earlier one could have."""
    is_possible: bool = True
    """It may be met in some state of the recording, as far as its numbers tell."""
    again: Callable[[Node], Goal | None] | None = None
    """The same goal in another state, where what it is about stands elsewhere; None: not there."""
    on_the_way: tuple[Goal, ...] = ()
    """What is usually met before this one, in this order: wishes, and nothing is demanded."""
    usual: Callable[[Node], Sequence[Action]] | None = None
    """The steps that usually meet it, of which those that are not possible are left out. They are
    tried before anything is searched for; where they do not meet it, that says nothing."""
    instead: Goal | None = None
    """What an earlier state may be asked for where this one can only come of it: a wish, too."""

    def move_to(self, node: Node) -> Goal | None:
        """The same goal for this state; None where what it is about is not there."""
        return self if self.again is None else self.again(node)

    def compute_distance(self, node: Node) -> float:
        """0 where it is met, else from 1 to 2: how far the leaf's value is from the wanted one."""
        if self.check(node):
            return 0.0
        if self.place < 0:
            return 2.0
        gap = abs(int(node.state[self.place]) - self.wanted)
        return 1.0 + gap / (gap + abs(self.wanted) + 1)


Stage: TypeAlias = Callable[[Node], tuple[Goal, ...]]
"""Goals to be met at once, given the state that has met those before."""


@frozen(eq=False)
class Requirements:
    """What one observation asks for."""

    stages: tuple[Stage, ...] = ()
    """Goals to be met one after another; each stage is asked in the state that met the last."""
    permits: Mapping[str, int] = field(factory=dict)
    """How often instances may fire that are visible, and so fire at their own event only."""
    before: Callable[[Node], Node] | None = None
    """What changes besides before any goal is asked for."""
    after: Callable[[Node], Node] | None = None
    """What changes besides once all goals are met."""
    arguments: Mapping[str, Mapping[str, int]] = field(factory=dict)
    """Arguments that are shown, by instance and name."""
    otherwise: Callable[[], Requirements] | None = None
    """Makes what it asks for where this cannot be met."""
    ignored: str = ""
    """Why it asks for nothing; empty where it asks."""
