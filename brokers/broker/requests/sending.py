"""SEND_MESSAGE in its three forms: checks, the put, and its answer."""

from __future__ import annotations

import random
import socket
import struct
from collections.abc import Callable

from attrs import evolve, frozen

from brokers.broker.replication.followed_puts import PendingPut
from brokers.broker.replication.puts import Puts
from brokers.broker.requests.handler import handles
from brokers.broker.requests.ports import BrokerPorts
from brokers.broker.requests.request import SYSTEM_BUSY, FieldError, Request
from brokers.wire.codes import RequestCode
from reference.decisions.delay.stored import delay_message
from reference.decisions.metadata.table_text import TopicConfig
from reference.decisions.sending import send_back, send_processor
from reference.decisions.sending.send_processor import RESPONSES, STORED, SendCode
from reference.store import records
from reference.store.java import JavaError, Thrown, parse_integer
from reference.store.put import (
    BATCH_ITEM_HEADER,
    BatchItem,
    MessageBatch,
    MessageToPut,
    PutMessageResult,
    compute_batch_bytes,
)

SHORT_NAMES = {
    "topic": "b",
    "defaultTopic": "c",
    "defaultTopicQueueNums": "d",
    "queueId": "e",
    "sysFlag": "f",
    "bornTimestamp": "g",
    "flag": "h",
    "properties": "i",
    "reconsumeTimes": "j",
    "maxReconsumeTimes": "l",
    "batch": "m",
}
"""Names of the fields in SEND_MESSAGE_V2 (``SendMessageRequestHeaderV2``)."""
PORT = struct.Struct(">i")
TRANSACTION_PROPERTY = "TRAN_MSG"
"""``MessageConst.PROPERTY_TRANSACTION_PREPARED``: there are no transactions here."""
WAIT_PROPERTY = "WAIT"
"""``MessageConst.PROPERTY_WAIT_STORE_MSG_OK``."""
NO_GROUP = 26
"""``ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST``."""
TRACE_FIELDS = {"MSG_REGION": "DefaultRegion", "TRACE_ON": "true"}
"""In every answer to a send."""
MULTI_TAG, MULTI_TAGS_FLAG = "MULTI_TAG", 2


@frozen
class Fields:
    """The fields of a send, whatever its form."""

    request: Request

    def name(self, name: str) -> str:
        """What this form calls a field."""
        is_short = self.request.command.code != RequestCode.SEND_MESSAGE
        return SHORT_NAMES[name] if is_short else name

    def text(self, name: str) -> str:
        """A field that must be there. Raises FieldError."""
        return self.request.text(self.name(name))

    def optional(self, name: str) -> str:
        """A field that may be missing."""
        return self.request.command.fields.get(self.name(name), "")

    def number(self, name: str, default: int | None = None) -> int:
        """A field that is a number. Raises FieldError."""
        return self.request.number(self.name(name), default)

    @property
    def is_batch(self) -> bool:
        """The body has several messages."""
        return self.request.flag(self.name("batch"))


@handles(
    RequestCode.SEND_MESSAGE,
    RequestCode.SEND_MESSAGE_V2,
    RequestCode.SEND_BATCH_MESSAGE,
    by=(
        send_processor.find_topic,
        send_processor.find_refusal,
        send_back.find_dead_letter_target,
        Puts.ask,
    ),
)
def send_message(ports: BrokerPorts, request: Request) -> None:
    """``SendMessageProcessor#processRequest``."""
    given = Fields(request)
    name = given.text("topic")
    topics = ports.tables.topics
    queues = given.number("defaultTopicQueueNums", 0)
    topic = send_processor.find_topic(name, topics, given.optional("defaultTopic"), queues)
    send = send_processor.SendMessageRequest(
        name,
        given.number("queueId"),
        topic,
        given.is_batch,
        ports.reading[1].permission,
        is_transaction_rejected=is_transaction(given),
    )
    refusal = send_processor.find_refusal(send)
    if refusal is not None:
        remark = f"{refusal.by}: topic[{name}] queueId[{send.queue}]"
        request.answer(refusal.value, remark, TRACE_FIELDS)
        return
    assert topic is not None  # An unknown one was refused.
    ports.tables.know_topic(topic)
    queue = send.queue if send.queue >= 0 else random.randrange(max(1, topic.write_queues))
    if given.is_batch:
        put(ports, request, make_batch(given, queue, encode_host(ports.settings.address)), queue)
        return
    target, is_known = find_target(ports, given, topic)
    if not is_known:
        request.answer(NO_GROUP, f"subscription group not exist, {name}", TRACE_FIELDS)
        return
    place = queue if target is topic else random.randrange(send_back.DEAD_LETTER_QUEUES)
    put(ports, request, make_message(ports, given, target, place), queue)


def put(
    ports: BrokerPorts, request: Request, message: MessageToPut | MessageBatch, queue: int
) -> None:
    """Put a message; its sender is told the queue that it has chosen."""
    ask(ports, request, message, lambda done: answer_put(ports, request, done, queue))


def ask(
    ports: BrokerPorts,
    request: Request,
    message: MessageToPut | MessageBatch,
    on_answer: Callable[[PendingPut], None],
) -> None:
    """A put for a request, which is refused if too many wait already."""
    if ports.put(message, on_answer) is None:
        request.answer(SYSTEM_BUSY, "[OVERLOAD]system busy, start flow control for a while")


def is_transaction(given: Fields) -> bool:
    """It is the first half of a transaction."""
    properties = records.parse_properties(given.optional("properties"))
    is_half = properties.get(TRANSACTION_PROPERTY, "").lower() == "true"
    return is_half and not given.is_batch


def find_target(ports: BrokerPorts, given: Fields, topic: TopicConfig) -> tuple[TopicConfig, bool]:
    """The topic that takes it: dead letters if it has failed too often; False: no such group.

    Raises FieldError.
    """
    name = str(topic.name)
    if not name.startswith(send_processor.RETRY_TOPIC_PREFIX):
        return topic, True
    group = ports.tables.find_group(name.removeprefix(send_processor.RETRY_TOPIC_PREFIX))
    if group is None:
        return topic, False
    told = given.optional("maxReconsumeTimes")
    retries_max = given.number("maxReconsumeTimes") if told else None
    version, times = given.request.command.version, given.number("reconsumeTimes", 0)
    try:
        dead = send_back.find_dead_letter_target(name, group, retries_max, version, times)
    except JavaError as problem:
        raise FieldError(f"{problem}: maxReconsumeTimes") from problem
    return (topic, True) if dead is None else (ports.tables.know_topic(dead), True)


def make_message(ports: BrokerPorts, given: Fields, topic: TopicConfig, queue: int) -> MessageToPut:
    """One message; a delayed one goes to the queue of its level. Raises FieldError."""
    text = given.optional("properties")
    properties = records.parse_properties(text)
    message = MessageToPut(
        topic=str(topic.name),
        queue_id=queue,
        body=given.request.command.body,
        properties=text,
        sys_flag=given.number("sysFlag") | get_tags_flag(topic),
        flag=given.number("flag"),
        born_timestamp_ms=given.number("bornTimestamp"),
        born_host=encode_host(given.request.asker.peer),
        store_host=encode_host(ports.settings.address),
        is_wait_store_msg_ok=properties.get(WAIT_PROPERTY, "true").lower() == "true",
        reconsume_times=given.number("reconsumeTimes", 0),
    )
    level = properties.get(records.PROPERTY_DELAY_TIME_LEVEL)
    if level is None:
        return message
    try:
        return delay_message(message, parse_integer(level, 32), ports.store.store)
    except JavaError as problem:
        raise FieldError(f"the delay level {level[:20]!r} is not a number") from problem


def get_tags_flag(topic: TopicConfig) -> int:
    """The flag of messages in a topic with several tags each."""
    return MULTI_TAGS_FLAG if topic.filter_type == MULTI_TAG else 0


def make_batch(given: Fields, queue: int, store_host: bytes) -> MessageBatch:
    """Several messages in one body. Raises FieldError."""
    return MessageBatch(
        topic=given.text("topic"),
        queue_id=queue,
        items=decode_items(given.request.command.body),
        sys_flag=given.number("sysFlag"),
        born_timestamp_ms=given.number("bornTimestamp"),
        born_host=encode_host(given.request.asker.peer),
        store_host=store_host,
    )


def decode_items(body: bytes) -> tuple[BatchItem, ...]:
    """The messages of a batch (``MessageDecoder#decodeMessages``). Raises FieldError."""
    items, position = [], 0
    try:
        while position < len(body):
            size, _, _, flag, length = BATCH_ITEM_HEADER.unpack_from(body, position)
            begin = position + BATCH_ITEM_HEADER.size
            (properties,) = records.PROPERTIES_LENGTH.unpack_from(body, begin + length)
            rest = begin + length + records.PROPERTIES_LENGTH.size
            if size <= 0 or length < 0 or properties < 0 or rest + properties != position + size:
                raise FieldError("a batch's message has another length than it says")
            items.append(
                BatchItem(body[begin : begin + length], body[rest : rest + properties], flag)
            )
            position += size
    except struct.error as problem:
        raise FieldError("a batch ends inside a message") from problem
    return tuple(items)


def encode_host(address: str) -> bytes:
    """An address as a record has it: four bytes, or those of 127.0.0.1, and the port."""
    host, _, port = address.rpartition(":")
    try:
        packed = socket.inet_aton(host)
    except OSError:
        packed = socket.inet_aton("127.0.0.1")
    return packed + PORT.pack(int(port) if port.isdigit() else 0)


def answer_put(ports: BrokerPorts, request: Request, done: PendingPut, queue: int) -> None:
    """``SendMessageProcessor#handlePutMessageResult``."""
    result = done.result
    if isinstance(result, Thrown) or result is None:
        request.answer(SendCode.SYSTEM_ERROR, "UNKNOWN_ERROR", TRACE_FIELDS)
        return
    code = RESPONSES[result.status.name]
    if code not in STORED or result.append is None:
        request.answer(code, result.status.name, TRACE_FIELDS)
        return
    request.answer(code, fields=describe_place(ports, done.message, result, queue))


def describe_place(
    ports: BrokerPorts, message: MessageToPut | MessageBatch, result: PutMessageResult, queue: int
) -> dict[str, str]:
    """Where it lies: its id, queue and queue offset; a batch has an id for each message."""
    assert result.append is not None
    store_host = encode_host(ports.settings.address)
    begins, place = [], result.append.wrote_offset_bytes
    for size in list_sizes(message):
        begins.append(place)
        place += size
    return {
        "msgId": ",".join(send_back.make_message_id(store_host, begin) for begin in begins),
        "queueId": str(queue),
        "queueOffset": str(result.append.logics_offset),
        **TRACE_FIELDS,
    }


def list_sizes(message: MessageToPut | MessageBatch) -> list[int]:
    """How many bytes each message of a put takes; of a single one it does not matter."""
    if isinstance(message, MessageToPut):
        return [0]
    return [compute_batch_bytes(evolve(message, items=(item,))) for item in message.items]
