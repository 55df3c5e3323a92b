"""A row about delayed delivery: its calls, one after the other, on a store and its schedule.

The threads of the store come to rest after every call; a round that is planned runs when a row says
so, whatever the time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import evolve

from reference.decisions.delay import levels, stored
from reference.decisions.delay.delivery import (
    DELAY_FOR_A_PERIOD_MS,
    DELAY_FOR_A_WHILE_MS,
    FIRST_DELAY_MS,
    DeliveryTask,
)
from reference.decisions.delay.stored import Schedule
from reference.decisions.metadata import json_text, stored_broker
from reference.decisions.metadata.stored_broker import BrokerMetadata
from reference.decisions.metadata.table_text import DELAY
from reference.decisions.progress.config_file import BrokenFile, Files
from reference.roles import Role
from reference.store import consume_queue as consume_queues
from reference.store import dispatch, expiry, put, recovery
from reference.store import store as stores
from reference.store.java import Thrown
from reference.store.put import MessageToPut
from reference.store.records import HOUR_MS, SCHEDULE_TOPIC
from reference.store.store import StoreConfig
from tests.oracle.found import Found, Row
from tests.oracle.store_rows import BEGIN_MS, RowError
from tests.oracle.table_rows import name_numbers

BODY_BYTES = 40
STORE_HOST = bytes((127, 0, 0, 1, 0, 0, 0, 2))
RESERVED_MS, OLD_MS = 72 * HOUR_MS, 100 * HOUR_MS
INTERVAL_FORCIBLY_MS = 1_000
BUSY_TIMEOUT_MS = 60_000
TARGETS = tuple((topic, queue) for topic in ("TA", "TB") for queue in (0, 1))
NAMED_DELAYS_MS = (FIRST_DELAY_MS, DELAY_FOR_A_WHILE_MS, DELAY_FOR_A_PERIOD_MS)


class Delivering:
    """One row: the store, the schedule, the files of progress, and what was read so far."""

    def __init__(self, row: Row) -> None:
        asked = row["input"]
        delays_ms = levels.parse_delay_levels(asked["messageDelayLevel"])
        if delays_ms is None:
            raise RowError("its levels cannot be read")
        self.now_ms = BEGIN_MS
        config = StoreConfig(
            mapped_file_size_commit_log_bytes=asked["mapedFileSizeCommitLog"],
            mapped_file_size_consume_queue_bytes=asked["mapedFileSizeConsumeQueue"],
            is_message_index_enabled=False,
            delays_ms=delays_ms,
        )
        self.store = stores.create_store(config)
        self.broker: BrokerMetadata = stored_broker.make_broker("", "", self.now_ms)
        self.schedule = Schedule()
        self.is_loaded = True
        self.message_count = 0
        self.seen: dict[tuple[str, int], int] = {}
        self.cleaning = expiry.CleanConsumeQueueService()
        self.open(asked["role"])

    def open(self, role: str) -> None:
        """A new process over what is on disk; it ends early where progress cannot be read."""
        config = evolve(self.store.config, broker_role=Role(role))
        self.store = evolve(stores.leave_to_next_process(self.store), config=config)
        self.cleaning = expiry.CleanConsumeQueueService()
        fresh = evolve(self.broker, tables=evolve(self.broker.tables, delay_offsets={}))
        self.broker, self.is_loaded = stored_broker.load(fresh, DELAY, self.now_ms)
        self.schedule = Schedule()
        if not self.is_loaded:
            return
        self.store, answer = recovery.load(self.store, self.now_ms)
        if isinstance(answer, Thrown) or not answer:
            raise RowError("its store does not load")
        self.store = stores.start(self.store)
        self.settle()
        progress = {int(k): v for k, v in self.broker.tables.delay_offsets.items()}
        self.schedule = stored.start(progress, self.store)

    def settle(self) -> None:
        """The dispatcher comes to rest."""
        self.store = dispatch.dispatch_until_rest(self.store, self.now_ms)

    def make_around(self) -> put.PutEnvironment:
        """What a put meets; no slave is connected."""
        return put.PutEnvironment(self.now_ms, os_page_cache_busy_timeout_ms=BUSY_TIMEOUT_MS)

    def tell_table(self) -> dict[str, int]:
        """``table``."""
        return {str(level): offset for level, offset in self.schedule.offsets.items()}

    def tell_due(self) -> dict[str, Any]:
        """``due``."""
        return {str(level): write_task(task) for level, task in self.schedule.tasks.items()}

    def tell_queues(self) -> dict[str, list[int]]:
        """``queues``: by level."""
        told = {}
        for level in range(1, len(self.store.config.delays_ms) + 1):
            queue_id = levels.compute_queue_id(level)
            queue = stores.find_consume_queue(self.store, SCHEDULE_TOPIC, queue_id)
            told[str(level)] = [queue.min_offset_in_queue, queue.max_offset_in_queue]
        return told


def write_task(task: DeliveryTask) -> dict[str, Any]:
    """A round that is planned; how long a message waits still is not told."""
    is_named = task.delay_ms in NAMED_DELAYS_MS
    return {"offset": task.position, "delay_ms": task.delay_ms if is_named else "countdown"}


def put_messages(rig: Delivering, level: int, count: int, topic: str, queue: int) -> Any:
    """``put``: the status, and the place in the queue where it has one."""
    told = []
    for _ in range(count):
        body = f"m{rig.message_count}".encode().ljust(BODY_BYTES)
        rig.message_count += 1
        message = MessageToPut(topic, queue, body, store_host=STORE_HOST)
        rig.store, answer = stored.put_message(rig.store, message, level, rig.make_around())
        if isinstance(answer, Thrown):
            raise RowError(f"a put throws {answer.class_name}")
        place = "" if answer.append is None else f"@{answer.append.logics_offset}"
        told.append(f"{answer.status.value}{place}")
    rig.settle()
    return {"puts": told, "queues": rig.tell_queues()}


def list_delivered(rig: Delivering) -> list[str]:
    """What has come to the targets' queues since the last look: bodies, and where."""
    told = []
    for topic, queue_id in TARGETS:
        queue = stores.find_consume_queue(rig.store, topic, queue_id)
        at = max(rig.seen.get((topic, queue_id), 0), queue.min_offset_in_queue)
        while entries := consume_queues.get_index_buffer(queue, at):
            rig.store, record = stored.look_at_message(rig.store, entries[0])
            if record is None:
                break
            told.append(f"{record.body.decode().strip()}@{topic}-{queue_id}")
            at += 1
        rig.seen[topic, queue_id] = at
    return told


def run(rig: Delivering, level: int) -> Any:
    """``run``."""
    task = rig.schedule.tasks.get(level)
    if task is None:
        return {"nothing_scheduled": True}
    rig.now_ms += 2
    rig.store, rig.schedule, ended = stored.execute_on_timeup(
        rig.store, rig.schedule, level, rig.make_around()
    )
    return {
        "at": task.position,
        "delivered": list_delivered(rig),
        "next": write_task(ended.next),
        "table": rig.tell_table(),
        "queues": rig.tell_queues(),
    }


def persist(rig: Delivering) -> Any:
    """``persist``: what the file has."""
    tables = evolve(rig.broker.tables, delay_offsets=rig.tell_table())
    rig.broker = stored_broker.persist(evolve(rig.broker, tables=tables), DELAY)
    main = rig.broker.files[DELAY].main
    found = json_text.read(main) if isinstance(main, str) else None
    return {"file": found and {name: name_numbers(table) for name, table in found.items()}}


def delete_log_files(rig: Delivering, count: int) -> Any:
    """``delete_log_files``: the first ones are old, but never the last one."""
    log = rig.store.commit_log
    old_ms = rig.now_ms - OLD_MS
    files = tuple(
        evolve(file, last_modified_ms=old_ms) if number < count else file
        for number, file in enumerate(log.mapped_files[:-1])
    )
    aged = evolve(log, mapped_files=files + log.mapped_files[-1:])
    rig.store, _ = expiry.delete_expired_file(
        evolve(rig.store, commit_log=aged),
        RESERVED_MS,
        INTERVAL_FORCIBLY_MS,
        rig.now_ms,
        is_clean_immediately=False,
    )
    begin = stores.get_min_physical_offset(rig.store)
    return {"queues": rig.tell_queues(), "log_min": begin}


def clean_queues(rig: Delivering) -> Any:
    """``clean_queues``."""
    rig.store, rig.cleaning = expiry.clean_consume_queues(rig.store, rig.cleaning, rig.now_ms)
    return {"queues": rig.tell_queues()}


def role(rig: Delivering, name: str) -> Any:
    """``role``: of the running store."""
    config = evolve(rig.store.config, broker_role=Role(name))
    rig.store = evolve(rig.store, config=config)


def restart(rig: Delivering, how: Row) -> Any:
    """``restart``: in order; then files of progress may be changed, or the store emptied."""
    rig.settle()
    rig.store = stores.finish_shutdown(stores.begin_shutdown(rig.store))
    files = rig.broker.files[DELAY]
    if "file" in how:
        text = how["file"]
        files = Files(main=BrokenFile.MISSING if text is None else text or BrokenFile.EMPTY)
    if "bak" in how:
        files = evolve(files, backup=how["bak"] or BrokenFile.EMPTY)
    rig.broker = evolve(rig.broker, files={**rig.broker.files, DELAY: files})
    if "empty_log" in how:
        rig.store = stores.create_store(rig.store.config)
        rig.seen.clear()
    rig.open(how["role"])
    if not rig.is_loaded:
        return {"loaded": False}
    told = {"table": rig.tell_table(), "due": rig.tell_due(), "queues": rig.tell_queues()}
    return {"loaded": True, **told}


OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "put": put_messages,
    "run": run,
    "persist": persist,
    "delete_log_files": delete_log_files,
    "clean_queues": clean_queues,
    "role": role,
    "restart": restart,
}


def list_differences(row: Row, folder: Path) -> Iterator[Found]:
    """Every answer that differs. Raises RowError for an unknown operation."""
    rig = Delivering(row)
    first, *steps = row["output"]["steps"]
    begin = {"table": rig.tell_table(), "due": rig.tell_due()}
    if begin != first:
        yield None, "begin", first, begin
    for number, (op, expected) in enumerate(zip(row["input"]["ops"], steps, strict=True)):
        function = OPERATIONS.get(op[0])
        if function is None:
            raise RowError(f"there is no operation {op[0]!r}")
        answer = function(rig, *op[1:]) if rig.is_loaded else {"not_started": True}
        for field in sorted((answer or {}).keys() | (expected or {}).keys()):
            told, got = (expected or {}).get(field), (answer or {}).get(field)
            if told != got:
                yield number, field, told, got
