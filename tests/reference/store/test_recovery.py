"""What recovery keeps, loses and makes up."""

from __future__ import annotations

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from reference.store import content as contents
from reference.store import mapped_file, recovery, slave_append
from reference.store import mapped_file_queue as queues
from reference.store import store as stores
from reference.store.allocation import Creation
from reference.store.content import Content
from reference.store.java import Thrown
from reference.store.mapped_file_queue import DiskFile
from reference.store.put import MessageToPut
from reference.store.reading import get_written
from reference.store.records import Record, encode
from reference.store.store import Flag, Store, StoreCheckpoint, get_max_physical_offset
from tests.reference.store.logs import (
    FILE_SIZE,
    LOGS,
    MASTER,
    MESSAGES,
    NOW_MS,
    SLAVE,
    TOPIC,
    Log,
    append,
    fill,
    kill,
    lay_down,
    load,
    make_log,
    start,
    stop,
)


def tell_queues(store: Store) -> dict[str, tuple[int, int]]:
    """First and next index of each queue that has entries."""
    return {
        key: (queue.min_offset_in_queue, queue.max_offset_in_queue)
        for key, queue in store.consume_queues.items()
        if queue.max_offset_in_queue
    }


@given(MESSAGES, st.booleans(), st.booleans())
def test_an_undamaged_log_stays(
    messages: list[MessageToPut], is_killed: bool, are_queues_lost: bool
) -> None:
    """The same bytes, end and queues, whichever exit; a kill makes lost queues again."""
    store = fill(MASTER, messages)
    left = kill(store) if is_killed else stop(store)
    assert left.has_abort_file == is_killed
    if are_queues_lost:
        left = evolve(left, consume_queues_on_disk=())
    found = load(left)
    assert get_written(found) == get_written(store)
    assert get_max_physical_offset(found) == get_max_physical_offset(store)
    assert found.commit_log.flushed_where_bytes == get_max_physical_offset(found)
    if is_killed or not are_queues_lost:
        assert tell_queues(found) == tell_queues(store)
        for key, (_, next_offset) in tell_queues(store).items():
            assert found.topic_queue_table[key] == next_offset


@given(LOGS, st.data(), st.booleans(), st.integers(0, 1))
def test_a_cut_log_ends_near_the_cut(
    log: Log, data: st.DataObject, is_killed: bool, extra_files: int
) -> None:
    """Whole records stay; the one that is cut is lost, or taken as whole with its zeros."""
    cut = data.draw(st.integers(0, log.end))
    told = contents.cut(contents.tell_origins(log.data, 1, 0), 0, cut)
    found = load(lay_down(told, is_killed=is_killed, extra_files=extra_files))
    end = get_max_physical_offset(found)
    whole = max((at for at in log.ends if at <= cut), default=0)
    next_end = min((at for at in log.ends if at > cut), default=log.end)
    assert whole <= end <= max(next_end, -(-cut // FILE_SIZE) * FILE_SIZE)
    for file in found.commit_log.mapped_files:
        kept = contents.cut(file.content, 0, file.wrote_position_bytes)
        begin = file.file_from_offset_bytes
        origins = contents.list_origins(kept)
        assert len(kept) == len(origins)
        assert all(o == (1, begin + i) for i, o in enumerate(origins) if begin + i < cut)
        assert all(o is None for i, o in enumerate(origins) if begin + i >= cut)


@given(LOGS, st.data(), st.booleans())
def test_recovered_again_is_recovered_once(log: Log, data: st.DataObject, is_killed: bool) -> None:
    """Of a log that is cut anywhere, with nothing behind it."""
    cut = data.draw(st.integers(0, log.end))
    once = load(lay_down(Content(log.data[:cut]), is_killed=is_killed))
    twice = load(evolve(kill(once), has_abort_file=is_killed))
    assert once.commit_log == twice.commit_log
    assert once.topic_queue_table == twice.topic_queue_table


def test_recovered_again_may_lose_more() -> None:
    """A normal exit looks at three files, and the first recovery has deleted some of them.

    Damage that was before the third last file lies within the last three the next time: two thirds
    of the log were there after the first recovery, one third is after the second one.
    """
    log = make_log([(300, 0)] * 6)
    assert 6 == log.file_count
    data = bytearray(log.data)
    for file in (2, 4):
        data[file * FILE_SIZE + 100] ^= 1
    once = load(lay_down(Content(bytes(data))))
    assert 4 * FILE_SIZE == get_max_physical_offset(once)
    twice = load(stop(stores.start(once)))
    assert 2 * FILE_SIZE == get_max_physical_offset(twice)


def test_a_torn_record_is_taken_as_whole() -> None:
    """From 91 bytes, topic and body on: the end lies beyond what was received (T1-00967)."""
    log = make_log([(20, 50), (20, 50)])
    enough = log.end - 53
    for cut, end in ((enough, log.end), (enough - 2, log.ends[0])):
        found = load(lay_down(Content(log.data[:cut])))
        assert end == get_max_physical_offset(found), cut


def test_a_torn_record_of_a_slave_is_never_repaired() -> None:
    """The next bytes land behind zeros that nobody sent (F101; T2-00472)."""
    log = make_log([(20, 50), (20, 50)])
    store = start(SLAVE)
    told = contents.tell_origins(log.data, 1, 0)
    store, _ = append(store, contents.cut(told, 0, log.end - 10))
    store = stores.start(load(kill(store)))
    assert log.end == get_max_physical_offset(store)
    store, is_appended = append(store, contents.cut(told, log.end, log.end + 4))
    assert is_appended
    file = store.commit_log.mapped_files[0]
    origins = contents.list_origins(contents.cut(file.content, 0, file.wrote_position_bytes))
    assert [log.end - 10 + i for i in range(10)] == [i for i, o in enumerate(origins) if o is None]


def test_stale_records_come_back() -> None:
    """Old bytes behind the cut that happen to be aligned (T1-12686)."""
    old, new = make_log([(20, 5)] * 3), make_log([(20, 5)])
    data = new.data[: new.end] + old.data[new.end :]
    assert old.end == get_max_physical_offset(load(lay_down(Content(data))))


def test_a_blank_without_its_next_file() -> None:
    """The end goes back over the whole blank; with an empty next file it goes on (T1-09848)."""
    log = make_log([(300, 0), (300, 0)])
    cut = log.ends[0] + 8
    told = Content(log.data[:cut])
    assert log.ends[0] == get_max_physical_offset(load(lay_down(told)))
    assert FILE_SIZE == get_max_physical_offset(load(lay_down(told, extra_files=1)))
    torn = Content(log.data[: cut - 1])
    assert log.ends[0] == get_max_physical_offset(load(lay_down(torn, extra_files=1)))


def test_a_slave_inside_a_record_keeps_its_abort_file() -> None:
    """Its dispatcher is not at the end (T2-00472)."""
    log = make_log([(20, 5)])
    for length, is_kept in ((log.end, False), (log.end - 1, True)):
        store, _ = append(start(SLAVE), Content(log.data[:length]))
        assert is_kept == stop(store).has_abort_file


def test_a_topic_with_a_zero_stops_all_queues() -> None:
    """Its folder cannot be made; no queue is written any more (T1-00385)."""
    record = Record(TOPIC.encode(), 0, 0, 0, b"x")
    data = encode(record)
    torn = encode(evolve(record, queue_offset=1, physical_offset_bytes=len(data)))
    store = lay_down(Content((data + torn)[: 2 * len(data) - 4]), is_killed=True)
    found = load(store)
    assert Flag.WRITE_LOGICS_QUEUE_ERROR == found.running_flags
    assert {f"{TOPIC}-0": 1, f"{TOPIC[:-2]}\0\0-0": 0} == dict(found.topic_queue_table)
    assert not stores.is_writeable(found.running_flags)
    again = load(evolve(kill(found), has_abort_file=True))
    assert [f"{TOPIC}-0"] == [key for key in again.consume_queues if "\0" not in key]


def test_a_checkpoint_is_believed() -> None:
    """A kill looks at no file before the checkpoint's (T1-13377)."""
    log = make_log([(300, 0)] * 4)
    data = bytearray(log.data)
    data[100] ^= 1
    store = lay_down(Content(bytes(data)), is_killed=True)
    assert 0 == get_max_physical_offset(load(store))
    late = StoreCheckpoint(10**6 + 3001, 10**6 + 3001, 0)
    assert log.end == get_max_physical_offset(load(evolve(store, checkpoint_on_disk=late)))
    config = evolve(SLAVE, is_message_index_enabled=True, is_message_index_safe=True)
    safe = evolve(store, checkpoint_on_disk=late, config=config)
    assert 0 == get_max_physical_offset(load(safe))


def test_an_error_leaves_load() -> None:
    """And an exception ends it (T1-13853, T1-13718)."""
    data = bytearray(make_log([(20, 5)]).data)
    data[:4] = b"\x7f\xff\xff\xff"
    _, answer = recovery.load(lay_down(Content(bytes(data))), NOW_MS)
    assert Thrown("java.lang.OutOfMemoryError") == answer
    store = lay_down(Content(bytes(data)))
    strange = DiskFile("strange", Content(bytes(FILE_SIZE)))
    files = (*store.commit_log.other_files, strange)
    store = evolve(store, commit_log=evolve(store.commit_log, other_files=files))
    store, answer = recovery.load(store, NOW_MS)
    assert answer is False
    assert store.allocation.is_stopped
    assert 1 == len(store.commit_log.mapped_files)


@pytest.mark.parametrize(("is_killed", "answer"), [(False, True), (True, False)])
def test_files_of_a_few_bytes(is_killed: bool, answer: bool) -> None:
    """After a kill their first message is looked at where it cannot be."""
    store = evolve(lay_down(Content(b"")), has_abort_file=is_killed)
    tiny = DiskFile(mapped_file.name_file(0), Content(bytes(7)))
    log = evolve(store.commit_log, file_size_bytes=7, other_files=(tiny,))
    assert answer == recovery.load(evolve(store, commit_log=log), NOW_MS)[1]


def test_a_lost_log_takes_its_queues_along() -> None:
    """After a kill; after a normal exit they stay, and point nowhere."""
    left = stop(fill(MASTER, [MessageToPut(TOPIC, 0, b"x")]))
    assert 1 == len(left.consume_queues_on_disk)
    left = evolve(left, commit_log=evolve(left.commit_log, other_files=()))
    assert {f"{TOPIC}-0": 1} == load(left).topic_queue_table
    killed = load(evolve(left, has_abort_file=True))
    assert {f"{TOPIC}-0": 0} == killed.topic_queue_table
    assert () == kill(killed).consume_queues_on_disk


def test_eleven_flushes_at_a_shutdown() -> None:
    """One flush reaches one file, so a long unflushed log stays unflushed behind them."""
    store = start(SLAVE)
    for _ in range(15):
        store, _ = slave_append.append_data(
            store, 0, Content(bytes(FILE_SIZE)), Creation.POSSIBLE, NOW_MS
        )
    stopped = stores.finish_shutdown(store)
    assert 11 * FILE_SIZE == stopped.commit_log.flushed_where_bytes
    assert 15 * FILE_SIZE == queues.get_max_offset(stopped.commit_log)


def test_a_store_that_was_not_started_has_nothing_to_stop() -> None:
    """Its abort file stays as it was, and nothing is flushed."""
    store = load(lay_down(Content(make_log([(20, 5)]).data), is_killed=True))
    assert store.has_abort_file
    assert evolve(store, is_shutdown=True) == stores.finish_shutdown(stores.begin_shutdown(store))
