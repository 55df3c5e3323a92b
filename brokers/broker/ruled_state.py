"""The state of a group as one broker sees it, which only steps of the rules change.

What the other end does, and what the disk holds, is *learnt*: a leaf is set to what arrived. What
this broker does is *taken*: a rule has to allow it, and its effect is the new state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from attrs import define, field, fields

from reference.language.compiled import CompiledMachine, State, compute_compiled_machine
from reference.language.leaves import flatten
from reference.worlds.replication.parameters import FaultCounts, Parameters
from reference.worlds.replication.state import Message
from reference.worlds.replication.structure import Structure

NOT_LIMITED = 1_000_000_000
NO_LIMITS = FaultCounts(*[NOT_LIMITED] * len(fields(FaultCounts)))


class StepRefusedError(Exception):
    """No rule allows what is about to happen: a defect, or a peer that breaks the protocol."""


@define(eq=False, repr=False)
class RuledState:
    """The state, and the ways to change it."""

    structure: Structure
    parameters: Parameters
    machine: CompiledMachine = field(init=False)
    state: State = field(init=False)
    taken: Counter[str] = field(factory=Counter)
    """How often each rule was taken."""

    def __attrs_post_init__(self) -> None:
        self.machine = compute_compiled_machine(self.structure)
        self.state = self.machine.encode(self.structure.make_initial(self.parameters))

    def get(self, path: str) -> int:
        """A leaf of the state."""
        return int(self.state[self.machine.places[path]])

    def learn(self, **leaves: int) -> None:
        """Leaves that others have set; in names ``__`` stands for the dot of a path."""
        self.learn_all({name.replace("__", "."): value for name, value in leaves.items()})

    def learn_all(self, leaves: Mapping[str, int]) -> None:
        """Leaves by their paths."""
        state = list(self.state)
        for path, value in leaves.items():
            state[self.machine.places[path]] = value
        self.state = tuple(state)

    def list_ends(self, path: str, offset: int) -> dict[str, int]:
        """The leaves of a log that ends here: no broker tells its log epochs apart."""
        return {f"{path}.ends.{life}": offset for life in range(self.structure.lives)}

    def find_ranges(self, name: str) -> tuple[tuple[int, int], ...] | None:
        """The ranges of an instance's arguments; None where it is not enabled, or not there."""
        instance = self.machine.instances.get(name)
        return None if instance is None else instance.find_ranges(self.state)

    def can(self, name: str) -> bool:
        """An instance is enabled."""
        return self.find_ranges(name) is not None

    def fire(self, name: str, **arguments: int) -> None:
        """Take a step. Raises StepRefusedError."""
        if not self.try_to(name, **arguments):
            failed = self.machine.instances[name].list_failed(self.state)
            raise StepRefusedError(f"{name} {arguments}: {', '.join(failed) or 'out of range'}")

    def try_to(self, name: str, **arguments: int) -> bool:
        """Take a step where it is enabled."""
        instance = self.machine.instances.get(name)
        after = instance.take(self.state, arguments) if instance else None
        if after is None:
            return False
        self.state = after
        self.taken[name.partition("[")[0]] += 1
        return True

    def fire_first(self, *names: str, **arguments: int) -> str:
        """Take the first of these steps that is enabled. Raises StepRefusedError."""
        for name in names:
            if self.try_to(name, **arguments):
                return name
        raise StepRefusedError(f"none of {', '.join(names)} with {arguments}")

    def forget_message(self, slot: int) -> None:
        """A put is followed no longer, and later ones move up; no broker does anything then."""
        blank = tuple(flatten(Message()).values())
        first = self.machine.places["messages.0.phase"]
        here, end = first + slot * len(blank), first + self.structure.messages * len(blank)
        self.state = (
            *self.state[:here],
            *self.state[here + len(blank) : end],
            *blank,
            *self.state[end:],
        )
