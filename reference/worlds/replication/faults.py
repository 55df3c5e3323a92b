"""Faults. Each is a rule with a limit.

A process kill leaves the page cache, a power loss takes any part of the tail that is not on disk, a
disk loss takes everything. A stalled link or a refused connect is a step that does not happen, and
needs no rule.
"""

from __future__ import annotations

from attrs import evolve

from reference.language.fault_account import count_fault, is_within_limit
from reference.language.operators import any_of, choose, maximum, minimum, negate
from reference.language.rule import RuleBody, between, replace_at, rule, when
from reference.language.variant import overridable
from reference.worlds.replication.commit_log import (
    delete_first_file_of_master,
    delete_first_file_of_slave,
    give_up_first_file,
    has_old_file,
)
from reference.worlds.replication.connection import change_link, close_link
from reference.worlds.replication.flush import compute_cached_end
from reference.worlds.replication.lifecycle import (
    begin_life,
    compute_end_of_records,
    end_master,
    end_slave,
    has_modelled_life_left,
)
from reference.worlds.replication.lineage import compute_scan_end, has_message, is_scanned
from reference.worlds.replication.mapped_files import (
    cut_to,
    flush_without_effect,
    get_slave_sizes,
    has_unflushed_bytes,
    is_new_file_needed,
)
from reference.worlds.replication.parameters import Parameters
from reference.worlds.replication.put import wake_group_transfer
from reference.worlds.replication.replication import (
    append_frame,
    compute_frame_max_bytes,
    has_bytes_in_flight,
    is_accepting,
    is_frame_taken,
    is_in_step,
)
from reference.worlds.replication.state import Cluster, CommitLog, Slave, empty_log


def lose_tail(log: CommitLog, end: int, parameters: Parameters) -> CommitLog:
    """A log after a power loss: cut, and all that is read back from the disk is on the disk."""
    return evolve(cut_to(log, end, parameters), ghost_durable_offset=end)


@rule(
    who="fault", source="kill -9 of the master's process; MappedFile (page cache)", says="## KILLED"
)
def kill_master(cluster: Cluster) -> RuleBody:
    """The master's process is killed; its page cache survives, its waiting puts do not."""
    # ENABLED WHEN
    yield when(
        is_master_up=cluster.master.is_up,
        is_within_limit=is_within_limit(cluster, "master_kills"),
    )
    # EFFECT
    return count_fault(end_master(cluster), "master_kills")


@rule(who="fault", source="kill -9 of a slave's process; MappedFile (page cache)", says="## KILLED")
def kill_slave(cluster: Cluster, slave: int) -> RuleBody:
    """A slave's process is killed; its page cache survives, including an incomplete message."""
    broker = cluster.slaves[slave]
    # ENABLED WHEN
    yield when(
        is_slave_up=broker.is_up,
        is_within_limit=is_within_limit(cluster, "slave_kills"),
    )
    # EFFECT
    return count_fault(end_slave(cluster, slave, broker.log), "slave_kills")


def is_record_cut(cluster: Cluster, kept: int) -> bool:
    """The kept bytes may end inside a record, or where old bytes take a record's place.

    They do not if they end at the beginning of the log, or where a followed message begins or ends:
    nothing of the next record is left there, unless an earlier log epoch (`life` in the code) had
    bytes in its place.
    """
    log = cluster.master.log
    bounds = (
        is_scanned(log, m) & any_of(m.start_offset == kept, m.end_offset == kept)
        for m in cluster.messages
    )
    is_boundary = any_of(log.start_offset == kept, *bounds)
    return (cluster.master.ghost_life > 0) | negate(is_boundary)


def compute_whole_end(cluster: Cluster, kept: int) -> int:
    """The lowest end of a record that is cut at ``kept`` and taken for whole."""
    log, result = cluster.master.log, kept + 1
    for put in cluster.messages:
        is_cut = has_message(log, put) & (put.start_offset < kept) & (kept < put.end_offset)
        result = choose(is_cut, maximum(result, put.end_offset), result)
    return result


def compute_recovered_end(cluster: Cluster, kept: int) -> int:
    """Where the master's recovery ends its log if the bytes up to ``kept`` are left."""
    scanned = compute_scan_end(cluster.master.log, cluster.messages, kept)
    return minimum(scanned, compute_end_of_records(cluster))


@overridable
def compute_recovered_beyond(cluster: Cluster, kept: int, reached: int) -> int:
    """Where recovery ends the log if it takes the record that is cut at ``kept`` for whole."""
    highest = cluster.master.log.max_offset
    whole = minimum(highest, maximum(reached, compute_whole_end(cluster, kept)))
    return choose(is_record_cut(cluster, kept), whole, kept)


def begin_life_in_record(
    cluster: Cluster, files: CommitLog, kept: int, recovered: int
) -> CommitLog:
    """The recovered files as lineage: the record cut at ``kept`` begins the new log epoch."""
    master = cluster.master
    end = compute_scan_end(master.log, cluster.messages, kept)
    ends = tuple(
        choose(life <= master.ghost_life, minimum(old, end), recovered)
        for life, old in enumerate(master.log.ends)
    )
    return evolve(files, ends=ends)


@rule(
    who="fault",
    source="power loss of the master's machine; CommitLog#recoverAbnormally",
    says="## POWER LOSS, keeps {state.master.log.max_offset} B",
)
def lose_master_power(cluster: Cluster) -> RuleBody:
    """The master's machine loses power: any part of the tail that is not on disk is lost."""
    master = cluster.master
    # ENABLED WHEN
    yield when(
        is_master_up=master.is_up,
        is_within_limit=is_within_limit(cluster, "master_power_losses"),
        has_modelled_life_left=has_modelled_life_left(cluster),
    )
    kept = yield between("kept_offset", master.log.ghost_durable_offset, master.log.max_offset)
    # EFFECT
    log = lose_tail(master.log, compute_recovered_end(cluster, kept), cluster.parameters)
    return count_fault(begin_life(end_master(cluster), log), "master_power_losses")


@rule(
    who="fault",
    source="power loss of the master's machine; CommitLog#checkMessageAndReturnSize",
    says="## POWER LOSS, keeps {kept_offset} B, takes {state.master.log.max_offset} B for whole",
)
def lose_master_power_in_record(cluster: Cluster) -> RuleBody:
    """The master's machine loses power, and its recovery takes a torn record for whole.

    The checksum covers only the body: properties that did not reach the disk read as zeros. Whole
    records after them, on pages that did reach it, count again (T1-00967, T1-12686). So does a
    blank of which eight bytes or more are left, if the next file exists (T1-09848). In the model,
    such a record and all that follows it are the first bytes of the new log epoch.
    """
    master = cluster.master
    # ENABLED WHEN
    yield when(
        is_master_up=master.is_up,
        is_within_limit=is_within_limit(cluster, "master_power_losses"),
        has_modelled_life_left=has_modelled_life_left(cluster),
    )
    lowest, highest = master.log.ghost_durable_offset, master.log.max_offset
    kept = yield between("kept_offset", lowest, highest)
    reached = yield between("reached_offset", minimum(lowest + 1, highest), highest)
    # EFFECT
    recovered = compute_recovered_beyond(cluster, kept, reached)
    files = lose_tail(master.log, recovered, cluster.parameters)
    lost = begin_life(end_master(cluster), begin_life_in_record(cluster, files, kept, recovered))
    return count_fault(lost, "master_power_losses")


@rule(
    who="fault",
    source="power loss of a slave's machine; CommitLog#recoverAbnormally",
    says="## POWER LOSS, keeps {kept_offset} B",
)
def lose_slave_power(cluster: Cluster, slave: int) -> RuleBody:
    """A slave's machine loses power: any part of the tail that is not on disk is lost."""
    broker = cluster.slaves[slave]
    # ENABLED WHEN
    yield when(
        is_slave_up=broker.is_up,
        is_within_limit=is_within_limit(cluster, "slave_power_losses"),
    )
    kept = yield between("kept_offset", broker.log.ghost_durable_offset, broker.log.max_offset)
    # EFFECT
    log = lose_tail(broker.log, kept, get_slave_sizes(cluster))
    return count_fault(end_slave(cluster, slave, log), "slave_power_losses")


@rule(
    who="fault", source="loss of the master's disk; DefaultMessageStore#load", says="## DISK LOST"
)
def lose_master_disk(cluster: Cluster) -> RuleBody:
    """The master's disk is lost; its broker will restart with an empty one."""
    # ENABLED WHEN
    yield when(
        is_master_up=cluster.master.is_up,
        is_within_limit=is_within_limit(cluster, "master_disk_losses"),
        has_modelled_life_left=has_modelled_life_left(cluster),
    )
    # EFFECT
    lost = begin_life(end_master(cluster), empty_log(cluster.structure.lives))
    replaced = evolve(lost, master=evolve(lost.master, has_abort_file=False))
    return count_fault(replaced, "master_disk_losses")


@rule(
    who="fault",
    source="removal of a stopped slave's store directory; DefaultMessageStore#load",
    says="## STORE WIPED",
)
def wipe_slave(cluster: Cluster, slave: int) -> RuleBody:
    """The store of a slave that is down is emptied."""
    # ENABLED WHEN
    yield when(
        is_slave_down=negate(cluster.slaves[slave].is_up),
        is_within_limit=is_within_limit(cluster, "slave_wipes"),
    )
    # EFFECT
    log = empty_log(cluster.structure.lives)
    wiped = Slave(log=log, is_up=False, has_abort_file=False)
    slaves = replace_at(cluster.slaves, slave, wiped)
    return count_fault(evolve(cluster, slaves=slaves), "slave_wipes")


@rule(
    who="fault",
    source="a broken TCP connection between slave and master",
    says="## CONNECTION BREAKS",
)
def cut_link(cluster: Cluster, slave: int) -> RuleBody:
    """A replication connection breaks; bytes in flight are lost, the master still counts it."""
    # ENABLED WHEN
    yield when(
        is_link_open=cluster.links[slave].is_open,
        is_within_limit=is_within_limit(cluster, "link_cuts"),
    )
    # EFFECT
    return count_fault(close_link(cluster, slave), "link_cuts")


@rule(who="fault", source="MappedFile#flush (force throws)", says="## FLUSH FAILS UNNOTICED")
def swallow_flush_error(cluster: Cluster) -> RuleBody:
    """The master's flush fails, is only logged, and counts as done (R-CL-10)."""
    master, cached = cluster.master, compute_cached_end(cluster)
    # ENABLED WHEN
    yield when(
        is_master_up=master.is_up,
        has_unflushed_bytes=has_unflushed_bytes(master.log, cached),
        is_within_limit=is_within_limit(cluster, "swallowed_disk_errors"),
    )
    # EFFECT
    log = flush_without_effect(master.log, cached, cluster.parameters)
    flushed = evolve(cluster, master=evolve(master, log=log))
    return count_fault(flushed, "swallowed_disk_errors")


@rule(
    who="fault",
    source="MappedFile#appendMessage (FileChannel#write throws)",
    says="## {size_bytes} B NOT WRITTEN",
)
def swallow_append_error(cluster: Cluster, slave: int) -> RuleBody:
    """A slave fails to write a frame, continues as if it were written, and reports it (R-CL-11)."""
    broker, link = cluster.slaves[slave], cluster.links[slave]
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_accepting=is_accepting(broker),
        has_bytes_in_flight=has_bytes_in_flight(link),
        is_in_step=is_in_step(broker, link),
        is_within_limit=is_within_limit(cluster, "swallowed_disk_errors"),
    )
    size = yield between("size_bytes", 1, compute_frame_max_bytes(cluster, slave))
    # EFFECT
    appended = append_frame(cluster, slave, size)
    log = appended.slaves[slave].log
    spoilt = evolve(log, ghost_unknown_below_offset=log.max_offset)
    after = evolve(appended.slaves[slave], log=spoilt)
    changed = evolve(
        appended,
        slaves=replace_at(appended.slaves, slave, after),
        messages=cluster.messages,
    )
    return count_fault(changed, "swallowed_disk_errors")


@rule(
    who="fault",
    source="MappedFileQueue#getLastMappedFile (null), CommitLog#appendData",
    says="## NO FILE, drops {size_bytes} B",
)
def fail_file_creation(cluster: Cluster, slave: int) -> RuleBody:
    """A slave cannot create the file that a frame needs, drops the frame, and continues.

    It ignores the result of the append. If its log is empty, so that its max offset is 0, it takes
    the next frame wherever that begins (T2-00059, T2-00017).
    """
    broker, link = cluster.slaves[slave], cluster.links[slave]
    in_flight = link.next_transfer_offset - link.arrived_offset
    # ENABLED WHEN
    yield when(
        is_link_open=link.is_open,
        is_accepting=is_accepting(broker),
        has_bytes_in_flight=has_bytes_in_flight(link),
        is_frame_taken=is_frame_taken(broker, link),
        is_new_file_needed=is_new_file_needed(broker.log, get_slave_sizes(cluster)),
        is_within_limit=is_within_limit(cluster, "failed_file_creations"),
    )
    size = yield between("size_bytes", 1, in_flight)
    # EFFECT
    thrown = change_link(cluster, slave, arrived_offset=link.arrived_offset + size)
    return count_fault(thrown, "failed_file_creations")


@overridable
def compute_alien_report_max(cluster: Cluster) -> int:
    """The highest number that the master takes for a report: any (R-AK-03)."""
    return cluster.parameters.ghost_log_size_max_bytes


@rule(
    who="fault",
    source="HAConnection.ReadSocketService#processReadEvent (no validation)",
    says="## A STRANGER REPORTS {offset}",
)
def send_alien_report(cluster: Cluster) -> RuleBody:
    """A stranger sends eight bytes to the HA port: the master takes them for a report (R-AK-03)."""
    master = cluster.master
    # ENABLED WHEN
    yield when(
        is_master_up=master.is_up,
        is_within_limit=is_within_limit(cluster, "alien_reports"),
    )
    offset = yield between("offset", 0, compute_alien_report_max(cluster))
    # EFFECT
    fooled = evolve(
        master,
        push2_slave_max_offset=maximum(master.push2_slave_max_offset, offset),
        connection_count=master.connection_count + 1,
    )
    is_woken = master.push2_slave_max_offset < offset
    messages = wake_group_transfer(cluster, is_woken)
    return count_fault(evolve(cluster, master=fooled, messages=messages), "alien_reports")


@rule(
    who="fault",
    source="DefaultMessageStore.CleanCommitLogService#isSpaceToDelete, #deleteExpiredFiles",
    says="## DELETES A FILE BEFORE ITS TIME",
)
def delete_young_master_file(cluster: Cluster) -> RuleBody:
    """The master's disk is more than 85 % full: it deletes its oldest file, whatever its age.

    It checks neither whether slaves have copied the file nor whether it is flushed (R-BR-06,
    T4-00462).
    """
    log = cluster.master.log
    # ENABLED WHEN
    yield when(
        is_master_up=cluster.master.is_up,
        has_old_file=has_old_file(log, cluster.parameters),
        is_within_limit=is_within_limit(cluster, "forced_deletions"),
    )
    # EFFECT
    deleted = delete_first_file_of_master(give_up_first_file(cluster, log, cluster.parameters))
    return count_fault(deleted, "forced_deletions")


@rule(
    who="fault",
    source="DefaultMessageStore.CleanCommitLogService#isSpaceToDelete, #deleteExpiredFiles",
    says="## DELETES A FILE BEFORE ITS TIME",
)
def delete_young_slave_file(cluster: Cluster, slave: int) -> RuleBody:
    """A slave's disk is more than 85 % full: it deletes its oldest file, whatever its age."""
    broker = cluster.slaves[slave]
    # ENABLED WHEN
    yield when(
        is_slave_up=broker.is_up,
        has_old_file=has_old_file(broker.log, get_slave_sizes(cluster)),
        is_within_limit=is_within_limit(cluster, "forced_deletions"),
    )
    # EFFECT
    deleted = delete_first_file_of_slave(
        give_up_first_file(cluster, broker.log, get_slave_sizes(cluster)), slave
    )
    return count_fault(deleted, "forced_deletions")
