"""Replication over one TCP connection per slave: report, position, transfer, append.

The slave sends bare offsets, the master sends frames. The master knows nothing of a slave before
its first report; after it, only the highest offset that any slave has reported counts.

Bytes in flight are modelled not as a queue but as ranges of offsets in ``state.Link``: towards the
slave the bytes from ``arrived_offset`` to ``next_transfer_offset``, towards the master the reports
above ``slave_ack_offset`` up to ``reported_offset``. A frame or report may end anywhere within.
"""

from __future__ import annotations

from attrs import evolve

from reference.language.fault_account import count_fault, is_within_limit
from reference.language.operators import all_of, any_of, choose, maximum, minimum, negate
from reference.language.rule import RuleBody, between, replace_at, rule, when
from reference.language.variant import overridable
from reference.worlds.replication.commit_log import is_store_open
from reference.worlds.replication.connection import change_link, close_link
from reference.worlds.replication.lineage import append_bytes, copy_bytes, has_message
from reference.worlds.replication.mapped_files import (
    compute_bytes_left_in_file,
    compute_file_base,
    compute_last_file_end,
    compute_next_byte_file,
    get_slave_sizes,
    is_new_file_needed,
    open_first_file,
    open_next_file,
)
from reference.worlds.replication.put import is_in_line, wake_group_transfer
from reference.worlds.replication.state import Cluster, CommitLog, Link, Message, Slave


def is_positioned(link: Link) -> bool:
    """The write service knows where to continue (R-HA-11)."""
    return link.next_transfer_offset >= 0


def has_report_in_flight(link: Link) -> bool:
    """The slave has sent a report that the master has not read."""
    return link.has_reported & (link.slave_ack_offset < link.reported_offset)


def has_bytes_in_flight(link: Link) -> bool:
    """The master has sent bytes that the slave has not read."""
    return link.arrived_offset < link.next_transfer_offset


def is_accepting(broker: Slave) -> bool:
    """The slave's store takes bytes: the slave runs and has not begun to stop."""
    return broker.is_up & negate(broker.is_stopping)


def is_in_step(broker: Slave, link: Link) -> bool:
    """The next frame begins where the slave's log ends, or makes the log begin (R-HC-08).

    A log without a file begins with the first frame of a transfer, which begins with a file.
    """
    is_first = negate(broker.log.has_file) & (link.arrived_offset == link.transfer_start_offset)
    return is_first | (broker.log.has_file & (broker.log.max_offset == link.arrived_offset))


def is_frame_taken(broker: Slave, link: Link) -> bool:
    """HAClient#dispatchReadRequest proceeds: the log is empty, or ends where the frame begins."""
    return (broker.log.max_offset == 0) | (broker.log.max_offset == link.arrived_offset)


def mark_received(messages: tuple[Message, ...], log: CommitLog) -> tuple[Message, ...]:
    """Ghost bookkeeping: followed messages that a slave's log now holds completely."""
    return tuple(
        evolve(m, ghost_is_received=any_of(m.ghost_is_received, has_message(log, m)))
        for m in messages
    )


def is_earlier_put_over(cluster: Cluster, slave: int) -> bool:
    """No put that was waiting for a slave when this slave started is still waiting.

    A put waits for five seconds at most, and a slave's first report comes five seconds after its
    client started (R-HA-20, R-HC-04). So that wait is over, unless one of these times is configured
    otherwise.
    """
    earlier = cluster.slaves[slave].ghost_earlier_put_offset
    return all_of(
        *(negate(is_in_line(cluster, m) & (m.end_offset <= earlier)) for m in cluster.messages)
    )


@overridable
def is_end_reported(cluster: Cluster, broker: Slave, reported: int) -> bool:
    """What a connected slave has reported, or will report, is where its log ends."""
    return reported == broker.log.max_offset


@rule(
    who="slave",
    source="HAClient#isTimeToReportOffset, #reportSlaveMaxOffset",
    heals="replication",
    says="<~ first report",
)
def report_offset(cluster: Cluster, slave: int) -> RuleBody:
    """A slave sends its first report, more than a heartbeat interval after it connected.

    Later reports on a timer repeat an offset that the master has read or that is in flight.
    """
    link = cluster.links[slave]
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_slave_up=cluster.slaves[slave].is_up,
        has_not_reported=negate(link.has_reported),
        is_earlier_put_over=is_earlier_put_over(cluster, slave),
    )
    # EFFECT
    return change_link(cluster, slave, has_reported=True)


@rule(
    who="slave",
    source="HAClient#isTimeToReportOffset, GroupCommitRequest#waitForFlush (syncFlushTimeout)",
    heals="replication",
    says="<~ first report, an earlier put still waits",
)
def report_offset_to_earlier_put(cluster: Cluster, slave: int) -> RuleBody:
    """A slave sends its first report while a put from before the slave's start still waits."""
    link = cluster.links[slave]
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_slave_up=cluster.slaves[slave].is_up,
        has_not_reported=negate(link.has_reported),
        is_earlier_put_waiting=negate(is_earlier_put_over(cluster, slave)),
        is_within_limit=is_within_limit(cluster, "overlong_waits"),
    )
    # EFFECT
    return count_fault(change_link(cluster, slave, has_reported=True), "overlong_waits")


def is_first_report(link: Link) -> bool:
    """The master has not read anything from this connection."""
    return link.slave_request_offset < 0


def compute_lowest_report(cluster: Cluster, slave: int) -> int:
    """The lowest report that the master may read next: the first one, or one above the last.

    It is never below the slave's first file: when the slave created that file, its reports went
    straight from 0 to the file's base. Reports of a file that has since expired count as read.
    """
    link, log = cluster.links[slave], cluster.slaves[slave].log
    next_possible = maximum(link.slave_ack_offset + 1, log.start_offset)
    return choose(is_first_report(link), link.reported_offset, next_possible)


@overridable
def compute_highest_report(cluster: Cluster, slave: int) -> int:
    """The highest report that the master may read next: it does not compare it with its own log."""
    return cluster.links[slave].reported_offset


def take_report(cluster: Cluster, slave: int, offset: int) -> Cluster:
    """The cluster after the master has read a report; waiting puts check it."""
    master, link = cluster.master, cluster.links[slave]
    request = choose(is_first_report(link), offset, link.slave_request_offset)
    read = change_link(cluster, slave, slave_ack_offset=offset, slave_request_offset=request)
    highest = maximum(master.push2_slave_max_offset, offset)
    return evolve(
        read,
        master=evolve(master, push2_slave_max_offset=highest),
        messages=wake_group_transfer(cluster, master.push2_slave_max_offset < offset),
    )


@rule(
    who="master",
    source="HAConnection.ReadSocketService#processReadEvent, HAService#notifyTransferSome",
    heals="replication",
    says="reads report {slave_offset}, push2 {state.master.push2_slave_max_offset}",
)
def receive_report(cluster: Cluster, slave: int) -> RuleBody:
    """The master reads reports: the last of them counts, unchecked, and can only raise push2."""
    link = cluster.links[slave]
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_master_up=cluster.master.is_up,
        has_report_in_flight=has_report_in_flight(link),
    )
    lowest = compute_lowest_report(cluster, slave)
    offset = yield between("slave_offset", lowest, compute_highest_report(cluster, slave))
    # EFFECT
    return take_report(cluster, slave, offset)


def begin_transfer(cluster: Cluster, slave: int, start: int) -> Cluster:
    """The cluster whose master sends the bytes from ``start`` on over this connection."""
    return change_link(
        cluster,
        slave,
        next_transfer_offset=start,
        transfer_start_offset=start,
        arrived_offset=start,
    )


@overridable
def compute_first_transfer_start(cluster: Cluster) -> int:
    """Where the transfer to a slave without bytes begins: at the last file (R-HA-11)."""
    return compute_next_byte_file(cluster.master.log, cluster.parameters)


@rule(
    who="master",
    source="HAConnection.WriteSocketService#run",
    heals="replication",
    says="will send from {link.next_transfer_offset}",
)
def position_transfer(cluster: Cluster, slave: int) -> RuleBody:
    """The master sets its sending position to the slave's requested offset, without checking it."""
    link = cluster.links[slave]
    base = compute_next_byte_file(cluster.master.log, cluster.parameters)
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_master_up=cluster.master.is_up,
        has_request=link.slave_request_offset >= 0,
        is_not_positioned=negate(is_positioned(link)),
        is_request_taken_as_it_is=(link.slave_request_offset > 0) | (base == 0),
    )
    # EFFECT
    return begin_transfer(cluster, slave, link.slave_request_offset)


@rule(
    who="master",
    source="HAConnection.WriteSocketService#run",
    heals="replication",
    says="will send from {link.next_transfer_offset}, last file",
)
def position_at_last_file(cluster: Cluster, slave: int) -> RuleBody:
    """A slave that requests 0 is sent only the last file; it never gets the earlier ones.

    If the last file is full and the next one not created yet, not even that (R-HA-11).
    """
    link = cluster.links[slave]
    # Not compute_first_transfer_start: what counts as a late join is the same in every variant.
    base = compute_next_byte_file(cluster.master.log, cluster.parameters)
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_master_up=cluster.master.is_up,
        is_request_zero=link.slave_request_offset == 0,
        is_not_positioned=negate(is_positioned(link)),
        has_older_file=base > 0,
        is_within_limit=is_within_limit(cluster, "late_joins"),
    )
    # EFFECT
    joined = begin_transfer(cluster, slave, compute_first_transfer_start(cluster))
    return count_fault(joined, "late_joins")


@overridable
def compute_read_end(cluster: Cluster) -> int:
    """Up to where the master's log can be read (``MappedFile#getReadPosition``): all of it."""
    return cluster.master.log.max_offset


@rule(
    who="master",
    source="HAConnection.WriteSocketService#run, DefaultMessageStore#getCommitLogData",
    heals="replication",
    says="sends {size_bytes} B ~>",
)
def transfer_batch(cluster: Cluster, slave: int) -> RuleBody:
    """The master sends its next bytes; a batch ignores message boundaries, but ends with a file."""
    link, log, end = cluster.links[slave], cluster.master.log, compute_read_end(cluster)
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_store_open=is_store_open(cluster),
        is_positioned=is_positioned(link),
        is_not_below_first_file=log.start_offset <= link.next_transfer_offset,
        has_bytes_to_send=link.next_transfer_offset < end,
    )
    batch = cluster.parameters.ha_transfer_batch_size_bytes
    in_file = compute_bytes_left_in_file(link.next_transfer_offset, cluster.parameters)
    in_log = end - link.next_transfer_offset
    size = yield between("size_bytes", 1, minimum(batch, in_file, in_log))
    # EFFECT
    return change_link(cluster, slave, next_transfer_offset=link.next_transfer_offset + size)


@rule(
    who="slave",
    source="HAClient#dispatchReadRequest, CommitLog#appendData",
    heals="replication",
    says="<~ heartbeat, new file, reports",
)
def create_slave_file(cluster: Cluster, slave: int) -> RuleBody:
    """A heartbeat, a frame without bytes, makes a slave create the file for its next byte.

    An empty slave creates the file that contains the frame's offset: its base becomes the slave's
    max offset and is reported (R-HC-09). A slave whose last file is full creates the next one, and
    its max offset stays (torn_roll_kill seq 231).
    """
    broker, link = cluster.slaves[slave], cluster.links[slave]
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_accepting=is_accepting(broker),
        is_positioned=is_positioned(link),
        is_new_file_needed=is_new_file_needed(broker.log, get_slave_sizes(cluster)),
        is_frame_taken=is_frame_taken(broker, link),
    )
    # EFFECT
    created = evolve(broker, log=compute_log_to_append(cluster, slave))
    changed = evolve(cluster, slaves=replace_at(cluster.slaves, slave, created))
    return change_link(changed, slave, reported_offset=created.log.max_offset)


@overridable
def compute_log_to_append(cluster: Cluster, slave: int) -> CommitLog:
    """The slave's log, with a file that has room: a first one, or the next one.

    A first one is the file that the frame's first byte belongs to, wherever in the file that byte
    lies.
    """
    link, sizes = cluster.links[slave], get_slave_sizes(cluster)
    base = compute_file_base(link.arrived_offset, sizes)
    if not cluster.structure.slave_file_size_bytes:
        # A master begins to send at the base of one of its files, which a slave's file then has.
        first_end = link.transfer_start_offset + sizes.mapped_file_size_bytes
        base = choose(link.arrived_offset < first_end, link.transfer_start_offset, base)
    return open_next_file(open_first_file(cluster.slaves[slave].log, base), sizes)


def compute_frame_max_bytes(cluster: Cluster, slave: int) -> int:
    """The largest frame in flight: a frame does not extend beyond its file (R-CL-12)."""
    link, log = cluster.links[slave], compute_log_to_append(cluster, slave)
    in_flight = link.next_transfer_offset - link.arrived_offset
    return minimum(in_flight, compute_last_file_end(log, get_slave_sizes(cluster)) - log.max_offset)


@overridable
def copy_marks(cluster: Cluster, log: CommitLog, start: int) -> CommitLog:
    """Ghost bookkeeping of a copy from ``start`` on: a master's own records are whole."""
    return log


def append_frame(cluster: Cluster, slave: int, size: int) -> Cluster:
    """The cluster after the slave has appended a frame and has reported its new max offset."""
    broker, link = cluster.slaves[slave], cluster.links[slave]
    log = compute_log_to_append(cluster, slave)
    end = log.max_offset + size
    longer = copy_marks(cluster, copy_bytes(log, cluster.master.log, end), log.max_offset)
    appended = evolve(
        cluster,
        slaves=replace_at(cluster.slaves, slave, evolve(broker, log=longer)),
        messages=mark_received(cluster.messages, longer),
    )
    arrived = link.arrived_offset + size
    return change_link(
        appended, slave, arrived_offset=arrived, reported_offset=end, has_reported=True
    )


@rule(
    who="slave",
    source="HAClient#dispatchReadRequest, #reportSlaveMaxOffsetPlus, CommitLog#appendData",
    heals="replication",
    says="<~ appends {size_bytes} B, reports",
)
def append_to_slave(cluster: Cluster, slave: int) -> RuleBody:
    """A slave appends bytes that have arrived and reports its new max offset immediately."""
    broker, link = cluster.slaves[slave], cluster.links[slave]
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_accepting=is_accepting(broker),
        has_bytes_in_flight=has_bytes_in_flight(link),
        is_in_step=is_in_step(broker, link),
    )
    size = yield between("size_bytes", 1, compute_frame_max_bytes(cluster, slave))
    # EFFECT
    return append_frame(cluster, slave, size)


@rule(
    who="slave",
    source="HAClient#dispatchReadRequest, CommitLog#appendData",
    heals="replication",
    says="<~ {size_bytes} B at a wrong offset, reports {link.reported_offset}",
)
def append_at_wrong_offset(cluster: Cluster, slave: int) -> RuleBody:
    """A slave whose max offset is 0 takes bytes of any offset and stores them where its log begins.

    That is 0 if it has a file, and the base of the file that they belong to if it has none
    (R-HC-20, T2-00059).
    """
    broker, link = cluster.slaves[slave], cluster.links[slave]
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_accepting=is_accepting(broker),
        has_bytes_in_flight=has_bytes_in_flight(link),
        is_frame_taken=is_frame_taken(broker, link),
        is_out_of_step=negate(is_in_step(broker, link)),
    )
    size = yield between("size_bytes", 1, compute_frame_max_bytes(cluster, slave))
    # EFFECT
    begun = compute_log_to_append(cluster, slave)
    longer = append_bytes(begun, cluster.master.ghost_life, size)
    log = evolve(longer, ghost_unknown_below_offset=longer.max_offset)
    appended = replace_at(cluster.slaves, slave, evolve(broker, log=log))
    arrived = link.arrived_offset + size
    return change_link(
        evolve(cluster, slaves=appended),
        slave,
        arrived_offset=arrived,
        reported_offset=log.max_offset,
        has_reported=True,
    )


@rule(
    who="slave",
    source="HAClient#dispatchReadRequest",
    heals="replication",
    says="<~ frame out of step, closes",
)
def refuse_frame(cluster: Cluster, slave: int) -> RuleBody:
    """A frame does not begin where the slave's log ends: the slave closes the connection."""
    broker, link = cluster.slaves[slave], cluster.links[slave]
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_slave_up=broker.is_up,
        is_positioned=is_positioned(link),
        is_frame_not_taken=negate(is_frame_taken(broker, link)),
    )
    # EFFECT
    return close_link(cluster, slave)


@rule(
    who="slave",
    source="HAClient#dispatchReadRequest, DefaultMessageStore#appendToCommitLog",
    says="<~ drops {size_bytes} B",
)
def discard_frame(cluster: Cluster, slave: int) -> RuleBody:
    """A stopping slave reads a frame and drops its bytes; the append fails unnoticed (R-HC-08).

    So does a slave with files of its own size whose last file has no room for the frame
    (slave_file_size_differs seq 125).
    """
    broker, link = cluster.slaves[slave], cluster.links[slave]
    in_flight = link.next_transfer_offset - link.arrived_offset
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_slave_up=broker.is_up,
        is_stopping=broker.is_stopping,
        has_bytes_in_flight=has_bytes_in_flight(link),
        is_frame_taken=is_frame_taken(broker, link),
    )
    size = yield between("size_bytes", 1, in_flight)
    # EFFECT
    return change_link(cluster, slave, arrived_offset=link.arrived_offset + size)
