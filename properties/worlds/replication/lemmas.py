"""The lemmas that the proofs need, each with the counterexample to induction that demands it.

A *log epoch* of the master is a ``life`` in the code. A lemma with the premise "no power loss of
the master so far" serves every fault model. Where such power losses are possible it still holds,
but is weaker.
"""

from __future__ import annotations

from properties.language.property import lemma
from properties.worlds.replication.guarantees import has_expired
from properties.worlds.replication.sanity_checks import is_appended
from reference.language.operators import all_of, any_of, implies, negate
from reference.worlds.replication.commit_log import compute_first_phase
from reference.worlds.replication.lifecycle import count_losses, has_uncounted_life
from reference.worlds.replication.lineage import (
    has_first_bytes,
    has_message,
    is_in_lineage,
    is_scanned,
    is_torn,
    is_written,
)
from reference.worlds.replication.mapped_files import is_flush_file_there
from reference.worlds.replication.put import (
    has_disk_wait,
    has_passed_slave_step,
    is_acknowledged,
    is_in_line,
    is_past_disk_step,
    is_pending,
    is_slave_always_asked,
)
from reference.worlds.replication.state import (
    PUT_OK,
    WAITS_FOR_DISK,
    Cluster,
    CommitLog,
    Message,
)


def is_first_process_alike(cluster: Cluster) -> bool:
    """No bytes that any broker but the master had were ever lost, discarded or misplaced."""
    faults = cluster.faults
    is_plain = (
        (count_losses(cluster) == 0)
        & (faults.swallowed_disk_errors == 0)
        & (faults.failed_file_creations == 0)
        & (faults.late_joins == 0)
        & (faults.forced_deletions == 0)
        & (faults.alien_reports == 0)
    )
    return is_plain | (cluster.master.ghost_life == 0)


def is_first_life(cluster: Cluster) -> bool:
    """The master has so far lost neither power nor disk, nor a blank at its log's end.

    With a store pool, kills that lose only buffered bytes do not count: no other broker had these.
    """
    if cluster.committed_offset:
        return is_first_process_alike(cluster)
    return cluster.master.ghost_life == 0


def is_master_intact(cluster: Cluster) -> bool:
    """The master never changed and lost neither power nor disk: no message, at most a blank."""
    is_the_same = negate(has_uncounted_life(cluster))
    if cluster.committed_offset:
        is_the_same &= cluster.faults.swallowed_disk_errors == 0
    is_kept = (cluster.faults.master_power_losses == 0) & (cluster.faults.master_disk_losses == 0)
    return is_kept & is_the_same


def is_slave_power_intact(cluster: Cluster) -> bool:
    """No slave has lost power or its store so far."""
    return (cluster.faults.slave_power_losses == 0) & (cluster.faults.slave_wipes == 0)


def is_disk_honest(cluster: Cluster) -> bool:
    """No kill, swallowed error or early expiry made unflushed bytes count as flushed."""
    faults = cluster.faults
    return (
        (faults.master_kills == 0)
        & (faults.swallowed_disk_errors == 0)
        & (faults.forced_deletions == 0)
        & negate(has_uncounted_life(cluster))
    )


def is_joined_from_start(cluster: Cluster) -> bool:
    """Every slave began at the master's first byte, and wrote everything it was sent."""
    faults = cluster.faults
    is_written_down = (faults.swallowed_disk_errors == 0) & (faults.failed_file_creations == 0)
    return (faults.late_joins == 0) & is_written_down


def is_reporting_honest(cluster: Cluster) -> bool:
    """The master has lost nothing, slaves hold what they report, and only slaves report."""
    faults = cluster.faults
    is_timely = (faults.alien_reports == 0) & (faults.overlong_waits == 0)
    return is_first_life(cluster) & is_joined_from_start(cluster) & is_timely


@lemma(why="Else a message is acknowledged that the master's log never held, with no fault at all.")
def intact_master_holds_what_was_written(cluster: Cluster) -> bool:
    """While the master has lost no message, it holds every appended message until it expires."""
    log = cluster.master.log
    return all_of(
        *(
            implies(
                is_master_intact(cluster) & is_written(m),
                is_in_lineage(log, m) & (has_message(log, m) | m.ghost_is_expired),
            )
            for m in cluster.messages
        )
    )


@lemma(why="Else a waiting put is acknowledged although a power loss has taken its message.")
def pending_is_on_master(cluster: Cluster) -> bool:
    """A message whose put still waits is in the master's log, in the present log epoch."""
    master = cluster.master
    return all_of(
        *(
            implies(
                is_pending(m),
                (m.ghost_life == master.ghost_life)
                & (is_appended(cluster, m) | m.ghost_is_expired),
            )
            for m in cluster.messages
        )
    )


@lemma(why="Else the disk step lets a message pass that counts as flushed and is not on disk.")
def flushed_is_durable(cluster: Cluster) -> bool:
    """Without kills and disk errors, bytes that count as flushed or survive a stop are on disk."""
    log, is_up = cluster.master.log, cluster.master.is_up
    is_durable = log.flushed_offset <= log.ghost_durable_offset
    is_left_durable = is_up | (log.max_offset == log.ghost_durable_offset)
    return implies(is_disk_honest(cluster), is_durable & is_left_durable & is_flush_file_there(log))


@lemma(why="Else SYNC_FLUSH acknowledges a message that the next power loss takes.")
def past_disk_wait_is_durable(cluster: Cluster) -> bool:
    """With SYNC_FLUSH, a waiting put whose disk step succeeded is on disk."""
    if not cluster.structure.is_sync_flush:
        return True
    master = cluster.master
    return all_of(
        *(
            implies(
                is_disk_honest(cluster)
                & (cluster.faults.master_disk_losses == 0)
                & is_past_disk_step(cluster, m)
                & (m.status == PUT_OK)
                & m.waits_for_store
                & negate(m.ghost_is_expired),
                m.end_offset <= master.log.ghost_durable_offset,
            )
            for m in cluster.messages
        )
    )


@lemma(why="Else a master that lost power lacks an acknowledged message.")
def acknowledged_with_sync_flush_is_on_master(cluster: Cluster) -> bool:
    """With SYNC_FLUSH and an honest disk, an acknowledged message is in the master's log."""
    if not cluster.structure.is_sync_flush:
        return True
    log = cluster.master.log
    is_intact = is_disk_honest(cluster) & (cluster.faults.master_disk_losses == 0)
    return all_of(
        *(
            implies(is_intact & is_acknowledged(m), has_message(log, m) | m.ghost_is_expired)
            for m in cluster.messages
        )
    )


@lemma(
    why="Else the highest report covers a message that is appended later.",
    broken_by=("controller_mode",),
)
def reports_are_within_log_in_first_life(cluster: Cluster) -> bool:
    """While the master has lost nothing, no slave reports an offset beyond the master's log."""
    master = cluster.master
    is_alien_free = cluster.faults.alien_reports == 0
    return implies(
        is_first_life(cluster),
        implies(is_alien_free, master.push2_slave_max_offset <= master.log.max_offset)
        & all_of(*(link.reported_offset <= master.log.max_offset for link in cluster.links))
        & all_of(*(slave.log.max_offset <= master.log.max_offset for slave in cluster.slaves)),
    )


def is_end_known(log: CommitLog, life: int) -> bool:
    """Just before the end of this log epoch, the log has no bytes at a foreign offset."""
    unknown = log.ghost_unknown_below_offset
    return (unknown == 0) | (unknown < log.ends[life])


@lemma(
    why="Else a frame begins beyond the slave's end, and its bytes land at a foreign offset.",
    broken_by=("controller_mode",),
)
def frame_of_early_slave_is_where_its_log_ends(cluster: Cluster) -> bool:
    """A slave that joined from the start is sent exactly the bytes that follow its log."""
    return all_of(
        *(
            implies(
                is_joined_from_start(cluster)
                & link.is_open
                & (link.arrived_offset >= 0)
                & negate(slave.is_stopping),
                link.arrived_offset == slave.log.max_offset,
            )
            for link, slave in zip(cluster.links, cluster.slaves, strict=True)
        )
    )


@lemma(
    why="Else a slave's bytes count as unknown, and equal none of the master's.",
    broken_by=("controller_mode",),
)
def content_of_early_slave_is_known(cluster: Cluster) -> bool:
    """In the first log epoch, a slave that joined at the start has no bytes at a foreign offset."""
    is_known = all_of(*(s.log.ghost_unknown_below_offset == 0 for s in cluster.slaves))
    return implies(is_first_life(cluster) & is_joined_from_start(cluster), is_known)


def is_disk_first(cluster: Cluster) -> bool:
    """A put waits for the disk before it queues for a slave (until 4.7.0)."""
    return cluster.structure.is_sync_flush and compute_first_phase(cluster) == WAITS_FOR_DISK


def is_lacking_in_line(cluster: Cluster, put: Message) -> bool:
    """A put waits for a slave without a disk step, and no slave ever had its message.

    With a disk step first, a slave may have started and reported before the put queues for it.
    """
    is_direct = is_in_line(cluster, put)
    if is_disk_first(cluster):
        is_direct &= negate(has_disk_wait(cluster, put))
    return is_direct & negate(put.ghost_is_received | has_expired(put))


def is_lacked_in_line(cluster: Cluster, put: Message) -> bool:
    """Reports are honest, and the put waits for a slave, none of which ever had its message."""
    return is_reporting_honest(cluster) & is_lacking_in_line(cluster, put)


def is_covered(log: CommitLog, put: Message) -> bool:
    """The log's end is not before the message's, or it has foreign bytes in the message's place."""
    return is_torn(log, put) | (put.end_offset <= log.max_offset)


def is_kept_in_lineage(cluster: Cluster, put: Message) -> bool:
    """The message was appended, and was not lost with a buffer."""
    if not cluster.committed_offset:
        return is_written(put)
    return is_written(put) & is_in_lineage(cluster.master.log, put)


@lemma(
    why="Else a slave whose log begins late reports a message that it never had.",
    broken_by=("controller_mode",),
)
def below_first_file_of_early_slave_is_expired(cluster: Cluster) -> bool:
    """Retention has deleted every message below the beginning of a slave's log.

    If it did so early, a put that still waits for the message was already waiting when the slave
    started.
    """
    return all_of(
        *(
            implies(
                is_first_life(cluster)
                & is_joined_from_start(cluster)
                & is_kept_in_lineage(cluster, m)
                & (m.start_offset < s.log.start_offset),
                m.ghost_is_expired
                & implies(m.ghost_is_deleted_early, m.end_offset <= s.log.start_offset)
                & implies(
                    is_lacked_in_line(cluster, m), m.end_offset <= s.ghost_earlier_put_offset
                ),
            )
            for m in cluster.messages
            for s in cluster.slaves
        )
    )


@lemma(
    why="Else a put is answered by a report that came before the message did.",
    broken_by=("controller_mode",),
)
def lacked_put_is_not_reported(cluster: Cluster) -> bool:
    """Honest reports never cover a waiting put whose message no slave ever had."""
    return all_of(
        *(
            implies(
                is_lacked_in_line(cluster, m),
                (cluster.master.push2_slave_max_offset < m.end_offset)
                & all_of(
                    *(
                        negate(link.is_open & link.has_reported)
                        | (link.reported_offset < m.end_offset)
                        for link in cluster.links
                    )
                ),
            )
            for m in cluster.messages
        )
    )


@lemma(
    why="Else a slave's first report covers a put whose message it holds in part.",
    broken_by=("controller_mode",),
)
def lacked_put_is_earlier_than_its_slave(cluster: Cluster) -> bool:
    """If a slave covers a waiting put that no slave received, it started during the wait."""
    return all_of(
        *(
            implies(
                is_lacked_in_line(cluster, m)
                & slave.is_up
                & (is_covered(slave.log, m) | (m.end_offset <= link.reported_offset)),
                m.end_offset <= slave.ghost_earlier_put_offset,
            )
            for m in cluster.messages
            for slave, link in zip(cluster.slaves, cluster.links, strict=True)
        )
    )


@lemma(
    why="Else a slave that has reported was started with more than it had received.",
    broken_by=("controller_mode",),
)
def slave_that_reported_lacks_the_put(cluster: Cluster) -> bool:
    """A slave that has reported does not cover a waiting put that no slave received."""
    return all_of(
        *(
            implies(
                is_lacked_in_line(cluster, m) & link.is_open & link.has_reported,
                negate(is_covered(slave.log, m)),
            )
            for m in cluster.messages
            for slave, link in zip(cluster.slaves, cluster.links, strict=True)
        )
    )


@lemma(
    why="Else a message counts as received and acknowledged, and no slave holds it.",
    broken_by=("controller_mode",),
)
def received_in_first_life_is_held(cluster: Cluster) -> bool:
    """While no broker has lost bytes, a received message is on a slave until it expires."""
    return all_of(
        *(
            implies(
                is_first_life(cluster)
                & is_joined_from_start(cluster)
                & is_slave_power_intact(cluster)
                & m.ghost_is_received,
                any_of(*(has_message(s.log, m) for s in cluster.slaves)) | m.ghost_is_expired,
            )
            for m in cluster.messages
        )
    )


@lemma(why="Else a SYNC_MASTER has acknowledged a message that no slave ever received.")
def acknowledged_by_sync_master_in_first_life_is_received(cluster: Cluster) -> bool:
    """With honest reports, a message that a SYNC_MASTER acknowledged was received or expired."""
    structure = cluster.structure
    is_asked = structure.is_sync_master and is_slave_always_asked(cluster)
    if is_disk_first(cluster) or not is_asked:
        return True
    is_honest = is_reporting_honest(cluster) & (cluster.faults.role_switches == 0)
    return all_of(
        *(
            implies(
                is_honest & has_passed_slave_step(cluster, m),
                m.ghost_is_received | has_expired(m),
            )
            for m in cluster.messages
        )
    )


def is_every_needed_file_there(cluster: Cluster) -> bool:
    """The master still has the file that each slave will request or is being sent."""
    start = cluster.master.log.start_offset
    return all_of(
        *(
            implies(slave.log.has_file, start <= slave.log.last_file_offset)
            & implies(
                link.is_open & (link.arrived_offset >= 0) & negate(slave.log.has_file),
                start <= link.arrived_offset,
            )
            for link, slave in zip(cluster.links, cluster.slaves, strict=True)
        )
    )


def is_never_outrun(cluster: Cluster) -> bool:
    """Retention waited until slaves had copied, and no broker has lost a file since."""
    faults = cluster.faults
    is_patient = (faults.uncopied_expiries == 0) & (faults.forced_deletions == 0)
    is_intact = is_first_life(cluster) & (faults.slave_power_losses == 0)
    return is_patient & is_intact & is_joined_from_start(cluster)


@lemma(
    why="Else a slave asks for bytes below its master's first file, and is sent nothing.",
    broken_by=("controller_mode",),
)
def slave_is_not_outrun(cluster: Cluster) -> bool:
    """Retention that waits until slaves have copied deletes no file that a slave needs.

    A slave needs none until it has a file or is about to get one.
    """
    return implies(is_never_outrun(cluster), is_every_needed_file_there(cluster))


@lemma(
    why="Else a slave has bytes of a later log epoch where its master still has an earlier one's."
)
def slave_has_all_of_a_life_that_it_left(cluster: Cluster) -> bool:
    """While the master loses no message, a slave in a later log epoch has the earlier one whole."""
    lives = range(cluster.structure.lives)
    return implies(
        is_master_intact(cluster),
        all_of(
            *(
                implies(
                    is_end_known(s.log, life) & (s.log.ends[life] < s.log.max_offset),
                    cluster.master.log.ends[life] <= s.log.ends[life],
                )
                for s in cluster.slaves
                for life in lives
            )
        ),
    )


@lemma(why="Else a message is owed although it has expired.")
def only_full_disks_delete_early(cluster: Cluster) -> bool:
    """While no file is deleted early, no message is."""
    is_full = cluster.faults.forced_deletions > 0
    return all_of(
        *(implies(m.ghost_is_deleted_early, m.ghost_is_expired & is_full) for m in cluster.messages)
    )


@lemma(why="Else a broker continues to flush in a file that its retention has deleted.")
def flush_file_is_there(cluster: Cluster) -> bool:
    """Unless a file had to be deleted before it was flushed, the flush can continue."""
    logs = (cluster.master.log, *(s.log for s in cluster.slaves))
    is_there = all_of(*(is_flush_file_there(log) for log in logs))
    return implies(cluster.faults.forced_deletions == 0, is_there)


@lemma(why="Else the master's dispatch stops at a partial record.")
def masters_records_are_whole(cluster: Cluster) -> bool:
    """The master holds all of a message or not even its first byte."""
    log = cluster.master.log
    return all_of(*(implies(has_first_bytes(log, m), is_scanned(log, m)) for m in cluster.messages))


@lemma(why="Else a group without slaves counts a connection, and a put waits for it.")
def without_slaves_nobody_connects(cluster: Cluster) -> bool:
    """A master without slaves counts only strangers' connections."""
    if cluster.structure.slaves:
        return True
    return cluster.master.connection_count <= cluster.faults.alien_reports
