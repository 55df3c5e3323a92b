"""The additional lemmas that the proofs of variants of RocketMQ 4.4.0 need."""

from __future__ import annotations

from properties.language.property import lemma
from properties.worlds.replication.lemmas import (
    is_disk_first,
    is_disk_honest,
    is_end_known,
    is_every_needed_file_there,
    is_first_life,
    is_joined_from_start,
    is_lacking_in_line,
)
from reference.language.operators import all_of, any_of, implies, maximum, minimum, negate
from reference.worlds.replication.lineage import (
    compute_common_end,
    compute_start_of_life,
    has_message,
    is_torn,
    is_written,
)
from reference.worlds.replication.put import has_passed_slave_step, is_past_slave_step
from reference.worlds.replication.replication import is_positioned
from reference.worlds.replication.state import PUT_OK, Cluster, CommitLog, Link, Message


def has_same_bytes_from(log: CommitLog, other: CommitLog, start: int) -> bool:
    """From ``start`` up to its end, the log holds known bytes, equal to the other's."""
    end = log.max_offset
    is_same = all_of(
        *(
            minimum(maximum(a, start), end) == minimum(maximum(b, start), end)
            for a, b in zip(log.ends, other.ends, strict=True)
        )
    )
    is_own = (log.ghost_unknown_below_offset <= start) & (log.ghost_torn_end_offset <= start)
    is_held = is_own & (end <= other.max_offset)
    return (end <= start) | (is_same & is_held)


@lemma("blank_kept", why="Else the master begins a log epoch without having lost a byte.")
def no_blank_is_cut(cluster: Cluster) -> bool:
    """No restart of the master cuts off a blank."""
    return cluster.faults.torn_rolls == 0


@lemma("ack_per_connection", why="Else a put without any slave was answered PUT_OK.")
def nobody_answers_without_slaves(cluster: Cluster) -> bool:
    """Without slaves and strangers, the slave step of a waiting put never succeeds."""
    if cluster.structure.slaves or not cluster.structure.is_sync_master:
        return True
    faults = cluster.faults
    return all_of(
        *(
            implies(
                (faults.alien_reports == 0)
                & (faults.role_switches == 0)
                & m.waits_for_store
                & is_past_slave_step(cluster, m),
                m.status != PUT_OK,
            )
            for m in cluster.messages
        )
    )


def is_all_readable_on_disk(cluster: Cluster) -> bool:
    """With an honest disk, every message that consumers could read is on the master's disk."""
    log = cluster.master.log
    is_honest = is_disk_honest(cluster) & (cluster.faults.master_disk_losses == 0)
    return all_of(
        *(
            implies(
                is_honest & m.ghost_is_readable,
                (has_message(log, m) & (m.end_offset <= log.ghost_durable_offset))
                | m.ghost_is_expired,
            )
            for m in cluster.messages
        )
    )


@lemma("dispatch_flushed", why="Else a power loss takes a readable message.")
def readable_is_on_disk(cluster: Cluster) -> bool:
    """With an honest disk, every message that consumers could read is on the master's disk."""
    return is_all_readable_on_disk(cluster)


@lemma("dispatch_flushed_with_sync_flush", why="Else a power loss takes a readable message.")
def readable_with_sync_flush_is_on_disk(cluster: Cluster) -> bool:
    """With SYNC_FLUSH and an honest disk, every readable message is on the master's disk."""
    return not cluster.structure.is_sync_flush or is_all_readable_on_disk(cluster)


@lemma(
    "dispatch_replicated", why="Else consumers wait for a report that the master has already read."
)
def highest_report_covers_all_that_were_read(cluster: Cluster) -> bool:
    """The highest report is not below any connection's last one."""
    highest = cluster.master.push2_slave_max_offset
    return all_of(
        highest >= 0,
        *(implies(link.is_open, link.slave_ack_offset <= highest) for link in cluster.links),
    )


@lemma(
    "epoch_check", why="Else a connected slave reports offsets of bytes that are not its master's."
)
def connected_slave_is_prefix(cluster: Cluster) -> bool:
    """A connected slave's log is a prefix of its master's, log epoch by log epoch."""
    return all_of(
        *(
            implies(
                is_reporting_of_known_bytes(cluster) & link.is_open,
                compute_common_end(slave.log, cluster.master.log) == slave.log.max_offset,
            )
            for link, slave in zip(cluster.links, cluster.slaves, strict=True)
        )
    )


def is_reporting_of_known_bytes(cluster: Cluster) -> bool:
    """Only slaves report, and they wrote what they were sent at its own offset."""
    faults = cluster.faults
    return (faults.alien_reports == 0) & is_joined_from_start(cluster)


@lemma("epoch_check", why="Else the highest report covers a message that is appended later.")
def reports_are_within_log(cluster: Cluster) -> bool:
    """No report is beyond the end of the master's log, in any log epoch (``life``)."""
    master = cluster.master
    is_within = master.push2_slave_max_offset <= master.log.max_offset
    is_forgotten = master.is_up | (master.push2_slave_max_offset == 0)
    return implies(is_reporting_of_known_bytes(cluster), is_within & is_forgotten)


def are_lacked_puts_unreported(cluster: Cluster, is_honest: bool) -> bool:
    """No report covers a waiting put whose message no slave ever had, even after restarts.

    The conjunction of ``lacked_put_is_not_reported`` and its two neighbours.
    """
    slaves = range(len(cluster.slaves))
    return all_of(
        *(
            implies(
                is_honest & is_lacking_in_line(cluster, m),
                (cluster.master.push2_slave_max_offset < m.end_offset)
                & all_of(*(is_unreported_by(cluster, slave, m) for slave in slaves)),
            )
            for m in cluster.messages
        )
    )


def is_unreported_by(cluster: Cluster, slave: int, put: Message) -> bool:
    """A slave has not reported a put's end, and covers it only if it started while the put waited.

    Before it reports, the bytes that it does not share with its master are cut off.
    """
    broker, link = cluster.slaves[slave], cluster.links[slave]
    shared = compute_common_end(broker.log, cluster.master.log)
    is_reported = link.is_open & (put.end_offset <= link.reported_offset)
    is_beyond = is_covered_below(broker.log, put, shared) | is_reported
    return all_of(
        implies(link.has_reported, negate(is_beyond)),
        implies(broker.is_up & is_beyond, put.end_offset <= broker.ghost_earlier_put_offset),
    )


def is_covered_below(log: CommitLog, put: Message, end: int) -> bool:
    """The log, cut at ``end``, has the message's end, or other bytes in the message's place."""
    is_other = is_torn(log, put) | (put.start_offset < log.ghost_unknown_below_offset)
    return (put.end_offset <= end) | (is_other & (put.start_offset < end))


@lemma(
    "ack_above_transfer_start",
    "full_log_transfer",
    why="Else a transfer begins in the middle of the first file.",
)
def masters_files_follow_a_whole_one(cluster: Cluster) -> bool:
    """The bases of the master's first and last file are 0 or at least one file's length."""
    size, log = cluster.parameters.mapped_file_size_bytes, cluster.master.log
    return all_of(
        *((base == 0) | (size <= base) for base in (log.start_offset, log.last_file_offset))
    )


def is_sending_written_down(cluster: Cluster, link: Link) -> bool:
    """A transfer has begun over an open connection, and slaves write everything they are sent."""
    faults = cluster.faults
    is_written_down = (faults.swallowed_disk_errors == 0) & (faults.failed_file_creations == 0)
    return is_written_down & link.is_open & is_positioned(link)


@lemma(
    "ack_above_transfer_start",
    "full_log_transfer",
    why="Else a slave's first file begins after the transfer's start.",
)
def first_frame_is_the_transfers_first(cluster: Cluster) -> bool:
    """A slave without bytes has read nothing yet of its transfer, which begins at a file's base.

    Unless it could not create that file and discarded the frame.
    """
    size = cluster.parameters.mapped_file_size_bytes
    return all_of(
        *(
            implies(
                is_sending_written_down(cluster, link)
                & (negate(slave.log.has_file) | (slave.log.max_offset == 0))
                & negate(slave.is_stopping),
                (link.arrived_offset == link.transfer_start_offset)
                & ((link.arrived_offset == 0) | (size <= link.arrived_offset)),
            )
            for link, slave in zip(cluster.links, cluster.slaves, strict=True)
        )
    )


@lemma("ack_above_transfer_start", why="Else a slave was sent other bytes than it stored.")
def sent_bytes_are_the_masters(cluster: Cluster) -> bool:
    """The bytes that a slave has stored since its transfer began are its master's."""
    return all_of(
        *(
            implies(
                is_sending_written_down(cluster, link),
                has_same_bytes_from(slave.log, cluster.master.log, link.transfer_start_offset),
            )
            for link, slave in zip(cluster.links, cluster.slaves, strict=True)
        )
    )


@lemma(
    "ack_above_transfer_start", why="Else a slave's log begins after a message that it was sent."
)
def sent_below_first_file_is_expired(cluster: Cluster) -> bool:
    """A message that a slave was sent and that is below its first file has expired."""
    return all_of(
        *(
            implies(
                is_sending_written_down(cluster, link)
                & is_written(m)
                & (m.ghost_life == cluster.master.ghost_life)
                & (link.transfer_start_offset <= m.start_offset)
                & (m.start_offset < slave.log.start_offset),
                m.ghost_is_expired,
            )
            for m in cluster.messages
            for link, slave in zip(cluster.links, cluster.slaves, strict=True)
        )
    )


@lemma(
    "ack_above_transfer_start",
    why="Else a new message gets offsets at which a slave already has bytes of the same log epoch.",
)
def slave_has_no_newer_bytes_of_present_life(cluster: Cluster) -> bool:
    """The master still has every byte that a slave has of the present log epoch."""
    master = cluster.master
    return all_of(
        *(
            implies(
                (master.ghost_life == life)
                & is_end_known(s.log, life)
                & (compute_start_of_life(s.log, life) < s.log.ends[life]),
                s.log.ends[life] <= master.log.max_offset,
            )
            for s in cluster.slaves
            for life in range(cluster.structure.lives)
        )
    )


@lemma("ack_above_transfer_start", why="Else a put is answered whose message no slave received.")
def held_is_received(cluster: Cluster) -> bool:
    """A message that a slave holds was received."""
    return all_of(
        *(
            implies(any_of(*(has_message(s.log, m) for s in cluster.slaves)), m.ghost_is_received)
            for m in cluster.messages
        )
    )


@lemma(
    "ack_above_transfer_start", why="Else a message that was sent is below the slave's first file."
)
def sent_message_is_held(cluster: Cluster) -> bool:
    """A slave holds each message that it was sent completely, or the message has expired."""
    return all_of(
        *(
            implies(
                is_sending_written_down(cluster, link)
                & is_written(m)
                & (m.ghost_life == cluster.master.ghost_life)
                & (link.transfer_start_offset <= m.start_offset)
                & (m.end_offset <= slave.log.max_offset),
                has_message(slave.log, m) | m.ghost_is_expired,
            )
            for m in cluster.messages
            for link, slave in zip(cluster.links, cluster.slaves, strict=True)
        )
    )


@lemma("ack_above_transfer_start", why="Else an answer given in an earlier log epoch is forgotten.")
def acknowledged_by_sync_master_was_sent(cluster: Cluster) -> bool:
    """A message that a SYNC_MASTER acknowledged was received or has expired."""
    if not cluster.structure.is_sync_master:
        return True
    faults = cluster.faults
    is_written_down = (faults.swallowed_disk_errors == 0) & (faults.failed_file_creations == 0)
    is_honest = is_written_down & (faults.role_switches == 0)
    return all_of(
        *(
            implies(
                is_honest & has_passed_slave_step(cluster, m),
                m.ghost_is_received | m.ghost_is_expired,
            )
            for m in cluster.messages
        )
    )


def is_full_transfer_honest(cluster: Cluster) -> bool:
    """The master has lost nothing, only slaves report, and they write all that they are sent."""
    faults = cluster.faults
    is_true = (faults.alien_reports == 0) & (faults.swallowed_disk_errors == 0)
    return is_first_life(cluster) & is_true & (faults.failed_file_creations == 0)


def is_full_transfer_patient(cluster: Cluster) -> bool:
    """Full transfer is honest; retention waits until slaves have copied a file; they keep it."""
    faults = cluster.faults
    is_patient = (faults.uncopied_expiries == 0) & (faults.forced_deletions == 0)
    return is_full_transfer_honest(cluster) & is_patient & (faults.slave_power_losses == 0)


@lemma("full_log_transfer", why="Else a slave with an empty file is sent bytes beyond it.")
def late_slave_is_not_outrun(cluster: Cluster) -> bool:
    """Retention that waits for slaves leaves the files they need, even if they joined late."""
    return implies(is_full_transfer_patient(cluster), is_every_needed_file_there(cluster))


@lemma(
    "full_log_transfer",
    why="Else a slave stores foreign bytes at offsets where the master has its own.",
)
def content_of_patient_group_is_known(cluster: Cluster) -> bool:
    """Unless retention outruns a slave, the slave stores nothing at a foreign offset."""
    is_known = all_of(*(s.log.ghost_unknown_below_offset == 0 for s in cluster.slaves))
    return implies(is_full_transfer_patient(cluster), is_known)


@lemma("full_log_transfer", why="Else a slave's log begins after a message that it lacks.")
def below_first_file_of_slave_is_expired(cluster: Cluster) -> bool:
    """Each message below the beginning, present or future, of a slave's known log has expired."""
    start, size = cluster.master.log.start_offset, cluster.parameters.mapped_file_size_bytes
    return implies(
        is_full_transfer_honest(cluster),
        all_of(
            *(
                implies(
                    link.is_open
                    & is_positioned(link)
                    & (negate(slave.log.has_file) | (slave.log.max_offset == 0))
                    & negate(slave.is_stopping),
                    (link.arrived_offset <= start)
                    & ((link.arrived_offset == 0) | (size <= link.arrived_offset)),
                )
                for link, slave in zip(cluster.links, cluster.slaves, strict=True)
            ),
            *(
                implies(
                    (s.log.ghost_unknown_below_offset == 0)
                    & is_written(m)
                    & (m.start_offset < s.log.start_offset),
                    m.ghost_is_expired,
                )
                for m in cluster.messages
                for s in cluster.slaves
            ),
        ),
    )


@lemma("full_log_transfer", why="Else a put is answered by an earlier report.")
def lacked_put_is_not_reported_by_late_slaves(cluster: Cluster) -> bool:
    """No report, even a late slave's, covers a waiting put whose message no slave ever had."""
    is_timely = cluster.faults.overlong_waits == 0
    return are_lacked_puts_unreported(cluster, is_timely & is_full_transfer_patient(cluster))


@lemma("full_log_transfer", why="Else an earlier answer is forgotten.")
def acknowledged_by_sync_master_was_received(cluster: Cluster) -> bool:
    """A message that a SYNC_MASTER acknowledged was received or has expired."""
    if is_disk_first(cluster) or not cluster.structure.is_sync_master:
        return True
    faults = cluster.faults
    is_timely = (faults.role_switches == 0) & (faults.overlong_waits == 0)
    is_honest = is_full_transfer_patient(cluster) & is_timely
    return all_of(
        *(
            implies(
                is_honest & has_passed_slave_step(cluster, m),
                m.ghost_is_received | m.ghost_is_expired,
            )
            for m in cluster.messages
        )
    )


@lemma("whole_record_checksum", why="Else a slave may hold only part of a record.")
def no_record_is_taken_for_whole(cluster: Cluster) -> bool:
    """No log has foreign or torn bytes that a recovery accepted as part of a record."""
    ends = (
        end
        for log in (cluster.master.log, *(s.log for s in cluster.slaves))
        for end in (log.ghost_foreign_end_offset, log.ghost_torn_end_offset)
    )
    return all_of(*(end == 0 for end in ends))
