"""The master's bytes wait in a pool of direct memory before they are in its page cache.

Differs from 4.4.0: only by a setting of that release. Appended bytes can be read, sent and flushed
only after a commit (``MappedFile#getReadPosition``). A kill loses uncommitted bytes, as a power
loss does unflushed ones. ``ABSTRACTED`` lists what is left out.
"""

from __future__ import annotations

from attrs import evolve

from reference.language.fault_account import count_fault, is_within_limit
from reference.language.leaves import Offset
from reference.language.operators import choose, maximum, minimum, negate
from reference.language.rule import RuleBody, between, rule, when
from reference.language.variant import Variant
from reference.worlds.replication.dispatch import compute_dispatch_limit
from reference.worlds.replication.faults import (
    begin_life_in_record,
    compute_recovered_beyond,
    compute_recovered_end,
)
from reference.worlds.replication.lifecycle import (
    begin_life,
    compute_torn_record_end,
    count_losses,
    end_flushed_master,
    end_master,
    has_modelled_life_left,
    has_stale_bytes,
    is_of_equal_lives,
)
from reference.worlds.replication.lineage import (
    append_foreign_bytes,
    copy_bytes,
    copy_torn_marks,
    is_followed_between,
    is_in_lineage,
    is_written,
    mark_torn,
)
from reference.worlds.replication.mapped_files import (
    compute_last_file_end,
    cut_to,
)
from reference.worlds.replication.state import Cluster, CommitLog

ABSTRACTED = (
    "The model pools all of the log. In a broker, the rest of the last file after a start is not "
    "pooled, so its bytes are in page cache immediately.",
    "If no buffer is free, 4.4.0 takes an unpooled file, or refuses puts "
    "(AllocateMappedFileService#putRequestAndReturnMappedFile, fastFailIfNoBufferInStorePool).",
    "A commit that throws is retried for ever: it is a commit that does not happen. After a "
    "partial write, a real recovery may end at the hole; here it passes over it.",
    "If a full disk has deleted the file in which the commit would continue, the master cannot "
    "complete a clean stop here; a real one ends and loses those bytes.",
    "If a full disk has deleted the first file before anything was committed, a commit that finds "
    "too few new pages moves committedWhere from 0 to the base of the next file, as a flush does "
    "(MappedFileQueue#commit); here it is a commit that does not happen.",
    "From 5.0.0 on the pool also serves SYNC_FLUSH, and slaves in controller mode.",
)
"""What the rules leave out or assume of the pool, in one or two sentences each."""

STORE_POOL = "transient_store_pool"

VARIANT = Variant(
    name=STORE_POOL,
    sentence="Appended bytes wait in buffers until a commit; a kill loses the waiting ones.",
    comes_from="RocketMQ 4.4.0 with transientStorePoolEnable=true and ASYNC_FLUSH (R-FL-07, "
    "R-RP-07, K-07; MessageStoreConfig#isTransientStorePoolEnable), from source.",
)


def get_committed(cluster: Cluster) -> int:
    """``MappedFileQueue.committedWhere``."""
    return cluster.committed_offset[0]


def compute_lowest_kept(cluster: Cluster) -> int:
    """The least that a kill leaves: committed bytes, and the first file, perhaps empty."""
    return maximum(get_committed(cluster), cluster.master.log.start_offset)


def is_everything_committed(cluster: Cluster) -> bool:
    """No byte of the log is in a buffer only."""
    return cluster.master.log.max_offset <= compute_lowest_kept(cluster)


def is_commit_file_there(cluster: Cluster) -> bool:
    """The file in which the commit continues still exists; only 0 means the first file."""
    committed = get_committed(cluster)
    return (cluster.master.log.start_offset <= committed) | (committed == 0)


@VARIANT.override
def compute_first_committed(cluster: Cluster) -> tuple[Offset, ...]:
    """Nothing is appended, so nothing waits."""
    return (0,)


@VARIANT.override
def compute_committed_at_start(cluster: Cluster) -> tuple[Offset, ...]:
    """``CommitLog#recoverNormally``: all bytes found are in page cache."""
    return (cluster.master.log.max_offset,)


@VARIANT.override
def has_uncounted_life(cluster: Cluster) -> bool:
    """More log epochs have begun than there were losses: kills that took bytes began the others."""
    return count_losses(cluster) < cluster.master.ghost_life


@VARIANT.override
def are_stale_bytes_on_disk(cluster: Cluster) -> bool:
    """Bytes left by a commit that a kill interrupted need not be on disk."""
    faults = cluster.faults
    is_written = (faults.torn_rolls == 0) | (faults.swallowed_disk_errors == 0)
    return (faults.master_kills == 0) & is_written


@VARIANT.override
def compute_sent_ends(cluster: Cluster) -> tuple[int, ...]:
    """Up to where the bytes of each log epoch can have been sent: the committed ones."""
    committed = get_committed(cluster)
    return tuple(minimum(end, committed) for end in cluster.master.log.ends)


@VARIANT.override
def has_lost_sent_bytes(cluster: Cluster) -> bool:
    """The master lacks bytes that it has sent: kills take only bytes that wait in buffers."""
    return count_losses(cluster) > 0


@VARIANT.override
def is_life_cut(cluster: Cluster, sent: int, received: int, sent_end: int) -> bool:
    """The master has lost some of the bytes that it has sent."""
    is_cut = (sent < received) | (sent < sent_end)
    return is_cut & has_lost_sent_bytes(cluster)


@VARIANT.override
def compute_highest_beyond_received(cluster: Cluster, slave: int) -> int:
    """As without a pool, but the master's log may be in a later epoch and lack nothing it sent."""
    log, sent_end = cluster.slaves[slave].log, compute_sent_ends(cluster)[-1]
    stale_end = minimum(compute_last_file_end(log, cluster.parameters), sent_end)
    is_stale = has_stale_bytes(log) & negate(has_lost_sent_bytes(cluster))
    return choose(is_stale, stale_end, compute_torn_record_end(cluster, slave))


@VARIANT.override
def copy_marks(cluster: Cluster, log: CommitLog, start: int) -> CommitLog:
    """A commit may have left a hole; a slave that copies it has it too."""
    return copy_torn_marks(log, cluster.master.log, start)


@VARIANT.override
def compute_cached_end(cluster: Cluster) -> Offset:
    """``MappedFile#flush`` (value = getReadPosition): the committed bytes."""
    return compute_lowest_kept(cluster)


@VARIANT.override
def compute_read_end(cluster: Cluster) -> int:
    """``MappedFile#getReadPosition``: the committed bytes."""
    return get_committed(cluster)


@VARIANT.override
def compute_master_dispatch_limit(cluster: Cluster) -> int:
    """How far the master's dispatch can advance: it reads committed bytes (R-RP-07)."""
    limit = compute_dispatch_limit(cluster.master.log, cluster.messages)
    return minimum(limit, get_committed(cluster))


def compute_whole_commit(cluster: Cluster, committed: int) -> int:
    """The end of a commit that reaches ``committed`` at least: it splits no record."""
    log, blank = cluster.master.log, cluster.master.trailing_blank_offset
    is_blank_split = (blank >= 0) & (blank < committed)
    end = choose(is_blank_split, log.max_offset, committed)
    for put in cluster.messages:
        is_split = is_in_lineage(log, put) & (put.start_offset < committed)
        is_split = is_written(put) & is_split
        end = choose(is_split, maximum(end, put.end_offset), end)
    return end


@rule(
    who="master",
    source="CommitLog.CommitRealTimeService#run, MappedFileQueue#commit, MappedFile#commit0",
    into=VARIANT.rules,
    weight=4,
    heals="commit",
    says="commits to {state.committed_offset[0]}",
)
def commit_master(cluster: Cluster) -> RuleBody:
    """The master writes whole records that wait in a buffer to the page cache."""
    log = cluster.master.log
    # ENABLED WHEN
    yield when(
        is_master_up=cluster.master.is_up,
        is_commit_file_there=is_commit_file_there(cluster),
        has_uncommitted_bytes=negate(is_everything_committed(cluster)),
    )
    reached = yield between("committed_offset", compute_lowest_kept(cluster) + 1, log.max_offset)
    # EFFECT
    return evolve(cluster, committed_offset=(compute_whole_commit(cluster, reached),))


@VARIANT.override
def take_for_record(cluster: Cluster, slave: int, end: int) -> CommitLog:
    """While the master has all that it has sent, these are bytes that the master has."""
    log = cluster.slaves[slave].log
    is_followed = is_followed_between(cluster.messages, log.max_offset, end)
    longer = append_foreign_bytes(log, end, is_followed=is_followed)
    copied = copy_bytes(log, cluster.master.log, end)
    is_masters = negate(has_lost_sent_bytes(cluster)) & is_of_equal_lives(cluster, slave)
    pairs = zip(copied.ends, longer.ends, strict=True)
    return evolve(longer, ends=tuple(choose(is_masters, own, other) for own, other in pairs))


@rule(
    who="fault",
    source="MappedFile#commit0 (ignores what FileChannel#write returns)",
    into=VARIANT.rules,
    says="## COMMITS to {state.committed_offset[0]}, NOT ALL WRITTEN",
)
def swallow_commit_error(cluster: Cluster) -> RuleBody:
    """On a full disk, a commit writes less than requested and counts as done."""
    master, lowest = cluster.master, compute_lowest_kept(cluster)
    # ENABLED WHEN
    yield when(
        is_master_up=master.is_up,
        is_commit_file_there=is_commit_file_there(cluster),
        has_uncommitted_bytes=negate(is_everything_committed(cluster)),
        is_within_limit=is_within_limit(cluster, "swallowed_disk_errors"),
    )
    reached = yield between("committed_offset", lowest + 1, master.log.max_offset)
    # EFFECT
    end = compute_whole_commit(cluster, reached)
    log = mark_torn(master.log, lowest, end)
    left = evolve(cluster, master=evolve(master, log=log), committed_offset=(end,))
    return count_fault(left, "swallowed_disk_errors")


@rule(
    who="master",
    source="CommitLog.CommitRealTimeService#run (after its stop), CommitLog#shutdown",
    into=VARIANT.rules,
    heals="recovery",
    says="has stopped",
)
def finish_master_stop(cluster: Cluster) -> RuleBody:
    """The master has committed and flushed, and has ended."""
    master = cluster.master
    # ENABLED WHEN
    yield when(
        is_master_up=master.is_up,
        is_stopping=master.is_stopping,
        is_everything_committed=is_everything_committed(cluster),
    )
    # EFFECT
    return end_flushed_master(cluster)


@rule(
    who="fault",
    source="kill -9 of the master's process; MappedFile (page cache)",
    into=VARIANT.rules,
    says="## KILLED",
)
def kill_master(cluster: Cluster) -> RuleBody:
    """The master's process is killed while nothing waits in its buffers."""
    # ENABLED WHEN
    yield when(
        is_master_up=cluster.master.is_up,
        is_within_limit=is_within_limit(cluster, "master_kills"),
        is_everything_committed=is_everything_committed(cluster),
    )
    # EFFECT
    return count_fault(end_master(cluster), "master_kills")


def lose_buffers(log: CommitLog, kept: int, end: int, cluster: Cluster) -> CommitLog:
    """The log that recovery ends at ``end``; beyond ``kept`` the files keep their old bytes.

    Written bytes are in page cache: the kill forces none of them.
    """
    is_file_kept = log.last_file_offset <= kept
    stale_end = choose(is_file_kept, maximum(log.stale_end_offset, kept), kept)
    return evolve(cut_to(log, end, cluster.parameters), stale_end_offset=stale_end)


@rule(
    who="fault",
    source="kill -9 of the master's process; MappedFile#commit0, CommitLog#recoverAbnormally",
    into=VARIANT.rules,
    says="## KILLED, {kept_offset} B were committed",
)
def kill_master_with_buffers(cluster: Cluster) -> RuleBody:
    """The master's process is killed and its buffers are lost; a commit may be under way."""
    log = cluster.master.log
    # ENABLED WHEN
    yield when(
        is_master_up=cluster.master.is_up,
        is_within_limit=is_within_limit(cluster, "master_kills"),
        has_modelled_life_left=has_modelled_life_left(cluster),
        has_uncommitted_bytes=negate(is_everything_committed(cluster)),
    )
    kept = yield between("kept_offset", compute_lowest_kept(cluster), log.max_offset - 1)
    # EFFECT
    left = lose_buffers(log, kept, compute_recovered_end(cluster, kept), cluster)
    return count_fault(begin_life(end_master(cluster), left), "master_kills")


@rule(
    who="fault",
    source="kill -9 of the master's process; CommitLog#checkMessageAndReturnSize",
    into=VARIANT.rules,
    says="## KILLED, {kept_offset} B were committed, a torn record counts as whole",
)
def kill_master_in_commit(cluster: Cluster) -> RuleBody:
    """The kill interrupts a commit within a record, which recovery takes for whole (T1-00967).

    Part of the record has been written then.
    """
    log = cluster.master.log
    # ENABLED WHEN
    yield when(
        is_master_up=cluster.master.is_up,
        is_within_limit=is_within_limit(cluster, "master_kills"),
        has_modelled_life_left=has_modelled_life_left(cluster),
        has_uncommitted_bytes=negate(is_everything_committed(cluster)),
    )
    kept = yield between("kept_offset", compute_lowest_kept(cluster) + 1, log.max_offset - 1)
    reached = yield between("reached_offset", compute_lowest_kept(cluster) + 1, log.max_offset)
    # EFFECT
    recovered = compute_recovered_beyond(cluster, kept, reached)
    files = lose_buffers(log, kept, recovered, cluster)
    left = begin_life_in_record(cluster, files, kept, recovered)
    return count_fault(begin_life(end_master(cluster), left), "master_kills")
