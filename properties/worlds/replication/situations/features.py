"""Features: situations in a refuting schedule by which its explanation is recognised."""

from __future__ import annotations

from properties.language.property import feature
from reference.language.operators import all_of, any_of, negate
from reference.worlds.replication.dispatch import is_dispatch_file_there
from reference.worlds.replication.mapped_files import is_flush_file_there
from reference.worlds.replication.put import is_acknowledged
from reference.worlds.replication.state import UNKNOWN_OFFSET, Cluster


@feature
def is_slave_ahead(cluster: Cluster) -> bool:
    """A slave's log ends beyond its master's."""
    return any_of(*(s.log.max_offset > cluster.master.log.max_offset for s in cluster.slaves))


@feature
def is_acknowledged_unreceived(cluster: Cluster) -> bool:
    """A put was answered PUT_OK though no slave has ever had all of its message."""
    return any_of(*(is_acknowledged(m) & negate(m.ghost_is_received) for m in cluster.messages))


@feature
def is_asked_below_first_file(cluster: Cluster) -> bool:
    """A connection continues at an offset that the master's retention has deleted."""
    start = cluster.master.log.start_offset
    return any_of(
        *(
            (UNKNOWN_OFFSET < link.next_transfer_offset) & (link.next_transfer_offset < start)
            for link in cluster.links
        )
    )


@feature
def is_empty_file_served_from_later(cluster: Cluster) -> bool:
    """A slave whose only file is empty is sent bytes from after the master's beginning."""
    pairs = zip(cluster.slaves, cluster.links, strict=True)
    return any_of(
        *(
            slave.log.has_file & (slave.log.max_offset == 0) & (link.transfer_start_offset > 0)
            for slave, link in pairs
        )
    )


@feature
def is_transfer_begun_in_a_roll(cluster: Cluster) -> bool:
    """A transfer begins at the master's end, at a file that does not exist yet."""
    end = cluster.master.log.max_offset
    is_in_a_roll = cluster.master.trailing_blank_offset != UNKNOWN_OFFSET
    return is_in_a_roll & any_of(*(link.transfer_start_offset == end for link in cluster.links))


@feature
def is_flush_file_gone(cluster: Cluster) -> bool:
    """The file in which a broker's flush would continue is deleted."""
    logs = (cluster.master.log, *(s.log for s in cluster.slaves))
    return negate(all_of(*(is_flush_file_there(log) for log in logs)))


@feature
def is_deleted_early(cluster: Cluster) -> bool:
    """A full disk has taken a message early."""
    return any_of(*(m.ghost_is_deleted_early for m in cluster.messages))


@feature
def is_dispatch_overtaken(cluster: Cluster) -> bool:
    """The file in which a broker's dispatch would continue is deleted."""
    logs = (cluster.master.log, *(s.log for s in cluster.slaves))
    return negate(all_of(*(is_dispatch_file_there(cluster, log) for log in logs)))
