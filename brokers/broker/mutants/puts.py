"""Masters that store or answer puts otherwise.

None looks at the disk once more after a put's second flush: from outside that is the same as a
flush for nobody right before, which the rules allow (GroupCommitService#doCommit without requests).
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, evolve, field

from brokers.broker.mutants.mutant import BEFORE_5, WAITING, mutant
from brokers.broker.replication.followed_puts import PendingPut
from brokers.broker.replication.puts import Puts
from reference.releases.releases import CLASSIC, QUORUM, Span
from reference.store.put import MessageBatch, MessageToPut, PutMessageResult, PutMessageStatus
from reference.worlds.replication.state import FLUSH_DISK_TIMEOUT

HANDLE_HA = "CommitLog#handleHA, HAService#isSlaveOK"
LIMIT = "parameters.ha_slave_fallbehind_max_bytes"
WAIT = "implementers.md#12-waitfalse-skips-every-wait"


@mutant("implementers.md#9-too-far-behind-begins-at-equality", HANDLE_HA, spans=BEFORE_5)
class WaitsAtTheLimit(Puts):
    """A put waits for a slave that is behind by exactly haSlaveFallbehindMax."""

    def __attrs_post_init__(self) -> None:
        """The rules are told of one byte more."""
        super().__attrs_post_init__()
        self.rules.learn_all({LIMIT: self.rules.get(LIMIT) + 1})


@mutant("put.md#refuse_slave_wait", HANDLE_HA, spans=BEFORE_5)
class NoSlaveIsTooFarBehind(Puts):
    """A put waits for a connected slave, however far it is behind."""

    def __attrs_post_init__(self) -> None:
        """The rules are told of no limit."""
        super().__attrs_post_init__()
        self.rules.learn_all({LIMIT: 2**62})


@mutant("put.md#skip_slave_wait", "CommitLog#handleHA", spans=BEFORE_5)
class AsyncMasterWaits(Puts):
    """An ASYNC_MASTER asks for slaves as a SYNC_MASTER does."""

    def __attrs_post_init__(self) -> None:
        """The rules are told of another role."""
        super().__attrs_post_init__()
        self.rules.learn_all({"master.is_sync": 1})


class ToldOtherwise(Puts):
    """It waits or does not, whatever the producer says."""

    waits: bool

    def ask(
        self, message: MessageToPut | MessageBatch, on_answer: Callable[[PendingPut], None]
    ) -> PendingPut | None:
        """The message is changed on its way in."""
        if isinstance(message, MessageToPut):
            message = evolve(message, is_wait_store_msg_ok=self.waits)
        return super().ask(message, on_answer)


@mutant(WAIT, "CommitLog#handleHA", spans=WAITING)
class WaitFalseWaits(ToldOtherwise):
    """A message with WAIT=false waits as any other one."""

    waits = True


@mutant(WAIT, "CommitLog#handleHA", spans=WAITING)
class NobodyWaits(ToldOtherwise):
    """Every message is answered as one with WAIT=false."""

    waits = False


@mutant("put.md#refuse_slave_wait", HANDLE_HA, spans=BEFORE_5)
class UnavailableIsNotStored(Puts):
    """A put that finds no slave is answered SLAVE_NOT_AVAILABLE and not stored."""

    def _append(self, put: PendingPut) -> None:
        """It looks before it stores."""
        is_sync = bool(self.rules.get("master.is_sync"))
        if is_sync and put.waits_for_store and not put.connections_before:
            put.result = PutMessageResult(PutMessageStatus.SLAVE_NOT_AVAILABLE, None)
            self._hand_back(put)
        else:
            super()._append(put)


class OtherStatus(Puts):
    """It changes the status of an answer."""

    def choose(self, put: PendingPut, status: PutMessageStatus) -> PutMessageStatus:
        """The status to tell."""
        raise NotImplementedError

    def _hand_back(self, put: PendingPut) -> None:
        """The answer of a stored message."""
        if isinstance(put.result, PutMessageResult) and put.result.append is not None:
            put.result = evolve(put.result, status=self.choose(put, put.result.status))
        super()._hand_back(put)


@mutant("put.md#time_out_slave_wait", "CommitLog#handleHA", spans=WAITING)
class SlaveTimeoutIsOk(OtherStatus):
    """A put that no slave has reported in time is answered PUT_OK."""

    def choose(self, put: PendingPut, status: PutMessageStatus) -> PutMessageStatus:
        """It is stored here, after all."""
        is_late = status is PutMessageStatus.FLUSH_SLAVE_TIMEOUT
        return PutMessageStatus.PUT_OK if is_late else status


@mutant("put.md#refuse_slave_wait", HANDLE_HA, spans=BEFORE_5)
class UnavailableIsOk(OtherStatus):
    """A put that finds no slave is answered PUT_OK."""

    def choose(self, put: PendingPut, status: PutMessageStatus) -> PutMessageStatus:
        """It is stored here, after all."""
        is_alone = status is PutMessageStatus.SLAVE_NOT_AVAILABLE
        return PutMessageStatus.PUT_OK if is_alone else status


@mutant(
    "put.md#the-put-path",
    "CommitLog#putMessage, #handleDiskFlush, #handleHA",
    spans=(Span("4.4.0", until="4.7.0"),),
)
@define(eq=False, repr=False)
class DiskStatusWins(OtherStatus):
    """A failure of the disk is told though a slave has failed, too."""

    failed: list[PendingPut] = field(factory=list)

    def advance(self, put: PendingPut) -> None:
        """What the disk has said is noted."""
        if self.get(put, "status") == FLUSH_DISK_TIMEOUT:
            self.failed.append(put)
        super().advance(put)

    def choose(self, put: PendingPut, status: PutMessageStatus) -> PutMessageStatus:
        """The first failure."""
        return PutMessageStatus.FLUSH_DISK_TIMEOUT if put in self.failed else status


@mutant(
    "versions.md#the-changes",
    "CommitLog#needHandleHA at 5.0.0; HAService#isSlaveOK has no callers",
    spans=(Span("5.0.0", modes=(CLASSIC, QUORUM)),),
)
class AsksForSlavesAsBefore(OtherStatus):
    """A put of a SYNC_MASTER without a slave is answered SLAVE_NOT_AVAILABLE, as up to 4.9.8."""

    def choose(self, put: PendingPut, status: PutMessageStatus) -> PutMessageStatus:
        """No slave, another answer."""
        is_alone = put.waits_for_store and not put.connections_before
        is_sync = bool(self.rules.get("master.is_sync"))
        return PutMessageStatus.SLAVE_NOT_AVAILABLE if is_alone and is_sync else status
