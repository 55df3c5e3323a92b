"""Clean stops, restarts, and changes of the master's role at run time.

A clean stop is not a fault. A restarting broker keeps the log that it finds, cut after the last
whole record; it does not ask other brokers what they hold.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from reference.language.fault_account import count_fault, is_within_limit
from reference.language.leaves import Offset
from reference.language.operators import any_of, choose, maximum, minimum, negate
from reference.language.rule import RuleBody, between, replace_at, rule, when
from reference.language.variant import overridable
from reference.worlds.replication.connection import CLOSED_LINK, close_link
from reference.worlds.replication.dispatch import (
    is_dispatch_behind,
    is_master_dispatch_behind,
    mark_readable,
)
from reference.worlds.replication.lineage import (
    append_bytes,
    append_foreign_bytes,
    compute_known_boundary,
    compute_scan_end,
    compute_start_of_life,
    has_equal_lives,
    has_first_bytes,
    has_message,
    is_followed_between,
    is_in_lineage,
    is_known_from,
    is_of_one_earlier_life,
    is_written,
)
from reference.worlds.replication.mapped_files import (
    compute_last_file_end,
    cut_to,
    flush_all,
    get_slave_sizes,
    load,
)
from reference.worlds.replication.put import abandon_pending_puts, is_in_line
from reference.worlds.replication.replication import mark_received
from reference.worlds.replication.state import (
    UNKNOWN_OFFSET,
    Cluster,
    CommitLog,
    EpochFile,
    Message,
    Slave,
)


def end_master(cluster: Cluster) -> Cluster:
    """The cluster after the master's process ends: memory, connections, waiting puts are gone."""
    master = evolve(
        cluster.master,
        is_up=False,
        is_stopping=False,
        push2_slave_max_offset=0,
        connection_count=0,
    )
    return evolve(
        cluster,
        master=master,
        links=(CLOSED_LINK,) * len(cluster.links),
        messages=abandon_pending_puts(cluster.messages),
    )


def end_slave(cluster: Cluster, slave: int, log: CommitLog) -> Cluster:
    """The cluster after a slave's process has ended: its connection is gone."""
    ended = evolve(cluster.slaves[slave], log=log, is_up=False, is_stopping=False)
    return close_link(evolve(cluster, slaves=replace_at(cluster.slaves, slave, ended)), slave)


def has_modelled_life_left(cluster: Cluster) -> bool:
    """If the master loses bytes, the model can represent the new log epoch (`life` in the code)."""
    return cluster.master.ghost_life + 1 < cluster.structure.lives


def count_losses(cluster: Cluster) -> int:
    """How often the master has lost bytes: its power, its disk, or the blank at its end."""
    faults = cluster.faults
    return faults.master_power_losses + faults.master_disk_losses + faults.torn_rolls


@overridable
def has_uncounted_life(cluster: Cluster) -> bool:
    """The master's log is in a log epoch that no loss has begun.

    This cannot happen without a controller and without a pool of buffers (R-NS-09).
    """
    return False


def make_old_master_slave(cluster: Cluster, slave: int) -> Cluster:
    """The cluster in which the old master, which is down, takes this slave's place with its log."""
    old = cluster.master
    broker = Slave(log=old.log, is_up=False, has_abort_file=old.has_abort_file)
    slaves = replace_at(cluster.slaves, slave, broker)
    return evolve(cluster, slaves=slaves, messages=mark_received(cluster.messages, old.log))


def begin_life(cluster: Cluster, log: CommitLog) -> Cluster:
    """The cluster whose master continues with a log that lacks bytes, in a new log epoch."""
    life = cluster.master.ghost_life + 1
    changed = evolve(cluster.master, log=log, ghost_life=life, trailing_blank_offset=UNKNOWN_OFFSET)
    return evolve(cluster, master=changed)


@overridable
def is_blank_to_cut(cluster: Cluster) -> bool:
    """The log ends with the blank of a full file, which recovery may not count (R-RC-04)."""
    return cluster.master.trailing_blank_offset >= 0


def compute_end_of_records(cluster: Cluster) -> int:
    """Where recovery ends the master's log: before a trailing blank."""
    master = cluster.master
    return choose(is_blank_to_cut(cluster), master.trailing_blank_offset, master.log.max_offset)


@rule(who="master", source="DefaultMessageStore#shutdown", weight=1, says="begins to stop")
def begin_master_stop(cluster: Cluster) -> RuleBody:
    """The master begins to stop: its store now refuses puts and sends no bytes."""
    master = cluster.master
    # ENABLED WHEN
    yield when(is_master_up=master.is_up, is_not_stopping=negate(master.is_stopping))
    # EFFECT
    return evolve(cluster, master=evolve(master, is_stopping=True))


def end_flushed_master(cluster: Cluster) -> Cluster:
    """The master has flushed and ended; the abort file stays if dispatch is behind."""
    log, ended = cluster.master.log, end_master(cluster)
    stopped = evolve(
        ended.master,
        log=flush_all(log, cluster.parameters),
        has_abort_file=is_master_dispatch_behind(cluster),
    )
    return evolve(ended, master=stopped)


@rule(
    who="master",
    source="DefaultMessageStore#shutdown, CommitLog#shutdown",
    heals="recovery",
    says="has stopped",
)
def finish_master_stop(cluster: Cluster) -> RuleBody:
    """The master completes its clean stop."""
    master = cluster.master
    # ENABLED WHEN
    yield when(is_master_up=master.is_up, is_stopping=master.is_stopping)
    # EFFECT
    return end_flushed_master(cluster)


@overridable
def compute_committed_at_start(cluster: Cluster) -> tuple[Offset, ...]:
    """Where a starting master's pool continues; empty without ``transientStorePoolEnable``."""
    return ()


@overridable
def compute_epochs_at_master_start(cluster: Cluster) -> tuple[EpochFile, ...]:
    """The epoch files once a master has started; none without a controller."""
    return ()


@overridable
def compute_epochs_at_slave_start(cluster: Cluster, slave: int) -> tuple[EpochFile, ...]:
    """The epoch files once a slave has started; none without a controller."""
    return ()


def start_master(cluster: Cluster) -> Cluster:
    """The master runs with the log that it has; all of it is dispatched, if it was not before."""
    log = load(cluster.master.log)
    started = evolve(cluster.master, is_up=True, log=log, has_abort_file=True)
    messages = mark_readable(cluster.messages, log)
    return evolve(
        cluster,
        master=started,
        messages=messages,
        committed_offset=compute_committed_at_start(cluster),
        epoch_files=compute_epochs_at_master_start(cluster),
    )


@rule(
    who="master",
    source="DefaultMessageStore#load, CommitLog#recoverNormally, #recoverAbnormally",
    heals="recovery",
    says="starts again",
)
def restart_master(cluster: Cluster) -> RuleBody:
    """The master restarts with the log that it finds."""
    master = cluster.master
    # ENABLED WHEN
    yield when(
        is_master_down=negate(master.is_up),
        is_no_blank_to_cut=negate(is_blank_to_cut(cluster)),
    )
    # EFFECT
    return start_master(cluster)


@rule(
    who="master",
    source="CommitLog#recoverNormally, #recoverAbnormally (blank record, last file)",
    heals="recovery",
    says="starts again, cuts off its blank",
)
def restart_master_without_blank(cluster: Cluster) -> RuleBody:
    """The master's log ends with a blank, and its recovery cuts the blank off (R-RC-04).

    A slave may already have that blank. It is then ahead of its master, though nothing was lost.
    """
    master = cluster.master
    # ENABLED WHEN
    yield when(
        is_master_down=negate(master.is_up),
        is_blank_to_cut=is_blank_to_cut(cluster),
        is_within_limit=is_within_limit(cluster, "torn_rolls"),
        has_modelled_life_left=has_modelled_life_left(cluster),
    )
    # EFFECT
    log = cut_to(master.log, compute_end_of_records(cluster), cluster.parameters)
    return count_fault(start_master(begin_life(cluster, log)), "torn_rolls")


@rule(
    who="master",
    source="CommitLog#recoverNormally, #recoverAbnormally; AllocateMappedFileService#mmapOperation",
    says="starts again, keeps its blank",
)
def restart_master_behind_blank(cluster: Cluster) -> RuleBody:
    """The master's log ends with a blank, and the next file was created early: the blank stays.

    A clean stop deletes such a file. A kill leaves it, and the first eight bytes of the blank
    suffice for recovery to continue in it (T1-09848).
    """
    master = cluster.master
    # ENABLED WHEN
    yield when(
        is_master_down=negate(master.is_up),
        is_blank_to_cut=is_blank_to_cut(cluster),
        has_abort_file=master.has_abort_file,
    )
    # EFFECT
    rolled = evolve(master, trailing_blank_offset=UNKNOWN_OFFSET)
    return start_master(evolve(cluster, master=rolled))


def has_stale_bytes(log: CommitLog) -> bool:
    """Bytes left by a cut lie after the log's end."""
    return log.max_offset < log.stale_end_offset


@overridable
def are_stale_bytes_on_disk(cluster: Cluster) -> bool:
    """The bytes that a cut has left of the master's log are on disk.

    They are if a power loss or a clean stop left them; a blank left by a kill need not be.
    """
    faults = cluster.faults
    is_forced = (faults.master_kills == 0) & (faults.swallowed_disk_errors == 0)
    return (faults.torn_rolls == 0) | is_forced


@rule(
    who="master",
    source="CommitLog#recoverNormally, #recoverAbnormally, #checkMessageAndReturnSize",
    says="starts again, old bytes up to {recovered_offset} count as records",
)
def restart_master_with_stale_bytes(cluster: Cluster) -> RuleBody:
    """The master's recovery reads on into bytes that an earlier cut has left after its end.

    A cut moves positions and writes nothing, and recovery does not compare a record's place with
    the offset stored in it. Where old bytes begin exactly at the end of a new record, they count as
    records again, though no producer has put them (T1-12686; upstream #10017).
    """
    master = cluster.master
    # ENABLED WHEN
    yield when(
        is_master_down=negate(master.is_up),
        is_no_blank_to_cut=negate(is_blank_to_cut(cluster)),
        has_stale_bytes=has_stale_bytes(master.log),
    )
    file_end = compute_last_file_end(master.log, cluster.parameters)
    recovered = yield between("recovered_offset", master.log.max_offset + 1, file_end)
    # EFFECT
    old_bytes = recovered - master.log.max_offset
    durable = master.log.ghost_durable_offset
    is_on_disk = (durable == master.log.max_offset) & are_stale_bytes_on_disk(cluster)
    durable = choose(is_on_disk, recovered, durable)
    longer = append_bytes(master.log, master.ghost_life, old_bytes)
    log = evolve(longer, ghost_durable_offset=durable)
    return start_master(evolve(cluster, master=evolve(master, log=log)))


@rule(who="slave", source="DefaultMessageStore#shutdown", weight=1, says="begins to stop")
def begin_slave_stop(cluster: Cluster, slave: int) -> RuleBody:
    """A slave begins to stop: its store now takes no bytes, though the slave still reads them."""
    broker = cluster.slaves[slave]
    # ENABLED WHEN
    yield when(is_slave_up=broker.is_up, is_not_stopping=negate(broker.is_stopping))
    # EFFECT
    stopping = evolve(broker, is_stopping=True)
    return evolve(cluster, slaves=replace_at(cluster.slaves, slave, stopping))


@rule(
    who="slave",
    source="DefaultMessageStore#shutdown, CommitLog#shutdown",
    heals="recovery",
    says="has stopped",
)
def finish_slave_stop(cluster: Cluster, slave: int) -> RuleBody:
    """A slave has flushed and ended; an incomplete message leaves the abort file (R-RC-13)."""
    broker = cluster.slaves[slave]
    # ENABLED WHEN
    yield when(is_slave_up=broker.is_up, is_stopping=broker.is_stopping)
    # EFFECT
    marked = evolve(broker, has_abort_file=is_dispatch_behind(broker.log))
    changed = evolve(cluster, slaves=replace_at(cluster.slaves, slave, marked))
    return end_slave(changed, slave, flush_all(broker.log, get_slave_sizes(cluster)))


@overridable
def get_log_without_seam(cluster: Cluster, slave: int) -> CommitLog:
    """The log whose segments are known to follow one another: the master's."""
    return cluster.master.log


def is_of_equal_lives(cluster: Cluster, slave: int) -> bool:
    """A slave's log changes epochs where a log without a seam does, or did."""
    log, seamless = cluster.slaves[slave].log, get_log_without_seam(cluster, slave)
    return has_equal_lives(log, seamless, log.start_offset)


def is_sound(cluster: Cluster, slave: int) -> bool:
    """All of a slave's log is known, and it has no seam."""
    log = cluster.slaves[slave].log
    return is_of_equal_lives(cluster, slave) & is_known_from(log, log.start_offset)


def compute_recovery_range(cluster: Cluster, slave: int) -> tuple[int, int]:
    """Where a slave's recovery may end its log: the lowest and the highest offset.

    Only the last record can be incomplete, and none crosses files (R-CL-06). So the scan reaches
    that record, and cuts nothing before the last file. In a log with a seam or unknown bytes it may
    stop anywhere after a known boundary, or pass: a seam within properties goes unnoticed.
    """
    log, is_whole = cluster.slaves[slave].log, is_sound(cluster, slave)
    certain = choose(is_whole, log.last_file_offset, log.start_offset)
    scan_end = compute_scan_end(log, cluster.messages, log.max_offset)
    highest = maximum(certain, choose(is_whole, scan_end, log.max_offset))
    boundary = compute_known_boundary(log, cluster.messages, get_log_without_seam(cluster, slave))
    return maximum(certain, minimum(boundary, highest)), highest


def start_slave(cluster: Cluster, slave: int, log: CommitLog) -> Cluster:
    """The slave runs with this log, all of which counts as flushed and is dispatched."""
    in_line = (choose(is_in_line(cluster, m), m.end_offset, 0) for m in cluster.messages)
    started = Slave(log=load(log), ghost_earlier_put_offset=maximum(0, *in_line))
    return evolve(
        cluster,
        slaves=replace_at(cluster.slaves, slave, started),
        epoch_files=compute_epochs_at_slave_start(cluster, slave),
    )


@rule(
    who="slave",
    source="DefaultMessageStore#load, CommitLog#recoverNormally, #recoverAbnormally",
    heals="recovery",
    says="starts again at {recovered_offset}",
)
def restart_slave(cluster: Cluster, slave: int) -> RuleBody:
    """A slave restarts and cuts an incomplete record, or a blank, from its log's end (R-RC-04)."""
    broker = cluster.slaves[slave]
    # ENABLED WHEN
    yield when(is_slave_down=negate(broker.is_up))
    lowest, highest = compute_recovery_range(cluster, slave)
    recovered = yield between("recovered_offset", lowest, highest)
    # EFFECT
    return start_slave(cluster, slave, cut_to(broker.log, recovered, get_slave_sizes(cluster)))


def is_begun(log: CommitLog, put: Message) -> bool:
    """The log ends inside the message."""
    return has_first_bytes(log, put) & (log.max_offset < put.end_offset)


@overridable
def compute_sent_ends(cluster: Cluster) -> tuple[int, ...]:
    """Up to where the bytes of each epoch of the master's log can have been sent: all of them."""
    return cluster.master.log.ends


@overridable
def is_life_cut(cluster: Cluster, sent: int, received: int, sent_end: int) -> bool:
    """The master may have sent more of a log epoch than it holds now."""
    return (sent < received) | (sent < sent_end)


def compute_torn_record_end(cluster: Cluster, slave: int) -> int:
    """The highest offset at which the record that a slave has received in part can end.

    A record does not cross files, and a master sends none that it does not hold whole (R-CL-06). So
    if the master has later bytes of the same log epoch, the record ends within them; if it has
    none, the log ends with a record. If the master has lost some, or the log has a seam, the record
    may end anywhere in its file, unless the log ends with a followed message that is whole.
    """
    log, source = cluster.slaves[slave].log, cluster.master.log
    sent = compute_sent_ends(cluster)
    file_end = compute_last_file_end(log, get_slave_sizes(cluster))
    result = log.max_offset
    for life, end in enumerate(log.ends):
        is_last_life = (end == log.max_offset) & (compute_start_of_life(log, life) < end)
        is_cut = is_life_cut(cluster, sent[life], end, sent[-1])
        highest = choose(is_cut, file_end, minimum(file_end, sent[life]))
        result = choose(is_last_life, highest, result)
    for put in cluster.messages:
        is_next = is_in_lineage(source, put) & (log.max_offset <= put.start_offset)
        result = choose(is_next & is_written(put), minimum(result, put.start_offset), result)
        is_torn = is_begun(log, put) & is_in_lineage(source, put)
        result = choose(is_torn, minimum(file_end, put.end_offset), result)
    reached = choose(is_of_equal_lives(cluster, slave), result, file_end)
    is_torn = negate(ends_with_message(log, cluster.messages))
    return choose((log.last_file_offset < log.max_offset) & is_torn, reached, log.max_offset)


def ends_with_message(log: CommitLog, messages: tuple[Message, ...]) -> bool:
    """The last bytes of the log are those of a followed message, which is whole."""
    return any_of(*(has_message(log, m) & (m.end_offset == log.max_offset) for m in messages))


def compute_lowest_beyond_received(cluster: Cluster, slave: int) -> int:
    """The lowest offset above its last received byte at which a slave's recovery may end.

    If a followed message is incomplete, the record ends where the message does.
    """
    log = cluster.slaves[slave].log
    ends = (choose(is_begun(log, m), m.end_offset, 0) for m in cluster.messages)
    return maximum(log.max_offset + 1, *ends)


@overridable
def has_lost_sent_bytes(cluster: Cluster) -> bool:
    """The master lacks bytes that it may have sent: its log is in a later epoch."""
    return cluster.master.ghost_life > 0


@overridable
def compute_highest_beyond_received(cluster: Cluster, slave: int) -> int:
    """The highest offset at which a slave's recovery may end after a torn record.

    As long as the master has lost nothing, stale bytes after it are records that the master has.
    """
    log, sent_end = cluster.slaves[slave].log, compute_sent_ends(cluster)[-1]
    stale_end = minimum(compute_last_file_end(log, get_slave_sizes(cluster)), sent_end)
    is_stale = has_stale_bytes(log) & (cluster.master.ghost_life == 0)
    return choose(is_stale, stale_end, compute_torn_record_end(cluster, slave))


@overridable
def take_for_record(cluster: Cluster, slave: int, end: int) -> CommitLog:
    """The log of a slave whose recovery takes bytes up to ``end`` for those of a record."""
    log = cluster.slaves[slave].log
    is_followed = is_followed_between(cluster.messages, log.max_offset, end)
    return append_foreign_bytes(log, end, is_followed=is_followed)


@rule(
    who="slave",
    source="CommitLog#recoverNormally, #recoverAbnormally, #checkMessageAndReturnSize",
    says="starts again at {recovered_offset}, beyond what it received",
)
def restart_slave_beyond_received(cluster: Cluster, slave: int) -> RuleBody:
    """A slave's recovery takes a record for whole although its last bytes were not received.

    The checksum covers only the body. Properties come last; missing ones read as zeros, or as the
    stale bytes that lie there. The same applies to the blank of a full file: eight of its bytes
    suffice if the next file exists (T1-00967, T1-09848; upstream #7437). The slave asks its master
    to continue after these bytes, and they are never repaired.
    """
    broker = cluster.slaves[slave]
    lowest = compute_lowest_beyond_received(cluster, slave)
    highest = compute_highest_beyond_received(cluster, slave)
    # ENABLED WHEN
    yield when(is_slave_down=negate(broker.is_up), has_torn_record=lowest <= highest)
    recovered = yield between("recovered_offset", lowest, highest)
    # EFFECT
    longer = take_for_record(cluster, slave, recovered)
    is_pure = is_of_one_earlier_life(broker.log, cluster.master.ghost_life)
    is_mixture = negate(is_of_equal_lives(cluster, slave) | is_pure)
    unknown = choose(is_mixture, recovered, longer.ghost_unknown_below_offset)
    return start_slave(cluster, slave, evolve(longer, ghost_unknown_below_offset=unknown))


@rule(
    who="slave",
    source="CommitLog#recoverNormally, #recoverAbnormally, #checkMessageAndReturnSize",
    says="starts again, old bytes up to {recovered_offset} count as records",
)
def restart_slave_with_stale_bytes(cluster: Cluster, slave: int) -> RuleBody:
    """A slave's recovery reads on into stale bytes of a log epoch that its master left (T1-12686).

    The slave's log is then a mixture whose content is unknown.
    """
    broker = cluster.slaves[slave]
    # ENABLED WHEN
    yield when(
        is_slave_down=negate(broker.is_up),
        has_stale_bytes=has_stale_bytes(broker.log),
        is_later_life=has_lost_sent_bytes(cluster),
    )
    file_end = compute_last_file_end(broker.log, get_slave_sizes(cluster))
    recovered = yield between("recovered_offset", broker.log.max_offset + 1, file_end)
    # EFFECT
    old_bytes = recovered - broker.log.max_offset
    longer = append_bytes(broker.log, cluster.master.ghost_life, old_bytes)
    return start_slave(cluster, slave, evolve(longer, ghost_unknown_below_offset=recovered))


def tell_role(arguments: Mapping[str, int], cluster: Cluster) -> str:
    """The timeline's phrase for a change of role."""
    return f"is {'SYNC_MASTER' if cluster.master.is_sync else 'ASYNC_MASTER'} now"


@rule(
    who="operator",
    source="AdminBrokerProcessor#updateBrokerConfig, BrokerConfig (brokerRole)",
    weight=1,
    says=tell_role,
)
def switch_master_role(cluster: Cluster) -> RuleBody:
    """An operator changes the role between ASYNC_MASTER and SYNC_MASTER; the next put follows it.

    The change is written to the broker's file, so it survives a restart.
    """
    master = cluster.master
    # ENABLED WHEN
    yield when(
        is_master_up=master.is_up,
        is_within_limit=is_within_limit(cluster, "role_switches"),
    )
    # EFFECT
    switched = evolve(master, is_sync=negate(master.is_sync))
    return count_fault(evolve(cluster, master=switched), "role_switches")
