"""CONSUMER_SEND_MSG_BACK, and messages by their place in the log.

Source: SendMessageProcessor#consumerSendMsgBack, QueryMessageProcessor#viewMessageById of 4.4.0.
"""

from __future__ import annotations

import random
import struct

from brokers.broker.replication.followed_puts import PendingPut
from brokers.broker.replication.puts import Puts
from brokers.broker.requests.handler import handles
from brokers.broker.requests.ports import BrokerPorts
from brokers.broker.requests.request import SUCCESS, SYSTEM_ERROR, FieldError, Request
from brokers.broker.requests.sending import ask, encode_host
from brokers.wire.codes import RequestCode
from reference.decisions.delay.stored import delay_message
from reference.decisions.reading.subscription_group import SubscriptionGroup
from reference.decisions.sending import send_back
from reference.decisions.sending.send_back import Back, BackCode, Tried
from reference.decisions.sending.send_processor import PERM_WRITE
from reference.store import reading, records
from reference.store.java import JavaError
from reference.store.mapped_file import SelectedBuffer
from reference.store.put import PutMessageResult, PutMessageStatus
from reference.store.records import Record

SIZE = struct.Struct(">i")


def select_message(ports: BrokerPorts, offset: int) -> bytes | None:
    """The record at an offset (``selectOneMessageByOffset``); its size is believed."""
    _, head = reading.get_message(ports.store.store, offset, SIZE.size)
    if not isinstance(head, SelectedBuffer):
        return None
    (size,) = SIZE.unpack(bytes(head.content.data))
    _, selected = reading.get_message(ports.store.store, offset, size)
    return bytes(selected.content.data) if isinstance(selected, SelectedBuffer) else None


@handles(RequestCode.VIEW_MESSAGE_BY_ID, by=(reading.get_message,))
def view_message(ports: BrokerPorts, request: Request) -> None:
    """``QueryMessageProcessor#viewMessageById``."""
    offset = request.number("offset")
    data = select_message(ports, offset)
    if data is None:
        request.answer(SYSTEM_ERROR, f"can not find message by the offset, {offset}")
    else:
        request.answer(body=data)


@handles(
    RequestCode.CONSUMER_SEND_MSG_BACK,
    by=(send_back.find_end, send_back.make_copy, delay_message, Puts.ask),
)
def take_back(ports: BrokerPorts, request: Request) -> None:
    """``SendMessageProcessor#consumerSendMsgBack``. Raises FieldError."""
    name = request.text("group")
    group = ports.tables.find_group(name)
    end = send_back.find_end(Back(group, ports.reading[1].permission))
    if end is not None or group is None:
        request.answer(SUCCESS if end is None else end.value, None if end is None else end.by)
        return
    made = send_back.make_target(name, group.retry_queues, is_dead_letter=False)
    target = ports.tables.know_topic(made)
    if not target.permission & PERM_WRITE:
        remark = f"the topic[{target.name}] sending message is forbidden"
        request.answer(BackCode.NO_PERMISSION, remark)
        return
    offset = request.number("offset")
    data = select_message(ports, offset)
    record = None if data is None else records.decode(data)
    if record is None:
        request.answer(SYSTEM_ERROR, f"look message by offset failed, {offset}")
        return
    put_back(ports, request, group, record)


def put_back(
    ports: BrokerPorts, request: Request, group: SubscriptionGroup, record: Record
) -> None:
    """The copy, for a later try or among the dead letters. Raises FieldError."""
    name, version = request.text("group"), request.command.version
    told = "maxReconsumeTimes" in request.command.fields
    retries = request.number("maxReconsumeTimes") if told else None
    own_host = encode_host(ports.settings.address)
    try:
        retries_max = send_back.compute_retries_max(group, retries, version)
        tried = Tried(record.reconsume_times, retries_max, request.number("delayLevel"))
        is_dead = send_back.is_dead(tried)
        made = send_back.make_target(name, group.retry_queues, is_dead_letter=is_dead)
        target = ports.tables.know_topic(made)
        queues = send_back.DEAD_LETTER_QUEUES if is_dead else group.retry_queues
        level = None if is_dead else send_back.compute_retry_level(tried)
        queue = random.randrange(queues)
        copy, delay = send_back.make_copy(record, str(target.name), queue, level, own_host)
    except JavaError as problem:
        raise FieldError(f"{problem}: its delay, or maxReconsumeTimes") from problem

    def answer(done: PendingPut) -> None:
        result = done.result
        status = result.status if isinstance(result, PutMessageResult) else None
        is_ok = status is PutMessageStatus.PUT_OK
        remark = None if is_ok else "putMessageResult is null" if status is None else status.name
        request.answer(SUCCESS if is_ok else SYSTEM_ERROR, remark)

    ask(ports, request, delay_message(copy, delay, ports.store.store), answer)
