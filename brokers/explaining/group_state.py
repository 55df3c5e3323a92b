"""The state of a group while a recording is explained, and what has led to it.

Most changes are steps of rules. Others are shown by the recording and are no step of any rule: a
put that is answered is followed no more, a store is cut by hand, brokers exchange their parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from attrs import define, field

from brokers.recordings.ahead.plan import Plan
from reference.language.compiled import CompiledMachine, State
from reference.language.machine import OBSERVED, Action
from reference.worlds.replication.state import Cluster

Arguments: TypeAlias = Mapping[str, int]


@define(eq=False)
class GroupState:
    """The state of a group of brokers."""

    plan: Plan = field(repr=False)
    machine: CompiledMachine = field(repr=False)
    state: State = field(repr=False)
    schedule: list[Action] | None = field(default=None, kw_only=True, repr=False)
    """All that has led to the state, if somebody wants it; copies have it in common."""
    watch: Callable[[tuple[Action, State, State]], None] | None = field(
        default=None, kw_only=True, repr=False
    )
    """Told of each step of a rule, with the states before and behind it."""

    @property
    def cluster(self) -> Cluster:
        """The state as the rules see it."""
        cluster: Cluster = self.machine.decode(self.state)
        return cluster

    @property
    def file_bytes(self) -> int:
        """The size of a file of the log."""
        return int(self.get("parameters.mapped_file_size_bytes"))

    def get(self, leaf: str) -> Any:
        """The value of a leaf."""
        return self.state[self.machine.places[leaf]]

    def get_of(self, state: State, leaf: str) -> Any:
        """The value of a leaf in another state."""
        return state[self.machine.places[leaf]]

    def try_step(self, name: str, arguments: Arguments) -> State | None:
        """The state after a step; None where it is not possible."""
        if name not in self.machine.instances:
            return None
        return self.machine.take(self.state, Action(name, dict(arguments)))

    def take(self, name: str, arguments: Arguments, after: State) -> None:
        """Take a step that leads to this state."""
        if self.watch is not None or self.schedule is not None:
            action = Action(name, dict(arguments))
            if self.watch is not None:
                self.watch((action, self.state, after))
            if self.schedule is not None:
                self.schedule.append(action)
        self.state = after

    def show(self, after: State) -> None:
        """The state is another one by no rule: the recording shows it."""
        if self.schedule is not None and after != self.state:
            pairs = zip(self.machine.places, self.state, after, strict=True)
            changed = {leaf: new for leaf, old, new in pairs if old != new}
            self.schedule.append(Action(OBSERVED, changed))
        self.state = after

    def replace(self, leaves: Mapping[str, int]) -> State:
        """The state with other values of leaves."""
        state = list(self.state)
        for leaf, value in leaves.items():
            state[self.machine.places[leaf]] = value
        return tuple(state)

    def change(self, leaves: Mapping[str, int]) -> None:
        """Give leaves other values, by no rule."""
        self.show(self.replace(leaves))
