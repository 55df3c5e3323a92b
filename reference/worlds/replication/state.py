"""The state of a master/slave group: frozen classes whose leaves are numbers and truth values.

Fields named ``ghost_...`` exist in the specification only; no broker stores them.
"""

from __future__ import annotations

from attrs import field, frozen

from reference.language.leaves import Code, Count, Flag, Offset
from reference.language.variant import overridable
from reference.worlds.replication.parameters import FaultCounts, Parameters
from reference.worlds.replication.shape import GroupShape

# Phases of a put (CommitLog#putMessage: append, then handleDiskFlush, then handleHA).
(
    NOT_SENT,
    REFUSED,
    WAITS_FOR_DISK,
    WAITS_FOR_SLAVE_CHECK,
    WAITS_FOR_SLAVE,
    ANSWERED,
    UNANSWERED,
) = range(7)

PHASE_NAMES = (
    "NOT_SENT",
    "REFUSED",
    "WAITS_FOR_DISK",
    "WAITS_FOR_SLAVE_CHECK",
    "WAITS_FOR_SLAVE",
    "ANSWERED",
    "UNANSWERED",
)

# PutMessageStatus. Waiting yields the first four; the others refuse a put before it is written.
(
    PUT_OK,
    FLUSH_DISK_TIMEOUT,
    FLUSH_SLAVE_TIMEOUT,
    SLAVE_NOT_AVAILABLE,
    SERVICE_NOT_AVAILABLE,
    MESSAGE_ILLEGAL,
    PROPERTIES_SIZE_EXCEEDED,
    OS_PAGECACHE_BUSY,
    CREATE_MAPEDFILE_FAILED,
    UNKNOWN_ERROR,
) = range(10)
STATUS_NAMES = (
    "PUT_OK",
    "FLUSH_DISK_TIMEOUT",
    "FLUSH_SLAVE_TIMEOUT",
    "SLAVE_NOT_AVAILABLE",
    "SERVICE_NOT_AVAILABLE",
    "MESSAGE_ILLEGAL",
    "PROPERTIES_SIZE_EXCEEDED",
    "OS_PAGECACHE_BUSY",
    "CREATE_MAPEDFILE_FAILED",
    "UNKNOWN_ERROR",
)

UNKNOWN_OFFSET = -1
"""Initial value of offsets in HAConnection: not known yet (R-HA-06, R-HA-11)."""


@frozen
class CommitLog:
    """A commit log as lineage: which bytes it holds, identified by log epoch (`life` in the code).

    ``ends[t]`` is the offset at which the bytes written in epochs 0..t of the master's log end. A
    byte is identified by (life, offset), because within one log epoch the log only grows.
    """

    ends: tuple[Offset, ...]
    """Per log epoch of the master's log, never decreasing; the last one is the max offset."""
    start_offset: Offset = 0
    """``MappedFileQueue#getFirstMappedFile``: base of the first file; bytes below are not held."""
    last_file_offset: Offset = 0
    """Base of the last file; the log ends in this file, or exactly where it ends."""
    has_file: Flag = False
    """There is a mapped file, perhaps an empty one; without any, the min offset is -1."""
    flushed_offset: Offset = 0
    """``MappedFileQueue.flushedWhere``: what the broker believes to be on disk."""
    dispatched_offset: Offset = 0
    """``ReputMessageService.reputFromOffset``: below it, consume queues and index are built."""
    ghost_durable_offset: Offset = 0
    """Bytes below it are on disk. A restart after a kill raises ``flushed_offset`` without writing
    anything."""
    stale_end_offset: Offset = 0
    """End of the stale bytes that a cut has left after the max offset in the last file. A cut only
    moves positions (``MappedFile#setWrotePosition``), and a recovery may read on into these bytes.
    There are none unless this lies above the max offset."""
    ghost_unknown_below_offset: Offset = 0
    """Below it bytes were stored at a foreign offset, or never: their content is unknown."""
    ghost_foreign_start_offset: Offset = 0
    """With ``ghost_foreign_end_offset``: bounds of all bytes that a recovery took for received,
    although they are zeros or older bytes. Equal if there are none."""
    ghost_foreign_end_offset: Offset = 0
    """See ``ghost_foreign_start_offset``."""
    ghost_torn_start_offset: Offset = 0
    """With ``ghost_torn_end_offset``: bounds of such bytes that belong to followed messages."""
    ghost_torn_end_offset: Offset = 0
    """See ``ghost_torn_start_offset``."""

    @property
    def max_offset(self) -> int:
        """``CommitLog#getMaxOffset``: where the next byte goes."""
        return self.ends[-1]


@frozen
class Master:
    """The broker with id 0 that accepts puts."""

    log: CommitLog
    """Its commit log."""
    is_up: Flag = True
    """Its process runs."""
    is_stopping: Flag = False
    """Its clean stop has begun: the store refuses puts and sends nothing (R-RC-02)."""
    has_abort_file: Flag = True
    """The abort file exists: the broker is running or did not stop cleanly (R-RC-01)."""
    is_sync: Flag = False
    """``brokerRole`` is SYNC_MASTER at this moment; each put reads it anew (R-BR-07)."""
    trailing_blank_offset: Offset = UNKNOWN_OFFSET
    """Where the blank record at the log's end begins, before the next file is created; -1 if the
    log does not end with a blank."""
    ghost_life: Count = 0
    """The current epoch of its log; each loss of power or disk, and each blank that is cut off,
    begins a new one."""
    push2_slave_max_offset: Offset = 0
    """``HAService.push2SlaveMaxOffset``: the highest report of any slave in this process life."""
    connection_count: Count = 0
    """``HAService.connectionCount``: accepted connections whose end the master has not noticed."""


@frozen
class Slave:
    """A broker that copies the master's commit log."""

    log: CommitLog
    """Its commit log."""
    is_up: Flag = True
    """Its process runs."""
    is_stopping: Flag = False
    """Its clean stop has begun: the store takes no more bytes (R-CL-14)."""
    has_abort_file: Flag = True
    """The abort file exists: the broker is running or did not stop cleanly (R-RC-01)."""
    ghost_earlier_put_offset: Offset = 0
    """End of the last followed put that was waiting for a slave when this slave's process started;
    0 if there was none."""


@frozen
class Link:
    """One slave's replication connection: HAClient on the slave, HAConnection on the master.

    In flight towards the slave are the master's bytes from ``arrived_offset`` to
    ``next_transfer_offset``; in flight towards the master are the reports above
    ``slave_ack_offset`` up to ``reported_offset``. Closing drops both.
    """

    is_open: Flag = False
    """The TCP connection is established."""
    has_reported: Flag = False
    """The slave has sent a report on this connection."""
    reported_offset: Offset = 0
    """``HAClient.currentReportedOffset``: the slave's max at connect, later its last report."""
    slave_request_offset: Offset = UNKNOWN_OFFSET
    """``HAConnection.slaveRequestOffset``: the first report that the master read."""
    slave_ack_offset: Offset = UNKNOWN_OFFSET
    """``HAConnection.slaveAckOffset``: the last report that the master read."""
    next_transfer_offset: Offset = UNKNOWN_OFFSET
    """``WriteSocketService.nextTransferFromWhere``: the first byte not yet handed to TCP."""
    transfer_start_offset: Offset = UNKNOWN_OFFSET
    """Start of the transfer over this connection. 4.4.0 logs it and does not keep it."""
    arrived_offset: Offset = UNKNOWN_OFFSET
    """Start of the next frame that the slave will read: the offset in its header."""


@frozen
class Message:
    """One message that is followed from its put to its answer."""

    phase: Code = NOT_SENT
    """The phase of its put: one of NOT_SENT to UNANSWERED."""
    status: Code = PUT_OK
    """The PutMessageStatus so far: PUT_OK until a step fails; final once the put is ANSWERED or
    REFUSED."""
    waits_for_store: Flag = True
    """``Message#isWaitStoreMsgOK``: its producer waits for disk and slave."""
    start_offset: Offset = 0
    """Its first byte in the master's log."""
    end_offset: Offset = 0
    """One past its last byte: the ``nextOffset`` that a slave has to report."""
    disk_flushes: Count = 0
    """Flushes that the group commit has made for it: two end its turn (R-FL-03)."""
    transfer_turn: Count = 0
    """Its place in the queue of the group transfer; earlier requests have lower ones (R-HA-20)."""
    wake_ups: Count = 0
    """Waits that the group transfer has made for it: five end its turn (R-HA-21)."""
    has_producer_given_up: Flag = False
    """Its producer has stopped waiting for the answer and got an exception (R-PR-03)."""
    ghost_copies: Count = 0
    """How often its producer has resent it after an unknown outcome."""
    ghost_life: Count = 0
    """The log epoch of the master in which it was written."""
    ghost_is_received: Flag = False
    """Some slave has held all of its bytes at some time, in page cache at least."""
    ghost_is_readable: Flag = False
    """The master has dispatched all of it at some time: a consumer may have read it there."""
    ghost_is_expired: Flag = False
    """Retention has deleted it on some broker, in its time or before."""
    ghost_is_deleted_early: Flag = False
    """Retention has deleted it only before it expired, on a disk more than 85 % full."""


@frozen
class EpochFile:
    """``EpochFileCache`` of a broker in controller mode: where the epochs begin in its log."""

    starts: tuple[Offset, ...]
    """For each epoch the offset at which it begins; -1 without an entry. Entries only rise."""
    current_epoch: Count = -1
    """The epoch in which this broker is, or was, the master (``ReplicasManager.masterEpoch``); of a
    slave the last one that a frame has named in this process (``currentReceivedEpoch``)."""
    fixed_epoch: Count = -1
    """Of a slave: the epoch that all further frames on its connection name, whatever epochs begin
    later (``currentTransferEpochEndOffset`` is -1 in it); -1 as long as none is fixed."""


@frozen
class Cluster:
    """A whole master/slave group."""

    structure: GroupShape = field(metadata={"static": True})
    """Its static shape."""
    parameters: Parameters
    """Its sizes, thresholds and fault limits."""
    master: Master
    """The master."""
    slaves: tuple[Slave, ...]
    """The slaves."""
    links: tuple[Link, ...]
    """The replication connection of each slave."""
    messages: tuple[Message, ...]
    """The followed messages, in the order in which they are put."""
    faults: FaultCounts = field(factory=FaultCounts)
    """The faults so far."""
    in_sync_state_set: tuple[Flag, ...] = field(default=(), repr=False)
    """Members of the SyncStateSet: the master's broker first, then each slave. Empty without a
    controller (RocketMQ 4.x, and 5.x without ``enableControllerMode``)."""
    epoch_files: tuple[EpochFile, ...] = field(default=(), repr=False)
    """The epoch file of the broker that is, or was, the master, then those of the slaves. Empty
    without a controller."""
    committed_offset: tuple[Offset, ...] = field(default=(), repr=False)
    """``MappedFileQueue.committedWhere`` of the master: bytes from it on are in the pool's buffers
    and not yet in page cache. Empty without ``transientStorePoolEnable``, when all bytes go to the
    page cache immediately."""


def empty_log(lives: int) -> CommitLog:
    """A log without any file."""
    return CommitLog(ends=(0,) * lives)


@overridable
def compute_first_committed(cluster: Cluster) -> tuple[Offset, ...]:
    """What the pool of an empty master has committed; empty without a pool."""
    return ()


@overridable
def compute_first_sync_state_set(cluster: Cluster) -> tuple[Flag, ...]:
    """The initial members of the SyncStateSet; empty without a controller."""
    return ()


@overridable
def compute_first_epoch_files(cluster: Cluster) -> tuple[EpochFile, ...]:
    """The initial epoch files; empty without a controller."""
    return ()
