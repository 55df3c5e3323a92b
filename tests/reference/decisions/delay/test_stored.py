"""Delayed delivery over a store's bytes."""

from __future__ import annotations

import pytest
from attrs import evolve

from reference.decisions.delay import stored
from reference.decisions.delay.delivery import DeliveryTask
from reference.decisions.delay.stored import Schedule
from reference.roles import Role
from reference.store import dispatch, records
from reference.store import store as stores
from reference.store.java import JavaError
from reference.store.put import MessageToPut, PutEnvironment
from reference.store.records import SCHEDULE_TOPIC, Record
from reference.store.store import Store, StoreConfig

NOW = PutEnvironment(10**12)
CONFIG = StoreConfig(4096, delays_ms=(0, 3_600_000))
MESSAGE = MessageToPut("T", 3, b"body", "k\x01v\x02")


def make_store(config: StoreConfig = CONFIG, count: int = 0, level: int = 1) -> Store:
    """A started store with so many delayed messages."""
    store = stores.start(stores.create_store(config))
    for _ in range(count):
        store, _ = stored.put_message(store, MESSAGE, level, NOW)
    return dispatch.dispatch_until_rest(store, NOW.now_ms)


def test_a_delayed_message_waits_in_its_level() -> None:
    """With its own topic and queue among its properties."""
    delayed = stored.delay_message(MESSAGE, 9, make_store())
    assert (delayed.topic, delayed.queue_id) == (SCHEDULE_TOPIC, 1)
    assert records.parse_properties(delayed.properties or "") == {
        "k": "v",
        "DELAY": "2",
        "REAL_TOPIC": "T",
        "REAL_QID": "3",
    }
    assert stored.delay_message(MESSAGE, 0, make_store()) == MESSAGE


def test_a_round_puts_copies() -> None:
    """In the message's own queue; the next round begins behind them."""
    store = make_store(count=2)
    schedule = stored.start({}, store)
    assert set(schedule.tasks) == {1, 2}
    store, schedule, _ = stored.execute_on_timeup(store, schedule, 1, NOW)
    assert schedule.offsets == {1: 2}
    assert schedule.tasks[1] == DeliveryTask(2, 100)
    assert stores.find_consume_queue(store, "T", 3).max_offset_in_queue == 2


def test_a_message_that_is_not_due_stops_the_round() -> None:
    """Its level waits an hour; progress is noted all the same."""
    store = make_store(count=1, level=2)
    store, schedule, ended = stored.execute_on_timeup(store, stored.start({}, store), 2, NOW)
    assert ended.next == DeliveryTask(0, 3_600_000)
    assert schedule.offsets == {2: 0}


def test_a_slave_delivers_nothing() -> None:
    """It keeps what the file says."""
    slave = evolve(CONFIG, broker_role=Role.SLAVE)
    assert stored.start({1: 5}, make_store(slave)) == Schedule({1: 5})


def test_a_refused_copy_is_tried_again() -> None:
    """The store has become a slave's (role set at run time)."""
    store = make_store(count=1)
    schedule = stored.start({}, store)
    refusing = evolve(store, config=evolve(store.config, broker_role=Role.SLAVE))
    _, schedule, ended = stored.execute_on_timeup(refusing, schedule, 1, NOW)
    assert ended.decided_by == "is_copy_refused"
    assert schedule.tasks[1] == DeliveryTask(0, 10_000)


@pytest.mark.parametrize(
    "properties", [b"", b"REAL_TOPIC\x01T\x02", b"REAL_TOPIC\x01T\x02REAL_QID\x01x\x02"]
)
def test_what_was_not_delayed_throws(properties: bytes) -> None:
    """Without a topic or a queue to go to; a round passes it."""
    with pytest.raises(JavaError):
        stored.make_copy(Record(b"T", 0, 0, 0, properties=properties))
    store = make_store()
    store, _ = stored.put_message(store, MessageToPut(SCHEDULE_TOPIC, 0, b"b"), 0, NOW)
    store = dispatch.dispatch_until_rest(store, NOW.now_ms)
    _, schedule, ended = stored.execute_on_timeup(store, stored.start({}, store), 1, NOW)
    assert (ended.decided_by, schedule.offsets) == ("is_file_passed", {1: 1})


def test_a_copy_keeps_all_properties() -> None:
    """The delay too, which has no meaning in another topic."""
    properties = b"DELAY\x011\x02REAL_TOPIC\x01T\x02REAL_QID\x013\x02"
    copy = stored.make_copy(Record(SCHEDULE_TOPIC.encode(), 0, 0, 0, b"body", properties))
    assert (copy.topic, copy.queue_id, copy.body) == ("T", 3, b"body")
    assert records.parse_properties(copy.properties or "")["DELAY"] == "1"
    assert not copy.is_wait_store_msg_ok
