"""A row about a store: its calls, one after the other, on the functions of the store.

Nothing is decided here: an operation is a call, and its answer is written as rows write it. The
threads of a running store come to rest after every operation.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from attrs import evolve

from reference.roles import FlushDiskType, Role
from reference.store import (
    allocation,
    dispatch,
    expiry,
    group_commit,
    mapped_file,
    put,
    reading,
    records,
    recovery,
    slave_append,
)
from reference.store import mapped_file_queue as queues
from reference.store import store as stores
from reference.store.allocation import Creation
from reference.store.consume_queue import ConsumeQueue
from reference.store.content import Content
from reference.store.java import Thrown
from reference.store.mapped_file import SelectedBuffer
from reference.store.store import Store, StoreCheckpoint, StoreConfig
from tests.oracle import images

Row: TypeAlias = Mapping[str, Any]
Answer: TypeAlias = Any

BEGIN_MS = 10**12
"""The time of every row's begin."""
BLOCKED = {"chmod": Creation.NOTHING_NEW, "file": Creation.NOTHING}
BUSY_TIMEOUT_MS = 9_999_999
CLEAN_CONFIG = expiry.CleanConfig()


class RowError(Exception):
    """A row asks for something that has no meaning here."""


def make_config(cfg: Row) -> StoreConfig:
    """The settings of a row. Raises RowError for a role or a kind of flush that is none."""
    try:
        role = Role(cfg.get("role", "SLAVE"))
        flush_disk_type = FlushDiskType(cfg.get("flush", "ASYNC_FLUSH"))
    except ValueError as error:
        raise RowError(str(error)) from error
    return StoreConfig(
        mapped_file_size_commit_log_bytes=cfg["file_size"],
        mapped_file_size_consume_queue_bytes=cfg.get("cq_file_size", 400),
        max_message_size_bytes=cfg.get("max_message_size", cfg["file_size"]),
        broker_role=role,
        broker_id=cfg.get("broker_id", int(role is Role.SLAVE)),
        flush_disk_type=flush_disk_type,
        is_crc_checked_on_recover=bool(cfg.get("check_crc", 1)),
        is_message_index_enabled=bool(cfg.get("index_enable", 0)),
        is_message_index_safe=bool(cfg.get("index_safe", 0)),
        is_duplication_enabled=bool(cfg.get("duplication", 0)),
    )


def make_store(row: Row) -> Store:
    """The store of a row before its first call: files on disk."""
    cfg = row["cfg"]
    config = make_config(cfg)
    store = stores.create_store(config)
    if row.get("image"):
        files = images.list_files(row["image"], cfg["file_size"], BEGIN_MS)
        if images.compute_crc(files) != row.get("image_crc", images.compute_crc(files)):
            raise RowError("its files are not those that image_crc was made of")
        store = evolve(store, commit_log=evolve(store.commit_log, other_files=files))
    size = config.mapped_file_size_consume_queue_bytes
    found = [images.make_consume_queue(queue, size, BEGIN_MS) for queue in row.get("cq") or ()]
    return evolve(
        store,
        consume_queues_on_disk=tuple(found),
        checkpoint_on_disk=StoreCheckpoint(*cfg.get("checkpoint", (0, 0, 0))),
        has_abort_file=bool(cfg.get("abort", 0)),
    )


def write_selected(selected: SelectedBuffer | Thrown | None) -> Answer:
    """Bytes that were read, as [begin, size]; or the class of what was thrown."""
    if isinstance(selected, SelectedBuffer):
        return [selected.start_offset_bytes, selected.size_bytes]
    return selected.class_name if isinstance(selected, Thrown) else None


def write_files(store: Store, *, is_short: bool) -> list[list[int]]:
    """The files of the log with their positions, or with the wrote position alone."""
    return [
        [file.file_from_offset_bytes, file.wrote_position_bytes]
        if is_short
        else [
            file.file_from_offset_bytes,
            file.wrote_position_bytes,
            file.committed_position_bytes,
            file.flushed_position_bytes,
        ]
        for file in store.commit_log.mapped_files
    ]


def write_disk(store: Store) -> list[list[int | str]] | None:
    """The log's folder; None: it holds the files of the log and nothing else."""
    log = store.commit_log
    made = allocation.list_disk_files(store.allocation)
    files = {f.name: len(f.content) for f in (*log.mapped_files, *log.other_files, *made)}
    plain = {file.name: log.file_size_bytes for file in log.mapped_files}
    if files == plain:
        return None
    return [
        [int(name) if name.lstrip("-").isdigit() else name, length]
        for name, length in sorted(files.items())
    ]


def write_queue(queue: ConsumeQueue) -> list[int]:
    """A consume queue, as rows write it."""
    return [queue.min_offset_in_queue, queue.max_offset_in_queue, queue.max_physic_offset_bytes]


def write_state(store: Store, *, is_flush_told: bool, has_queues: bool = True) -> dict[str, Answer]:
    """The state of a store; without flush positions where a master's own service moves them."""
    log = store.commit_log
    state: dict[str, Answer] = {
        "max": stores.get_max_physical_offset(store),
        "min": stores.get_min_physical_offset(store),
    }
    if is_flush_told:
        state |= {"flushed": log.flushed_where_bytes, "committed": log.committed_where_bytes}
    state["reput"] = store.reput_from_offset_bytes
    if store.running_flags:
        state["flag_bits"] = int(store.running_flags)
    state["files"] = write_files(store, is_short=not is_flush_told)
    if (disk := write_disk(store)) is not None:
        state["disk"] = disk
    if has_queues:
        state["cq"] = {key: write_queue(queue) for key, queue in store.consume_queues.items()}
        state["tq"] = dict(store.topic_queue_table)
    return state


class Session:
    """One row: its store between two calls."""

    def __init__(self, row: Row) -> None:
        self.row = row
        cfg = row["cfg"]
        self.file_size: int = cfg["file_size"]
        self.is_direct = bool(cfg.get("direct", 0))
        self.is_flush_told = not any(op["op"].startswith("put") for op in row.get("ops", ()))
        self.store = make_store(row)
        self.now_ms = BEGIN_MS
        self.creation = Creation.POSSIBLE
        self.is_started = False
        self.held: list[int] = []
        self.cleaning = expiry.CleanCommitLogService()
        image, source = row.get("image"), row.get("source")
        self.source = images.render(source, self.file_size) if source else None
        has_truth = bool(image) and "truth" in (image or {})
        self.truth = images.render_truth(image, self.file_size) if has_truth and image else None

    def run(self) -> list[Answer]:
        """The answers of all calls; nothing is done after a load or start that throws."""
        answers: list[Answer] = []
        for op in self.row["ops"]:
            answers.append(self.call(op))
            ended = isinstance(answers[-1], dict) and set(answers[-1]) == {"throws"}
            if ended and op["op"] in ("load", "start", "reopen"):
                break
        return answers

    def call(self, op: Row) -> Answer:
        """One call; then the dispatcher comes to rest. Raises RowError for an unknown one."""
        function = OPERATIONS.get(op["op"])
        if function is None:
            raise RowError(f"there is no operation {op['op']!r}")
        answer = function(self, op)
        self.settle()
        return answer

    def settle(self) -> None:
        """The dispatcher comes to rest."""
        self.store = dispatch.dispatch_until_rest(self.store, self.now_ms)

    def tell(self, *, has_queues: bool = True, **more: Answer) -> dict[str, Answer]:
        """The state, and what else a call answers."""
        state = write_state(self.store, is_flush_told=self.is_flush_told, has_queues=has_queues)
        return {**more, **state}

    def tell_short(self, **more: Answer) -> dict[str, Answer]:
        """What a put or an append says of the log."""
        max_offset = stores.get_max_physical_offset(self.store)
        return {**more, "max": max_offset, "files": write_files(self.store, is_short=True)}


def load(session: Session, op: Row) -> Answer:
    """``load``: also what the log holds, against the undamaged one."""
    session.store, answer = recovery.load(session.store, session.now_ms)
    if isinstance(answer, Thrown):
        return {"throws": answer.class_name}
    data = reading.get_written(session.store).data
    told = {"crc": f"{zlib.crc32(data):08x}" if data else None}
    if session.truth is not None:
        told["first_diff"] = find_first_difference(session, session.truth)
    return session.tell(load_ok=answer, **told)


def find_first_difference(session: Session, truth: images.Bytes) -> int | None:
    """The first offset of the log whose byte is not the undamaged log's."""
    for file in session.store.commit_log.mapped_files:
        begin = file.file_from_offset_bytes
        data = file.content.data[: file.wrote_position_bytes]
        expected = truth.read(begin, begin + len(data))
        if data != expected:
            pairs = zip(data, expected, strict=True)
            return begin + next(i for i, (byte, other) in enumerate(pairs) if byte != other)
    return None


def start(session: Session, op: Row) -> Answer:
    """``start``: the state is that of a dispatcher at rest."""
    session.store = stores.start(session.store)
    session.is_started = True
    begin = session.store.reput_from_offset_bytes
    session.settle()
    return session.tell(reput_at_start=begin)


def reopen(session: Session, op: Row) -> Answer:
    """A new process over the same folder."""
    session.store = stores.leave_to_next_process(session.store)
    session.is_started = False
    if session.truth is None and session.row.get("source"):
        session.truth = images.render_truth(session.row["source"], session.file_size)
    return load(session, op)


def shutdown_bg(session: Session, op: Row) -> Answer:
    """A shutdown that has begun."""
    session.store = stores.begin_shutdown(session.store)


def shutdown(session: Session, op: Row) -> Answer:
    """A whole shutdown."""
    shutdown_bg(session, op)
    session.settle()
    session.store = stores.finish_shutdown(session.store)
    return session.tell(abort_left=session.store.has_abort_file)


def append(session: Session, op: Row) -> Answer:
    """A slave's append; where the bytes are found afterwards."""
    if "range" in op:
        if session.source is None:
            raise RowError("append has a range, but the row has no source")
        data = session.source.read(*op["range"])
    else:
        data = images.make_body(op["u"], op["len"])
    before = dict(write_files(session.store, is_short=True))
    call = slave_append.append_data if session.is_direct else slave_append.append_to_commit_log
    session.store, is_appended = call(
        session.store, op["start"], Content(data), session.creation, session.now_ms
    )
    landed, found = [], b""
    for file in session.store.commit_log.mapped_files:
        begin = before.get(file.file_from_offset_bytes, 0)
        wrote = file.content.data[begin : file.wrote_position_bytes]
        if wrote:
            landed.append([file.file_from_offset_bytes, begin, len(wrote)])
            found += wrote
    told: dict[str, Answer] = {"ret": is_appended, "landed": landed}
    if landed:
        told["same"] = found == data
    return session.tell_short(min=stores.get_min_physical_offset(session.store), **told)


def _make_around(session: Session) -> put.PutEnvironment:
    return put.PutEnvironment(
        session.now_ms, session.creation, os_page_cache_busy_timeout_ms=BUSY_TIMEOUT_MS
    )


def _write_put(session: Session, answer: put.Answer) -> Answer:
    if isinstance(answer, Thrown):
        min_offset = stores.get_min_physical_offset(session.store)
        reput = session.store.reput_from_offset_bytes
        return session.tell_short(throws=answer.class_name, min=min_offset, reput=reput)
    told: dict[str, Answer] = {"status": answer.status.value}
    if answer.append is not None:
        told |= {
            "append": answer.append.status.value,
            "wrote_offset": answer.append.wrote_offset_bytes,
            "wrote_bytes": answer.append.wrote_bytes,
            "logic": answer.append.logics_offset,
            "msgs": answer.append.message_count,
        }
    return session.tell_short(**told)


PUT_FIELDS = frozenset({"op", "t", "q", "u", "b", "p", "pu", "ps", "sf", "wait_pre"})
"""What is read of a put; ``wait_pre`` lets real threads prepare a file, which is done here."""


def put_one(session: Session, op: Row) -> Answer:
    """A master's put. Raises RowError for a field that no answer here depends on."""
    if unknown := op.keys() - PUT_FIELDS:
        raise RowError(f"a put has no field {min(unknown)!r}")
    properties = "é" * op["pu"] if "pu" in op else images.make_properties(op.get("p", 0))
    body = images.make_body(op["u"], op["b"]) if "b" in op else None
    flag = op.get("sf", 0)
    message = put.MessageToPut(op["t"], op["q"], body, op.get("ps", properties), sys_flag=flag)
    session.store, answer = put.put_message(session.store, message, _make_around(session))
    return _write_put(session, answer)


def put_batch(session: Session, op: Row) -> Answer:
    """A master's put of several messages; what is thrown is told alone."""
    items = (put.BatchItem(images.make_body(i, size)) for i, size in enumerate(op["bodies"]))
    batch = put.MessageBatch(op["t"], op["q"], tuple(items))
    session.store, answer = put.put_messages(session.store, batch, _make_around(session))
    if isinstance(answer, Thrown):
        return {"throws": answer.class_name}
    return _write_put(session, answer)


def get(session: Session, op: Row) -> Answer:
    """``getCommitLogData``."""
    return write_selected(reading.get_commit_log_data(session.store, op["offset"]))


def get_many(session: Session, op: Row) -> Answer:
    """What several offsets give, in each way of reading."""
    return [_get_in_all_ways(session, offset) for offset in op["offsets"]]


def _get_in_all_ways(session: Session, offset: int) -> list[Answer]:
    store = session.store
    answers: list[Answer] = [offset]
    for is_first in (False, True):
        file = queues.find_mapped_file_by_offset(
            store.commit_log, offset, is_first_returned=is_first
        )
        answers.append(file.file_from_offset_bytes if file else None)
    for is_first in (False, True):
        found = reading.get_data(store, offset, is_first_returned=is_first)
        answers.append(write_selected(found))
    read = reading.get_commit_log_data if session.is_started else reading.get_data
    return [*answers, write_selected(read(store, offset))]


def select(session: Session, op: Row) -> Answer:
    """``selectMappedBuffer``."""
    session.store, answer = reading.select(session.store, op["file"], op["pos"], op.get("size"))
    return write_selected(answer)


def get_message(session: Session, op: Row) -> Answer:
    """``CommitLog#getMessage``."""
    session.store, answer = reading.get_message(session.store, op["offset"], op["size"])
    return write_selected(answer)


def roll_next(session: Session, op: Row) -> Answer:
    """``rollNextFile``."""
    return stores.roll_next_file(session.store.config, op["offset"])


def reset_offset(session: Session, op: Row) -> Answer:
    """``resetWriteOffset``."""
    return queues.reset_offset(session.store.commit_log, op["offset"])


def flush(session: Session, op: Row) -> Answer:
    """``flush``."""
    session.store, answer = group_commit.flush(session.store)
    return session.tell(has_queues=False, ret=answer)


def flush_pages(session: Session, op: Row) -> Answer:
    """``MappedFileQueue#flush``."""
    session.store, answer = group_commit.flush_pages(session.store, op["pages"])
    return session.tell(has_queues=False, ret=answer)


def delete_expired(session: Session, op: Row) -> Answer:
    """``deleteExpiredFile``."""
    session.store, answer = expiry.delete_expired_file(
        session.store,
        op["expired_ms"],
        op["force_ms"],
        session.now_ms,
        is_clean_immediately=bool(op["immediate"]),
    )
    return session.tell(has_queues=False, ret=answer)


def retry_delete_first(session: Session, op: Row) -> Answer:
    """``retryDeleteFirstFile``."""
    session.store, answer = expiry.retry_delete_first_file(
        session.store, op["force_ms"], session.now_ms
    )
    return session.tell(has_queues=False, ret=answer)


def delete_manually(session: Session, op: Row) -> Answer:
    """The operator's command and one run of the service; the disk is fine."""
    cleaning = expiry.execute_delete_files_manually(session.cleaning)
    around = expiry.ExpiryEnvironment(session.now_ms)
    session.store, session.cleaning = expiry.run(session.store, cleaning, CLEAN_CONFIG, around)
    return session.tell(has_queues=False)


def set_mtime(session: Session, op: Row) -> Answer:
    """A file gets an age."""
    log = session.store.commit_log
    for file in log.mapped_files:
        if file.file_from_offset_bytes == op["base"]:
            aged = evolve(file, last_modified_ms=session.now_ms - op["age_ms"])
            log = queues.replace_file(log, file, aged)
    session.store = evolve(session.store, commit_log=log)


def hold(session: Session, op: Row) -> Answer:
    """A reader begins to keep the file of an offset."""
    session.store, file = reading.get_and_hold_data(session.store, op["offset"])
    session.held += [file.file_from_offset_bytes] if file else []
    return file is not None


def release(session: Session, op: Row) -> Answer:
    """All readers let go."""
    for offset in session.held:
        session.store = reading.release(session.store, offset)
    session.held = []
    return session.tell(has_queues=False)


def set_reput(session: Session, op: Row) -> Answer:
    """The dispatcher is put somewhere."""
    session.store = evolve(session.store, reput_from_offset_bytes=op["to"])


def do_reput(session: Session, op: Row) -> Answer:
    """One run of the dispatcher."""
    session.store, thrown = dispatch.do_reput(session.store, session.now_ms)
    if thrown is not None:
        return session.tell(throws=thrown.class_name)
    return session.tell(behind=stores.compute_dispatch_behind(session.store))


def set_flushed(session: Session, op: Row) -> Answer:
    """FlushedWhere is put somewhere."""
    log = evolve(session.store.commit_log, flushed_where_bytes=op["to"])
    session.store = evolve(session.store, commit_log=log)


def block(session: Session, op: Row) -> Answer:
    """No new file can be made from now on."""
    session.creation = BLOCKED[op["mode"]]


def unblock(session: Session, op: Row) -> Answer:
    """Files can be made again; what is still wanted is made."""
    session.creation = Creation.POSSIBLE
    session.now_ms += op.get("ms", 0)
    store = session.store
    log, service = allocation.run(
        store.commit_log, store.allocation, session.creation, session.now_ms
    )
    session.store = evolve(store, commit_log=log, allocation=service)


def wait_file(session: Session, op: Row) -> Answer:
    """Whether a file was made in advance."""
    made = allocation.list_disk_files(session.store.allocation)
    log = session.store.commit_log
    names = {file.name for file in (*made, *log.mapped_files, *log.other_files)}
    return mapped_file.name_file(op["base"]) in names


def scan(session: Session, op: Row) -> Answer:
    """What the log's files hold, record by record."""
    found: list[Answer] = []
    for file in session.store.commit_log.mapped_files:
        data, at = file.content.data[: file.wrote_position_bytes], 0
        while at < len(data):
            entry = _scan_one(data, at)
            found.append([file.file_from_offset_bytes + at, *entry])
            at = at + entry[1] if entry[0] == "msg" else len(data)
    return found


def _scan_one(data: bytes, at: int) -> list[Answer]:
    left = len(data) - at
    if left < 8:
        return ["short", left]
    size = int.from_bytes(data[at : at + 4], signed=True)
    magic = int.from_bytes(data[at + 4 : at + 8], signed=True)
    if magic == records.BLANK_MAGIC_CODE:
        return ["blank", size]
    if magic != records.MESSAGE_MAGIC_CODE or not records.HEADER.size <= size <= left:
        return ["other", left]
    header = records.HEADER.unpack_from(data, at)
    return ["msg", size, header[3], header[5], header[6]]


def state(session: Session, op: Row) -> Answer:
    """The state."""
    return session.tell()


OPERATIONS: dict[str, Callable[[Session, Row], Answer]] = {
    "append": append,
    "block": block,
    "delete_expired": delete_expired,
    "delete_manually": delete_manually,
    "do_reput": do_reput,
    "flush": flush,
    "flush_pages": flush_pages,
    "get": get,
    "get_many": get_many,
    "get_message": get_message,
    "hold": hold,
    "load": load,
    "put": put_one,
    "put_batch": put_batch,
    "release": release,
    "reopen": reopen,
    "reset_offset": reset_offset,
    "retry_delete_first": retry_delete_first,
    "roll_next": roll_next,
    "scan": scan,
    "select": select,
    "set_flushed": set_flushed,
    "set_mtime": set_mtime,
    "set_reput": set_reput,
    "shutdown": shutdown,
    "shutdown_bg": shutdown_bg,
    "start": start,
    "state": state,
    "unblock": unblock,
    "wait_file": wait_file,
}
