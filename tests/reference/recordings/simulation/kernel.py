"""Time and steps: what is due next, and a state that only steps of compiled rules change."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from attrs import define, field, frozen

from reference.broker.ruled_state import RuledState
from tests.reference.recordings.simulation.timing import DELAYS_MS

NOBODY = -2
MASTER = -1
"""The master among the numbers of slaves."""


class Owner(Protocol):
    """A process or a connection, with whose end all that it was about to do is forgotten."""

    is_alive: bool


@frozen(order=True)
class Due:
    """Something that will happen."""

    t_ms: float
    number: int
    act: Callable[[], None] = field(order=False)
    owner: Owner | None = field(order=False, default=None)


@define(eq=False)
class Kernel(RuledState):
    """The clock, the state, and the only way to change either."""

    chance: random.Random = field(kw_only=True)
    now_ms: float = 0.0
    slots: list[Any] = field(factory=list)
    """The puts that the state follows, in its order."""
    _due: list[Due] = field(factory=list)
    _count: int = 0

    def draw_ms(self, name: str) -> float:
        """A duration of this kind."""
        return self.chance.uniform(*DELAYS_MS[name])

    def after(
        self, delay: float | str, act: Callable[[], None], owner: Owner | None = None
    ) -> None:
        """Something happens so much later, or after a duration of this kind, if its owner lives."""
        delay_ms = self.draw_ms(delay) if isinstance(delay, str) else delay
        self._count += 1
        heapq.heappush(self._due, Due(self.now_ms + delay_ms, self._count, act, owner))

    def run(self, is_over: Callable[[], bool]) -> None:
        """Lets happen what is due, until it is over."""
        while self._due and not is_over():
            due = heapq.heappop(self._due)
            self.now_ms = due.t_ms
            if due.owner is None or due.owner.is_alive:
                due.act()

    def forget(self, slot: int) -> None:
        """A put is followed no longer: a choice of the specification, not a step of a broker."""
        self.forget_message(slot)
        del self.slots[slot]


@define(eq=False)
class Process:
    """One life of a broker's process."""

    is_alive: bool = True
    is_stopping: bool = False
    is_serving: bool = True
    """Its HA service has not ended yet."""


def name_instance(rule: str, broker: int) -> str:
    """A rule's instance for a broker; ``WHO`` in its name stands for master or slave."""
    if broker == MASTER:
        return rule.replace("WHO", "master")
    return f"{rule.replace('WHO', 'slave')}[{broker}]"


def name_log(broker: int) -> str:
    """Where the state has a broker's log."""
    return "master.log" if broker == MASTER else f"slaves.{broker}.log"


Fields = Mapping[str, Any]
