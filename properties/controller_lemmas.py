"""What the proofs of controller mode need: histories that match, and members that hold what counts.

From the source of 5.x, not yet held against recordings. The core is the last lemma: whatever is
acknowledged is held by every member of the SyncStateSet, so whoever is elected has it.
"""

from __future__ import annotations

from properties.property import variant_lemma
from properties.sanity_check import get_logs
from reference.lineage import (
    compute_common_end,
    compute_start_of_life,
    has_message,
    is_written,
)
from reference.operations import all_of, implies, negate
from reference.put import compute_phase_after_slave, is_acknowledged
from reference.state import PUT_OK, UNKNOWN_OFFSET, WAITS_FOR_DISK, Cluster, CommitLog, Message
from reference.sync_state_set import get_report, is_master_member, is_member

CONTROLLER_MODE = "controller_mode"


def is_every_store_kept(cluster: Cluster) -> bool:
    """No store was lost, no write failed, and no file was deleted that a slave still needed."""
    faults = cluster.faults
    return (
        (faults.master_disk_losses == 0)
        & (faults.slave_wipes == 0)
        & (faults.swallowed_disk_errors == 0)
        & (faults.uncopied_expiries == 0)
        & (faults.early_expiries == 0)
    )


def is_every_byte_kept(cluster: Cluster) -> bool:
    """Beside that, no broker has lost power, and nobody made the master answer by itself."""
    faults = cluster.faults
    is_powered = (faults.master_power_losses == 0) & (faults.slave_power_losses == 0)
    return is_every_store_kept(cluster) & is_powered & (faults.role_switches == 0)


def is_passed_by_members(cluster: Cluster, message: Message) -> bool:
    """The put is acknowledged, or only its disk step is missing; retention has not deleted it."""
    is_disk_last = compute_phase_after_slave(cluster) == WAITS_FOR_DISK
    is_before_disk = (message.phase == WAITS_FOR_DISK) & (message.status == PUT_OK)
    is_passed = is_acknowledged(message) | (is_disk_last & is_before_disk & message.waits_for_store)
    return is_passed & negate(message.ghost_is_expired)


@variant_lemma(CONTROLLER_MODE, why="Else a broker's id is known to the set, and it is another.")
def kept_master_is_known(cluster: Cluster) -> bool:
    """The master is in the SyncStateSet, unless it is down and has lost its disk."""
    master = cluster.master
    is_empty = (master.log.max_offset == 0) & (master.trailing_blank_offset == UNKNOWN_OFFSET)
    has_lost_disk = negate(master.is_up) & is_empty & (cluster.faults.master_disk_losses > 0)
    return is_master_member(cluster) | has_lost_disk


@variant_lemma(CONTROLLER_MODE, why="Else unknown bytes hide what a slave would have to truncate.")
def slaves_content_is_known(cluster: Cluster) -> bool:
    """Where no write fails, every slave knows its bytes."""
    is_known = all_of(*(s.log.ghost_unknown_below_offset == 0 for s in cluster.slaves))
    return implies(cluster.faults.swallowed_disk_errors == 0, is_known)


@variant_lemma(CONTROLLER_MODE, why="Else a slave's log begins behind bytes that it never had.")
def log_without_file_can_begin(cluster: Cluster) -> bool:
    """A broker without a file finds a master whose log begins at 0, and is sent that."""
    master = cluster.master.log
    begins = (
        implies(negate(slave.log.has_file), master.start_offset == 0)
        & implies(
            link.is_open
            & (link.arrived_offset >= 0)
            & negate(slave.log.has_file)
            & negate(slave.is_stopping),
            link.arrived_offset == 0,
        )
        & implies(
            negate(master.has_file) & is_member(cluster, i),
            slave.log.max_offset == 0,
        )
        for i, (link, slave) in enumerate(zip(cluster.links, cluster.slaves, strict=True))
    )
    return implies(is_every_store_kept(cluster), all_of(*begins))


def has_bytes_of(log: CommitLog, life: int) -> bool:
    """The log has, or had, bytes of this epoch."""
    return compute_start_of_life(log, life) < log.ends[life]


def has_same_history_before(one: CommitLog, other: CommitLog, life: int) -> bool:
    """All earlier epochs end at the same offsets in both logs."""
    return all_of(*(one.ends[t] == other.ends[t] for t in range(life)))


@variant_lemma(CONTROLLER_MODE, why="Else two logs share an epoch and differ before it.")
def histories_match(cluster: Cluster) -> bool:
    """Two logs with bytes of the same epoch have the same epochs before it, with the same ends.

    Of the master's present epoch nobody has bytes who has not its history, and none beyond its end.
    """
    logs, lives = get_logs(cluster), range(cluster.structure.lives)
    pairs = [(one, other) for i, one in enumerate(logs) for other in logs[:i]]
    is_matching = all_of(
        *(
            implies(
                has_bytes_of(one, t) & has_bytes_of(other, t),
                has_same_history_before(one, other, t),
            )
            for one, other in pairs
            for t in lives
        )
    )
    master = cluster.master
    is_following = all_of(
        *(
            implies(
                (master.ghost_life == t) & has_bytes_of(s.log, t),
                has_same_history_before(s.log, master.log, t),
            )
            for s in cluster.slaves
            for t in lives
        )
    )
    return implies(is_every_store_kept(cluster), is_matching & is_following)


@variant_lemma(CONTROLLER_MODE, why="Else a connected slave reports offsets of other bytes.")
def connected_slave_has_the_masters_history(cluster: Cluster) -> bool:
    """The log of a connected slave is the beginning of its master's, epoch by epoch."""
    return all_of(
        *(
            implies(
                is_every_store_kept(cluster) & link.is_open,
                compute_common_end(slave.log, cluster.master.log) == slave.log.max_offset,
            )
            for link, slave in zip(cluster.links, cluster.slaves, strict=True)
        )
    )


@variant_lemma(CONTROLLER_MODE, why="Else a broker lacks a message below its first file.")
def below_first_file_of_any_log_is_expired(cluster: Cluster) -> bool:
    """What a broker once held and holds no more, at the beginning of its log, has expired."""
    return all_of(
        *(
            implies(
                is_every_store_kept(cluster)
                & is_written(m)
                & (m.ghost_life == life)
                & (m.start_offset < log.start_offset)
                & (compute_start_of_life(log, life) <= m.start_offset)
                & (m.start_offset < log.ends[life]),
                m.ghost_is_expired,
            )
            for m in cluster.messages
            for log in get_logs(cluster)
            for life in range(cluster.structure.lives)
        )
    )


@variant_lemma(CONTROLLER_MODE, why="Else a restart of the only broker that has it loses it.")
def acknowledged_is_on_the_master(cluster: Cluster) -> bool:
    """While no broker has lost bytes, the master of the day has what was acknowledged."""
    if not cluster.structure.is_sync_master:
        return True
    return all_of(
        *(
            implies(
                is_every_byte_kept(cluster) & is_passed_by_members(cluster, m),
                has_message(cluster.master.log, m),
            )
            for m in cluster.messages
        )
    )


@variant_lemma(CONTROLLER_MODE, why="Else somebody is elected who lacks it.")
def acknowledged_is_held_by_every_member(cluster: Cluster) -> bool:
    """While no broker has lost bytes, each member of the SyncStateSet has what was acknowledged."""
    if not cluster.structure.is_sync_master:
        return True
    return all_of(
        *(
            implies(
                is_every_byte_kept(cluster)
                & is_member(cluster, i)
                & is_passed_by_members(cluster, m),
                has_message(slave.log, m),
            )
            for m in cluster.messages
            for i, slave in enumerate(cluster.slaves)
        )
    )


@variant_lemma(CONTROLLER_MODE, why="Else the confirm offset falls below what is acknowledged.")
def report_of_a_member_covers_what_is_acknowledged(cluster: Cluster) -> bool:
    """A member that has reported on its connection has reported all that was acknowledged."""
    if not cluster.structure.is_sync_master:
        return True
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
