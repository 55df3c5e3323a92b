"""What the observers of the joined system share: what is looked at, goals, and edits of notes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from attrs import evolve, frozen

from brokers.recordings.hidden.goals import has_value, holds
from brokers.recordings.hidden.node import Asked, Goal, Node
from brokers.recordings.joined.choice import Choice, name_queue
from brokers.recordings.joined.roles import Roles
from brokers.recordings.joined.sizes import Sizes
from brokers.recordings.reading import Event
from reference.worlds.reading.state import MASTER, SLAVE
from reference.worlds.system.structure import SystemStructure

BROKERS = ("cluster.master", "cluster.slaves.0")
"""Where the state has each broker's log, by its place among the queues."""


LINK = "cluster.links.0"


OTHER_QUEUE = Asked(ignored="about another queue")


OTHER_GROUP = Asked(ignored="about another group's progress, or another queue's")


@frozen(eq=False)
class Asking:
    """What is looked at, for whoever says what an event asks."""

    structure: SystemStructure
    choice: Choice
    roles: Roles
    sizes: Sizes
    are_puts_seen: bool = True
    """The recording tells of every message that is put."""

    def find_broker(self, event: Event) -> int:
        """Which broker an event is about."""
        return MASTER if self.roles.is_master(event) else SLAVE

    def is_of_queue(self, event: Event) -> bool:
        """It is about the queue that is looked at."""
        return name_queue(event) == self.choice.queue

    def has_value(self, text: str, path: str, wanted: int) -> Goal:
        """A leaf has this value; ``text`` names it."""
        return has_value(self.structure, text, path, wanted)

    def holds(
        self, text: str, make: Callable[..., Any], *given: int, numbers: tuple[int, ...] = ()
    ) -> Goal:
        """A predicate of the state holds, that ``make`` writes for some numbers."""
        return holds(self.structure, text, make, *given, numbers=numbers)

    def is_of_group(self, event: Event) -> bool:
        """It is about the progress that is looked at."""
        return self.is_of_queue(event) and event["group"] == self.choice.group


def ask_for(goals: Iterable[Goal], **others: Any) -> Asked:
    """These goals at once."""
    found = tuple(goals)
    return Asked((lambda _: found,), **others)


def note(**changes: Any) -> Callable[[Node], Node]:
    """An edit of the notes alone."""
    return lambda node: node.edit(notes=evolve(node.notes, **changes))


def owe(message: bool | None) -> Callable[[Node], Node]:
    """From now on the broker owes a message."""
    return lambda node: node.edit(notes=evolve(node.notes, owed=(*node.notes.owed, message)))


def name_leaf(broker: int, name: str) -> str:
    """The path of what readers see of a broker."""
    return f"reading.brokers.{broker}.{name}"


def name_end(asking: Asking, broker: int) -> str:
    """The path of the end of a broker's log."""
    return f"{BROKERS[broker]}.log.ends.{asking.structure.log.lives - 1}"
