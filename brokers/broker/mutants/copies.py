"""Slaves that copy their master's tables otherwise."""

from __future__ import annotations

from attrs import define, evolve

from brokers.broker.mutants.mutant import mutant
from brokers.broker.network.copying import Copying
from reference.decisions.metadata.stored_broker import persist
from reference.decisions.metadata.table_text import OFFSETS
from reference.decisions.progress.offset_table import OffsetTable

COPY, STEPS = "SlaveSynchronize#syncAll", "metadata.md#a-copy-step-by-step"


class LeavesOut(Copying):
    """It leaves a step out."""

    left_out: str

    def copy(self, step: str, text: str | None) -> None:
        """The others."""
        if step != self.left_out:
            super().copy(step, text)


@mutant(STEPS, "SlaveSynchronize#syncConsumerOffset")
class ProgressIsNotCopied(LeavesOut):
    """A slave does not copy the progress of consumers."""

    left_out = "progress"


@mutant(STEPS, "SlaveSynchronize#syncTopicConfig")
class TopicsAreNotCopied(LeavesOut):
    """A slave does not copy topics."""

    left_out = "topics"


@mutant(STEPS, "SlaveSynchronize#syncSubscriptionGroupConfig")
class GroupsAreNotCopied(LeavesOut):
    """A slave does not copy consumer groups."""

    left_out = "groups"


@mutant(STEPS, "SlaveSynchronize#syncDelayOffset")
class DelayIsNotCopied(LeavesOut):
    """A slave does not copy the progress of delayed delivery."""

    left_out = "delay"


@mutant("metadata.md#intervals", "BrokerController#initialize")
@define(eq=False, repr=False)
class CopiesOnceOnly(Copying):
    """A slave copies all tables once, and never again."""

    is_done: bool = False

    def _go_on(self, steps: list[str]) -> None:
        """The steps of the first copy."""
        if not self.is_done:
            super()._go_on(steps)
        self.is_done = self.is_done or len(steps) == 1


class OtherProgress(Copying):
    """It changes the progress that a copy leaves."""

    def choose(self, before: OffsetTable, after: OffsetTable, text: str | None) -> OffsetTable:
        """What to keep."""
        raise NotImplementedError

    def copy(self, step: str, text: str | None) -> None:
        """The copy, and the change of it."""
        before = self.tables.tables.offsets
        super().copy(step, text)
        if step == "progress":
            broker = self.tables.broker
            kept = self.choose(before, broker.tables.offsets, text)
            changed = evolve(broker, tables=evolve(broker.tables, offsets=kept))
            self.tables.change(persist(changed, OFFSETS))


@mutant("metadata.md#a-copy-step-by-step", COPY)
class UnreachableMasterEmpties(OtherProgress):
    """A copy that gets no answer leaves the slave without the progress of consumers."""

    def choose(self, before: OffsetTable, after: OffsetTable, text: str | None) -> OffsetTable:
        """Nothing came, so there is nothing."""
        return {} if text is None else after


@mutant("progress.md#what-moves-back-and-what-is-skipped", "SlaveSynchronize#syncConsumerOffset")
class LargerProgressStays(OtherProgress):
    """Of the slave's and the master's progress in a queue the larger one is kept."""

    def choose(self, before: OffsetTable, after: OffsetTable, text: str | None) -> OffsetTable:
        """Progress never goes back."""
        return {
            key: {
                queue: max(before.get(key, {}).get(queue, 0), offset)
                for queue, offset in offsets.items()
            }
            for key, offsets in after.items()
        }


@mutant("progress.md#what-moves-back-and-what-is-skipped", "SlaveSynchronize#syncConsumerOffset")
class OwnProgressIsDropped(OtherProgress):
    """A copy replaces all progress of the slave, also of groups that its master does not know."""

    def choose(self, before: OffsetTable, after: OffsetTable, text: str | None) -> OffsetTable:
        """Only what the master has told."""
        if text is None:
            return after
        return {key: offsets for key, offsets in after.items() if f'"{key}"' in text}
