"""The state of a master/slave group: frozen classes whose leaves are numbers and truth values.

Fields named ``ghost_...`` exist in the specification only; no broker stores them.
"""

from __future__ import annotations

from attrs import field, frozen

from reference.structure import (
    Code,
    Count,
    FaultCounts,
    Flag,
    Offset,
    Parameters,
    Structure,
)

# Where a put stands (CommitLog#putMessage: append, then handleDiskFlush, then handleHA).
NOT_SENT, WAITS_FOR_DISK, WAITS_FOR_SLAVE_CHECK, WAITS_FOR_SLAVE, ANSWERED, UNANSWERED = range(6)

# PutMessageStatus, as far as waiting can produce it.
PUT_OK, FLUSH_DISK_TIMEOUT, FLUSH_SLAVE_TIMEOUT, SLAVE_NOT_AVAILABLE = range(4)
STATUS_NAMES = ("PUT_OK", "FLUSH_DISK_TIMEOUT", "FLUSH_SLAVE_TIMEOUT", "SLAVE_NOT_AVAILABLE")

UNKNOWN_OFFSET = -1
"""What HAConnection stores before it knows better (R-HA-06, R-HA-11)."""


@frozen
class CommitLog:
    """A commit log as lineage: which bytes it holds, told by the life that wrote them.

    ``ends[t]`` is the offset at which the bytes written in lives 0..t of the master's log end.
    A byte is identified by (life, offset), because within one life the log only grows.
    """

    ends: tuple[Offset, ...]
    """Per life of the master's log, never decreasing; the last one is the max offset."""
    flushed_offset: Offset = 0
    """``MappedFileQueue.flushedWhere``: what the broker believes to be on disk."""
    ghost_durable_offset: Offset = 0
    """What is on disk: a restart after a kill sets ``flushed_offset`` without writing anything."""

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
    ghost_life: Count = 0
    """The present life of its log; each power loss begins a new one."""
    push2_slave_max_offset: Offset = 0
    """``HAService.push2SlaveMaxOffset``: the highest report of any slave in this process life."""
    connection_count: Count = 0
    """``HAService.connectionCount``: accepted connections that the master has not seen end."""


@frozen
class Slave:
    """A broker that copies the master's commit log."""

    log: CommitLog
    """Its commit log."""
    is_up: Flag = True
    """Its process runs."""


@frozen
class Link:
    """One slave's replication connection: HAClient on the slave, HAConnection on the master.

    In flight towards the slave are the bytes from the slave's max offset to
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


@frozen
class Message:
    """One message that is followed from its put to its answer."""

    phase: Code = NOT_SENT
    """Where its put stands: one of NOT_SENT to UNANSWERED."""
    status: Code = PUT_OK
    """The PutMessageStatus so far; final when ``phase`` is ANSWERED."""
    waits_for_store: Flag = True
    """``Message#isWaitStoreMsgOK``: its producer waits for disk and slave."""
    start_offset: Offset = 0
    """Its first byte in the master's log."""
    end_offset: Offset = 0
    """One past its last byte: the ``nextOffset`` that a slave has to report."""
    ghost_life: Count = 0
    """The life of the master's log in which it was written."""
    ghost_is_received: Flag = False
    """Some slave has once held all of its bytes, in page cache at least."""


@frozen
class Cluster:
    """A whole master/slave group."""

    structure: Structure = field(metadata={"static": True})
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


def initial_cluster(structure: Structure, parameters: Parameters) -> Cluster:
    """Everything up, every log empty, no connection yet."""
    empty = CommitLog(ends=(0,) * structure.lives)
    return Cluster(
        structure=structure,
        parameters=parameters,
        master=Master(log=empty),
        slaves=(Slave(log=empty),) * structure.slaves,
        links=(Link(),) * structure.slaves,
        messages=(Message(),) * structure.messages,
    )
