"""The set ``store``: a message store's bytes.

Each kind of question is a function here; what is asked is listed in ``store_asks``.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from attrs import evolve

from properties.vectors import schema
from properties.vectors.question import Data, ExpectedAnswer, VectorSet
from properties.vectors.sets import store_asks
from reference.decisions.reading.question import QuestionError
from reference.releases.start_rules import make_start_rules
from reference.roles import Role
from reference.store import dispatch, put, records, recovery, slave_append
from reference.store import store as stores
from reference.store.allocation import Creation
from reference.store.content import Content
from reference.store.java import JavaError, Thrown
from reference.store.mapped_file import MappedFile, name_file
from reference.store.mapped_file_queue import DiskFile
from reference.store.store import Store, StoreCheckpoint, StoreConfig

NEVER_BUSY_MS = 10**9


def make_store(ask: Data) -> Store:
    """A store over the files of a question, not loaded yet."""
    role = Role(ask.get("brokerRole", "SLAVE"))
    file_bytes: int = ask["fileBytes"]
    message_bytes: int = ask.get("maxMessageSize", file_bytes)
    config = StoreConfig(
        mapped_file_size_commit_log_bytes=file_bytes,
        max_message_size_bytes=message_bytes,
        broker_role=role,
        broker_id=int(role is Role.SLAVE),
        is_message_index_enabled=False,
        is_crc_checked_on_recover=ask.get("checkCRCOnRecover", True),
    )
    store = stores.create_store(config)
    files = tuple(
        DiskFile(
            name_file(int(base)), Content(bytes.fromhex(text).ljust(ask["fileBytes"], b"\0")), 0
        )
        for base, text in ask.get("files", {}).items()
    )
    return evolve(
        store,
        commit_log=evolve(store.commit_log, other_files=files),
        checkpoint_on_disk=StoreCheckpoint(*ask.get("checkpoint", (0, 0, 0))),
        has_abort_file=ask.get("abort", False),
    )


def open_store(ask: Data, now_ms: int) -> Store:
    """A store that runs. Raises QuestionError if it does not start."""
    store, loaded = recovery.load(make_store(ask), now_ms)
    if loaded is not True:
        raise QuestionError("the store of this question does not start")
    return stores.start(store)


def write_files(store: Store) -> list[list[int]]:
    """The files of the log: where each begins, and how much of it is written."""
    files = store.commit_log.mapped_files
    return [[file.file_from_offset_bytes, file.wrote_position_bytes] for file in files]


def list_pieces(file: MappedFile) -> Iterator[list[Any]]:
    """Offset and bytes of each record of a file; of a blank its eight bytes alone."""
    data, at = bytes(file.content.data[: file.wrote_position_bytes]), 0
    while at < len(data):
        size, magic = struct.unpack_from(">ii", data, at)
        length = 8 if magic == records.BLANK_MAGIC_CODE else size
        yield [file.file_from_offset_bytes + at, data[at : at + length].hex()]
        at += size


def make_message(told: Data) -> put.MessageToPut:
    """A message to put."""
    return put.MessageToPut(
        topic=told["topic"],
        queue_id=told["queueId"],
        body=bytes.fromhex(told["body"]),
        properties=told["properties"],
        sys_flag=told["sysFlag"],
        flag=told["flag"],
        born_timestamp_ms=told["bornTimestamp"],
        born_host=bytes.fromhex(told["bornHost"]),
        store_host=bytes.fromhex(told["storeHost"]),
        reconsume_times=told["reconsumeTimes"],
    )


def make_batch(told: Data) -> put.MessageBatch:
    """A batch to put."""
    items = tuple(
        put.BatchItem(bytes.fromhex(each["body"]), each["properties"].encode(), each["flag"])
        for each in told["batch"]
    )
    return put.MessageBatch(
        topic=told["topic"],
        queue_id=told["queueId"],
        items=items,
        sys_flag=told["sysFlag"],
        born_timestamp_ms=told["bornTimestamp"],
        born_host=bytes.fromhex(told["bornHost"]),
        store_host=bytes.fromhex(told["storeHost"]),
    )


def write_put(found: put.Answer) -> Data:
    """The answer to a put."""
    if isinstance(found, Thrown):
        return {"status": "UNKNOWN_ERROR", "append": None}
    if found.append is None:
        return {"status": found.status.value, "append": None}
    append = found.append
    told = {
        "status": append.status.value,
        "wroteOffset": append.wrote_offset_bytes,
        "wroteBytes": append.wrote_bytes,
        "queueOffset": append.logics_offset,
        "messages": append.message_count,
    }
    return {"status": found.status.value, "append": told}


def answer_put(_release: str, ask: Data) -> ExpectedAnswer:
    """Messages and batches put one after the other, and the log afterwards."""
    store, puts = open_store(ask, 0), []
    for told in ask["puts"]:
        around = put.PutEnvironment(
            told["storeTimestamp"], os_page_cache_busy_timeout_ms=NEVER_BUSY_MS
        )
        if "batch" in told:
            store, found = put.put_messages(store, make_batch(told), around)
        else:
            store, found = put.put_message(store, make_message(told), around)
        puts.append(write_put(found))
    pieces = [piece for file in store.commit_log.mapped_files for piece in list_pieces(file)]
    return ExpectedAnswer(
        {"puts": puts, "files": write_files(store), "log": pieces},
        "put_message",
        "commit_log.md#append_message",
    )


def answer_append(_release: str, ask: Data) -> ExpectedAnswer:
    """Frames that a slave stores, and its log afterwards."""
    store, steps = open_store(ask, 0), []
    for offset, text in ask["frames"]:
        data = Content(bytes.fromhex(text))
        store, is_appended = slave_append.append_to_commit_log(
            store, offset, data, Creation.POSSIBLE, 0
        )
        max_offset = stores.get_max_physical_offset(store)
        min_offset = stores.get_min_physical_offset(store)
        steps.append({"appended": is_appended, "maxOffset": max_offset, "minOffset": min_offset})
    log = [
        [f.file_from_offset_bytes, bytes(f.content.data[: f.wrote_position_bytes]).hex()]
        for f in store.commit_log.mapped_files
    ]
    told = {"frames": steps, "log": log}
    return ExpectedAnswer(told, "append_to_commit_log", "replication.md#append_to_slave")


def answer_recovery(_release: str, ask: Data) -> ExpectedAnswer:
    """A start over files: where the log ends, and what consumers may read."""
    store, loaded = recovery.load(make_store(ask), 0)
    rule = "recover_abnormally" if ask["abort"] else "recover_normally"
    section = "lifecycle.md#restart_master"
    if loaded is not True:
        return ExpectedAnswer({"isStarted": False, "log": None}, rule, section)
    store = dispatch.dispatch_until_rest(stores.start(store), 0)
    log = {
        "minOffset": stores.get_min_physical_offset(store),
        "maxOffset": stores.get_max_physical_offset(store),
        "flushedWhere": store.commit_log.flushed_where_bytes,
        "files": write_files(store),
        "queues": {
            key: [queue.min_offset_in_queue, queue.max_offset_in_queue]
            for key, queue in sorted(store.consume_queues.items())
        },
    }
    return ExpectedAnswer({"isStarted": True, "log": log}, rule, section)


def answer_record(release: str, ask: Data) -> ExpectedAnswer:
    """What a reader finds at the beginning of some bytes."""
    told: Data
    try:
        found = records.check_message_and_return_size(
            bytes.fromhex(ask["bytes"]),
            is_crc_checked=ask["checkCRC"],
            record_format=make_start_rules(release.partition("-")[0]).record_format,
        )
    except JavaError:
        told = {"success": False, "size": None, "message": None}
    else:
        told = {"success": found.is_success, "size": found.size_bytes, "message": None}
        if found.is_success and found.size_bytes:
            told["message"] = {
                "topic": found.topic,
                "queueId": found.queue_id,
                "queueOffset": found.consume_queue_offset,
                "physicalOffset": found.commit_log_offset_bytes,
                "storeTimestamp": found.store_timestamp_ms,
                "tagsCode": found.tags_code,
                "sysFlag": found.sys_flag,
            }
    return ExpectedAnswer(told, "check_message_and_return_size", "lifecycle.md#restart_master")


KINDS: Mapping[str, Callable[[str, Data], ExpectedAnswer]] = {
    "put": answer_put,
    "append": answer_append,
    "recovery": answer_recovery,
    "record": answer_record,
}


def answer(release: str, ask: Data) -> ExpectedAnswer:
    """The answer to a question of any kind."""
    if ask["kind"] not in KINDS:
        raise QuestionError(f"there is no kind {ask['kind']!r}")
    return KINDS[ask["kind"]](release, ask)


PLACES = schema.describe(
    schema.make_list(schema.make_list(schema.INTEGER)), "Where each file begins; bytes written."
)
PIECES = schema.describe(
    schema.make_list({"type": "array", "prefixItems": [schema.INTEGER, schema.HEX]}),
    "Offset and bytes of each record; of a blank its first eight.",
)
APPENDED = schema.make_object(
    {
        "status": schema.TEXT,
        **dict.fromkeys(("wroteOffset", "wroteBytes", "queueOffset", "messages"), schema.INTEGER),
    }
)
PUT = schema.make_object({"status": schema.TEXT, "append": schema.make_nullable(APPENDED)})
STEP = schema.make_object(
    {"appended": schema.FLAG, "maxOffset": schema.INTEGER, "minOffset": schema.INTEGER}
)
LOG = schema.make_object(
    {
        **dict.fromkeys(("minOffset", "maxOffset", "flushedWhere"), schema.INTEGER),
        "files": PLACES,
        "queues": schema.make_table(schema.make_list(schema.INTEGER)),
    }
)
NUMBERS = ("queueId", "queueOffset", "physicalOffset", "storeTimestamp", "tagsCode", "sysFlag")
MESSAGE = schema.make_object({"topic": schema.TEXT, **dict.fromkeys(NUMBERS, schema.INTEGER)})
ANSWERS: tuple[Data, ...] = (
    schema.make_object({"puts": schema.make_list(PUT), "files": PLACES, "log": PIECES}),
    schema.make_object({"frames": schema.make_list(STEP), "log": PIECES}),
    schema.make_object({"isStarted": schema.FLAG, "log": schema.make_nullable(LOG)}),
    schema.make_object(
        {
            "success": schema.FLAG,
            "size": schema.describe(schema.OPTIONAL_INTEGER, "Null: an error ends the reader."),
            "message": schema.make_nullable(MESSAGE),
        }
    ),
)

STORE = VectorSet(
    "store",
    "Bytes: messages put, frames appended by a slave, recovery at a start, and single records; of "
    "later releases single records alone.",
    store_asks.list_asks,
    answer,
    schema.make_kinds(store_asks.ASKS),
    {"anyOf": list(ANSWERS)},
    {"4.4.0": "4.4.0", "4.9.8": "4.9.8", "5.3.3": "5.3.3", "5.3.3-quorum": "5.3.3"},
    store_asks.SEED,
)
