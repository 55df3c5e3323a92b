"""The dispatcher and the consume queues."""

from __future__ import annotations

import struct

import pytest
from attrs import evolve

from reference.store import consume_queue as consume_queues
from reference.store import dispatch
from reference.store import mapped_file_queue as queues
from reference.store import store as stores
from reference.store.consume_queue import ConsumeQueue
from reference.store.content import Content
from reference.store.java import JavaError, Thrown
from reference.store.mapped_file import name_file
from reference.store.mapped_file_queue import DiskFile, MappedFileQueue
from reference.store.records import DispatchRequest
from reference.store.store import Flag, Store
from tests.reference.store.logs import (
    FILE_SIZE,
    MASTER,
    NOW_MS,
    SLAVE,
    TOPIC,
    append,
    lay_down,
    load,
    make_log,
    start,
)


def make_request(offset: int, queue_offset: int) -> DispatchRequest:
    """A message at a place of the log, with a place in its queue."""
    return DispatchRequest(
        100,
        is_success=True,
        topic=TOPIC,
        commit_log_offset_bytes=offset,
        consume_queue_offset=queue_offset,
    )


def enter(queue: ConsumeQueue, *places: tuple[int, int]) -> ConsumeQueue:
    """Messages by their offset in the log and in the queue."""
    for offset, queue_offset in places:
        request = make_request(offset, queue_offset)
        queue, _ = consume_queues.put_message_position_info(queue, request, NOW_MS)
    return queue


EMPTY = ConsumeQueue(TOPIC, 0, MappedFileQueue(60))


@pytest.mark.parametrize(
    ("places", "first", "next_", "last"),
    [
        (((0, 0), (100, 1)), 0, 2, 100),
        (((0, 0), (0, 0), (100, 0)), 0, 2, 100),
        (((0, 0), (100, 1), (200, 1)), 0, 2, 100),
        (((0, 0), (100, 7)), 0, 2, 100),
        (((500, 4), (600, 5)), 4, 6, 600),
        (((500, 3), (600, 4), (700, 5), (800, 6)), 3, 7, 800),
    ],
)
def test_entries(places: tuple[tuple[int, int], ...], first: int, next_: int, last: int) -> None:
    """Repetitions are left out, gaps are closed, and a queue may begin anywhere."""
    queue = enter(EMPTY, *places)
    assert (first, next_, last) == (
        queue.min_offset_in_queue,
        queue.max_offset_in_queue,
        queue.max_physic_offset_bytes,
    )


def reload(queue: ConsumeQueue) -> ConsumeQueue:
    """What the next process finds."""
    files, _ = queues.load(queues.close(queue.files))
    return consume_queues.recover(ConsumeQueue(TOPIC, 0, files), NOW_MS)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 8, 9, 10])
def test_a_queue_is_recovered(count: int) -> None:
    """Whatever its last file holds."""
    queue = enter(EMPTY, *((100 * i, i) for i in range(count)))
    found = reload(queue)
    assert (count, queue.max_physic_offset_bytes) == (
        found.max_offset_in_queue,
        found.max_physic_offset_bytes,
    )
    assert found.files.flushed_where_bytes == count * 20


@pytest.mark.parametrize("end", [0, 1, 100, 450, 899, 900, 5000])
def test_a_queue_is_cut_with_its_log(end: int) -> None:
    """No entry points to the log's end or behind it."""
    queue = enter(EMPTY, *((100 * i, i) for i in range(9)))
    cut = consume_queues.truncate_dirty_logic_files(queue, end)
    kept = min(9, -(-end // 100))
    assert kept == cut.max_offset_in_queue
    assert cut.max_physic_offset_bytes == (100 * (kept - 1) if kept else end - 1)


def test_files_of_one_entry_are_read_for_ever() -> None:
    """4.4.0 does not come back from it."""
    queue = enter(ConsumeQueue(TOPIC, 0, MappedFileQueue(20)), (0, 0))
    with pytest.raises(JavaError, match="endless loop"):
        consume_queues.truncate_dirty_logic_files(queue, 50)


def test_a_pre_blank_is_the_first_entry_of_a_log_from_0() -> None:
    """The queue's min falls to its file's begin (T1-13161)."""
    queue = enter(EMPTY, (500, 4))
    assert 3 == consume_queues.correct_min_offset(queue, 0).min_offset_in_queue
    assert 4 == consume_queues.correct_min_offset(queue, 1).min_offset_in_queue
    assert 4 == consume_queues.correct_min_offset(queue, 501).min_offset_in_queue
    assert EMPTY == consume_queues.correct_min_offset(EMPTY, 0)


def test_queues_that_may_not_be_written_are_marked() -> None:
    """Though nothing is wrong with them."""
    store = evolve(start(SLAVE), running_flags=Flag.NOT_WRITEABLE)
    store = dispatch.do_dispatch(store, make_request(0, 0), NOW_MS)
    assert Flag.NOT_WRITEABLE | Flag.WRITE_LOGICS_QUEUE_ERROR == store.running_flags
    assert 0 == store.consume_queues[f"{TOPIC}-0"].max_offset_in_queue
    full = evolve(start(SLAVE), running_flags=Flag.DISK_FULL)
    full = dispatch.do_dispatch(full, make_request(0, 0), NOW_MS)
    assert 1 == full.consume_queues[f"{TOPIC}-0"].max_offset_in_queue


def make_damaged(config: stores.StoreConfig) -> Store:
    """A running store whose second record cannot be read, with a third one behind it."""
    log = make_log([(20, 5)] * 3)
    data = bytearray(log.data[: log.end])
    struct.pack_into(">i", data, log.ends[0] + 4, 0)
    return append(start(config), Content(bytes(data)))[0]


def test_a_slave_waits_and_a_master_skips() -> None:
    """By brokerId, not by role (T5-00180)."""
    slave = make_damaged(SLAVE)
    assert make_log([(20, 5)]).end == slave.reput_from_offset_bytes
    master = make_damaged(evolve(SLAVE, broker_id=0))
    assert 0 == stores.compute_dispatch_behind(master)
    for store in (slave, master):
        assert 1 == store.consume_queues[f"{TOPIC}-0"].max_offset_in_queue


def test_half_a_blank_takes_the_dispatcher_ahead() -> None:
    """It waits for the log behind its end (T2-00476)."""
    log = make_log([(300, 0), (300, 0)])
    store, _ = append(start(SLAVE), Content(log.data[: log.ends[0] + 8]))
    assert FILE_SIZE == store.reput_from_offset_bytes
    assert stores.compute_dispatch_behind(store) < 0
    store, _ = append(store, Content(log.data[log.ends[0] + 8 : FILE_SIZE]))
    store, _ = append(store, Content(log.data[FILE_SIZE : log.end]))
    assert 2 == store.consume_queues[f"{TOPIC}-0"].max_offset_in_queue


@pytest.mark.parametrize(("begin", "reached"), [(0, 1), (1, None), (FILE_SIZE - 1, None)])
def test_a_dispatcher_below_the_log(begin: int, reached: int | None) -> None:
    """It is stuck unless it is at 0 (T4-00462)."""
    log = make_log([(300, 0), (300, 0)])
    data = Content(log.data[FILE_SIZE:])
    files = (DiskFile(name_file(FILE_SIZE), data),)
    store = stores.create_store(SLAVE)
    store = load(evolve(store, commit_log=evolve(store.commit_log, other_files=files)))
    store = evolve(store, reput_from_offset_bytes=begin, is_dispatcher_running=True)
    store = dispatch.dispatch_until_rest(store, NOW_MS)
    assert (begin if reached is None else log.end) == store.reput_from_offset_bytes
    assert (reached or 0) == len(store.consume_queues)


def test_an_error_ends_the_dispatcher() -> None:
    """What was dispatched before it stays."""
    log = make_log([(20, 5)] * 2)
    data = bytearray(log.data[: log.end])
    struct.pack_into(">i", data, log.ends[0], 2**31 - 1)
    store, _ = append(start(SLAVE), Content(bytes(data)))
    assert not store.is_dispatcher_running
    assert log.ends[0] == store.reput_from_offset_bytes
    assert Thrown("java.lang.OutOfMemoryError") == dispatch.do_reput(store, NOW_MS)[1]


def test_nothing_is_dispatched_beyond_what_is_confirmed() -> None:
    """With duplicationEnable; nobody confirms anything in 4.4.0."""
    log = make_log([(20, 5)] * 2)
    config = evolve(MASTER, is_duplication_enabled=True)
    loaded = load(lay_down(Content(log.data), config=config, is_killed=True))
    assert {} == dict(loaded.consume_queues)
    store = dispatch.dispatch_until_rest(stores.start(loaded), NOW_MS)
    assert -1 == store.reput_from_offset_bytes
