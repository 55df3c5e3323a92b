"""Time and steps: what is due next, and a state that only steps of compiled rules change."""

from __future__ import annotations

import heapq
import random
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from attrs import define, field, frozen

from reference.language.compiled import CompiledMachine, State, compute_compiled_machine
from reference.language.leaves import flatten
from reference.worlds.replication.parameters import Parameters
from reference.worlds.replication.state import Message
from reference.worlds.replication.structure import Structure
from tests.reference.recordings.simulation.timing import DELAYS_MS

NOBODY = -2
MASTER = -1
"""The master among the numbers of slaves."""


class StepRefusedError(Exception):
    """An activity has asked for a step that no rule allows: the simulation is wrong."""


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
class Kernel:
    """The clock, the state, and the only way to change either."""

    structure: Structure
    parameters: Parameters
    chance: random.Random
    now_ms: float = 0.0
    machine: CompiledMachine = field(init=False)
    state: State = field(init=False)
    taken: Counter[str] = field(factory=Counter)
    """How often each rule was taken."""
    slots: list[Any] = field(factory=list)
    """The puts that the state follows, in its order."""
    _due: list[Due] = field(factory=list)
    _count: int = 0

    def __attrs_post_init__(self) -> None:
        self.machine = compute_compiled_machine(self.structure)
        self.state = self.machine.encode(self.structure.make_initial(self.parameters))

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

    def get(self, path: str) -> int:
        """A leaf of the state."""
        return int(self.state[self.machine.places[path]])

    def find_ranges(self, name: str) -> tuple[tuple[int, int], ...] | None:
        """The ranges of an instance's arguments; None where it is not enabled, or not there."""
        instance = self.machine.instances.get(name)
        return None if instance is None else instance.find_ranges(self.state)

    def can(self, name: str) -> bool:
        """An instance is enabled."""
        return self.find_ranges(name) is not None

    def fire(self, name: str, **arguments: int) -> None:
        """Takes a step. Raises StepRefusedError."""
        if not self.try_to(name, **arguments):
            failed = self.machine.instances[name].list_failed(self.state)
            raise StepRefusedError(f"{name} {arguments} at {self.now_ms:.3f} ms: {failed}")

    def try_to(self, name: str, **arguments: int) -> bool:
        """Takes a step where it is enabled."""
        instance = self.machine.instances.get(name)
        after = instance.take(self.state, arguments) if instance else None
        if after is None:
            return False
        self.state = after
        self.taken[name.partition("[")[0]] += 1
        return True

    def fire_first(self, *names: str, **arguments: int) -> str:
        """Takes the first of these steps that is enabled. Raises StepRefusedError."""
        for name in names:
            if self.try_to(name, **arguments):
                return name
        raise StepRefusedError(f"none of {names} at {self.now_ms:.3f} ms")

    def forget(self, slot: int) -> None:
        """A put is followed no longer: a choice of the specification, not a step of a broker."""
        blank = tuple(flatten(Message()).values())
        first = self.machine.places["messages.0.phase"]
        here, end = first + slot * len(blank), first + self.structure.messages * len(blank)
        self.state = (
            *self.state[:here],
            *self.state[here + len(blank) : end],
            *blank,
            *self.state[end:],
        )
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
