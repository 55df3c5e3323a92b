"""What the proofs need. Each lemma says which counterexample to induction demanded it.

A lemma that speaks of "no power loss of the master so far" serves every fault class: where such
power losses are possible it still holds, it just says less.
"""

from __future__ import annotations

from properties.property import LEMMAS, lemma
from reference.lineage import compute_start_of_life, has_message, is_written
from reference.operations import all_of, any_of, implies
from reference.put import is_acknowledged, is_pending
from reference.state import ANSWERED, PUT_OK, WAITS_FOR_SLAVE_CHECK, Cluster

__all__ = ["LEMMAS"]


def is_first_life(cluster: Cluster) -> bool:
    """The master's machine has not lost power so far."""
    return cluster.faults.master_power_losses == 0


def is_slave_power_intact(cluster: Cluster) -> bool:
    """No slave's machine has lost power so far."""
    return cluster.faults.slave_power_losses == 0


@lemma(why="Else an append may find the message's offsets on the master beyond its own log.")
def written_in_first_life_is_on_master(cluster: Cluster) -> bool:
    """As long as the master has not lost power, it holds every message ever put."""
    log = cluster.master.log
    return all_of(
        *(
            implies(is_first_life(cluster) & is_written(m), has_message(log, m))
            for m in cluster.messages
        )
    )


@lemma(why="Else a waiting put is acknowledged although a power loss has taken its message.")
def pending_is_on_master(cluster: Cluster) -> bool:
    """A message whose put still waits is in the master's log, in its present life."""
    return all_of(
        *(
            implies(
                is_pending(m),
                has_message(cluster.master.log, m) & (m.ghost_life == cluster.master.ghost_life),
            )
            for m in cluster.messages
        )
    )


@lemma(why="Else a restart's claim that all is flushed answers a disk wait without any disk.")
def pending_and_flushed_is_durable(cluster: Cluster) -> bool:
    """Where a put still waits, the flushed offset tells the truth about its message."""
    log = cluster.master.log
    return all_of(
        *(
            implies(
                is_pending(m) & (m.end_offset <= log.flushed_offset),
                m.end_offset <= log.ghost_durable_offset,
            )
            for m in cluster.messages
        )
    )


@lemma(why="Else SYNC_FLUSH acknowledges a message that the next power loss takes.")
def past_disk_wait_is_durable(cluster: Cluster) -> bool:
    """With SYNC_FLUSH, a waiting producer's put that passed the disk step well is on disk."""
    if not cluster.structure.is_sync_flush:
        return True
    return all_of(
        *(
            implies(
                (m.phase >= WAITS_FOR_SLAVE_CHECK)
                & (m.phase <= ANSWERED)
                & (m.status == PUT_OK)
                & m.waits_for_store,
                m.end_offset <= cluster.master.log.ghost_durable_offset,
            )
            for m in cluster.messages
        )
    )


@lemma(why="Else a master that lost power truncates an acknowledged message.")
def acknowledged_with_sync_flush_is_on_master(cluster: Cluster) -> bool:
    """With SYNC_FLUSH, an acknowledged message is in the master's log, whatever happened."""
    if not cluster.structure.is_sync_flush:
        return True
    log = cluster.master.log
    return all_of(*(implies(is_acknowledged(m), has_message(log, m)) for m in cluster.messages))


@lemma(why="Else the highest report covers a message that is appended only later.")
def reports_are_within_log_in_first_life(cluster: Cluster) -> bool:
    """As long as the master has not lost power, nothing beyond its log was ever reported."""
    return implies(
        is_first_life(cluster),
        (cluster.master.push2_slave_max_offset <= cluster.master.log.max_offset)
        & all_of(
            *(link.reported_offset <= cluster.master.log.max_offset for link in cluster.links)
        ),
    )


@lemma(why="Else a new message lands where a slave already has bytes of the same life.")
def slave_has_no_newer_bytes_of_present_life(cluster: Cluster) -> bool:
    """What a slave holds of the present life of the master's log, the master still holds."""
    master = cluster.master
    return all_of(
        *(
            implies(
                (master.ghost_life == life)
                & (compute_start_of_life(s.log, life) < s.log.ends[life]),
                s.log.ends[life] <= master.log.max_offset,
            )
            for s in cluster.slaves
            for life in range(cluster.structure.lives)
        )
    )


@lemma(why="Else a slave that connects reports a message that the books say nobody received.")
def held_is_received(cluster: Cluster) -> bool:
    """A message that a slave holds, a slave has received."""
    return all_of(
        *(
            implies(any_of(*(has_message(s.log, m) for s in cluster.slaves)), m.ghost_is_received)
            for m in cluster.messages
        )
    )


@lemma(why="Else a put is answered by a report that came before the message did.")
def reported_in_first_life_is_received(cluster: Cluster) -> bool:
    """As long as the master has not lost power, a message below the highest report was received."""
    return all_of(
        *(
            implies(
                is_first_life(cluster)
                & is_written(m)
                & (m.end_offset <= cluster.master.push2_slave_max_offset),
                m.ghost_is_received,
            )
            for m in cluster.messages
        )
    )


@lemma(why="Else a slave kill, which cuts only a message received in part, takes a whole one.")
def received_in_first_life_is_held(cluster: Cluster) -> bool:
    """While neither side has lost power, a message once received is still on a slave."""
    return all_of(
        *(
            implies(
                is_first_life(cluster) & is_slave_power_intact(cluster) & m.ghost_is_received,
                any_of(*(has_message(s.log, m) for s in cluster.slaves)),
            )
            for m in cluster.messages
        )
    )


@lemma(why="Else an asynchronous answer is taken for a synchronous one.")
def acknowledged_by_sync_master_in_first_life_is_received(cluster: Cluster) -> bool:
    """As long as the master has not lost power, what a SYNC_MASTER acknowledged was received."""
    if not cluster.structure.is_sync_master:
        return True
    return all_of(
        *(
            implies(is_first_life(cluster) & is_acknowledged(m), m.ghost_is_received)
            for m in cluster.messages
        )
    )


@lemma(why="Else a group without slaves counts a connection, and a put waits for it.")
def without_slaves_nobody_connects(cluster: Cluster) -> bool:
    """A master without slaves counts no connection."""
    if cluster.structure.slaves:
        return True
    return cluster.master.connection_count == 0
