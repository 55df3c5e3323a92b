"""What every well-formed state obeys."""

from __future__ import annotations

import attrs

from properties.property import SANITY_CHECKS, sanity
from reference.lineage import is_written
from reference.operations import all_of, implies, maximum, negate
from reference.put import is_pending
from reference.replication import count_open_links
from reference.state import (
    ANSWERED,
    FLUSH_DISK_TIMEOUT,
    FLUSH_SLAVE_TIMEOUT,
    NOT_SENT,
    PUT_OK,
    SLAVE_NOT_AVAILABLE,
    UNANSWERED,
    UNKNOWN_OFFSET,
    WAITS_FOR_SLAVE,
    Cluster,
    CommitLog,
)
from reference.structure import FaultCounts

__all__ = ["SANITY_CHECKS"]


def get_logs(cluster: Cluster) -> tuple[CommitLog, ...]:
    """The commit logs of all brokers, the master's first."""
    return (cluster.master.log, *(s.log for s in cluster.slaves))


@sanity()
def log_ends_never_decrease(cluster: Cluster) -> bool:
    """The segments of a log follow one another."""
    return all_of(
        *(
            earlier <= later
            for log in get_logs(cluster)
            for earlier, later in zip((0, *log.ends), log.ends, strict=False)
        )
    )


@sanity()
def flushed_is_within_log(cluster: Cluster) -> bool:
    """Neither what is flushed nor what is on disk exceeds the log."""
    return all_of(
        *(
            (log.flushed_offset >= 0)
            & (log.flushed_offset <= log.max_offset)
            & (log.ghost_durable_offset >= 0)
            & (log.ghost_durable_offset <= log.max_offset)
            for log in get_logs(cluster)
        )
    )


@sanity()
def life_is_counted(cluster: Cluster) -> bool:
    """The master's log is in the life that its power losses have begun."""
    life = cluster.master.ghost_life
    return (
        (life >= 0)
        & (life < cluster.structure.lives)
        & (life == cluster.faults.master_power_losses)
    )


@sanity()
def faults_are_within_limits(cluster: Cluster) -> bool:
    """No fault strikes more often than it may."""
    faults, limits = cluster.faults, cluster.parameters.limits
    return all_of(
        *(
            (getattr(faults, name) >= 0) & (getattr(faults, name) <= getattr(limits, name))
            for name in attrs.fields_dict(FaultCounts)
        )
    )


@sanity()
def no_bytes_of_future_lives(cluster: Cluster) -> bool:
    """No log holds bytes of a life that has not begun."""
    life = cluster.master.ghost_life
    return all_of(
        *(
            implies(life <= index, log.ends[index] == log.max_offset)
            for log in get_logs(cluster)
            for index in range(cluster.structure.lives)
        )
    )


@sanity()
def message_is_well_formed(cluster: Cluster) -> bool:
    """A put message has a phase, a status, a length and a life that has begun."""
    return all_of(
        *(
            (m.phase >= NOT_SENT)
            & (m.phase <= UNANSWERED)
            & (m.status >= PUT_OK)
            & (m.status <= SLAVE_NOT_AVAILABLE)
            & implies(
                is_written(m),
                (m.start_offset >= 0)
                & (m.start_offset < m.end_offset)
                & (m.ghost_life >= 0)
                & (m.ghost_life <= cluster.master.ghost_life),
            )
            & implies(negate(is_written(m)), negate(m.ghost_is_received))
            for m in cluster.messages
        )
    )


@sanity()
def link_offsets_are_ordered(cluster: Cluster) -> bool:
    """A connection's offsets are unknown or come one after another."""
    return all_of(
        *(
            (link.slave_request_offset >= UNKNOWN_OFFSET)
            & (link.slave_request_offset <= link.slave_ack_offset)
            & (link.slave_ack_offset <= link.reported_offset)
            & (link.next_transfer_offset >= UNKNOWN_OFFSET)
            & implies(link.next_transfer_offset >= 0, link.slave_request_offset >= 0)
            & implies(link.slave_ack_offset >= 0, link.slave_request_offset >= 0)
            & implies(link.slave_request_offset >= 0, link.has_reported)
            & implies(link.has_reported, link.is_open)
            for link in cluster.links
        )
    )


@sanity()
def open_link_has_living_ends(cluster: Cluster) -> bool:
    """A connection lives only between two running brokers, and reports what its slave holds."""
    return all_of(
        *(
            implies(
                link.is_open,
                cluster.master.is_up & slave.is_up & (link.reported_offset == slave.log.max_offset),
            )
            for link, slave in zip(cluster.links, cluster.slaves, strict=True)
        )
    )


@sanity()
def bytes_in_flight_are_the_masters(cluster: Cluster) -> bool:
    """What is in flight to a slave is in the master's log; a slave ahead has nothing in flight."""
    return all_of(
        *(
            implies(
                link.is_open,
                link.next_transfer_offset
                <= maximum(cluster.master.log.max_offset, slave.log.max_offset),
            )
            for link, slave in zip(cluster.links, cluster.slaves, strict=True)
        )
    )


@sanity()
def connections_are_counted(cluster: Cluster) -> bool:
    """The master counts every open connection, and perhaps dead ones, while it runs."""
    master = cluster.master
    return (master.connection_count >= count_open_links(cluster)) & (
        master.is_up | (master.connection_count == 0)
    )


@sanity()
def dead_master_has_no_waiting_puts(cluster: Cluster) -> bool:
    """A put waits only for a master that runs."""
    return all_of(*(cluster.master.is_up | negate(is_pending(m)) for m in cluster.messages))


@sanity()
def status_has_its_cause(cluster: Cluster) -> bool:
    """A status other than PUT_OK comes from a wait that this structure and this put have."""
    structure = cluster.structure
    can_wait_for_slave = structure.is_sync_master & (structure.slaves > 0)
    return all_of(
        *(
            implies(m.status == FLUSH_DISK_TIMEOUT, structure.is_sync_flush & m.waits_for_store)
            & implies(m.status == SLAVE_NOT_AVAILABLE, structure.is_sync_master & m.waits_for_store)
            & implies(m.status == FLUSH_SLAVE_TIMEOUT, can_wait_for_slave & m.waits_for_store)
            & implies(m.phase == WAITS_FOR_SLAVE, can_wait_for_slave & m.waits_for_store)
            & implies(
                (m.phase == ANSWERED) & m.waits_for_store & (m.status != SLAVE_NOT_AVAILABLE),
                can_wait_for_slave | negate(structure.is_sync_master),
            )
            for m in cluster.messages
        )
    )
