"""A walk over flat states: the steps taken, and what is possible next."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from attrs import define, field

from properties.language.world import ClaimedStructure
from reference.language.compiled import (
    CompiledMachine,
    Ranges,
    State,
    compute_compiled_machine,
)
from reference.language.machine import Action
from reference.language.parameters import BaseParameters


class RuleError(Exception):
    """Raised for a step that was offered and then refused: the rule is wrong, not a claim."""


@cache
def encode_initial(structure: ClaimedStructure, parameters: BaseParameters) -> State:
    """The initial state in these sizes, as a flat one."""
    machine = compute_compiled_machine(structure)
    return machine.encode(structure.make_initial(parameters))


@define(eq=False)
class FlatWalk:
    """The states of one walk, one after another."""

    machine: CompiledMachine
    begun: State
    """The state in which it began."""
    state: State
    """The state that it has led to."""
    enabled: dict[str, Ranges | None]
    """Each instance by name, with the ranges of its arguments in that state; None: not enabled."""
    schedule: list[Action] = field(factory=list)
    """The steps so far."""

    @classmethod
    def begin(cls, structure: ClaimedStructure, parameters: BaseParameters) -> FlatWalk:
        """A walk that has not left its initial state."""
        machine = compute_compiled_machine(structure)
        return cls.begin_at(machine, encode_initial(structure, parameters))

    @classmethod
    def begin_at(cls, machine: CompiledMachine, state: State) -> FlatWalk:
        """A walk that begins in a state."""
        return cls(machine, state, state, machine.list_enabled(state))

    @property
    def cluster(self) -> Any:
        """The state as the rules see it."""
        return self.machine.decode(self.state)

    def is_possible(self, action: Action) -> bool:
        """The step is possible now, with these arguments."""
        return (
            action.instance in self.machine.instances
            and self.machine.take(self.state, action) is not None
        )

    def get_ranges(self, name: str) -> dict[str, tuple[int, int]]:
        """The lowest and highest value of each argument of an enabled instance."""
        arguments = self.machine.instances[name].arguments
        return dict(zip(arguments, self.enabled[name] or (), strict=True))

    def take_evenly(self, name: str, chance: random.Random) -> None:
        """Take an enabled instance with equally likely arguments. Raises RuleError as ``take``."""
        ranges = self.get_ranges(name).items()
        self.take(Action(name, {n: chance.randint(low, high) for n, (low, high) in ranges}))

    def take(self, action: Action) -> None:
        """Let one step take place. Raises RuleError if the rule refuses it."""
        after = self.machine.take(self.state, action)
        if after is None:
            raise RuleError(self._explain_refusal(action))
        self.state = after
        self.machine.update_enabled(self.enabled, action.instance, after)
        self.schedule.append(action)

    def _explain_refusal(self, action: Action) -> str:
        failed = self.machine.instances[action.instance].list_failed(self.state)
        why = (
            f"its conditions fail: {', '.join(failed)}"
            if failed
            else (
                "an argument is outside the range that the rule gave: "
                f"{self.enabled[action.instance]}"
            )
        )
        return f"{action} was offered, then refused; {why}"
