"""A group of brokers of which only the links are seen: what nobody recorded is chosen.

The rules decide what is sent, stored and reported. Puts, flushes, stops and starts are not seen, so
a log is as long as what a link shows next needs.
"""

from __future__ import annotations

from attrs import define

from brokers.explaining.group_state import GroupState
from brokers.recordings.ahead.plan import Plan
from reference.language.compiled import compute_compiled_machine


@define(eq=False)
class FreeGroup(GroupState):
    """The state of the group."""

    @classmethod
    def begin(cls, plan: Plan, *, is_schedule_kept: bool = False) -> FreeGroup:
        """All logs are empty, until a link shows something else."""
        machine = compute_compiled_machine(plan.structure)
        state = machine.encode(plan.structure.make_initial(plan.parameters))
        return cls(plan, machine, state, schedule=[] if is_schedule_kept else None)

    def get_end(self, broker: str) -> int:
        """Where a broker's log ends, in the last life of its master."""
        return int(self.get(self._name_end(broker)))

    def try_to(self, name: str, **arguments: int) -> bool:
        """Take a step, if there is such a rule and it is possible."""
        after = self.try_step(name, arguments)
        if after is not None:
            self.take(name, arguments, after)
        return after is not None

    def list_failed(self, name: str) -> tuple[str, ...]:
        """The conditions of a step that do not hold."""
        return tuple(self.machine.instances[name].list_failed(self.state))

    def choose_log(self, broker: str, end: int, *, has_file: bool | None = None) -> None:
        """Give a broker a log of whole messages from offset 0 to an end, flushed and dispatched.

        Without bytes it has no file, unless one is said to be there.
        """
        log = f"{broker}.log"
        self.change(
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
