"""A group of brokers of which only the links are seen: what nobody recorded is chosen.

The rules decide what is sent, stored and reported. Puts, flushes, stops and starts are not seen, so
a log is as long as what a link shows next needs.
"""

from __future__ import annotations

from typing import Any

from attrs import define, field

from brokers.recordings.ahead.plan import Plan
from reference.language.compiled import CompiledMachine, State, compute_compiled_machine
from reference.language.machine import Action
from reference.worlds.replication.state import Cluster


@define(eq=False)
class FreeGroup:
    """The state of the group."""

    plan: Plan = field(repr=False)
    machine: CompiledMachine = field(init=False, repr=False)
    state: State = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        self.machine = compute_compiled_machine(self.plan.structure)
        self.state = self.machine.encode(self.plan.structure.make_initial(self.plan.parameters))

    @property
    def cluster(self) -> Cluster:
        """The state as the rules see it."""
        cluster: Cluster = self.machine.decode(self.state)
        return cluster

    @property
    def file_bytes(self) -> int:
        """The size of a file of the log."""
        return int(self.get("parameters.mapped_file_size_bytes"))

    def get(self, path: str) -> Any:
        """The value of a leaf."""
        return self.state[self.machine.places[path]]

    def get_end(self, broker: str) -> int:
        """Where a broker's log ends, in the last life of its master."""
        return int(self.get(self._name_end(broker)))

    def take(self, name: str, **arguments: int) -> bool:
        """Take a step, if there is such a rule and it is possible."""
        if name not in self.machine.instances:
            return False
        after = self.machine.take(self.state, Action(name, arguments))
        if after is None:
            return False
        self.state = after
        return True

    def list_failed(self, name: str) -> tuple[str, ...]:
        """The conditions of a step that do not hold."""
        return tuple(self.machine.instances[name].list_failed(self.state))

    def choose_log(self, broker: str, end: int, *, has_file: bool | None = None) -> None:
        """Give a broker a log of whole messages from offset 0 to an end, flushed and dispatched.

        Without bytes it has no file, unless one is said to be there.
        """
        log = f"{broker}.log"
        self._change(
            {
                self._name_end(broker): end,
                f"{log}.has_file": bool(end) if has_file is None else has_file,
                f"{log}.start_offset": 0,
                f"{log}.last_file_offset": max(end - 1, 0) // self.file_bytes * self.file_bytes,
                f"{log}.flushed_offset": end,
                f"{log}.dispatched_offset": end,
                f"{log}.ghost_durable_offset": end,
            }
        )

    def _name_end(self, broker: str) -> str:
        return f"{broker}.log.ends.{self.plan.structure.lives - 1}"

    def _change(self, leaves: dict[str, int]) -> None:
        state = list(self.state)
        for path, value in leaves.items():
            state[self.machine.places[path]] = value
        self.state = tuple(state)
