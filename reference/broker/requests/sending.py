"""SEND_MESSAGE in its three forms: checks, the put, and its answer."""

from __future__ import annotations

import random
import socket
import struct
from typing import TYPE_CHECKING

from attrs import frozen

from reference.broker.replication.puts import Put, Puts
from reference.broker.requests.handler import SYSTEM_BUSY, FieldError, Request, handles
from reference.decisions.delay.stored import delay_message
from reference.decisions.sending import send_processor
from reference.decisions.sending.send_processor import RESPONSES, STORED, SendCode
from reference.store import records
from reference.store.java import JavaError, Thrown, parse_integer
from reference.store.put import (
    BATCH_ITEM_HEADER,
    BatchItem,
    Message,
    MessageBatch,
    PutMessageResult,
)
from reference.wire.codes import RequestCode

if TYPE_CHECKING:
    from reference.broker.broker import Broker

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
    "batch": "m",
}
"""Names of the fields in SEND_MESSAGE_V2 (``SendMessageRequestHeaderV2``)."""
PORT = struct.Struct(">i")
WAIT_PROPERTY = "WAIT"
"""``MessageConst.PROPERTY_WAIT_STORE_MSG_OK``."""
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
    by=(send_processor.find_topic, send_processor.find_refusal, Puts.ask),
)
def send_message(broker: Broker, request: Request) -> None:
    """``SendMessageProcessor#processRequest``."""
    given = Fields(request)
    name = given.text("topic")
    topics = broker.tables.topics
    queues = given.number("defaultTopicQueueNums", 0)
    topic = send_processor.find_topic(name, topics, given.optional("defaultTopic"), queues)
    send = send_processor.Send(
        name, given.number("queueId"), topic, given.is_batch, broker.reading[1].permission
    )
    refusal = send_processor.find_refusal(send)
    if refusal is not None:
        remark = f"{refusal.by}: topic[{name}] queueId[{send.queue}]"
        request.answer(refusal.value, remark)
        return
    assert topic is not None  # An unknown one was refused.
    if name not in topics:
        broker.tables.put_topic(topic)
        broker.registration.register()
    queue = send.queue if send.queue >= 0 else random.randrange(max(1, topic.write_queues))
    message = make_batch(given, queue) if given.is_batch else make_message(broker, given, queue)

    def answer(done: Put) -> None:
        answer_put(broker, request, done, queue)

    if broker.puts.ask(message, answer) is None:
        request.answer(SYSTEM_BUSY, "[OVERLOAD]system busy, start flow control for a while")


def make_message(broker: Broker, given: Fields, queue: int) -> Message:
    """One message; a delayed one goes to the queue of its level. Raises FieldError."""
    text = given.optional("properties")
    properties = records.parse_properties(text)
    message = Message(
        topic=given.text("topic"),
        queue_id=queue,
        body=given.request.command.body,
        properties=text,
        sys_flag=given.number("sysFlag"),
        flag=given.number("flag"),
        born_timestamp_ms=given.number("bornTimestamp"),
        born_host=encode_host(given.request.asker.peer),
        store_host=encode_host(broker.settings.address),
        is_wait_store_msg_ok=properties.get(WAIT_PROPERTY, "true").lower() == "true",
    )
    level = properties.get(records.PROPERTY_DELAY_TIME_LEVEL)
    if level is None:
        return message
    try:
        return delay_message(message, parse_integer(level, 32), broker.store.store)
    except JavaError as problem:
        raise FieldError(f"the delay level {level[:20]!r} is not a number") from problem


def make_batch(given: Fields, queue: int) -> MessageBatch:
    """Several messages in one body. Raises FieldError."""
    return MessageBatch(
        topic=given.text("topic"),
        queue_id=queue,
        items=decode_items(given.request.command.body),
        sys_flag=given.number("sysFlag"),
        born_timestamp_ms=given.number("bornTimestamp"),
        born_host=encode_host(given.request.asker.peer),
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


def answer_put(broker: Broker, request: Request, done: Put, queue: int) -> None:
    """``SendMessageProcessor#handlePutMessageResult``."""
    broker.note_put(done)
    result = done.result
    if isinstance(result, Thrown) or result is None:
        request.answer(SendCode.SYSTEM_ERROR, "UNKNOWN_ERROR")
        return
    code = RESPONSES[result.status.name]
    if code not in STORED or result.append is None:
        request.answer(code, result.status.name)
        return
    request.answer(code, fields=describe_place(broker, result, queue))


def describe_place(broker: Broker, result: PutMessageResult, queue: int) -> dict[str, str]:
    """Where the message lies: its id, queue and queue offset."""
    assert result.append is not None
    offset = struct.pack(">q", result.append.wrote_offset_bytes)
    store_host = encode_host(broker.settings.address)
    return {
        "msgId": (store_host + offset).hex().upper(),
        "queueId": str(queue),
        "queueOffset": str(result.append.logics_offset),
        "MSG_REGION": "DefaultRegion",
        "TRACE_ON": "true",
    }
