"""How replication heals: the steps, and the numbers that they decrease."""

from __future__ import annotations

from collections.abc import Callable

from properties.language.healing import Healing
from properties.worlds.replication.convergence import (
    HEALING_STEPS,
    get_added_steps,
    get_everyone,
    get_logs,
    has_all_brokers,
    leave_out_unawaited,
    list_steps,
)
from reference.language.operators import choose, count_true, maximum, negate
from reference.worlds.replication.connection import count_open_links
from reference.worlds.replication.mapped_files import is_last_file_full
from reference.worlds.replication.put import (
    DISK_FLUSHES_MAX,
    TRANSFER_WAKE_UPS_MAX,
    count_phases_left,
)
from reference.worlds.replication.replication import is_frame_taken, is_positioned
from reference.worlds.replication.rules import RULES
from reference.worlds.replication.state import Cluster, Link, Slave
from reference.worlds.replication.structure import Structure


def get_pairs(cluster: Cluster) -> tuple[tuple[Slave, Link], ...]:
    """Each slave with its connection."""
    return tuple(zip(cluster.slaves, cluster.links, strict=True))


def count_empty_slaves(cluster: Cluster) -> int:
    """Slaves without bytes."""
    return count_true(*(s.log.max_offset == 0 for s in cluster.slaves))


def count_links_out_of_step(cluster: Cluster) -> int:
    """Connections whose next frame the slave will refuse."""
    return count_true(
        *(
            link.is_open & is_positioned(link) & negate(is_frame_taken(slave, link))
            for slave, link in get_pairs(cluster)
        )
    )


def count_closed_links(cluster: Cluster) -> int:
    """Slaves that have no connection."""
    return count_true(*(negate(link.is_open) for link in cluster.links))


def count_silent_links(cluster: Cluster) -> int:
    """Connections over which the slave has not reported yet."""
    return count_true(*(link.is_open & negate(link.has_reported) for link in cluster.links))


def count_links_without_request(cluster: Cluster) -> int:
    """Connections from which the master has read nothing yet."""
    return count_true(*(link.is_open & (link.slave_request_offset < 0) for link in cluster.links))


def count_links_without_position(cluster: Cluster) -> int:
    """Connections for which the master does not know where to begin."""
    return count_true(*(link.is_open & negate(is_positioned(link)) for link in cluster.links))


def count_slaves_without_file(cluster: Cluster) -> int:
    """Slaves that have no file."""
    return count_true(*(negate(s.log.has_file) for s in cluster.slaves))


def compute_unsent_bytes(cluster: Cluster) -> int:
    """The bytes that the master still has to send, summed over all slaves."""
    end = cluster.master.log.max_offset
    return sum(
        choose(is_positioned(link), maximum(0, end - link.next_transfer_offset), 0)
        for link in cluster.links
    )


def compute_missing_bytes(cluster: Cluster) -> int:
    """The bytes by which slaves' logs end before the master's, summed over all slaves."""
    end = cluster.master.log.max_offset
    return sum(maximum(0, end - slave.log.max_offset) for slave in cluster.slaves)


def count_full_slaves(cluster: Cluster) -> int:
    """Slaves whose last file is full: a heartbeat makes the next one."""
    return count_true(
        *(s.log.has_file & is_last_file_full(s.log, cluster.parameters) for s in cluster.slaves)
    )


def compute_unread_reports(cluster: Cluster) -> int:
    """The bytes by which the master's knowledge lags behind slaves' reports."""
    return sum(
        choose(link.is_open, link.reported_offset - link.slave_ack_offset, 0)
        for link in cluster.links
    )


def count_dead_connections(cluster: Cluster) -> int:
    """Connections that the master counts although they are gone."""
    return cluster.master.connection_count - count_open_links(cluster)


def compute_phases_left(cluster: Cluster) -> int:
    """The number of phases between the followed puts and their answers."""
    return sum(count_phases_left(cluster, m) for m in cluster.messages)


def compute_flushes_and_wake_ups_left(cluster: Cluster) -> int:
    """The number of attempts that the group commit and the group transfer have left."""
    return sum(
        (DISK_FLUSHES_MAX - m.disk_flushes) + (TRANSFER_WAKE_UPS_MAX - m.wake_ups)
        for m in cluster.messages
    )


def compute_uncommitted_bytes(cluster: Cluster) -> int:
    """The bytes that wait in the buffers of a master's pool, if it has one."""
    end = cluster.master.log.max_offset
    return sum(maximum(0, end - committed) for committed in cluster.committed_offset)


def compute_unflushed_bytes(cluster: Cluster) -> int:
    """The bytes that are not flushed, summed over all brokers."""
    logs = get_logs(cluster, get_everyone(cluster))
    return sum(log.max_offset - log.flushed_offset for log in logs)


def compute_undispatched_bytes(cluster: Cluster) -> int:
    """The bytes that are not dispatched, summed over all brokers."""
    logs = get_logs(cluster, get_everyone(cluster))
    return sum(log.max_offset - log.dispatched_offset for log in logs)


RANK: tuple[Callable[[Cluster], int], ...] = (
    count_empty_slaves,
    count_links_out_of_step,
    count_closed_links,
    count_silent_links,
    count_links_without_request,
    count_links_without_position,
    count_slaves_without_file,
    compute_uncommitted_bytes,
    compute_unsent_bytes,
    compute_missing_bytes,
    count_full_slaves,
    compute_unread_reports,
    count_dead_connections,
    compute_phases_left,
    compute_flushes_and_wake_ups_left,
    compute_unflushed_bytes,
    compute_undispatched_bytes,
)
"""The numbers of the rank, the weightiest first."""


RECOVERY = list_steps("recovery")
"""How brokers come back. A blank is cut off only if ``torn_rolls`` may occur again."""


LAST_RESORTS = tuple(name for name, rule in RULES.items() if rule.is_last_resort)
"""The steps by which a put's wait times out."""


def get_healing(structure: Structure) -> Healing:
    """How a group comes to rest."""
    steps = leave_out_unawaited(structure, (*HEALING_STEPS, *get_added_steps(structure)))
    endless = tuple(
        f"{rule}[{slave}]"
        for variant in structure.changes
        for rule in variant.endless
        for slave in range(structure.slaves)
    )
    return Healing(
        steps,
        RANK,
        has_all_brokers,
        endless=endless,
        recovery=RECOVERY,
        last_resorts=LAST_RESORTS,
    )
