"""Brokers whose store shows, keeps or takes something else."""

from __future__ import annotations

from attrs import evolve

from brokers.broker.mutants.mutant import BEFORE_5, MASTER, SLAVE, mutant
from brokers.broker.replication.master_ha import PUSH2
from brokers.broker.storage.live_store import LiveStore
from reference.roles import Role
from reference.store.java import Thrown
from reference.store.put import MessageBatch, MessageToPut, PutEnvironment, PutMessageResult

REPUT = "DefaultMessageStore.ReputMessageService#doReput"
EARLY = "implementers.md#13-consumers-see-messages-that-are-neither-flushed-nor-copied"
LOOK_MS = 100.0


class LateDispatch(LiveStore):
    """It dispatches less than it could, and looks again and again."""

    def start(self) -> None:
        """What was held back is looked at regularly."""
        super().start()
        self.every("late dispatch", LOOK_MS, self.dispatch)


@mutant(EARLY, REPUT)
class DispatchesFlushedOnly(LateDispatch):
    """Consumers see a message only when it is flushed."""

    def _find_dispatch_limit(self) -> int:
        """Up to what is on the disk."""
        return min(super()._find_dispatch_limit(), self.flushed_offset)


@mutant(EARLY, REPUT, role=MASTER)
class DispatchesCopiedOnly(LateDispatch):
    """Consumers of a master see a message only when a slave has reported it."""

    def _find_dispatch_limit(self) -> int:
        """Up to the highest report."""
        limit = super()._find_dispatch_limit()
        return limit if self.settings.is_slave else min(limit, self.serving.get(PUSH2))


@mutant(
    "implementers.md#4-the-highest-report-is-one-number-and-never-goes-down",
    "HAService#isSlaveOK, HAService (push2SlaveMaxOffset)",
    role=MASTER,
    spans=BEFORE_5,
)
class HighestReportBeginsAtTheEnd(LiveStore):
    """A master that starts takes its own end for reported."""

    def start(self) -> None:
        """Before anybody has reported."""
        super().start()
        self.serving.learn_all({PUSH2: self.max_offset})


@mutant("put.md#refuse_put", "DefaultMessageStore#putMessage", role=SLAVE)
class SlaveTakesPuts(LiveStore):
    """A slave stores the messages of producers."""

    def put(
        self, message: MessageToPut | MessageBatch, around: PutEnvironment
    ) -> tuple[int, PutMessageResult | Thrown]:
        """As a master."""
        config = self.store.config
        self.store = evolve(self.store, config=evolve(config, broker_role=Role.ASYNC_MASTER))
        answered = super().put(message, around)
        self.store = evolve(self.store, config=config)
        return answered


@mutant(
    "implementers.md#15-retention-ignores-slaves",
    "DefaultMessageStore.CleanCommitLogService#run, MappedFileQueue#deleteExpiredFileByTime",
    role=MASTER,
)
class RetentionAsksSlaves(LiveStore):
    """A master keeps a file that no slave has reported."""

    def clean(self) -> None:
        """Only what is copied."""
        size = self.settings.number("mapedFileSizeCommitLog")
        if self.settings.is_slave or self.serving.get(PUSH2) >= self.min_offset + size:
            super().clean()
