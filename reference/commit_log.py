"""The commit log grows at its end, file by file, and its oldest files expire."""

from __future__ import annotations

from attrs import evolve

from reference.lineage import append_bytes, has_first_bytes
from reference.mapped_files import compute_last_file_end
from reference.operations import all_of, any_of, choose, minimum, negate
from reference.rule import RuleBody, between, replace_at, rule, when
from reference.state import NOT_SENT, WAITS_FOR_DISK, Cluster, CommitLog, Message
from reference.structure import Parameters


def is_store_open(cluster: Cluster) -> bool:
    """The master runs, and its stop has not begun: it takes puts and serves its log."""
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
    """This followed message was not put yet, and every one before it was."""
    before = (m.phase > NOT_SENT for m in cluster.messages[:message])
    return (cluster.messages[message].phase == NOT_SENT) & all_of(*before)


def compute_message_start(log: CommitLog, size: int, parameters: Parameters) -> int:
    """Where a message of this size goes: to the log's end, or to a new file behind a blank."""
    file_end = compute_last_file_end(log, parameters)
    has_room = log.max_offset + size + parameters.end_file_min_blank_bytes <= file_end
    return choose(has_room, log.max_offset, file_end)


def append_to_log(log: CommitLog, life: int, size: int, parameters: Parameters) -> CommitLog:
    """The log with one more message; if it does not fit, a blank fills the file first (R-CL-05)."""
    start = compute_message_start(log, size, parameters)
    is_rolled = start == compute_last_file_end(log, parameters)
    appended = append_bytes(log, life, start + size - log.max_offset)
    base = choose(is_rolled, start, log.last_file_offset)
    return evolve(appended, last_file_offset=base, has_file=True)


@rule(
    who="producer", source="CommitLog#putMessage, CommitLog.DefaultAppendMessageCallback#doAppend"
)
def append_message(cluster: Cluster, message: int) -> RuleBody:
    """A producer's message is appended to the master's commit log; its put goes on to wait."""
    master, parameters = cluster.master, cluster.parameters
    # ENABLED WHEN
    yield when(
        is_store_open=is_store_open(cluster),
        is_next_message=is_next_message(cluster, message),
        is_below_modelled_end=is_below_modelled_end(cluster),
    )
    size = yield between("size_bytes", 1, compute_message_size_max_bytes(parameters))
    waits = yield between("waits_for_store", 0, 1)
    # EFFECT
    start = compute_message_start(master.log, size, parameters)
    put = Message(
        phase=WAITS_FOR_DISK,
        waits_for_store=waits == 1,
        start_offset=start,
        end_offset=start + size,
        ghost_life=master.ghost_life,
    )
    log = append_to_log(master.log, master.ghost_life, size, parameters)
    messages = replace_at(cluster.messages, message, put)
    return evolve(cluster, master=evolve(master, log=log), messages=messages)


@rule(who="producer", source="CommitLog#putMessage")
def append_other_message(cluster: Cluster) -> RuleBody:
    """Some other producer's message is appended; nobody follows it."""
    master = cluster.master
    # ENABLED WHEN
    yield when(
        is_store_open=is_store_open(cluster),
        is_below_modelled_end=is_below_modelled_end(cluster),
    )
    size = yield between("size_bytes", 1, compute_message_size_max_bytes(cluster.parameters))
    # EFFECT
    log = append_to_log(master.log, master.ghost_life, size, cluster.parameters)
    return evolve(cluster, master=evolve(master, log=log))


def has_expired_file(log: CommitLog, parameters: Parameters) -> bool:
    """The first file is not the last one, and it is on disk: retention may take it."""
    next_file = log.start_offset + parameters.mapped_file_size_bytes
    return (next_file <= log.last_file_offset) & (next_file <= log.ghost_durable_offset)


def mark_expired(messages: tuple[Message, ...], log: CommitLog, start: int) -> tuple[Message, ...]:
    """Ghost bookkeeping: which followed messages a log loses when it begins at ``start``."""
    return tuple(
        evolve(
            m,
            ghost_is_expired=any_of(
                m.ghost_is_expired, has_first_bytes(log, m) & (m.start_offset < start)
            ),
        )
        for m in messages
    )


@rule(
    who="master",
    source="DefaultMessageStore.CleanCommitLogService#run, MappedFileQueue#deleteExpiredFileByTime",
)
def expire_master_file(cluster: Cluster) -> RuleBody:
    """The master deletes its oldest file; its log begins with the next one."""
    master, parameters = cluster.master, cluster.parameters
    # ENABLED WHEN
    yield when(
        is_master_up=master.is_up,
        has_expired_file=has_expired_file(master.log, parameters),
    )
    # EFFECT
    start = master.log.start_offset + parameters.mapped_file_size_bytes
    messages = mark_expired(cluster.messages, master.log, start)
    log = evolve(master.log, start_offset=start)
    return evolve(cluster, master=evolve(master, log=log), messages=messages)


@rule(
    who="slave",
    source="DefaultMessageStore.CleanCommitLogService#run, MappedFileQueue#deleteExpiredFileByTime",
)
def expire_slave_file(cluster: Cluster, slave: int) -> RuleBody:
    """A slave deletes its oldest file, by its own clock (R-BR-03)."""
    broker, parameters = cluster.slaves[slave], cluster.parameters
    # ENABLED WHEN
    yield when(
        is_slave_up=broker.is_up,
        has_expired_file=has_expired_file(broker.log, parameters),
    )
    # EFFECT
    start = broker.log.start_offset + parameters.mapped_file_size_bytes
    messages = mark_expired(cluster.messages, broker.log, start)
    shorter = evolve(broker, log=evolve(broker.log, start_offset=start))
    slaves = replace_at(cluster.slaves, slave, shorter)
    return evolve(cluster, slaves=slaves, messages=messages)
