"""From bytes to lineage: what is left of a group when only offsets and lives are kept.

`forget` makes the abstract state that says most about the bytes; `list_misses` says whether another
abstract state is true of them. Positions have to be equal. What is only known to be possible
(unknown, foreign, torn and stale bytes, what is surely on disk) has to include what is.
"""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from reference.store import content as contents
from reference.store import records
from reference.store.content import Origin
from reference.store.mapped_file_queue import MappedFileQueue
from reference.worlds.replication.lineage import has_message
from reference.worlds.replication.state import (
    ANSWERED,
    WAITS_FOR_DISK,
    Cluster,
    CommitLog,
    Master,
    Message,
    Slave,
)
from tests.abstraction.group import (
    FILE_SIZE,
    LIVES,
    PARAMETERS,
    STRUCTURE,
    Broker,
    Group,
    get_begin,
    has_bytes_of,
    list_written,
)

EXACT = ("start_offset", "last_file_offset", "has_file", "flushed_offset", "dispatched_offset")


def list_lives(origins: list[Origin | None], begin: int) -> tuple[list[int], list[int], int]:
    """Per byte the highest life so far; the foreign bytes; and where unknown ones end.

    A byte of its own offset is of the life that wrote it. One that nobody wrote belongs to the
    record before it. One of another offset, or of a life that a later one has left, is unknown;
    it counts as of the later life.
    """
    lives: list[int] = []
    foreign: list[int] = []
    unknown_below, life = 0, 0
    for at, origin in enumerate(origins, begin):
        if not isinstance(origin, tuple):
            foreign.append(at)
        elif origin[1] != at or origin[0] < life:
            unknown_below = at + 1
            life = max(life, origin[0])
        else:
            life = origin[0]
        lives.append(life)
    return lives, foreign, unknown_below


def find_stale_end(log: MappedFileQueue) -> int:
    """Behind the last written byte in the last file of the log, whatever its position; 0: none."""
    if not log.mapped_files:
        return 0
    file = log.mapped_files[-1]
    told = contents.list_origins(file.content)
    behind = [i for i in range(file.wrote_position_bytes, len(told)) if told[i] is not None]
    return file.file_from_offset_bytes + behind[-1] + 1 if behind else 0


def find_last_file(log: MappedFileQueue) -> int:
    """Where the last file begins, which may be empty; 0 without any."""
    return log.mapped_files[-1].file_from_offset_bytes if log.mapped_files else 0


def skip_found_file(log: CommitLog, true: CommitLog) -> CommitLog:
    """What is true of a log but for an empty last file that only its broker knows of.

    A broker that starts may find one that was made in advance; no rule tells of it.
    """
    before = true.last_file_offset - FILE_SIZE
    is_found = before == log.last_file_offset and true.last_file_offset == true.max_offset
    return evolve(true, last_file_offset=before) if is_found else true


def find_durable_end(broker: Broker) -> int:
    """Up to where the disk holds what the log holds."""
    for file in broker.log.mapped_files:
        base, end = file.file_from_offset_bytes, file.wrote_position_bytes
        cached = contents.list_origins(file.content)[:end]
        kept = broker.disk.get(base, contents.create_zeros(file.file_size_bytes))
        on_disk = contents.list_origins(kept)[:end]
        if cached != on_disk:
            return base + next(i for i in range(end) if cached[i] != on_disk[i])
    return broker.max_offset


def find_boundaries(log: MappedFileQueue) -> list[int]:
    """Where records and blanks begin, as a reader finds them, file after file."""
    found: list[int] = []
    for file in log.mapped_files:
        at, is_blank = 0, False
        while at < file.wrote_position_bytes:
            found.append(file.file_from_offset_bytes + at)
            read = records.check_message_and_return_size(
                file.content.data, at, is_crc_checked=False, is_body_read=False
            )
            is_blank = read.is_success and read.size_bytes == 0
            if not read.is_success or is_blank:
                break
            at = read.end_position
        if not is_blank:
            break
    return found


def find_dispatched(broker: Broker) -> int:
    """The cursor; where it has gone ahead over a blank in part, the begin of that blank."""
    cursor = broker.store.reput_from_offset_bytes
    if cursor <= broker.max_offset:
        return cursor
    return find_boundaries(broker.log)[-1]


def forget_log(broker: Broker, message: Message) -> CommitLog:
    """The log as lineage."""
    begin, end = get_begin(broker.log), broker.max_offset
    lives, foreign, unknown_below = list_lives(list_written(broker.log), begin)
    last = {life: at for at, life in enumerate(lives, begin)}
    ends = [
        max((at + 1 for one, at in last.items() if one <= life), default=begin)
        for life in range(LIVES)
    ]
    torn = [at for at in foreign if message.start_offset <= at < message.end_offset]
    return CommitLog(
        ends=(*ends[:-1], end),
        start_offset=begin,
        last_file_offset=find_last_file(broker.log),
        has_file=bool(broker.log.mapped_files),
        flushed_offset=broker.log.flushed_where_bytes,
        dispatched_offset=find_dispatched(broker),
        ghost_durable_offset=find_durable_end(broker),
        stale_end_offset=find_stale_end(broker.log),
        ghost_unknown_below_offset=unknown_below,
        ghost_foreign_start_offset=foreign[0] if foreign else 0,
        ghost_foreign_end_offset=foreign[-1] + 1 if foreign else 0,
        ghost_torn_start_offset=torn[0] if torn else 0,
        ghost_torn_end_offset=torn[-1] + 1 if torn else 0,
    )


def forget(group: Group) -> Cluster:
    """The abstract state of a group."""
    master, slave = group.master, group.slave
    return Cluster(
        structure=STRUCTURE,
        parameters=PARAMETERS,
        master=Master(
            log=forget_log(master, group.message),
            is_up=master.is_up,
            is_stopping=master.is_stopping,
            has_abort_file=master.store.has_abort_file,
            trailing_blank_offset=group.trailing_blank_offset,
            ghost_life=group.life,
        ),
        slaves=(
            Slave(
                log=forget_log(slave, group.message),
                is_up=slave.is_up,
                is_stopping=slave.is_stopping,
                has_abort_file=slave.store.has_abort_file,
            ),
        ),
        links=(group.link,),
        messages=(group.message,),
    )


def list_log_misses(
    log: CommitLog, true: CommitLog, broker: Broker, message: Message
) -> Iterator[str]:
    """What an abstract log says that is not so; ``true`` is what is left of the broker's."""
    if log.max_offset != true.max_offset:
        yield f"max_offset {log.max_offset}, not {true.max_offset}"
        return
    true = skip_found_file(log, true)
    for name in EXACT:
        if getattr(log, name) != getattr(true, name):
            yield f"{name} {getattr(log, name)}, not {getattr(true, name)}"
    if true.stale_end_offset > max(true.max_offset, log.stale_end_offset):
        yield f"stale bytes up to {true.stale_end_offset}, not {log.stale_end_offset}"
    if log.ghost_durable_offset > true.ghost_durable_offset:
        yield f"on disk up to {true.ghost_durable_offset}, not {log.ghost_durable_offset}"
    yield from list_byte_misses(log, broker)
    if has_message(log, message) and not has_bytes_of(broker, message):
        yield "the followed message is not whole"


def list_byte_misses(log: CommitLog, broker: Broker) -> Iterator[str]:
    """The first byte that is not of the life that the log tells; beyond its end it tells none."""
    hull = range(log.ghost_foreign_start_offset, log.ghost_foreign_end_offset)
    for at, origin in enumerate(list_written(broker.log), get_begin(broker.log)):
        if at < log.ghost_unknown_below_offset or at in hull:
            continue
        if at >= log.max_offset:
            return
        life = next(t for t, end in enumerate(log.ends) if at < end)
        if origin != (life, at):
            yield f"byte {at} is {origin}, not of life {life}"
            return


def list_misses(cluster: Cluster, group: Group) -> list[str]:
    """What an abstract state says of the group that is not so; nothing: it is true of it."""
    truth = forget(group)
    master, slave = cluster.master, cluster.slaves[0]
    found = [
        f"{name}: {miss}"
        for name, told, true, broker in (
            ("master", master.log, truth.master.log, group.master),
            ("slave", slave.log, truth.slaves[0].log, group.slave),
        )
        for miss in list_log_misses(told, true, broker, group.message)
    ]
    if found:
        return found
    empty = CommitLog(ends=(0,) * LIVES)
    pairs = {
        "master": (master, truth.master),
        "slave": (evolve(slave, ghost_earlier_put_offset=0), truth.slaves[0]),
    }
    for name, (one, other) in pairs.items():
        if evolve(one, log=empty) != evolve(other, log=empty):
            found.append(f"{name}: {evolve(one, log=empty)}, not {evolve(other, log=empty)}")
    if cluster.links != truth.links:
        found.append(f"link: {cluster.links[0]}, not {truth.links[0]}")
    found += list_message_misses(cluster.messages[0], truth.messages[0])
    return found


GHOSTS = ("ghost_is_received", "ghost_is_readable", "ghost_is_expired")


def list_message_misses(put: Message, true: Message) -> Iterator[str]:
    """What is said of the followed message that is not so; where bytes are unknown, it is less."""
    is_put = put.phase >= WAITS_FOR_DISK
    told = evolve(put, phase=ANSWERED, waits_for_store=True) if is_put else put
    # Bytes do not say whether a deletion came in its time.
    hidden = dict.fromkeys((*GHOSTS, "ghost_is_deleted_early"), False)
    if evolve(told, **hidden) != evolve(true, **hidden):
        yield f"message: {told}, not {true}"
    yield from (n for n in GHOSTS if getattr(put, n) and not getattr(true, n))


def keep_told(carried: Cluster, told: Cluster) -> Cluster:
    """A state that rules have led to, with the connection and the message as they are told."""
    (slave,) = carried.slaves
    slaves = (evolve(slave, ghost_earlier_put_offset=0),)
    return evolve(carried, links=told.links, messages=told.messages, slaves=slaves)
