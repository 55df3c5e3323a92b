"""A broker's checks before it stores a message, and its answer afterwards.

Source: AbstractSendMessageProcessor#msgCheck, SendMessageProcessor#sendMessage,
#sendBatchMessage and #handlePutMessageResult, TopicConfigManager#createTopicInSendMessageMethod of
4.4.0.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping

from attrs import evolve, frozen

from reference.decisions.metadata.table_text import TopicConfig
from reference.decisions.reading.decision import Decided
from reference.decisions.reading.settings import PERM_READ

PERM_INHERIT, PERM_WRITE = 1, 2
AUTO_CREATE_TOPIC = "TBW102"
"""``MixAll.AUTO_CREATE_TOPIC_KEY_TOPIC``: the topic after which others are made."""
RETRY_TOPIC_PREFIX = "%RETRY%"
TOPIC_LENGTH_MAX = 127
"""``Byte.MAX_VALUE``, for batches; for single messages the store checks it."""
RETRY_QUEUES = 1


class SendCode(enum.IntEnum):
    """The codes with which a send may be answered (``ResponseCode``)."""

    SUCCESS = 0
    SYSTEM_ERROR = 1
    SYSTEM_BUSY = 2
    FLUSH_DISK_TIMEOUT = 10
    SLAVE_NOT_AVAILABLE = 11
    FLUSH_SLAVE_TIMEOUT = 12
    MESSAGE_ILLEGAL = 13
    SERVICE_NOT_AVAILABLE = 14
    NO_PERMISSION = 16
    TOPIC_NOT_EXIST = 17


RESPONSES: Mapping[str, SendCode] = {
    "PUT_OK": SendCode.SUCCESS,
    "FLUSH_DISK_TIMEOUT": SendCode.FLUSH_DISK_TIMEOUT,
    "FLUSH_SLAVE_TIMEOUT": SendCode.FLUSH_SLAVE_TIMEOUT,
    "SLAVE_NOT_AVAILABLE": SendCode.SLAVE_NOT_AVAILABLE,
    "CREATE_MAPEDFILE_FAILED": SendCode.SYSTEM_ERROR,
    "MESSAGE_ILLEGAL": SendCode.MESSAGE_ILLEGAL,
    "PROPERTIES_SIZE_EXCEEDED": SendCode.MESSAGE_ILLEGAL,
    "SERVICE_NOT_AVAILABLE": SendCode.SERVICE_NOT_AVAILABLE,
    "OS_PAGECACHE_BUSY": SendCode.SYSTEM_ERROR,
    "UNKNOWN_ERROR": SendCode.SYSTEM_ERROR,
}
"""By ``PutMessageStatus``: the code of the answer (``#handlePutMessageResult``)."""

STORED = (
    SendCode.SUCCESS,
    SendCode.FLUSH_DISK_TIMEOUT,
    SendCode.FLUSH_SLAVE_TIMEOUT,
    SendCode.SLAVE_NOT_AVAILABLE,
)
"""Codes of answers that name the message's place: it is in the log."""


@frozen
class SendMessageRequest:
    """A SEND_MESSAGE request, and what the broker knows of its topic."""

    topic_name: str
    queue: int
    topic: TopicConfig | None
    """None for one that the broker does not know and does not make."""
    is_batch: bool = False
    broker_permission: int = PERM_READ | PERM_WRITE
    is_transaction_rejected: bool = False
    """The first half of a transaction, at a broker with ``rejectTransactionMessage``."""


def is_broker_unwritable(send: SendMessageRequest) -> bool:
    """``brokerPermission`` has no write bit; only topics in order are refused for it."""
    is_order = send.topic is not None and send.topic.is_order
    return not send.broker_permission & PERM_WRITE and is_order


def is_topic_reserved(send: SendMessageRequest) -> bool:
    """The name is the one after which other topics are made."""
    return send.topic_name == AUTO_CREATE_TOPIC


def is_topic_unknown(send: SendMessageRequest) -> bool:
    """The broker does not know the topic, and has not made it."""
    return send.topic is None


def is_queue_unknown(send: SendMessageRequest) -> bool:
    """The number is beyond both of the topic's numbers of queues; below 0 any is chosen."""
    topic = send.topic
    return topic is not None and send.queue >= max(topic.write_queues, topic.read_queues)


def is_batch_topic_too_long(send: SendMessageRequest) -> bool:
    """A batch's topic has more characters than a byte can count."""
    return send.is_batch and len(send.topic_name) > TOPIC_LENGTH_MAX


def is_batch_retried(send: SendMessageRequest) -> bool:
    """A batch goes to a topic of failed messages."""
    return send.is_batch and send.topic_name.startswith(RETRY_TOPIC_PREFIX)


def is_transaction_refused(send: SendMessageRequest) -> bool:
    """The broker takes no transactions."""
    return send.is_transaction_rejected


CHECKS: tuple[tuple[Callable[[SendMessageRequest], bool], SendCode], ...] = (
    (is_broker_unwritable, SendCode.NO_PERMISSION),
    (is_topic_reserved, SendCode.SYSTEM_ERROR),
    (is_topic_unknown, SendCode.TOPIC_NOT_EXIST),
    (is_queue_unknown, SendCode.SYSTEM_ERROR),
    (is_batch_topic_too_long, SendCode.MESSAGE_ILLEGAL),
    (is_batch_retried, SendCode.MESSAGE_ILLEGAL),
    (is_transaction_refused, SendCode.NO_PERMISSION),
)
"""The checks in order, and the code that refuses a send failing one."""


def find_refusal(send: SendMessageRequest) -> Decided[SendCode] | None:
    """The first check that fails; None if the message goes to the store."""
    for condition, code in CHECKS:
        if condition(send):
            return Decided(code, condition.__name__)
    return None


def is_inherited(topic: TopicConfig) -> bool:
    """Other topics may be made after it (``PermName#isInherited``)."""
    return bool(topic.permission & PERM_INHERIT)


def make_topic(name: str, pattern: TopicConfig | None, queues: int) -> TopicConfig | None:
    """The topic that a send makes after another one; None: none.

    It has as many queues as its producer wants, but not more than the pattern, and at least none.
    """
    if pattern is None or not is_inherited(pattern):
        return None
    count = max(0, min(queues, pattern.write_queues))
    return TopicConfig(
        name=name,
        read_queues=count,
        write_queues=count,
        permission=pattern.permission & ~PERM_INHERIT,
        filter_type=pattern.filter_type,
    )


def make_retry_topic(name: str) -> TopicConfig | None:
    """The topic that a send to a group's failed messages makes anyway; None for other names."""
    if not name.startswith(RETRY_TOPIC_PREFIX):
        return None
    return TopicConfig(name=name, read_queues=RETRY_QUEUES, write_queues=RETRY_QUEUES)


def find_topic(
    name: str, topics: Mapping[str, TopicConfig], default_topic: str, queues: int
) -> TopicConfig | None:
    """The topic of a send: known, or made for it; None: neither."""
    if name in topics:
        return topics[name]
    made = make_topic(name, topics.get(default_topic), queues)
    return made or make_retry_topic(name)


def refuse_inheritance(topics: Mapping[str, TopicConfig]) -> Mapping[str, TopicConfig]:
    """The topics of a broker without ``autoCreateTopicEnable``: no topic is made after TBW102."""
    pattern = topics.get(AUTO_CREATE_TOPIC)
    if pattern is None:
        return topics
    plain = evolve(pattern, permission=PERM_READ | PERM_WRITE)
    return {**topics, AUTO_CREATE_TOPIC: plain}
