"""The lemmas for a master with a store pool: other brokers have committed bytes only."""

from __future__ import annotations

from properties.language.property import lemma
from properties.worlds.replication.lemmas import is_end_known, is_first_life, is_joined_from_start
from reference.language.operators import all_of, choose, implies, maximum, minimum, negate
from reference.worlds.replication.changes.settings.transient_store_pool import (
    STORE_POOL,
    compute_lowest_kept,
    get_committed,
)
from reference.worlds.replication.lifecycle import count_losses
from reference.worlds.replication.lineage import (
    compute_start_of_life,
    has_message,
    is_in_lineage,
    is_written,
)
from reference.worlds.replication.state import Cluster


def compute_kept_end(cluster: Cluster) -> int:
    """The end that a kill leaves to the master's log: the committed end; once down, its end."""
    master, end = cluster.master, cluster.master.log.max_offset
    return choose(master.is_up, minimum(get_committed(cluster), end), end)


@lemma(STORE_POOL, why="Else bytes are lost without a loss of power or disk and without a kill.")
def uncounted_lives_are_begun_by_kills(cluster: Cluster) -> bool:
    """Each log epoch (``life``) of the master was begun by a loss or a kill."""
    life, losses = cluster.master.ghost_life, count_losses(cluster)
    return (losses <= life) & (life <= losses + cluster.faults.master_kills)


@lemma(STORE_POOL, why="Else a flush or a kill leaves more than the log has.")
def committed_is_within_log(cluster: Cluster) -> bool:
    """Committed bytes are part of the log; flushed and dispatched bytes are committed."""
    log, committed = cluster.master.log, get_committed(cluster)
    lowest = compute_lowest_kept(cluster)
    return (committed >= 0) & implies(
        cluster.master.is_up,
        (committed <= log.max_offset)
        & (log.flushed_offset <= lowest)
        & (log.dispatched_offset <= lowest)
        & (log.ghost_durable_offset <= lowest),
    )


@lemma(
    STORE_POOL,
    why="Else an earlier process's bytes are lost although they wait in no buffer.",
)
def earlier_lives_are_committed(cluster: Cluster) -> bool:
    """While the master runs, only bytes of its log's present epoch wait in buffers."""
    master, committed = cluster.master, get_committed(cluster)
    return all_of(
        *(
            implies(
                master.is_up & (life < master.ghost_life),
                end <= committed,
            )
            for life, end in enumerate(master.log.ends)
        )
    )


@lemma(
    STORE_POOL, why="Else a slave is sent part of a message while the other part waits in a buffer."
)
def messages_are_committed_whole(cluster: Cluster) -> bool:
    """A commit writes whole records: it splits neither a message nor a blank."""
    log, committed = cluster.master.log, get_committed(cluster)
    blank = cluster.master.trailing_blank_offset
    is_blank_whole = (blank < 0) | (committed <= blank) | (log.max_offset <= committed)
    return is_blank_whole & all_of(
        *(
            implies(
                is_written(m) & is_in_lineage(log, m),
                (committed <= m.start_offset) | (m.end_offset <= committed),
            )
            for m in cluster.messages
        )
    )


@lemma(STORE_POOL, why="Else a kill takes from the master what it has sent.")
def sent_bytes_are_committed(cluster: Cluster) -> bool:
    """A transfer continues at the committed end or before, unless a slave requested more."""
    committed = get_committed(cluster)
    return implies(
        cluster.master.is_up,
        all_of(
            *(
                (link.next_transfer_offset <= committed)
                | (link.next_transfer_offset == link.transfer_start_offset)
                for link in cluster.links
            )
        ),
    )


@lemma(STORE_POOL, why="Else a slave has bytes that a kill has taken from its master.")
def slaves_bytes_of_the_present_life_are_committed(cluster: Cluster) -> bool:
    """The master has committed every byte that a slave has of the present log epoch."""
    committed = minimum(get_committed(cluster), cluster.master.log.max_offset)
    return all_of(
        *(
            implies(
                (cluster.master.ghost_life == life)
                & (is_end_known(s.log, life) | (life == 0))
                & (
                    maximum(compute_start_of_life(s.log, life), s.log.start_offset)
                    < s.log.ends[life]
                ),
                s.log.ends[life] <= committed,
            )
            for s in cluster.slaves
            for life in range(cluster.structure.lives)
        )
    )


@lemma(STORE_POOL, why="Else retention overtakes the commit, which never continues.")
def commit_file_is_there(cluster: Cluster) -> bool:
    """While no file is deleted early, the file in which the commit continues is there."""
    is_forced = cluster.faults.forced_deletions > 0
    is_there = cluster.master.log.start_offset <= get_committed(cluster)
    return is_forced | negate(cluster.master.is_up) | is_there


@lemma(STORE_POOL, why="Else a kill takes what a consumer has read.")
def read_message_is_committed(cluster: Cluster) -> bool:
    """A message that could be read on the master is in its page cache."""
    log, committed = cluster.master.log, get_committed(cluster)
    faults = cluster.faults
    is_written_down = faults.swallowed_disk_errors == 0
    is_powered = (faults.master_power_losses == 0) & (faults.master_disk_losses == 0)
    is_kept = is_written_down & is_powered
    return all_of(
        *(
            implies(
                is_kept & m.ghost_is_readable & negate(m.ghost_is_expired),
                has_message(log, m) & (m.end_offset <= committed),
            )
            for m in cluster.messages
        )
    )


@lemma(STORE_POOL, why="Else a kill leaves slaves that are ahead of their master.")
def slave_is_a_beginning_of_committed(cluster: Cluster) -> bool:
    """While all sent bytes are kept, a slave's log is a prefix of its master's, epoch by epoch."""
    master, end = cluster.master, compute_kept_end(cluster)
    return implies(
        is_first_life(cluster) & is_joined_from_start(cluster),
        all_of(
            *(
                (s.log.max_offset <= end)
                & (s.log.ghost_unknown_below_offset == 0)
                & all_of(
                    *(
                        own == minimum(theirs, s.log.max_offset)
                        for own, theirs in zip(s.log.ends, master.log.ends, strict=True)
                    )
                )
                for s in cluster.slaves
            )
        ),
    )


@lemma(STORE_POOL, why="Else the master has other bytes in a message's place.")
def master_has_its_own_bytes(cluster: Cluster) -> bool:
    """If no write fails, the master has appended every byte of its log."""
    log = cluster.master.log
    is_whole = (log.ghost_torn_end_offset == 0) | (cluster.faults.swallowed_disk_errors > 0)
    is_pure = is_whole & (log.ghost_foreign_end_offset == 0)
    return is_pure & (log.ghost_unknown_below_offset == 0)


@lemma(STORE_POOL, why="Else a message that is owed lies below the master's first file.")
def below_the_masters_first_file_is_expired(cluster: Cluster) -> bool:
    """While all sent bytes are kept, messages below the master's first file have expired."""
    log = cluster.master.log
    return all_of(
        *(
            implies(
                is_first_life(cluster)
                & is_written(m)
                & is_in_lineage(log, m)
                & (m.start_offset < log.start_offset),
                m.ghost_is_expired,
            )
            for m in cluster.messages
        )
    )


@lemma(STORE_POOL, why="Else a kill takes a message that a slave has received.")
def received_message_is_committed(cluster: Cluster) -> bool:
    """A message that a slave has received is in the master's page cache until it expires."""
    master, end = cluster.master, compute_kept_end(cluster)
    return all_of(
        *(
            implies(
                is_first_life(cluster)
                & is_joined_from_start(cluster)
                & is_written(m)
                & m.ghost_is_received
                & negate(m.ghost_is_expired),
                is_in_lineage(master.log, m) & (m.end_offset <= end),
            )
            for m in cluster.messages
        )
    )
