"""The lemmas of controller mode: histories that match, members that hold acknowledged messages.

From the source of 5.x, not yet compared with recordings. Two facts are the core. A slave holds what
it reports of a waiting put, even after power losses; this rules out both false acknowledgements of
4.4.0. Every member of the SyncStateSet holds each acknowledged message, while no broker loses
bytes; any elected broker has it.
"""

from __future__ import annotations

from properties.property import lemma
from properties.worlds.replication.lemmas import is_end_known
from properties.worlds.replication.sanity_checks import get_logs
from reference.language.operators import all_of, implies, minimum, negate
from reference.worlds.replication.lifecycle import has_uncounted_life
from reference.worlds.replication.lineage import (
    compute_start_of_life,
    is_scanned,
)
from reference.worlds.replication.put import has_passed_slave_step, is_pending
from reference.worlds.replication.state import Cluster, CommitLog, Message
from reference.worlds.replication.sync_state_set import get_report, is_member

CONTROLLER_MODE = "controller_mode"


def is_every_store_kept(cluster: Cluster) -> bool:
    """The master has not lost its disk, and no broker's write has failed unnoticed."""
    faults = cluster.faults
    is_every_write_done = (faults.swallowed_disk_errors == 0) & (faults.failed_file_creations == 0)
    return (faults.master_disk_losses == 0) & is_every_write_done


def is_every_byte_kept(cluster: Cluster) -> bool:
    """Every store is kept, no broker has lost power, and the master's role was never switched."""
    faults = cluster.faults
    is_powered = (faults.master_power_losses == 0) & (faults.slave_power_losses == 0)
    return is_every_store_kept(cluster) & is_powered & (faults.role_switches == 0)


def is_passed_by_members(cluster: Cluster, message: Message) -> bool:
    """On a SYNC_MASTER the message has passed its slave step, and it has not expired."""
    is_passed = cluster.structure.is_sync_master & has_passed_slave_step(cluster, message)
    return is_passed & negate(message.ghost_is_expired)


def is_waiting(message: Message) -> bool:
    """The put waits for its answer, and retention has not deleted its message."""
    return is_pending(message) & negate(message.ghost_is_expired)


def is_followed(cluster: Cluster, message: Message) -> bool:
    """The message waits for its answer, or passed its slave step and no broker has lost bytes."""
    is_kept = is_every_byte_kept(cluster) & is_passed_by_members(cluster, message)
    return (is_every_store_kept(cluster) & is_waiting(message)) | is_kept


@lemma(CONTROLLER_MODE, why="Else unknown bytes hide which bytes a slave must truncate.")
def slaves_content_is_known(cluster: Cluster) -> bool:
    """If no write fails, no slave has bytes at a foreign offset."""
    is_known = all_of(*(s.log.ghost_unknown_below_offset == 0 for s in cluster.slaves))
    return implies(cluster.faults.swallowed_disk_errors == 0, is_known)


def has_bytes_of(log: CommitLog, life: int) -> bool:
    """The log has, or had, bytes of this epoch."""
    return compute_start_of_life(log, life) < log.ends[life]


def is_end_forgotten(log: CommitLog, life: int, other: CommitLog) -> bool:
    """The log began beyond the other's end of the epoch, and took its beginning for that end."""
    begin = log.ends[0]
    is_behind = (other.ends[life] <= begin) & (begin <= log.start_offset)
    return (log.ends[life] == begin) & is_behind


def follows_history(log: CommitLog, other: CommitLog, life: int) -> bool:
    """If both have bytes of this epoch, the log has the other's earlier epochs or forgot them."""
    return implies(
        has_bytes_of(log, life) & has_bytes_of(other, life), has_history(log, other, life)
    )


def has_history(log: CommitLog, other: CommitLog, life: int) -> bool:
    """All earlier epochs end at the same offsets in both logs, or the log forgot where."""
    return all_of(
        *((log.ends[t] == other.ends[t]) | is_end_forgotten(log, t, other) for t in range(life))
    )


@lemma(CONTROLLER_MODE, why="Else two logs share an epoch and differ before it.")
def members_have_the_masters_history(cluster: Cluster) -> bool:
    """A member with bytes of one of its master's epochs has the same epochs before it.

    No slave at all has bytes of the present epoch without its history.
    """
    master, lives = cluster.master, range(cluster.structure.lives)
    return implies(
        is_every_store_kept(cluster),
        all_of(
            *(
                implies(is_member(cluster, i), follows_history(s.log, master.log, t))
                & implies(
                    (master.ghost_life == t) & has_bytes_of(s.log, t),
                    has_history(s.log, master.log, t),
                )
                for i, s in enumerate(cluster.slaves)
                for t in lives
            )
        ),
    )


@lemma(
    CONTROLLER_MODE,
    why="Else a new message gets offsets at which a slave already has bytes of its epoch.",
)
def slaves_bytes_beyond_the_master_are_torn(cluster: Cluster) -> bool:
    """Bytes of the present epoch beyond the master's end are older bytes in a slave's last file."""
    master = cluster.master
    return all_of(
        *(
            implies(
                (master.ghost_life == life)
                & is_end_known(s.log, life)
                & has_bytes_of(s.log, life)
                & (master.log.max_offset < s.log.ends[life]),
                (s.log.ghost_torn_start_offset <= master.log.max_offset)
                & (s.log.ends[life] <= s.log.ghost_torn_end_offset)
                & (s.log.last_file_offset <= master.log.max_offset),
            )
            for s in cluster.slaves
            for life in range(cluster.structure.lives)
        )
    )


@lemma(CONTROLLER_MODE, why="Else a log begins after bytes that its master still has.")
def empty_slave_is_sent_the_first_file(cluster: Cluster) -> bool:
    """A slave without a file is sent bytes from the master's first file, or from before it."""
    return all_of(
        *(
            implies(
                (cluster.faults.failed_file_creations == 0)
                & link.is_open
                & (link.arrived_offset >= 0)
                & negate(slave.log.has_file)
                & negate(slave.is_stopping),
                link.arrived_offset <= cluster.master.log.start_offset,
            )
            for link, slave in zip(cluster.links, cluster.slaves, strict=True)
        )
    )


def is_beginning(log: CommitLog, of: CommitLog) -> bool:
    """Each epoch ends where it does in the other log, up to this log's end.

    A log that began late does not know the end of an epoch that ended before its first file.
    """
    is_same = all_of(
        *(
            (log.ends[t] == minimum(of.ends[t], log.max_offset)) | is_end_forgotten(log, t, of)
            for t in range(len(log.ends))
        )
    )
    return is_same & (log.max_offset <= of.max_offset)


@lemma(CONTROLLER_MODE, why="Else a connected slave reports offsets of other bytes.")
def connected_slave_is_the_masters_beginning(cluster: Cluster) -> bool:
    """A connected slave's log is a prefix of its master's, epoch by epoch."""
    return all_of(
        *(
            implies(
                is_every_store_kept(cluster) & link.is_open,
                is_beginning(slave.log, cluster.master.log),
            )
            for link, slave in zip(cluster.links, cluster.slaves, strict=True)
        )
    )


@lemma(CONTROLLER_MODE, why="Else a broker lacks a message below its first file.")
def below_first_file_of_any_log_is_expired(cluster: Cluster) -> bool:
    """A broker that has bytes of a followed message's place has not deleted the message."""
    return all_of(
        *(
            implies(
                is_followed(cluster, m)
                & (m.ghost_life == life)
                & (compute_start_of_life(log, life) <= m.start_offset)
                & (m.start_offset < log.ends[life]),
                log.start_offset <= m.start_offset,
            )
            for m in cluster.messages
            for log in get_logs(cluster)
            for life in range(cluster.structure.lives)
        )
    )


@lemma(CONTROLLER_MODE, why="Else a slave whose log begins too late joins the set.")
def connected_slave_begins_early_enough(cluster: Cluster) -> bool:
    """A connected slave's log begins no later than any followed message."""
    return all_of(
        *(
            implies(
                is_followed(cluster, m) & link.is_open,
                slave.log.start_offset <= m.start_offset,
            )
            for m in cluster.messages
            for link, slave in zip(cluster.links, cluster.slaves, strict=True)
        )
    )


@lemma(CONTROLLER_MODE, why="Else a put is answered by a report of other bytes.")
def reported_by_a_slave_is_held(cluster: Cluster) -> bool:
    """A slave that reported the end of a waiting put holds the message, even after power losses."""
    return all_of(
        *(
            implies(
                is_every_store_kept(cluster) & is_waiting(m) & (m.end_offset <= get_report(link)),
                is_scanned(slave.log, m),
            )
            for m in cluster.messages
            for link, slave in zip(cluster.links, cluster.slaves, strict=True)
        )
    )


@lemma(CONTROLLER_MODE, why="Else the only broker that has the message loses it by a restart.")
def acknowledged_is_on_the_master(cluster: Cluster) -> bool:
    """While no broker has lost bytes, the present master has each acknowledged message."""
    return all_of(
        *(
            implies(
                is_every_byte_kept(cluster) & is_passed_by_members(cluster, m),
                is_scanned(cluster.master.log, m),
            )
            for m in cluster.messages
        )
    )


@lemma(CONTROLLER_MODE, why="Else a broker is elected that lacks the message.")
def acknowledged_is_held_by_every_member(cluster: Cluster) -> bool:
    """While no broker has lost bytes, each SyncStateSet member has each acknowledged message."""
    return all_of(
        *(
            implies(
                is_every_byte_kept(cluster)
                & is_member(cluster, i)
                & is_passed_by_members(cluster, m),
                is_scanned(slave.log, m),
            )
            for m in cluster.messages
            for i, slave in enumerate(cluster.slaves)
        )
    )


@lemma(CONTROLLER_MODE, why="Else the confirm offset drops below an acknowledged message.")
def report_of_a_member_covers_what_is_acknowledged(cluster: Cluster) -> bool:
    """A member that has reported on its connection has reported each acknowledged message."""
    return all_of(
        *(
            implies(
                is_every_byte_kept(cluster)
                & is_member(cluster, i)
                & is_passed_by_members(cluster, m)
                & (get_report(link) >= 0),
                m.end_offset <= get_report(link),
            )
            for m in cluster.messages
            for i, link in enumerate(cluster.links)
        )
    )


@lemma("controller_mode", why="Else a master without slaves is replaced.")
def without_slaves_nobody_is_elected(cluster: Cluster) -> bool:
    """Where there is no slave, the master stays the same."""
    return bool(cluster.structure.slaves) or negate(has_uncounted_life(cluster))
