"""Delayed delivery over the bytes of a store: where messages wait, and what a round puts.

Source: CommitLog#putMessage, DefaultMessageStore#lookMessageByOffset and
DeliverDelayedMessageTimerTask#executeOnTimeup and #messageTimeup of 4.4.0.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve, field, frozen

from reference.decisions.delay import delivery
from reference.decisions.delay.delivery import (
    DeliveryPosition,
    DeliveryTask,
    Met,
    Round,
    RoundMessages,
)
from reference.decisions.delay.levels import (
    compute_countdown_ms,
    compute_level,
    compute_queue_id,
    is_delayed,
)
from reference.decisions.hash_order import order_as_listed
from reference.roles import Role
from reference.store import consume_queue as consume_queues
from reference.store import dispatch, java, put, reading, records
from reference.store.consume_queue import ConsumeQueueEntry
from reference.store.java import JavaError
from reference.store.mapped_file import SelectedBuffer
from reference.store.put import (
    Answer,
    MessageToPut,
    PutEnvironment,
    PutMessageResult,
    PutMessageStatus,
)
from reference.store.records import PROPERTY_DELAY_TIME_LEVEL, SCHEDULE_TOPIC, Record
from reference.store.store import Store, find_consume_queue, replace_consume_queues

PROPERTY_REAL_TOPIC, PROPERTY_REAL_QUEUE_ID = "REAL_TOPIC", "REAL_QID"
PROPERTY_BUCKETS = 16
"""Initial number of buckets of a message's table of properties."""


@frozen
class Schedule:
    """A broker's delivery state in memory (``ScheduleMessageService``)."""

    offsets: Mapping[int, int] = field(factory=dict)
    """Progress by level (``offsetTable``)."""
    tasks: Mapping[int, DeliveryTask] = field(factory=dict)
    """The planned round of each level."""


def start(offsets: Mapping[int, int], store: Store) -> Schedule:
    """Delivery after a start with this progress; a slave's has no rounds (R-BR-03)."""
    if store.config.broker_role is Role.SLAVE:
        return Schedule(offsets)
    levels = range(1, len(store.config.delays_ms) + 1)
    return Schedule(offsets, {each: delivery.begin_delivery(offsets.get(each)) for each in levels})


def encode_properties(properties: Mapping[str, str]) -> str:
    """Properties as text, in the order of their hash table."""
    listed = map(str, order_as_listed(properties, PROPERTY_BUCKETS))
    return records.join_properties({name: properties[name] for name in listed})


def delay_message(message: MessageToPut, level: int, store: Store) -> MessageToPut:
    """A message as it is stored: a delayed one in the queue of its level.

    Its own topic and queue become properties.
    """
    properties = records.parse_properties(message.properties or "")
    kept = evolve(message, properties=encode_properties(properties))
    if not is_delayed(level):
        return kept
    chosen = compute_level(level, store.config.delays_ms)
    properties |= {
        PROPERTY_DELAY_TIME_LEVEL: str(chosen),
        PROPERTY_REAL_TOPIC: message.topic,
        PROPERTY_REAL_QUEUE_ID: str(message.queue_id),
    }
    return evolve(
        kept,
        topic=SCHEDULE_TOPIC,
        queue_id=compute_queue_id(chosen),
        properties=encode_properties(properties),
    )


def put_message(
    store: Store, message: MessageToPut, level: int, around: PutEnvironment
) -> tuple[Store, Answer]:
    """A put with a delay level; 0: none."""
    return put.put_message(store, delay_message(message, level, store), around)


def look_at_message(store: Store, entry: ConsumeQueueEntry) -> tuple[Store, Record | None]:
    """The message of an entry (``DefaultMessageStore#lookMessageByOffset``); None: it is gone.

    If the entry's offset is 0 and the log's first file is deleted, it is the record that begins the
    log now, cut at the entry's size: another message (B6-0140).
    """
    store, selected = reading.get_message(store, entry.offset_bytes, entry.size_bytes)
    if not isinstance(selected, SelectedBuffer):
        return store, None
    return store, records.decode(selected.content.data)


def make_copy(record: Record) -> MessageToPut:
    """The message for its own topic (``#messageTimeup``), put without any wait (R-CL-17).

    It keeps all properties, including the delay. Raises JavaError for a message that was not
    delayed.
    """
    properties = records.parse_properties(java.decode_utf8(record.properties))
    if PROPERTY_REAL_TOPIC not in properties:
        raise JavaError("java.lang.NullPointerException")
    queue_id = java.parse_integer(properties.get(PROPERTY_REAL_QUEUE_ID, "null"), java.INT_BITS)
    return MessageToPut(
        topic=properties[PROPERTY_REAL_TOPIC],
        queue_id=queue_id,
        body=record.body,
        properties=encode_properties(properties),
        sys_flag=record.sys_flag,
        flag=record.flag,
        born_timestamp_ms=record.born_timestamp_ms,
        born_host=record.born_host,
        store_host=record.store_host,
        is_wait_store_msg_ok=False,
        reconsume_times=record.reconsume_times,
    )


def deliver(store: Store, entry: ConsumeQueueEntry, around: PutEnvironment) -> tuple[Store, Met]:
    """A due message: its copy is put, if possible."""
    store, record = look_at_message(store, entry)
    if record is None:
        return store, Met.GONE
    try:
        copy = make_copy(record)
    except JavaError:
        return store, Met.THROWN
    store, answer = put.put_message(store, copy, around)
    if not isinstance(answer, PutMessageResult):
        return store, Met.THROWN
    is_ok = answer.status is PutMessageStatus.PUT_OK
    return store, Met.COPIED if is_ok else Met.REFUSED


def execute_on_timeup(
    store: Store, schedule: Schedule, level: int, around: PutEnvironment
) -> tuple[Store, Schedule, Round]:
    """The planned round of a level (``#executeOnTimeup``), and dispatch until it is idle."""
    position = schedule.tasks[level].position
    queue = find_consume_queue(store, SCHEDULE_TOPIC, compute_queue_id(level))
    store = replace_consume_queues(store, queue)
    look = DeliveryPosition(position, queue.min_offset_in_queue, queue.max_offset_in_queue)
    ended = delivery.look_at_queue(look)
    if ended is None:
        entries = consume_queues.get_index_buffer(queue, position) or ()
        store, passed = pass_entries(store, entries, RoundMessages(position, ()), level, around)
        ended = delivery.end_round(passed)
    tasks = {**schedule.tasks, level: ended.next}
    offsets = schedule.offsets
    if ended.progress is not None:
        offsets = {**offsets, level: ended.progress}
    return dispatch.dispatch_until_rest(store, around.now_ms), Schedule(offsets, tasks), ended


def pass_entries(
    store: Store,
    entries: tuple[ConsumeQueueEntry, ...],
    passed: RoundMessages,
    level: int,
    around: PutEnvironment,
) -> tuple[Store, RoundMessages]:
    """Deliver message after message, up to one that ends the round."""
    delay_ms = store.config.delays_ms[level - 1]
    for entry in entries:
        countdown_ms = compute_countdown_ms(entry.tags_code, around.now_ms, delay_ms)
        met = Met.NOT_DUE
        if countdown_ms <= 0:
            store, met = deliver(store, entry, around)
        passed = RoundMessages(passed.position, (*passed.met, met), countdown_ms)
        if delivery.is_stopped_by(met):
            break
    return store, passed
