"""Replication over one TCP connection per slave: connect, report, position, transfer, append.

The slave sends bare offsets, the master sends frames. The master knows nothing of a slave before
its first report, and from then on only the highest number that any slave ever reported counts.
"""

from __future__ import annotations

from typing import Any

from attrs import evolve

from reference.lineage import copy_bytes, has_message
from reference.operations import any_of, choose, count_true, maximum, minimum, negate
from reference.rule import RuleBody, between, replace_at, rule, when
from reference.state import Cluster, CommitLog, Link, Message


def count_open_links(cluster: Cluster) -> int:
    """How many of the accepted connections still have a slave at their other end."""
    return count_true(*(link.is_open for link in cluster.links))


def is_positioned(link: Link) -> bool:
    """The write service knows where to go on (R-HA-11)."""
    return link.next_transfer_offset >= 0


def has_report_in_flight(link: Link) -> bool:
    """The slave has sent a report that the master has not read."""
    return link.has_reported & (link.slave_ack_offset < link.reported_offset)


def change_link(cluster: Cluster, slave: int, **changes: Any) -> Cluster:
    """The cluster with one replication connection changed."""
    link = evolve(cluster.links[slave], **changes)
    return evolve(cluster, links=replace_at(cluster.links, slave, link))


def mark_received(messages: tuple[Message, ...], log: CommitLog) -> tuple[Message, ...]:
    """Ghost bookkeeping: which followed messages a slave's log now holds completely."""
    return tuple(
        evolve(m, ghost_is_received=any_of(m.ghost_is_received, has_message(log, m)))
        for m in messages
    )


@rule(who="slave", source="HAClient#connectMaster, HAConnection (constructor)")
def connect_slave(cluster: Cluster, slave: int) -> RuleBody:
    """A slave connects and is counted at once; it notes its max offset but says nothing yet."""
    master, broker, link = cluster.master, cluster.slaves[slave], cluster.links[slave]
    # ENABLED WHEN
    yield when(
        is_master_up=master.is_up,
        is_slave_up=broker.is_up,
        is_link_closed=negate(link.is_open),
    )
    # EFFECT
    fresh = Link(is_open=True, reported_offset=broker.log.max_offset)
    return evolve(
        cluster,
        master=evolve(master, connection_count=master.connection_count + 1),
        links=replace_at(cluster.links, slave, fresh),
    )


@rule(who="master", source="HAConnection.ReadSocketService#run")
def drop_connection(cluster: Cluster) -> RuleBody:
    """The master notices that a connection is dead and stops counting it."""
    master = cluster.master
    # ENABLED WHEN
    yield when(
        is_master_up=master.is_up,
        has_dead_connection=count_open_links(cluster) < master.connection_count,
    )
    # EFFECT
    return evolve(cluster, master=evolve(master, connection_count=master.connection_count - 1))


@rule(who="slave", source="HAClient#isTimeToReportOffset, #reportSlaveMaxOffset")
def report_offset(cluster: Cluster, slave: int) -> RuleBody:
    """A slave sends its first report, more than a heartbeat interval after it connected.

    Later reports on a timer repeat a number that the master has or that is in flight.
    """
    link = cluster.links[slave]
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_slave_up=cluster.slaves[slave].is_up,
        has_not_reported=negate(link.has_reported),
    )
    # EFFECT
    return change_link(cluster, slave, has_reported=True)


@rule(
    who="master",
    source="HAConnection.ReadSocketService#processReadEvent, HAService#notifyTransferSome",
)
def receive_report(cluster: Cluster, slave: int) -> RuleBody:
    """The master reads reports: the last of them counts, unchecked, and it may only raise push2."""
    master, link = cluster.master, cluster.links[slave]
    is_first = link.slave_request_offset < 0
    lowest = choose(is_first, link.reported_offset, link.slave_ack_offset + 1)
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_master_up=master.is_up,
        has_report_in_flight=has_report_in_flight(link),
    )
    offset = yield between("slave_offset", lowest, link.reported_offset)
    # EFFECT
    read = change_link(
        cluster,
        slave,
        slave_ack_offset=offset,
        slave_request_offset=choose(is_first, offset, link.slave_request_offset),
    )
    highest = maximum(master.push2_slave_max_offset, offset)
    return evolve(read, master=evolve(master, push2_slave_max_offset=highest))


@rule(who="master", source="HAConnection.WriteSocketService#run")
def position_transfer(cluster: Cluster, slave: int) -> RuleBody:
    """The master will send from the offset that the slave asked for, without looking at it.

    A request of 0 means the base of the master's last file, which in a log of one file is 0 too.
    """
    link = cluster.links[slave]
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_master_up=cluster.master.is_up,
        has_request=link.slave_request_offset >= 0,
        is_not_positioned=negate(is_positioned(link)),
    )
    # EFFECT
    return change_link(cluster, slave, next_transfer_offset=link.slave_request_offset)


@rule(
    who="master", source="HAConnection.WriteSocketService#run, DefaultMessageStore#getCommitLogData"
)
def transfer_batch(cluster: Cluster, slave: int) -> RuleBody:
    """The master sends its next bytes to a slave; a batch ignores message boundaries."""
    link = cluster.links[slave]
    bytes_left = cluster.master.log.max_offset - link.next_transfer_offset
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_master_up=cluster.master.is_up,
        is_positioned=is_positioned(link),
        has_bytes_to_send=bytes_left > 0,
    )
    batch = cluster.parameters.ha_transfer_batch_size_bytes
    size = yield between("size_bytes", 1, minimum(batch, bytes_left))
    # EFFECT
    return change_link(cluster, slave, next_transfer_offset=link.next_transfer_offset + size)


@rule(
    who="slave",
    source="HAClient#dispatchReadRequest, #reportSlaveMaxOffsetPlus, CommitLog#appendData",
)
def append_to_slave(cluster: Cluster, slave: int) -> RuleBody:
    """A slave appends bytes that have arrived and reports its new max offset at once."""
    broker, link = cluster.slaves[slave], cluster.links[slave]
    bytes_in_flight = link.next_transfer_offset - broker.log.max_offset
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_slave_up=broker.is_up,
        has_bytes_in_flight=bytes_in_flight > 0,
    )
    size = yield between("size_bytes", 1, bytes_in_flight)
    # EFFECT
    end = broker.log.max_offset + size
    log = copy_bytes(broker.log, cluster.master.log, end)
    appended = evolve(
        cluster,
        slaves=replace_at(cluster.slaves, slave, evolve(broker, log=log)),
        messages=mark_received(cluster.messages, log),
    )
    return change_link(appended, slave, reported_offset=end, has_reported=True)
