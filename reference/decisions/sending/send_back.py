"""A broker takes back a message that a consumer has failed to consume.

It is put into the group's topic of failed messages, with a delay that grows, or, after too many
tries, into the group's topic of dead letters, which nobody reads by default.
Source: SendMessageProcessor#consumerSendMsgBack and #handleRetryAndDLQ of 4.4.0.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping

from attrs import frozen

from reference.decisions.delay.stored import encode_properties
from reference.decisions.metadata.table_text import TopicConfig
from reference.decisions.reading.decision import Case, Decided, choose_first
from reference.decisions.reading.settings import PERM_READ
from reference.decisions.reading.subscription_group import SubscriptionGroup
from reference.decisions.sending.send_processor import PERM_WRITE, RETRY_TOPIC_PREFIX
from reference.store import java, records
from reference.store.java import JavaError
from reference.store.put import MessageToPut
from reference.store.records import PROPERTY_DELAY_TIME_LEVEL, Record

DEAD_LETTER_TOPIC_PREFIX = "%DLQ%"
DEAD_LETTER_QUEUES = 1
"""``DLQ_NUMS_PER_GROUP``."""
FIRST_RETRY_LEVEL = 3
"""The delay level of a first retry for which the consumer has chosen none."""
TELLS_RETRIES_SINCE = 121
"""``MQVersion.Version.V3_4_9``: later consumers say themselves how often a message is retried."""
PROPERTY_RETRY_TOPIC, PROPERTY_ORIGIN_ID = "RETRY_TOPIC", "ORIGIN_MESSAGE_ID"
PROPERTY_WAIT = "WAIT"


class BackCode(enum.IntEnum):
    """The codes with which a message that comes back is answered before the store has it."""

    SUCCESS = 0
    NO_PERMISSION = 16
    SUBSCRIPTION_GROUP_NOT_EXIST = 26


@frozen
class Back:
    """A CONSUMER_SEND_MSG_BACK request, and what the broker knows of its group."""

    group: SubscriptionGroup | None
    """None for one that the broker does not know and does not make."""
    broker_permission: int = PERM_READ | PERM_WRITE


def is_group_unknown(back: Back) -> bool:
    """The broker has no such group."""
    return back.group is None


def is_broker_unwritable(back: Back) -> bool:
    """``brokerPermission`` has no write bit."""
    return not back.broker_permission & PERM_WRITE


def is_retry_off(back: Back) -> bool:
    """The group has no queue for failed messages: the message is dropped, and that is a success."""
    return back.group is not None and back.group.retry_queues <= 0


CHECKS: tuple[Case[Back, BackCode], ...] = (
    (is_group_unknown, lambda _: BackCode.SUBSCRIPTION_GROUP_NOT_EXIST),
    (is_broker_unwritable, lambda _: BackCode.NO_PERMISSION),
    (is_retry_off, lambda _: BackCode.SUCCESS),
)
"""The checks in order, and the code of the answer that ends the request."""


def find_end(back: Back) -> Decided[BackCode] | None:
    """What ends the request before its message is looked up; None: nothing."""
    return choose_first(CHECKS, back)


def compute_retries_max(group: SubscriptionGroup, told: int | None, version: int) -> int:
    """How often a message is retried: by its consumer, or by the group if that is too old.

    Raises JavaError for a newer one that says nothing, as a producer does that sends to a topic of
    failed messages.
    """
    if version < TELLS_RETRIES_SINCE:
        return group.retries_max
    if told is None:
        raise JavaError("java.lang.NullPointerException")
    return told


@frozen
class Tried:
    """A message that comes back."""

    reconsume_times: int
    """How often it has come back before."""
    retries_max: int
    delay_level: int = 0
    """Chosen by the consumer: 0 leaves it to the broker, below 0 there is no retry."""


def is_dead(tried: Tried) -> bool:
    """It is not retried any more."""
    return tried.reconsume_times >= tried.retries_max or tried.delay_level < 0


def compute_retry_level(tried: Tried) -> int:
    """The delay level of the next try."""
    return tried.delay_level or FIRST_RETRY_LEVEL + tried.reconsume_times


def make_target(group_name: str, retry_queues: int, *, is_dead_letter: bool) -> TopicConfig:
    """The topic that takes it, as it is made if the broker does not know it."""
    prefix = DEAD_LETTER_TOPIC_PREFIX if is_dead_letter else RETRY_TOPIC_PREFIX
    queues = DEAD_LETTER_QUEUES if is_dead_letter else retry_queues
    permission = PERM_WRITE if is_dead_letter else PERM_READ | PERM_WRITE
    return TopicConfig(
        name=f"{prefix}{group_name}",
        read_queues=queues,
        write_queues=queues,
        permission=permission,
    )


def find_dead_letter_target(
    topic: str, group: SubscriptionGroup, told: int | None, version: int, reconsume_times: int
) -> TopicConfig | None:
    """Where a consumer's own copy of a failed message goes instead; None: where it is sent.

    ``group`` is the one that the topic of failed messages is named after. Raises JavaError.
    """
    tried = Tried(reconsume_times, compute_retries_max(group, told, version))
    if not is_dead(tried):
        return None
    return make_target(topic.removeprefix(RETRY_TOPIC_PREFIX), 0, is_dead_letter=True)


def make_message_id(store_host: bytes, offset_bytes: int) -> str:
    """The id of a message at its place (``MessageDecoder#createMessageId``)."""
    return (store_host + offset_bytes.to_bytes(8, "big", signed=True)).hex().upper()


def write_properties(record: Record, level: int | None) -> dict[str, str]:
    """A message's properties when it comes back; None: its old delay, if any, stays.

    So a dead letter that was retried before waits once more (R-CL-17).
    """
    properties = records.parse_properties(java.decode_utf8(record.properties))
    properties.setdefault(PROPERTY_RETRY_TOPIC, java.decode_utf8(record.topic))
    properties[PROPERTY_WAIT] = "false"
    if level is not None:
        properties[PROPERTY_DELAY_TIME_LEVEL] = str(level)
    return properties


def make_copy(
    record: Record, target: str, queue: int, level: int | None, own_host: bytes
) -> tuple[MessageToPut, int]:
    """The message that is put, and its delay level. Raises JavaError: the old one is no number.

    The id of the first message is added after the text of properties is made: only a delay, which
    makes it again, keeps it.
    """
    properties = write_properties(record, level)
    text = encode_properties(properties)
    if not properties.get(PROPERTY_ORIGIN_ID, "").strip():
        own_id = make_message_id(record.store_host, record.physical_offset_bytes)
        properties[PROPERTY_ORIGIN_ID] = own_id
    delay = get_delay_level(properties)
    copy = MessageToPut(
        topic=target,
        queue_id=queue,
        body=record.body,
        properties=encode_properties(properties) if delay > 0 else text,
        sys_flag=record.sys_flag,
        flag=record.flag,
        born_timestamp_ms=record.born_timestamp_ms,
        born_host=record.born_host,
        store_host=own_host,
        is_wait_store_msg_ok=False,
        reconsume_times=record.reconsume_times + 1,
    )
    return copy, delay


def get_delay_level(properties: Mapping[str, str]) -> int:
    """``Message#getDelayTimeLevel``; 0: none. Raises JavaError."""
    text = properties.get(PROPERTY_DELAY_TIME_LEVEL)
    return 0 if text is None else java.parse_integer(text, java.INT_BITS)
