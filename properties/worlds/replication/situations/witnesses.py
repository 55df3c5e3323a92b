"""Situations that must be reachable, or else a check that mentions them is vacuous.

Beside those named here, every rule instance and every guarantee's premise has a witness.
"""

from __future__ import annotations

from properties.language.property import witness
from reference.language.operators import any_of, negate
from reference.worlds.replication.lineage import has_equal_bytes, has_first_bytes, has_message
from reference.worlds.replication.put import (
    DISK_FLUSHES_MAX,
    TRANSFER_WAKE_UPS_MAX,
    is_acknowledged,
    is_flushed,
)
from reference.worlds.replication.replication import is_positioned
from reference.worlds.replication.state import (
    ANSWERED,
    FLUSH_DISK_TIMEOUT,
    FLUSH_SLAVE_TIMEOUT,
    SLAVE_NOT_AVAILABLE,
    UNANSWERED,
    Cluster,
)


def is_answered(cluster: Cluster, status: int) -> bool:
    """Some followed message was answered with this status."""
    return any_of(*((m.phase == ANSWERED) & (m.status == status) for m in cluster.messages))


@witness
def a_put_is_answered_put_ok(cluster: Cluster) -> bool:
    """A put whose producer waits is answered PUT_OK."""
    return any_of(*(is_acknowledged(m) for m in cluster.messages))


@witness
def a_put_is_answered_flush_disk_timeout(cluster: Cluster) -> bool:
    """A put is answered FLUSH_DISK_TIMEOUT (needs SYNC_FLUSH)."""
    return is_answered(cluster, FLUSH_DISK_TIMEOUT)


@witness
def a_put_is_answered_flush_slave_timeout(cluster: Cluster) -> bool:
    """A put is answered FLUSH_SLAVE_TIMEOUT (needs SYNC_MASTER and a slave)."""
    return is_answered(cluster, FLUSH_SLAVE_TIMEOUT)


@witness
def a_put_is_answered_slave_not_available(cluster: Cluster) -> bool:
    """A put is answered SLAVE_NOT_AVAILABLE (needs SYNC_MASTER)."""
    return is_answered(cluster, SLAVE_NOT_AVAILABLE)


@witness
def a_put_is_never_answered(cluster: Cluster) -> bool:
    """A master's death leaves a put without an answer (needs a fault of the master)."""
    return any_of(*(m.phase == UNANSWERED for m in cluster.messages))


@witness
def a_slave_has_caught_up(cluster: Cluster) -> bool:
    """A slave holds all bytes of a log that is not empty."""
    return any_of(
        *(
            (s.log.max_offset > 0) & (s.log.max_offset == cluster.master.log.max_offset)
            for s in cluster.slaves
        )
    )


@witness
def a_slave_is_ahead(cluster: Cluster) -> bool:
    """A slave's log is longer than the master's (needs a power loss of the master)."""
    return any_of(*(s.log.max_offset > cluster.master.log.max_offset for s in cluster.slaves))


@witness
def an_acknowledged_message_never_reaches_any_slave(cluster: Cluster) -> bool:
    """A slave has caught up and reports honestly, yet lacks an acknowledged message."""
    log = cluster.master.log
    return any_of(
        *(
            is_acknowledged(m)
            & negate(has_message(s.log, m))
            & (s.log.max_offset == log.max_offset)
            & (s.log.ghost_unknown_below_offset == 0)
            for m in cluster.messages
            for s in cluster.slaves
        )
    )


@witness
def a_flushed_put_is_answered_flush_disk_timeout(cluster: Cluster) -> bool:
    """All bytes are on disk, yet FLUSH_DISK_TIMEOUT: no check after the second flush (R-FL-04).

    It needs a rollover, and no slowness at all.
    """
    return any_of(
        *(
            (m.phase == ANSWERED)
            & (m.status == FLUSH_DISK_TIMEOUT)
            & (m.disk_flushes == DISK_FLUSHES_MAX)
            & is_flushed(cluster, m)
            for m in cluster.messages
        )
    )


@witness
def a_put_times_out_while_its_bytes_arrive(cluster: Cluster) -> bool:
    """FLUSH_SLAVE_TIMEOUT after five wake-ups, while the slave keeps receiving (R-HA-21)."""
    return any_of(
        *(
            (m.phase == ANSWERED)
            & (m.status == FLUSH_SLAVE_TIMEOUT)
            & (m.wake_ups == TRANSFER_WAKE_UPS_MAX)
            & link.is_open
            & has_first_bytes(s.log, m)
            for m in cluster.messages
            for s, link in zip(cluster.slaves, cluster.links, strict=True)
        )
    )


@witness
def a_complete_slave_is_not_available(cluster: Cluster) -> bool:
    """SLAVE_NOT_AVAILABLE, though a slave is connected and holds all that came before the message.

    After a restart the master has forgotten every report: a log that is longer than the fall-behind
    limit makes each put fail until the first report (finding 23).
    """
    return any_of(
        *(
            (m.phase == ANSWERED)
            & (m.status == SLAVE_NOT_AVAILABLE)
            & link.is_open
            & (s.log.max_offset == m.start_offset)
            & (m.start_offset > 0)
            & has_equal_bytes(s.log, cluster.master.log)
            for m in cluster.messages
            for s, link in zip(cluster.slaves, cluster.links, strict=True)
        )
    )


@witness
def a_slave_asks_below_the_masters_first_file(cluster: Cluster) -> bool:
    """A slave that was away longer than the master's retention is never sent anything (R-HA-17).

    The connection stays open, and the master counts it.
    """
    return any_of(
        *(
            link.is_open
            & is_positioned(link)
            & (link.next_transfer_offset < cluster.master.log.start_offset)
            for link in cluster.links
        )
    )


@witness
def a_slave_dispatch_is_stuck(cluster: Cluster) -> bool:
    """Foreign bytes follow part of a message: the slave keeps storing, but its dispatch stops."""
    return any_of(
        *(
            has_first_bytes(s.log, m)
            & negate(has_message(s.log, m))
            & (s.log.dispatched_offset == m.start_offset)
            & (m.end_offset < s.log.max_offset)
            for m in cluster.messages
            for s in cluster.slaves
        )
    )
