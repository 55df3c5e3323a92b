"""What a master takes, refuses and only seems to take."""

from __future__ import annotations

import pytest
from attrs import evolve
from hypothesis import example, given
from hypothesis import strategies as st

from reference.roles import FlushDiskType, Role
from reference.store import content as contents
from reference.store import dispatch, mapped_file, put, reading, records
from reference.store import mapped_file_queue as queues
from reference.store import store as stores
from reference.store.allocation import Creation
from reference.store.content import Content
from reference.store.java import Thrown
from reference.store.mapped_file import SelectedBuffer
from reference.store.put import (
    AppendMessageStatus,
    BatchItem,
    MessageBatch,
    MessageToPut,
    PutEnvironment,
    PutMessageResult,
    PutMessageStatus,
    put_messages,
)
from reference.store.store import Flag, Store
from tests.reference.store.logs import (
    FILE_SIZE,
    MASTER,
    MESSAGES,
    NOW_MS,
    SLAVE,
    TOPIC,
    fill,
    lay_down,
    load,
    put_message,
    start,
)

AROUND = PutEnvironment(NOW_MS)


def put_one(
    store: Store, message: MessageToPut, around: PutEnvironment = AROUND
) -> tuple[Store, put.Answer]:
    """Without dispatch."""
    return put.put_message(store, message, around)


def get_status(answer: put.Answer) -> PutMessageStatus:
    """Of a put that does not throw."""
    assert isinstance(answer, PutMessageResult)
    return answer.status


@given(MESSAGES)
def test_what_was_put_is_read_and_dispatched(messages: list[MessageToPut]) -> None:
    """In one file, behind what was put before; queues point to it."""
    store = start(MASTER)
    counts: dict[str, int] = {}
    for message in messages:
        store, answer = put_message(store, message, epoch=3)
        assert answer.append is not None
        offset, size = answer.append.wrote_offset_bytes, answer.append.wrote_bytes
        assert offset + size == stores.get_max_physical_offset(store)
        store, found = reading.get_message(store, offset, size)
        assert isinstance(found, SelectedBuffer)
        assert tuple((3, offset + i) for i in range(size)) == found.content.origins
        request = records.check_message_and_return_size(found.content.data)
        assert (True, message.topic, offset) == (
            request.is_success,
            request.topic,
            request.commit_log_offset_bytes,
        )
        key = f"{message.topic}-{message.queue_id}"
        counts[key] = counts.get(key, 0) + records.is_in_queue(message.sys_flag)
    assert stores.compute_dispatch_behind(store) == 0
    assert counts == dict(store.topic_queue_table)
    for key, count in counts.items():
        assert count == (store.consume_queues[key].max_offset_in_queue if count else 0)


TRANSACTION = ((0, 0), (0, 1), (0, 2), (4, 0), (0, 3), (12, 0), (8, 4), (0, 5), (5, 0), (1, 6))
"""Flags of puts to one queue, and ``getLogicsOffset`` of each answer.

The first eight are what unmodified classes of 4.4.0 answer: ``#doAppend`` of
``DefaultAppendMessageCallback`` writes the queue offset 0 into prepared messages and rollbacks, and
moves ``topicQueueTable`` on for the others only. It does the same at 4.9.8; at 5.3.3
``DefaultMessageStore#assignOffset`` and ``#increaseOffset`` do.
"""


def test_parts_of_transactions_take_no_place_in_their_queue() -> None:
    """Prepared (4) and rollback (12) have the queue offset 0, whatever is before them."""
    store = start(MASTER)
    for flag, expected in TRANSACTION:
        store, answer = put_message(store, MessageToPut(TOPIC, 0, b"x", sys_flag=flag))
        assert answer.append is not None
        assert answer.append.logics_offset == expected
        at = answer.append.wrote_offset_bytes
        store, found = reading.get_message(store, at, answer.append.wrote_bytes)
        assert isinstance(found, SelectedBuffer)
        record = records.decode(found.content.data)
        assert record is not None
        assert record.queue_offset == expected
    assert store.topic_queue_table[f"{TOPIC}-0"] == 7
    assert store.consume_queues[f"{TOPIC}-0"].max_offset_in_queue == 7


def test_a_message_that_fits_no_file_is_nowhere() -> None:
    """PUT_OK, and two files are blanks (T5-00048)."""
    store = start(evolve(MASTER, max_message_size_bytes=2 * FILE_SIZE))
    store, _ = put_message(store, MessageToPut(TOPIC, 0, b"x"))
    store, answer = put_message(store, MessageToPut(TOPIC, 0, bytes(FILE_SIZE - 100)))
    assert PutMessageStatus.PUT_OK is answer.status
    assert answer.append is not None
    assert AppendMessageStatus.END_OF_FILE is answer.append.status
    assert 2 * FILE_SIZE == stores.get_max_physical_offset(store)
    assert 1 == store.consume_queues[f"{TOPIC}-0"].max_offset_in_queue


def test_a_blank_holds_what_was_encoded_last() -> None:
    """With its old provenance; nobody infers another one."""
    body = bytes(range(1, 201))
    store = fill(MASTER, [MessageToPut(TOPIC, 0, body), MessageToPut("TopicB", 0, body)], epoch=9)
    file = store.commit_log.mapped_files[0]
    end = 91 + len(TOPIC) + len(body)
    rest = FILE_SIZE - end
    blank = contents.cut(file.content, end, FILE_SIZE)
    assert records.encode_blank_header(rest) == blank.data[:8]
    assert file.content.data[8:rest] == blank.data[8:]
    assert [(9, end + i) for i in range(8)] == list(contents.list_origins(blank)[:8])
    assert [(9, i) for i in range(8, rest)] == list(contents.list_origins(blank)[8:])


def test_a_batch_leaves_old_bytes_in_its_blank() -> None:
    """Only eight are written."""
    store = fill(MASTER, [MessageToPut(TOPIC, 0, bytes(250))])
    items = tuple(BatchItem(b"x" * 20) for _ in range(2))
    store, answer = put_messages(store, MessageBatch(TOPIC, 0, items), AROUND)
    assert PutMessageStatus.PUT_OK is get_status(answer)
    assert isinstance(answer, PutMessageResult)
    assert answer.append is not None
    assert (FILE_SIZE, 2, 1) == (
        answer.append.wrote_offset_bytes,
        answer.append.message_count,
        answer.append.logics_offset,
    )
    end = 91 + len(TOPIC) + 250
    assert set(store.commit_log.mapped_files[0].content.data[end + 8 :]) == {0}
    assert 3 == store.topic_queue_table[f"{TOPIC}-0"]


@given(st.lists(st.binary(max_size=40), min_size=1, max_size=4))
@example([bytes(39)] * 4)
def test_batches_are_dispatched_one_by_one(bodies: list[bytes]) -> None:
    """Each message has its own place in the queue, unless no file can hold the batch."""
    batch = MessageBatch(TOPIC, 0, tuple(BatchItem(body) for body in bodies))
    store, answer = put_messages(start(evolve(MASTER, max_message_size_bytes=4096)), batch, AROUND)
    assert isinstance(answer, PutMessageResult)
    store = dispatch.dispatch_until_rest(store, NOW_MS)
    queue = store.consume_queues.get(f"{TOPIC}-0")
    has_file = put.compute_batch_bytes(batch) + 8 <= FILE_SIZE
    assert (len(bodies) if has_file else 0) == (queue.max_offset_in_queue if queue else 0)


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"is_shutdown": True}, PutMessageStatus.SERVICE_NOT_AVAILABLE),
        ({"config": SLAVE}, PutMessageStatus.SERVICE_NOT_AVAILABLE),
        ({"running_flags": Flag.DISK_FULL}, PutMessageStatus.SERVICE_NOT_AVAILABLE),
        ({"running_flags": Flag.NOT_READABLE}, PutMessageStatus.PUT_OK),
        ({"begin_time_in_lock_ms": NOW_MS - 1001}, PutMessageStatus.OS_PAGECACHE_BUSY),
        ({"begin_time_in_lock_ms": NOW_MS - 1000}, PutMessageStatus.PUT_OK),
        ({"begin_time_in_lock_ms": NOW_MS - 10**7}, PutMessageStatus.PUT_OK),
    ],
)
def test_a_store_that_takes_nothing(change: dict[str, object], status: PutMessageStatus) -> None:
    """Messages and batches alike."""
    store = evolve(start(MASTER), **change)  # type: ignore[arg-type]
    assert status is get_status(put_one(store, MessageToPut(TOPIC, 0, b"x"))[1])
    batch = MessageBatch(TOPIC, 0, (BatchItem(b"x"),))
    assert status is get_status(put_messages(store, batch, AROUND)[1])


@pytest.mark.parametrize(
    ("message", "status", "append"),
    [
        (MessageToPut("t" * 128, 0), PutMessageStatus.MESSAGE_ILLEGAL, None),
        (MessageToPut("é" * 64, 0), PutMessageStatus.PUT_OK, AppendMessageStatus.PUT_OK),
        (MessageToPut("t", 0, None, "p" * 32768), PutMessageStatus.PROPERTIES_SIZE_EXCEEDED, None),
        (
            MessageToPut("t", 0, None, "é" * 16384),
            PutMessageStatus.MESSAGE_ILLEGAL,
            AppendMessageStatus.PROPERTIES_SIZE_EXCEEDED,
        ),
        (
            MessageToPut("t", 0, bytes(FILE_SIZE)),
            PutMessageStatus.MESSAGE_ILLEGAL,
            AppendMessageStatus.MESSAGE_SIZE_EXCEEDED,
        ),
    ],
)
def test_sizes(
    message: MessageToPut, status: PutMessageStatus, append: AppendMessageStatus | None
) -> None:
    """Characters are counted first, bytes later; a refused message makes its queue known."""
    store, answer = put_one(start(MASTER), message)
    assert isinstance(answer, PutMessageResult)
    assert status is answer.status
    assert append is (answer.append.status if answer.append else None)
    assert (f"{message.topic}-0" in store.topic_queue_table) == (append is not None)


def test_batches_that_are_refused() -> None:
    """As sent, as written, and with a transaction."""
    store = start(evolve(MASTER, max_message_size_bytes=120))
    long = MessageBatch(TOPIC, 0, (BatchItem(bytes(99)),))
    assert PutMessageStatus.MESSAGE_ILLEGAL is get_status(put_messages(store, long, AROUND)[1])
    written = MessageBatch(TOPIC, 0, (BatchItem(bytes(10)), BatchItem(bytes(10))))
    assert Thrown("java.lang.RuntimeException") == put_messages(store, written, AROUND)[1]
    prepared = MessageBatch(TOPIC, 0, (BatchItem(b"x"),), sys_flag=4)
    assert PutMessageStatus.MESSAGE_ILLEGAL is get_status(put_messages(store, prepared, AROUND)[1])


@pytest.mark.parametrize("left", range(1, 8))
def test_a_rest_of_less_than_a_blank(left: int) -> None:
    """Throws for ever (T5-00664), and a second later puts are refused for it."""
    body = bytes(FILE_SIZE - left - 91 - len(TOPIC))
    data = records.encode(records.Record(TOPIC.encode(), 0, 0, 0, body))
    store = stores.start(load(lay_down(Content(data), config=MASTER)))
    assert FILE_SIZE - left == stores.get_max_physical_offset(store)
    thrown = Thrown("java.nio.BufferOverflowException")
    store, answer = put_one(store, MessageToPut(TOPIC, 0, b"x"))
    assert thrown == answer
    batch = MessageBatch(TOPIC, 0, (BatchItem(b"x"),))
    assert thrown == put_messages(store, batch, AROUND)[1]
    later = evolve(AROUND, now_ms=NOW_MS + 1001)
    busy = put_one(store, MessageToPut(TOPIC, 0, b"x"), later)[1]
    assert PutMessageStatus.OS_PAGECACHE_BUSY is get_status(busy)


def test_a_roll_without_a_file() -> None:
    """The blank is written all the same (T5-00649)."""
    blocked = evolve(AROUND, creation=Creation.NOTHING_NEW)
    store, answer = put_one(start(MASTER), MessageToPut(TOPIC, 0, b"x"), blocked)
    assert PutMessageStatus.CREATE_MAPEDFILE_FAILED is get_status(answer)
    assert () == store.commit_log.mapped_files
    store = fill(MASTER, [MessageToPut(TOPIC, 0, bytes(250))])
    store = evolve(store, allocation=evolve(store.allocation, requests=()))
    store, answer = put_one(store, MessageToPut(TOPIC, 0, bytes(250)), blocked)
    assert isinstance(answer, PutMessageResult)
    assert PutMessageStatus.CREATE_MAPEDFILE_FAILED is answer.status
    assert answer.append is not None
    assert AppendMessageStatus.END_OF_FILE is answer.append.status
    assert FILE_SIZE == queues.get_max_offset(store.commit_log)


def test_a_flush_behind_a_roll_is_refused() -> None:
    """It needs two flushes, and nobody looks after the second one (T5-00766)."""
    store = start(evolve(MASTER, flush_disk_type=FlushDiskType.SYNC_FLUSH))
    for expected in (PutMessageStatus.PUT_OK, PutMessageStatus.FLUSH_DISK_TIMEOUT):
        store, answer = put_one(store, MessageToPut(TOPIC, 0, bytes(250)))
        assert expected is get_status(answer)
        end = stores.get_max_physical_offset(store)
        assert end == store.commit_log.flushed_where_bytes
    assert NOW_MS == store.checkpoint.physic_msg_timestamp_ms


def test_a_refused_message_takes_the_time_of_its_file_away() -> None:
    """The next flush tells the checkpoint nothing."""
    store = fill(MASTER, [MessageToPut(TOPIC, 0, b"x")])
    assert NOW_MS == stores.flush_at_shutdown(store).checkpoint.physic_msg_timestamp_ms
    store, _ = put_one(store, MessageToPut(TOPIC, 0, bytes(FILE_SIZE)))
    assert 0 == stores.flush_at_shutdown(store).checkpoint.physic_msg_timestamp_ms


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({}, PutMessageStatus.SLAVE_NOT_AVAILABLE),
        ({"connection_count": 1}, PutMessageStatus.FLUSH_SLAVE_TIMEOUT),
        ({"connection_count": 1, "is_transferred": True}, PutMessageStatus.PUT_OK),
    ],
)
def test_a_synchronous_master(change: dict[str, object], status: PutMessageStatus) -> None:
    """What it has written stays, whatever it answers."""
    store = start(evolve(MASTER, broker_role=Role.SYNC_MASTER))
    around = evolve(AROUND, **change)  # type: ignore[arg-type]
    store, answer = put_one(store, MessageToPut(TOPIC, 0, b"x"), around)
    assert status is get_status(answer)
    assert stores.get_max_physical_offset(store) > 0
    careless = MessageToPut(TOPIC, 0, b"x", is_wait_store_msg_ok=False)
    assert PutMessageStatus.PUT_OK is get_status(put_one(store, careless, around)[1])


def test_a_place_below_0_takes_no_put() -> None:
    """Only a file of a negative name can be cut there."""
    log = evolve(start(MASTER).commit_log, mapped_files=())
    file = mapped_file.set_positions(mapped_file.map_file("-5", FILE_SIZE, None, NOW_MS), -5)
    store = evolve(start(MASTER), commit_log=queues.add_file(log, file))
    store, answer = put_one(store, MessageToPut(TOPIC, 0, b"x"))
    assert Thrown("java.lang.IllegalArgumentException") == answer
    assert {} == dict(store.topic_queue_table)
