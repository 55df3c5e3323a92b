"""Conditions on every well-formed state."""

from __future__ import annotations

import attrs

from properties.language.property import sanity
from reference.language.operators import all_of, any_of, choose, implies, is_same, maximum, negate
from reference.worlds.replication.connection import count_open_links
from reference.worlds.replication.lifecycle import count_losses, has_uncounted_life
from reference.worlds.replication.lineage import (
    has_message,
    is_in_lineage,
    is_scanned,
    is_written,
)
from reference.worlds.replication.parameters import FaultCounts
from reference.worlds.replication.put import (
    DISK_FLUSHES_MAX,
    TRANSFER_WAKE_UPS_MAX,
    has_slave_wait,
    is_connection_needed,
    is_past_slave_step,
    is_pending,
)
from reference.worlds.replication.replication import is_end_reported
from reference.worlds.replication.state import (
    FLUSH_DISK_TIMEOUT,
    FLUSH_SLAVE_TIMEOUT,
    NOT_SENT,
    PUT_OK,
    REFUSED,
    SERVICE_NOT_AVAILABLE,
    SLAVE_NOT_AVAILABLE,
    UNANSWERED,
    UNKNOWN_ERROR,
    UNKNOWN_OFFSET,
    WAITS_FOR_SLAVE,
    Cluster,
    CommitLog,
    Link,
    Master,
    Message,
    Slave,
)


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
def offsets_are_within_log(cluster: Cluster) -> bool:
    """No offset of a log exceeds its end: first file, flushed, dispatched, on disk, unknown."""
    return all_of(
        *(
            (offset >= 0) & (offset <= log.max_offset)
            for log in get_logs(cluster)
            for offset in (
                log.start_offset,
                log.flushed_offset,
                log.dispatched_offset,
                log.ghost_durable_offset,
                log.ghost_unknown_below_offset,
                log.ghost_foreign_start_offset,
                log.ghost_foreign_end_offset,
                log.ghost_torn_start_offset,
                log.ghost_torn_end_offset,
            )
        )
    )


@sanity()
def log_ends_in_last_file(cluster: Cluster) -> bool:
    """A log that has files ends in the last file or exactly at its end."""
    size = cluster.parameters.mapped_file_size_bytes
    return all_of(
        *(
            (log.start_offset <= log.last_file_offset)
            & (log.last_file_offset <= log.max_offset)
            & (log.max_offset <= log.last_file_offset + size)
            & (log.has_file | ((log.max_offset == 0) & (log.stale_end_offset == 0)))
            & (log.stale_end_offset >= 0)
            for log in get_logs(cluster)
        )
    )


@sanity()
def nothing_below_first_file_is_at_stake(cluster: Cluster) -> bool:
    """Bytes on disk reach at least to the first file: below it, nothing can be lost."""
    return all_of(*(log.start_offset <= log.ghost_durable_offset for log in get_logs(cluster)))


@sanity()
def deleted_early_is_deleted_whole(cluster: Cluster) -> bool:
    """A message below the master's first file that was deleted early was deleted whole."""
    start = cluster.master.log.start_offset
    return all_of(
        *(
            implies(
                (cluster.master.ghost_life == 0)
                & is_written(m)
                & m.ghost_is_deleted_early
                & (m.start_offset < start),
                m.end_offset <= start,
            )
            for m in cluster.messages
        )
    )


@sanity()
def life_is_counted(cluster: Cluster) -> bool:
    """The master's losses and cut blanks have begun its log's present epoch (``life``).

    If a controller elects masters, each election begins one too.
    """
    life = cluster.master.ghost_life
    return (
        (life >= 0)
        & (life < cluster.structure.lives)
        & ((life == count_losses(cluster)) | has_uncounted_life(cluster))
    )


@sanity()
def faults_are_within_limits(cluster: Cluster) -> bool:
    """No fault happens more often than its limit."""
    faults, limits = cluster.faults, cluster.parameters.limits
    return all_of(
        *(
            (getattr(faults, name) >= 0) & (getattr(faults, name) <= getattr(limits, name))
            for name in attrs.fields_dict(FaultCounts)
        )
    )


@sanity()
def no_bytes_of_future_lives(cluster: Cluster) -> bool:
    """No log holds bytes of a log epoch that has not begun."""
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
    """A put message has a phase, a status, a length and a log epoch that has begun."""
    return all_of(
        *(
            (m.phase >= NOT_SENT)
            & (m.phase <= UNANSWERED)
            & (m.status >= PUT_OK)
            & (m.status <= UNKNOWN_ERROR)
            & is_same(m.phase == REFUSED, m.status >= SERVICE_NOT_AVAILABLE)
            & (m.disk_flushes >= 0)
            & (m.disk_flushes <= DISK_FLUSHES_MAX)
            & (m.wake_ups >= 0)
            & (m.wake_ups <= TRANSFER_WAKE_UPS_MAX)
            & (m.ghost_copies >= 0)
            & implies(
                is_written(m),
                (m.start_offset >= 0)
                & (m.start_offset < m.end_offset)
                & (m.ghost_life >= 0)
                & (m.ghost_life <= cluster.master.ghost_life),
            )
            & implies(
                negate(is_written(m)),
                negate(m.ghost_is_received | m.ghost_is_expired | m.ghost_is_readable),
            )
            for m in cluster.messages
        )
    )


@sanity()
def link_offsets_are_ordered(cluster: Cluster) -> bool:
    """A connection's offsets are unknown or in order."""
    return all_of(
        *(
            (link.slave_request_offset >= UNKNOWN_OFFSET)
            & (link.slave_request_offset <= link.slave_ack_offset)
            & (link.slave_ack_offset <= link.reported_offset)
            & (link.next_transfer_offset >= UNKNOWN_OFFSET)
            & implies(link.next_transfer_offset >= 0, link.slave_request_offset >= 0)
            & implies(link.slave_ack_offset >= 0, link.slave_request_offset >= 0)
            & implies(
                (link.next_transfer_offset < 0) & (link.slave_request_offset >= 0),
                link.slave_request_offset == link.reported_offset,
            )
            & implies(link.slave_request_offset >= 0, link.has_reported)
            & implies(link.has_reported, link.is_open)
            & (link.arrived_offset >= UNKNOWN_OFFSET)
            & (link.arrived_offset <= link.next_transfer_offset)
            & (link.transfer_start_offset >= UNKNOWN_OFFSET)
            & (link.transfer_start_offset <= link.arrived_offset)
            & is_same(link.transfer_start_offset >= 0, link.arrived_offset >= 0)
            & is_same(link.arrived_offset >= 0, link.next_transfer_offset >= 0)
            for link in cluster.links
        )
    )


@sanity()
def open_link_has_living_ends(cluster: Cluster) -> bool:
    """An open connection is between two running brokers, and has reported its slave's end.

    With a controller, it may have reported more.
    """
    return all_of(
        *(
            implies(
                link.is_open,
                cluster.master.is_up
                & slave.is_up
                & is_end_reported(cluster, slave, link.reported_offset),
            )
            for link, slave in zip(cluster.links, cluster.slaves, strict=True)
        )
    )


@sanity(broken_by=("controller_mode",))
def bytes_in_flight_are_the_masters(cluster: Cluster) -> bool:
    """Bytes in flight to a slave are in the master's log; a slave ahead has none in flight."""
    return all_of(
        *(
            implies(
                link.is_open,
                link.next_transfer_offset
                <= choose(
                    link.arrived_offset < link.next_transfer_offset,
                    cluster.master.log.max_offset,
                    maximum(cluster.master.log.max_offset, slave.log.max_offset),
                ),
            )
            for link, slave in zip(cluster.links, cluster.slaves, strict=True)
        )
    )


@sanity()
def role_is_the_configured_one(cluster: Cluster) -> bool:
    """Until its role is switched, the master has the role of its structure."""
    is_configured = is_same(cluster.master.is_sync, cluster.structure.is_sync_master)
    return implies(cluster.faults.role_switches == 0, is_configured)


@sanity()
def flushes_have_their_cause(cluster: Cluster) -> bool:
    """The group commit flushes only for a put that waits for the disk."""
    return all_of(
        *(
            implies(m.disk_flushes > 0, cluster.structure.is_sync_flush & m.waits_for_store)
            for m in cluster.messages
        )
    )


@sanity()
def masters_content_is_known(cluster: Cluster) -> bool:
    """Only a slave stores bytes at a foreign offset, lacks bytes unnoticed, or has older ones.

    A slave that is elected brings such bytes along; a commit on a full disk may leave a hole.
    """
    log = cluster.master.log
    is_pure = (log.ghost_foreign_end_offset == 0) & (log.ghost_torn_end_offset == 0)
    if cluster.committed_offset:
        is_pure |= cluster.faults.swallowed_disk_errors > 0
    return (log.ghost_unknown_below_offset == 0) & (is_pure | has_uncounted_life(cluster))


def is_appended(cluster: Cluster, put: Message) -> bool:
    """The master's log has the message, perhaps with a hole after a commit that was cut short."""
    if not cluster.committed_offset:
        return has_message(cluster.master.log, put)
    return is_scanned(cluster.master.log, put)


@sanity()
def message_of_present_life_is_on_master(cluster: Cluster) -> bool:
    """A message appended in the present log epoch is in the master's log until it expires."""
    master = cluster.master
    return all_of(
        *(
            implies(
                is_written(m) & (m.ghost_life == master.ghost_life),
                (m.end_offset <= master.log.max_offset)
                & (is_appended(cluster, m) | m.ghost_is_expired),
            )
            for m in cluster.messages
        )
    )


@sanity()
def trailing_blank_ends_the_log(cluster: Cluster) -> bool:
    """A trailing blank fills the master's last file, and no followed message overlaps it."""
    master, size = cluster.master, cluster.parameters.mapped_file_size_bytes
    blank, log = master.trailing_blank_offset, master.log
    is_in_last_file = (log.last_file_offset < blank) & (blank < log.max_offset)
    is_filling = log.max_offset == log.last_file_offset + size
    is_free = all_of(
        *(
            implies(is_written(m) & is_in_lineage(log, m), m.end_offset <= blank)
            for m in cluster.messages
        )
    )
    return (blank == UNKNOWN_OFFSET) | (is_in_last_file & is_filling & is_free)


@sanity()
def only_running_brokers_stop(cluster: Cluster) -> bool:
    """Only a running broker is stopping; a running broker has its abort file."""
    brokers: tuple[Master | Slave, ...] = (cluster.master, *cluster.slaves)
    return all_of(
        *(implies(b.is_stopping, b.is_up) & implies(b.is_up, b.has_abort_file) for b in brokers)
    )


def is_first_frame(log: CommitLog, link: Link) -> bool:
    """The log has no file, and no byte of the transfer was read yet."""
    return negate(log.has_file) & (link.arrived_offset == link.transfer_start_offset)


@sanity(broken_by=("controller_mode",))
def frame_in_step_is_where_the_log_ends(cluster: Cluster) -> bool:
    """Unless a frame was discarded, the next one begins at the end of the slave's log."""
    is_nothing_thrown = cluster.faults.failed_file_creations == 0
    return all_of(
        *(
            implies(
                link.is_open
                & is_nothing_thrown
                & (link.arrived_offset >= 0)
                & negate(slave.is_stopping)
                & (slave.log.ghost_unknown_below_offset == 0),
                is_first_frame(slave.log, link)
                | (slave.log.has_file & (slave.log.max_offset == 0))
                | (link.arrived_offset == slave.log.max_offset),
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
    structure, faults = cluster.structure, cluster.faults
    can_be_sync = structure.is_sync_master | (faults.role_switches > 0)
    has_connections = any_of(
        structure.slaves > 0, faults.alien_reports > 0, negate(is_connection_needed(cluster))
    )
    can_wait_for_slave = can_be_sync & has_connections
    return all_of(
        *(
            implies(m.status == FLUSH_DISK_TIMEOUT, structure.is_sync_flush & m.waits_for_store)
            & implies(m.status == SLAVE_NOT_AVAILABLE, can_be_sync & m.waits_for_store)
            & implies(m.status == FLUSH_SLAVE_TIMEOUT, can_wait_for_slave & m.waits_for_store)
            & implies(m.phase == WAITS_FOR_SLAVE, can_wait_for_slave & m.waits_for_store)
            & implies(
                is_past_slave_step(cluster, m)
                & has_slave_wait(cluster, m)
                & (m.status != SLAVE_NOT_AVAILABLE)
                & (faults.role_switches == 0),
                can_wait_for_slave,
            )
            for m in cluster.messages
        )
    )
