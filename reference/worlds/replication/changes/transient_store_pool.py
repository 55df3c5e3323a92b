"""Bytes of the master wait in a pool of direct memory before they are in its page cache.

Differs from 4.4.0: it is a setting of it. What is appended can be read, sent and flushed only after
a commit (``MappedFile#getReadPosition``), and a kill loses what is not committed, as a power loss
does what is not flushed. ``ABSTRACTED`` says what of it is not in here.
"""

from __future__ import annotations

from attrs import evolve

from reference.language.fault_account import count_fault, is_within_limit
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
from reference.worlds.replication.parameters import Offset
from reference.worlds.replication.state import Cluster, CommitLog

ABSTRACTED = (
    "All of the log is pooled. After a start the rest of the last file is not, so its bytes are in "
    "page cache at once.",
    "Where no buffer is free, 4.4.0 takes an unpooled file, or refuses puts "
    "(AllocateMappedFileService#putRequestAndReturnMappedFile, fastFailIfNoBufferInStorePool).",
    "A commit that throws is tried again for ever: it is a commit that does not happen. After one "
    "that wrote less than it was asked to, a real recovery may end at the hole; here it passes.",
    "A master that cannot commit, because a full disk has taken the file in which it would go on, "
    "does not come to the end of a stop in order here; a real one ends and loses those bytes.",
    "From 5.0.0 on the pool also serves SYNC_FLUSH, and slaves in controller mode.",
)
"""What of the pool the rules leave out, or take for granted, one sentence or two each."""

STORE_POOL = "transient_store_pool"

VARIANT = Variant(
    name=STORE_POOL,
    sentence="What is appended waits in buffers until a commit; a kill loses what waits.",
    comes_from="RocketMQ 4.4.0 with transientStorePoolEnable=true and ASYNC_FLUSH (R-FL-07, "
    "R-RP-07, K-07; MessageStoreConfig#isTransientStorePoolEnable), from source.",
)


def get_committed(cluster: Cluster) -> int:
    """``MappedFileQueue.committedWhere``."""
    return cluster.committed_offset[0]


def compute_lowest_kept(cluster: Cluster) -> int:
    """What a kill leaves at least: what is committed, and the first file, which may be empty."""
    return maximum(get_committed(cluster), cluster.master.log.start_offset)


def is_everything_committed(cluster: Cluster) -> bool:
    """No byte of the log is in a buffer only."""
    return cluster.master.log.max_offset <= compute_lowest_kept(cluster)


def is_commit_file_there(cluster: Cluster) -> bool:
    """The file in which the commit goes on is still there; only 0 stands for the first file."""
    committed = get_committed(cluster)
    return (cluster.master.log.start_offset <= committed) | (committed == 0)


@VARIANT.override
def compute_first_committed(cluster: Cluster) -> tuple[Offset, ...]:
    """Nothing is appended, and so nothing waits."""
    return (0,)


@VARIANT.override
def compute_committed_at_start(cluster: Cluster) -> tuple[Offset, ...]:
    """``CommitLog#recoverNormally``: what is found is in page cache."""
    return (cluster.master.log.max_offset,)


@VARIANT.override
def has_uncounted_life(cluster: Cluster) -> bool:
    """More lives have begun than losses: the others by kills that took bytes."""
    return count_losses(cluster) < cluster.master.ghost_life


@VARIANT.override
def are_stale_bytes_on_disk(cluster: Cluster) -> bool:
    """What a kill has left of a commit that it broke off need not be forced."""
    faults = cluster.faults
    is_written = (faults.torn_rolls == 0) | (faults.swallowed_disk_errors == 0)
    return (faults.master_kills == 0) & is_written


@VARIANT.override
def compute_sent_ends(cluster: Cluster) -> tuple[int, ...]:
    """Up to where the bytes of each life can have been sent: what is committed."""
    committed = get_committed(cluster)
    return tuple(minimum(end, committed) for end in cluster.master.log.ends)


@VARIANT.override
def has_lost_sent_bytes(cluster: Cluster) -> bool:
    """The master lacks some that it has sent: kills take only what waits in buffers."""
    return count_losses(cluster) > 0


@VARIANT.override
def is_life_cut(cluster: Cluster, sent: int, received: int, sent_end: int) -> bool:
    """The master has lost some of what it has sent."""
    is_cut = (sent < received) | (sent < sent_end)
    return is_cut & has_lost_sent_bytes(cluster)


@VARIANT.override
def compute_highest_beyond_received(cluster: Cluster, slave: int) -> int:
    """As without a pool, where the master's log may be in a later life and lack nothing it sent."""
    log, sent_end = cluster.slaves[slave].log, compute_sent_ends(cluster)[-1]
    stale_end = minimum(compute_last_file_end(log, cluster.parameters), sent_end)
    is_stale = has_stale_bytes(log) & negate(has_lost_sent_bytes(cluster))
    return choose(is_stale, stale_end, compute_torn_record_end(cluster, slave))


@VARIANT.override
def copy_marks(cluster: Cluster, log: CommitLog, start: int) -> CommitLog:
    """A commit may have left a hole; whoever copies it has it."""
    return copy_torn_marks(log, cluster.master.log, start)


@VARIANT.override
def compute_cached_end(cluster: Cluster) -> Offset:
    """``MappedFile#flush`` (value = getReadPosition): what is committed."""
    return compute_lowest_kept(cluster)


@VARIANT.override
def compute_read_end(cluster: Cluster) -> int:
    """``MappedFile#getReadPosition``: what is committed."""
    return get_committed(cluster)


@VARIANT.override
def compute_master_dispatch_limit(cluster: Cluster) -> int:
    """How far the master's dispatch can come: it reads what is committed (R-RP-07)."""
    limit = compute_dispatch_limit(cluster.master.log, cluster.messages)
    return minimum(limit, get_committed(cluster))


def compute_whole_commit(cluster: Cluster, committed: int) -> int:
    """Where a commit ends that comes to ``committed`` at least: it splits no record."""
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
    """A commit writes less than it was asked to, on a full disk, and counts as done."""
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
    """The master has committed and flushed, and is gone."""
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
    """The log that recovery ends at ``end``; behind ``kept`` the files hold what they held before.

    What was written is in page cache: the kill forces none of it.
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
    """The master's process is killed, and its buffers with it; a commit may be under way."""
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
    says="## KILLED, {kept_offset} B were committed, a record takes more for its own",
)
def kill_master_in_commit(cluster: Cluster) -> RuleBody:
    """The kill breaks off a commit within a record, which recovery takes for whole (T1-00967).

    Something of it is written then.
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
