"""PULL_MESSAGE: checks, the read, the suggestion, and pulls that are held until a message comes."""

from __future__ import annotations

import json
from collections.abc import Iterable

from attrs import evolve

from brokers.broker.requests.handler import handles
from brokers.broker.requests.ports import BrokerPorts, Held
from brokers.broker.requests.request import SUCCESS, Request
from brokers.broker.requests.sending import encode_host
from brokers.wire.codes import RequestCode
from reference.decisions.consumer_groups import describe, find_subscription
from reference.decisions.delay.stored import encode_properties
from reference.decisions.progress.offset_table import name_key
from reference.decisions.reading import pull_processor
from reference.decisions.reading.consume_queue import (
    MessageLocation,
    ReadableQueue,
    compute_entries_per_file,
)
from reference.decisions.reading.get_message import GetMessageResult, get_message
from reference.decisions.reading.pull import PullMessageRequest, PullSituation, Topic
from reference.decisions.reading.pull_processor import (
    HeldPull,
    PullAnswer,
    answer_pull,
    look_at_held,
)
from reference.decisions.reading.read import Read
from reference.decisions.reading.subscription import (
    Subscription,
    SubscriptionError,
    is_expression_parsable,
    is_tag_taken,
    is_tag_type,
    parse_tags,
)
from reference.store import consume_queue as stored_queues
from reference.store import reading
from reference.store.mapped_file import SelectedBuffer
from reference.store.put import MessageToPut
from reference.store.store import find_consume_queue

COMMIT_FLAG, SUSPEND_FLAG, SUBSCRIPTION_FLAG = 1, 2, 4
"""``PullSysFlag``."""
MESSAGES_MAX = 100_000
OFFSET_MOVED_EVENT = "OFFSET_MOVED_EVENT"


def hold_pulls(ports: BrokerPorts) -> None:
    """Those that are held are looked at regularly, and when messages arrive."""
    store, processor = ports.reading

    def look() -> None:
        look_again(ports)

    ports.store.every("held pulls", pull_processor.compute_check_interval_ms(processor), look)
    if pull_processor.is_woken_by_messages(store, processor):
        ports.store.on_dispatched.append(look)


def look_again(ports: BrokerPorts) -> None:
    """Pulls for which there is a message, or that have waited long enough, run again."""
    clients = ports.clients
    waiting, clients.held = clients.held, []
    for held in waiting:
        if look_at_held(describe_held(ports, held)) is None:
            clients.held.append(held)
        else:
            run_pull(ports, held.request, is_first_pass=False)


def describe_held(ports: BrokerPorts, held: Held) -> HeldPull:
    """A held pull, and whether there is a message for it by now."""
    request = held.request
    return HeldPull(
        offset=request.number("queueOffset"),
        queue_max_offset=find_queue(ports, request).max_offset_in_queue,
        waited_ms=int(ports.host.now_ms() - held.since_ms),
        timeout_ms=held.timeout_ms,
    )


def find_queue(ports: BrokerPorts, request: Request) -> stored_queues.ConsumeQueue:
    """The queue that a request names; an empty one if there is none."""
    return find_consume_queue(ports.store.store, request.text("topic"), request.number("queueId"))


@handles(RequestCode.PULL_MESSAGE, by=(get_message, answer_pull))
def pull_message(ports: BrokerPorts, request: Request) -> None:
    """``PullMessageProcessor#processRequest``."""
    run_pull(ports, request, is_first_pass=True)


def run_pull(ports: BrokerPorts, request: Request, *, is_first_pass: bool) -> None:
    """Answer a pull, or hold it."""
    pull = make_pull(request, is_first_pass=is_first_pass)
    subscription, pull = read_subscription(ports, request, pull)
    situation, taken = make_situation(ports, request, pull, subscription)
    answer = answer_pull(situation)
    if answer.committed_offset is not None:
        key = name_key(request.text("topic"), pull.group_name)
        ports.tables.commit(key, pull.queue, answer.committed_offset)
    held_ms = answer.held_ms
    if held_ms is not None and ports.clients.hold(request, ports.host.now_ms(), held_ms):
        return
    if answer.is_moved_event_written and answer.result is not None:
        write_moved_event(ports, request, answer.result)
    body = read_bodies(ports, taken, answer)
    request.answer(answer.code, make_remark(answer), make_fields(answer), body)


def make_pull(request: Request, *, is_first_pass: bool) -> PullMessageRequest:
    """The request's own part. Raises FieldError."""
    flags = request.number("sysFlag")
    has_suspend_flag = bool(flags & SUSPEND_FLAG)
    return PullMessageRequest(
        offset=request.number("queueOffset"),
        queue=request.number("queueId"),
        max_messages=max(0, min(request.number("maxMsgNums"), MESSAGES_MAX)),
        group_name=request.text("consumerGroup"),
        commit_offset=request.number("commitOffset") if flags & COMMIT_FLAG else None,
        has_suspend_flag=has_suspend_flag,
        suspend_timeout_ms=request.number("suspendTimeoutMillis", 0) if has_suspend_flag else 0,
        is_first_pass=is_first_pass,
        has_subscription=bool(flags & SUBSCRIPTION_FLAG),
    )


def read_subscription(
    ports: BrokerPorts, request: Request, pull: PullMessageRequest
) -> tuple[Subscription, PullMessageRequest]:
    """Which messages the consumer wants: by the request, or by its heartbeat."""
    fields = request.command.fields
    text, kind = fields.get("subscription"), fields.get("expressionType", "")
    if not pull.has_subscription:
        groups = ports.clients.groups
        known = find_subscription(groups, pull.group_name, request.text("topic"))
        text, kind = (known.text, known.kind) if known is not None else (None, "")
    if not is_tag_type(kind):
        is_valid = is_expression_parsable(text)
        return Subscription(), evolve(pull, is_property_filter=True, is_subscription_valid=is_valid)
    try:
        return parse_tags(text), pull
    except SubscriptionError:
        return Subscription(), evolve(pull, is_subscription_valid=False)


def make_situation(
    ports: BrokerPorts, request: Request, pull: PullMessageRequest, subscription: Subscription
) -> tuple[PullSituation, dict[int, stored_queues.ConsumeQueueEntry]]:
    """The pull with all that the broker knows; and the entries of its queue, by queue offset."""
    store, processor = ports.reading
    topic = ports.tables.topics.get(request.text("topic"))
    known = None if topic is None else Topic(topic.permission, topic.read_queues)
    queue = find_queue(ports, request)
    begin = max(pull.offset, queue.min_offset_in_queue)
    entries = stored_queues.get_index_buffer(queue, begin) or ()
    by_offset = dict(enumerate(entries, start=begin))
    read = Read(
        settings=store,
        queue=describe_queue(queue, begin, entries),
        offset=pull.offset,
        max_messages=pull.max_messages,
        log_max_offset=ports.store.max_offset,
        log_min_offset=max(0, ports.store.min_offset),
        filtered_out=frozenset(
            place for place, e in by_offset.items() if not is_tag_taken(subscription, e.tags_code)
        ),
    )
    result = None if ports.store.store.is_shutdown else get_message(read)
    group = ports.tables.find_group(pull.group_name)
    version = request.number("subVersion", 0)
    registration = describe(ports.clients.groups, pull.group_name, request.text("topic"), version)
    return PullSituation(pull, store, processor, group, known, registration, result), by_offset


def describe_queue(
    queue: stored_queues.ConsumeQueue,
    begin: int,
    entries: Iterable[stored_queues.ConsumeQueueEntry],
) -> ReadableQueue:
    """A queue as a reader sees it: the rest of one file."""
    return ReadableQueue(
        min_offset=queue.min_offset_in_queue,
        max_offset=queue.max_offset_in_queue,
        first_offset=begin,
        entries=[MessageLocation(entry.offset_bytes, entry.size_bytes) for entry in entries],
        entries_per_file=compute_entries_per_file(queue.files.file_size_bytes),
    )


def read_bodies(
    ports: BrokerPorts, entries: dict[int, stored_queues.ConsumeQueueEntry], answer: PullAnswer
) -> bytes:
    """The records of the messages found, one after another."""
    if answer.code != SUCCESS or answer.result is None:
        return b""
    pieces: list[bytes] = []
    for place in answer.result.queue_offsets:
        entry = entries[place]
        ports.store.store, selected = reading.get_message(
            ports.store.store, entry.offset_bytes, entry.size_bytes
        )
        if isinstance(selected, SelectedBuffer):
            pieces.append(bytes(selected.content.data))
    return b"".join(pieces)


def make_remark(answer: PullAnswer) -> str:
    """The store's status, or what refused the pull."""
    return answer.code_decided_by if answer.result is None else answer.result.status.name


def make_fields(answer: PullAnswer) -> dict[str, int | None]:
    """``PullMessageResponseHeader``; a refusal has none."""
    if answer.result is None:
        return {}
    return {
        "suggestWhichBrokerId": answer.suggested_broker_id,
        "nextBeginOffset": answer.result.next_begin_offset,
        "minOffset": answer.result.min_offset,
        "maxOffset": answer.result.max_offset,
    }


def write_moved_event(ports: BrokerPorts, request: Request, result: GetMessageResult) -> None:
    """A message about a consumer whose offset was corrected (R-PM-05)."""
    queue = {
        "brokerName": ports.settings.configuration.broker_name,
        "queueId": request.number("queueId"),
        "topic": request.text("topic"),
    }
    event = {
        "consumerGroup": request.text("consumerGroup"),
        "messageQueue": queue,
        "offsetNew": result.next_begin_offset,
        "offsetRequest": request.number("queueOffset"),
    }
    group = request.text("consumerGroup")
    body = json.dumps(event, separators=(",", ":")).encode()
    own_host = encode_host(ports.settings.address)
    message = MessageToPut(
        OFFSET_MOVED_EVENT,
        0,
        body=body,
        properties=encode_properties({"TAGS": group, "DELAY": "0", "KEYS": group}),
        born_timestamp_ms=ports.host.wall_ms(),
        born_host=own_host,
        store_host=own_host,
    )
    ports.put(message)
