"""What cannot wait: a flush takes all that is there, so after the next append it takes more.

A look shows up to where a broker has flushed. If its log ends there now and is about to grow, then
it has flushed before (MappedFileQueue#flush). So nobody need go back for that once the look comes.
"""

from __future__ import annotations

from attrs import frozen

from reference.language.compiled import CompiledMachine, State
from reference.language.machine import Action
from reference.recordings.ahead.links import Observations
from reference.recordings.ahead.plan import find_now_or_next
from reference.recordings.log.arguments import APPENDING

GROWING = ("append_message", "append_other_message", "fill_file", *APPENDING)
"""The rules by which a running broker's log grows; an election may move its end as well."""


@frozen
class DueFlush:
    """The flush of one broker."""

    action: Action
    """``flush_master`` or ``flush_slave``."""
    end: int
    """Where a state has the end of the broker's log."""
    flushed: int
    """Where it has its flushed offset."""
    seen: Observations
    """Up to where the broker is seen to have flushed; -1 at the end of each of its processes."""

    def list_steps(self, machine: CompiledMachine, state: State, now_ms: float) -> list[Action]:
        """The flushes, file by file, up to what the next look shows; none where that may wait."""
        wanted = find_now_or_next(self.seen, now_ms)
        if wanted is None or state[self.end] != wanted:
            return []
        steps: list[Action] = []
        after: State | None = state
        while after is not None and after[self.flushed] < wanted:
            after = machine.take(after, self.action)
            steps.append(self.action)
        return steps if after is not None and after[self.flushed] == wanted else []
