"""The commit log grows at its end, file by file, and its oldest files expire."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from reference.language.fault_account import count_fault, is_within_limit
from reference.language.operators import all_of, any_of, choose, maximum, minimum, negate
from reference.language.rule import RuleBody, between, replace_at, rule, when
from reference.language.variant import overridable
from reference.worlds.replication.lineage import append_bytes, has_first_bytes
from reference.worlds.replication.mapped_files import (
    compute_last_file_end,
    get_slave_sizes,
    is_last_file_full,
    is_new_file_needed,
    open_next_file,
)
from reference.worlds.replication.parameters import Parameters
from reference.worlds.replication.state import (
    NOT_SENT,
    UNKNOWN_OFFSET,
    WAITS_FOR_DISK,
    Cluster,
    CommitLog,
    Master,
    Message,
)


def is_store_open(cluster: Cluster) -> bool:
    """The master runs and has not begun to stop: it takes puts and serves its log."""
    return cluster.master.is_up & negate(cluster.master.is_stopping)


def compute_message_size_max_bytes(parameters: Parameters) -> int:
    """The largest message that fits into a file of its own."""
    in_file = parameters.mapped_file_size_bytes - parameters.end_file_min_blank_bytes
    return minimum(parameters.message_size_max_bytes, in_file)


def is_below_modelled_end(cluster: Cluster) -> bool:
    """The last file and the one after it lie in the modelled part of the log."""
    size = cluster.parameters.mapped_file_size_bytes
    end = cluster.master.log.last_file_offset + size + size
    return end <= cluster.parameters.ghost_log_size_max_bytes


def is_next_message(cluster: Cluster, message: int) -> bool:
    """This followed message has not been put yet, and every one before it has."""
    before = (m.phase > NOT_SENT for m in cluster.messages[:message])
    return (cluster.messages[message].phase == NOT_SENT) & all_of(*before)


def compute_room_bytes(log: CommitLog, parameters: Parameters) -> int:
    """The largest message that can be appended now: to the last file, or to a new one (R-CL-05)."""
    largest = compute_message_size_max_bytes(parameters)
    file_end = compute_last_file_end(log, parameters)
    in_file = file_end - log.max_offset - parameters.end_file_min_blank_bytes
    return choose(is_last_file_full(log, parameters), largest, minimum(largest, in_file))


@overridable
def compute_first_phase(cluster: Cluster) -> int:
    """The phase of a put when it is appended: the disk step comes first (R-CL-03)."""
    return WAITS_FOR_DISK


def append_to_master(cluster: Cluster, size: int) -> Master:
    """The master with one more message at the end of its log."""
    master = cluster.master
    log = append_bytes(open_next_file(master.log, cluster.parameters), master.ghost_life, size)
    return evolve(master, log=evolve(log, has_file=True), trailing_blank_offset=UNKNOWN_OFFSET)


@rule(
    who="producer",
    source="CommitLog.DefaultAppendMessageCallback#doAppend (END_OF_FILE)",
    weight=4,
    lane="master",
    says="blank fills its file to {state.master.log.max_offset}",
)
def fill_file(cluster: Cluster) -> RuleBody:
    """A message does not fit: the master fills the file with a blank, before creating the next one.

    The put lock is held until the message lies in the next file. The blank is already in the log,
    may be sent to slaves, and is all that remains if the next file cannot be created (R-CL-04).
    Recorded halfway: v498_r_random_seed21 seq 726 to 730.
    """
    master, parameters = cluster.master, cluster.parameters
    largest = compute_message_size_max_bytes(parameters)
    # ENABLED WHEN
    yield when(
        is_store_open=is_store_open(cluster),
        has_bytes_in_file=master.log.last_file_offset < master.log.max_offset,
        is_file_not_full=negate(is_last_file_full(master.log, parameters)),
        has_message_without_room=compute_room_bytes(master.log, parameters) < largest,
        is_below_modelled_end=is_below_modelled_end(cluster),
    )
    # EFFECT
    start = master.log.max_offset
    blank_bytes = compute_last_file_end(master.log, parameters) - start
    log = append_bytes(master.log, master.ghost_life, blank_bytes)
    return evolve(cluster, master=evolve(master, log=log, trailing_blank_offset=start))


@rule(
    who="producer",
    source="CommitLog#putMessage, MappedFileQueue#getLastMappedFile",
    weight=1,
    lane="master",
    says="creates its next file",
)
def create_master_file(cluster: Cluster) -> RuleBody:
    """A put makes the master create the file for its message, before it appends the message.

    Until 4.9.0 the file stays empty if the message turns out to be too large, or its properties do
    (oversized_put_makes_a_file_440 seq 117 to 120). From 4.9.1 on sizes are checked first
    (CommitLog.MessageExtEncoder#encode), and the file is empty only until the append, or for longer
    if the process ends in between.
    """
    master, parameters = cluster.master, cluster.parameters
    # ENABLED WHEN
    yield when(
        is_store_open=is_store_open(cluster),
        is_new_file_needed=is_new_file_needed(master.log, parameters),
        is_below_modelled_end=is_below_modelled_end(cluster),
    )
    # EFFECT
    log = evolve(open_next_file(master.log, parameters), has_file=True)
    created = evolve(master, log=log, trailing_blank_offset=UNKNOWN_OFFSET)
    return evolve(cluster, master=created)


def tell_put(arguments: Mapping[str, int], cluster: Cluster) -> str:
    """The timeline's phrase for a put."""
    return "put m{number}, {size_bytes} B" + (
        "" if arguments["waits_for_store"] else ", does not wait"
    )


@overridable
def compute_waits_max(cluster: Cluster) -> int:
    """1 if a put that waits for the store is appended now, else 0."""
    return 1


@rule(
    who="producer",
    source="CommitLog#putMessage, CommitLog.DefaultAppendMessageCallback#doAppend",
    weight=4,
    says=tell_put,
)
def append_message(cluster: Cluster, message: int) -> RuleBody:
    """The master appends a producer's message to its commit log; its put begins to wait."""
    master, parameters = cluster.master, cluster.parameters
    # ENABLED WHEN
    yield when(
        is_store_open=is_store_open(cluster),
        is_next_message=is_next_message(cluster, message),
        is_below_modelled_end=is_below_modelled_end(cluster),
    )
    size = yield between("size_bytes", 1, compute_room_bytes(master.log, parameters))
    waits = yield between("waits_for_store", 0, compute_waits_max(cluster))
    # EFFECT
    start = master.log.max_offset
    put = Message(
        phase=compute_first_phase(cluster),
        waits_for_store=waits == 1,
        start_offset=start,
        end_offset=start + size,
        ghost_life=master.ghost_life,
    )
    messages = replace_at(cluster.messages, message, put)
    return evolve(cluster, master=append_to_master(cluster, size), messages=messages)


@rule(who="producer", source="CommitLog#putMessage", weight=8, says="another put, {size_bytes} B")
def append_other_message(cluster: Cluster) -> RuleBody:
    """The master appends another producer's message, which the model does not follow."""
    log, parameters = cluster.master.log, cluster.parameters
    # ENABLED WHEN
    yield when(
        is_store_open=is_store_open(cluster),
        is_below_modelled_end=is_below_modelled_end(cluster),
    )
    size = yield between("size_bytes", 1, compute_room_bytes(log, parameters))
    # EFFECT
    return evolve(cluster, master=append_to_master(cluster, size))


def compute_second_file(log: CommitLog, parameters: Parameters) -> int:
    """The base of the file after the first one, where the log begins without the first."""
    return log.start_offset + parameters.mapped_file_size_bytes


def has_old_file(log: CommitLog, parameters: Parameters) -> bool:
    """The first file is not the last one: retention may delete it (R-BR-06)."""
    return compute_second_file(log, parameters) <= log.last_file_offset


@overridable
def is_old_file_flushed(_cluster: Cluster, log: CommitLog, parameters: Parameters) -> bool:
    """``flushedWhere`` is beyond the first file."""
    return compute_second_file(log, parameters) <= log.flushed_offset


def is_old_file_copied(cluster: Cluster) -> bool:
    """Every slave has all of the master's first file and has begun a later one."""
    if cluster.structure.are_slaves_absent:
        return True
    end = compute_second_file(cluster.master.log, cluster.parameters)
    return all_of(*(end <= s.log.last_file_offset for s in cluster.slaves))


def mark_expired(messages: tuple[Message, ...], log: CommitLog, start: int) -> tuple[Message, ...]:
    """Ghost bookkeeping: followed messages that expire as a log drops its bytes below ``start``."""
    return tuple(
        evolve(
            m,
            ghost_is_expired=any_of(m.ghost_is_expired, begins_before(m, log, start)),
            ghost_is_deleted_early=m.ghost_is_deleted_early & negate(begins_before(m, log, start)),
        )
        for m in messages
    )


def mark_deleted_early(
    messages: tuple[Message, ...], log: CommitLog, start: int
) -> tuple[Message, ...]:
    """Ghost bookkeeping: followed messages deleted early as a log drops its bytes below ``start``.

    One that has expired elsewhere need not be kept any longer. A message lies in one file.
    """
    return tuple(
        evolve(
            m,
            ghost_is_expired=any_of(m.ghost_is_expired, begins_before(m, log, start)),
            ghost_is_deleted_early=choose(
                begins_before(m, log, start),
                (m.end_offset <= start)
                & any_of(m.ghost_is_deleted_early, negate(m.ghost_is_expired)),
                m.ghost_is_deleted_early,
            ),
        )
        for m in messages
    )


def begins_before(put: Message, log: CommitLog, start: int) -> bool:
    """The log has the first byte of a message, and this byte lies below ``start``."""
    return has_first_bytes(log, put) & (put.start_offset < start)


def begin_log_at(log: CommitLog, start: int) -> CommitLog:
    """The log without the files below ``start``; deleted bytes cannot be lost later."""
    durable = maximum(log.ghost_durable_offset, start)
    return evolve(log, start_offset=start, ghost_durable_offset=durable)


def delete_first_file_of_master(cluster: Cluster) -> Cluster:
    """The cluster after the master has deleted its first file."""
    log = cluster.master.log
    start = compute_second_file(log, cluster.parameters)
    return evolve(cluster, master=evolve(cluster.master, log=begin_log_at(log, start)))


def delete_first_file_of_slave(cluster: Cluster, slave: int) -> Cluster:
    """The cluster after a slave has deleted its first file."""
    log = cluster.slaves[slave].log
    start = compute_second_file(log, get_slave_sizes(cluster))
    shorter = evolve(cluster.slaves[slave], log=begin_log_at(log, start))
    return evolve(cluster, slaves=replace_at(cluster.slaves, slave, shorter))


def expire_first_file(cluster: Cluster, log: CommitLog, sizes: Parameters) -> Cluster:
    """The cluster after the first file of a log has expired: kept for as long as was promised."""
    start = compute_second_file(log, sizes)
    return evolve(cluster, messages=mark_expired(cluster.messages, log, start))


def give_up_first_file(cluster: Cluster, log: CommitLog, sizes: Parameters) -> Cluster:
    """The cluster after the first file of a log is given up before it has expired."""
    start = compute_second_file(log, sizes)
    return evolve(cluster, messages=mark_deleted_early(cluster.messages, log, start))


@rule(
    who="master",
    source="DefaultMessageStore.CleanCommitLogService#run, MappedFileQueue#deleteExpiredFileByTime",
    weight=1,
    says="expires a file, begins at {state.master.log.start_offset}",
)
def expire_master_file(cluster: Cluster) -> RuleBody:
    """The master deletes its oldest file, which is flushed and copied by every slave."""
    log, parameters = cluster.master.log, cluster.parameters
    # ENABLED WHEN
    yield when(
        is_master_up=cluster.master.is_up,
        has_old_file=has_old_file(log, parameters),
        is_old_file_flushed=is_old_file_flushed(cluster, log, parameters),
        is_old_file_copied=is_old_file_copied(cluster),
    )
    # EFFECT
    return delete_first_file_of_master(expire_first_file(cluster, log, parameters))


@rule(
    who="master",
    source="DefaultMessageStore.CleanCommitLogService#run, MappedFileQueue#deleteExpiredFileByTime",
    weight=1,
    says="expires an uncopied file, begins at {state.master.log.start_offset}",
)
def expire_uncopied_master_file(cluster: Cluster) -> RuleBody:
    """The master deletes its oldest file though a slave lacks part of it: no slave is consulted."""
    log, parameters = cluster.master.log, cluster.parameters
    # ENABLED WHEN
    yield when(
        is_master_up=cluster.master.is_up,
        has_old_file=has_old_file(log, parameters),
        is_old_file_flushed=is_old_file_flushed(cluster, log, parameters),
        is_old_file_not_copied=negate(is_old_file_copied(cluster)),
        is_within_limit=is_within_limit(cluster, "uncopied_expiries"),
    )
    # EFFECT
    expired = expire_first_file(cluster, log, parameters)
    return count_fault(delete_first_file_of_master(expired), "uncopied_expiries")


@rule(
    who="slave",
    source="DefaultMessageStore.CleanCommitLogService#run, MappedFileQueue#deleteExpiredFileByTime",
    weight=1,
    says="expires a file",
)
def expire_slave_file(cluster: Cluster, slave: int) -> RuleBody:
    """A slave deletes its oldest file, which is flushed, by its own clock (R-BR-03)."""
    broker, parameters = cluster.slaves[slave], get_slave_sizes(cluster)
    # ENABLED WHEN
    yield when(
        is_slave_up=broker.is_up,
        has_old_file=has_old_file(broker.log, parameters),
        is_old_file_flushed=is_old_file_flushed(cluster, broker.log, parameters),
    )
    # EFFECT
    return delete_first_file_of_slave(expire_first_file(cluster, broker.log, parameters), slave)
