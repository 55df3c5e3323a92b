"""Rows about a consumer: a call for each operation, its answer written as the rows write it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from attrs import evolve

from reference.decisions.clients import (
    consuming,
    offset_store,
    process_queue,
    pulling,
    push_consumer,
    rebalancing,
)
from reference.decisions.clients.flow_control import FlowLimits
from reference.decisions.clients.offset_store import ReadOffsetType
from reference.decisions.clients.process_queue import CachedMessage, ProcessQueue
from reference.decisions.clients.push_consumer import ConsumerSettings, ConsumerStep
from reference.decisions.clients.requests import (
    CommitRequest,
    MaxOffsetRequest,
    Network,
    PullReply,
    PullRequest,
    Request,
    RouteRequest,
    StoredOffsetRequest,
    TimeOffsetRequest,
    compute_port,
)
from reference.decisions.progress.client_offsets import (
    RETRY_TOPIC_PREFIX,
    OffsetReply,
    read_strategy,
)
from reference.decisions.reading.client import (
    Client,
    PullTarget,
    find_master,
    find_offset_store,
    find_only,
    find_target,
    get_wanted_id,
    note_suggestion,
)
from reference.decisions.reading.subscription import parse_tags
from tests.oracle.found import Found, Row, list_fields
from tests.oracle.store_rows import RowError

LISTEN_PORT = 10911
BODY_BYTES = 10
"""Of each message in rows about a cache; a body has one byte in the others."""
NOT_TAKEN = -1
"""How rows write that a queue is not taken."""

Written: TypeAlias = dict[str, Any]


def write_target(target: PullTarget | None) -> Written | None:
    """A broker that was found."""
    return target and {"id": target.broker_id, "is_slave": target.is_slave}


def write_id(broker_id: int | None) -> Written | None:
    """The same where only its id was looked for."""
    return None if broker_id is None else write_target(PullTarget(broker_id, ""))


def ask_which_node(row: Row, _folder: Path) -> Iterator[Found]:
    """Whom a client asks, after some suggestions."""
    asked = row["input"]
    forced = asked["defaultBrokerId"] if asked["connectBrokerByUser"] else None
    client = Client(forced_id=forced, brokers=read_brokers(asked["brokers"]))
    wanted = [get_wanted_id(client)]
    for broker_id in asked["suggestions"]:
        client = note_suggestion(client, broker_id)
        wanted.append(get_wanted_id(client))
    answer = {
        "recalculated": wanted,
        "subscribe_any": write_target(find_target(client)),
        "subscribe_only": write_id(find_only(client.brokers, get_wanted_id(client))),
        "admin": write_id(find_offset_store(client)),
        "publish": find_master(client),
    }
    yield from list_fields(None, row["output"], answer)


def read_brokers(ids: list[int] | None) -> tuple[int, ...]:
    """The addresses that a client has of the name; none where the name is unknown."""
    return tuple(ids or ())


def ask_process_queue(row: Row, _folder: Path) -> Iterator[Found]:
    """Messages are put into a cache and taken out of it."""
    cache = ProcessQueue()
    for number, (op, expected) in enumerate(
        zip(row["input"]["ops"], row["output"]["steps"], strict=True)
    ):
        name, offsets = op
        messages = [CachedMessage(offset, BODY_BYTES) for offset in offsets]
        before = cache
        result: int | bool
        if name == "put":
            cache = process_queue.put(cache, messages)
            result = process_queue.is_dispatched(before, cache)
        elif name == "remove":
            cache = process_queue.remove(cache, messages)
            result = process_queue.compute_progress(before, cache)
        else:
            raise RowError(f"there is no operation {name!r}")
        answer = {
            "result": result,
            "cached": list(cache.offsets),
            "count": len(cache.offsets),
            "bytes": cache.body_bytes,
            "span": cache.span,
            "queue_offset_max": cache.last_put,
        }
        yield from list_fields(number, expected, answer)


def write_request(request: Request) -> Written:
    """A request as rows write it."""
    match request:
        case RouteRequest():
            return {"request": "GET_ROUTEINTO_BY_TOPIC"}
        case StoredOffsetRequest(broker_id):
            port = str(compute_port(request, LISTEN_PORT))
            return {"request": "QUERY_CONSUMER_OFFSET", "to": broker_id, "port": port}
        case MaxOffsetRequest(broker_id):
            return {"request": "GET_MAX_OFFSET", "to": broker_id}
        case TimeOffsetRequest(broker_id):
            return {"request": "SEARCH_OFFSET_BY_TIMESTAMP", "to": broker_id}
        case CommitRequest(broker_id, queue, offset):
            told = {"queue": queue, "commit_offset": offset}
            return {"request": "UPDATE_CONSUMER_OFFSET", "to": broker_id, **told}
        case PullRequest():
            return {
                "request": "PULL_MESSAGE",
                "to": request.broker_id,
                "queueOffset": request.queue_offset,
                "has_commit_flag": request.has_commit_flag,
                "has_suspend_flag": request.has_suspend_flag,
                "has_subscription_flag": request.has_subscription_flag,
                "commitOffset": request.memory_offset,
                "suspendTimeoutMillis": request.suspend_timeout_ms,
                "timeout_ms": request.timeout_ms,
                "maxMsgNums": request.messages_max,
            }


def read_offset_reply(told: Any) -> OffsetReply | None:
    """A broker's answer to a question for an offset; a word says why there is none."""
    return OffsetReply(told["code"], told.get("offset")) if isinstance(told, dict) else None


def read_pull_reply(told: Any) -> PullReply | None:
    """A broker's answer to a pull."""
    if not isinstance(told, dict):
        return None
    return PullReply(
        code=told["code"],
        next_begin_offset=told.get("nextBeginOffset"),
        min_offset=told.get("minOffset"),
        max_offset=told.get("maxOffset"),
        suggested_broker_id=told.get("suggestWhichBrokerId"),
        messages=tuple(
            CachedMessage(offset, 1, told.get("tag")) for offset in told.get("msgs") or ()
        ),
    )


def read_network(script: Mapping[str, Any]) -> Network:
    """What requests meet."""
    route = script.get("route")
    return Network(
        route=tuple(route) if isinstance(route, list) else None,
        stored_offset=read_offset_reply(script.get("query")),
        max_offset=read_offset_reply(script.get("max")),
        time_offset=read_offset_reply(script.get("search")),
        pull=read_pull_reply(script.get("pull")),
    )


def read_settings(told: Mapping[str, Any]) -> ConsumerSettings:
    """What the consumer sets; defaults where a row does not say it."""
    known = {"consumeFromWhere", "topic", "subscription", "pullInterval", "pullThresholdForQueue"}
    known |= {"consumeConcurrentlyMaxSpan", "postSubscriptionWhenPull"}
    if unknown := told.keys() - known:
        raise RowError(f"a consumer has no setting {', '.join(sorted(unknown))}")
    default, limits = ConsumerSettings(), FlowLimits()
    return ConsumerSettings(
        strategy=read_strategy(told.get("consumeFromWhere", default.strategy.value)),
        is_retry_topic=told.get("topic", "t").startswith(RETRY_TOPIC_PREFIX),
        tags=parse_tags(told.get("subscription")).tags,
        pull_interval_ms=told.get("pullInterval", default.pull_interval_ms),
        is_subscription_posted=told.get("postSubscriptionWhenPull", default.is_subscription_posted),
        limits=evolve(
            limits,
            messages=told.get("pullThresholdForQueue", limits.messages),
            span=told.get("consumeConcurrentlyMaxSpan", limits.span),
        ),
    )


class Session:
    """A consumer whose operations are asked one after another."""

    def __init__(self, asked: Row) -> None:
        client = Client(brokers=read_brokers(asked["brokers"]))
        self.consumer = push_consumer.make_consumer(
            client, read_settings(asked.get("consumer", {}))
        )
        self.script: dict[str, Any] = dict(asked.get("script") or {})
        self.shown: int | None = None
        """The assignment that rows show: of the pull asked for last, or of the next one."""
        self.result: Any = None
        self.sent: tuple[Request, ...] = ()
        self.scheduled_ms: tuple[int, ...] = ()

    @property
    def network(self) -> Network:
        """What requests meet; what an operation says holds for those after it too."""
        return read_network(self.script)

    def note(self, step: ConsumerStep) -> None:
        """Take over what an operation came to."""
        self.consumer, self.sent, self.scheduled_ms = step.consumer, step.sent, step.scheduled_ms

    def note_exchange(self, exchange: offset_store.Exchange) -> None:
        """The same for an operation of the store of progress alone."""
        self.note(ConsumerStep(evolve(self.consumer, store=exchange.store), exchange.sent))
        self.result = exchange.offset

    def run(self, op: list[Any]) -> None:
        """One operation."""
        name, *given = op
        if name not in OPERATIONS:
            raise RowError(f"there is no operation {name!r}")
        self.result = None
        self.note(ConsumerStep(self.consumer))
        OPERATIONS[name](self, *given)

    def rebalance(self, is_assigned: bool, script: Row) -> None:
        """The queue is the consumer's own, or is not."""
        self.script |= script
        before = self.consumer
        self.note(rebalancing.rebalance(before, self.network, is_assigned=is_assigned))
        self.result = rebalancing.is_changed(before, self.consumer)
        self.shown = next(iter(self.consumer.ready), self.shown)

    def pull(self, reply: Any, script: Row | None = None) -> None:
        """The next pull that is ready is sent, and answered."""
        if not self.consumer.ready:
            self.result = "nothing_ready"
            return
        self.shown = self.consumer.ready[0]
        self.script |= {"pull": reply, **(script or {})}
        self.note(pulling.pull(self.consumer, self.network))

    def consume(self, number: int) -> None:
        """A batch that waits is consumed."""
        if number >= len(self.consumer.batches):
            self.result = "nothing"
            return
        self.consumer = consuming.consume(self.consumer, number)

    def elapse(self, script: Row | None = None) -> None:
        """All delays are over."""
        self.script |= script or {}
        self.note(rebalancing.run_delayed(self.consumer, self.network))

    def persist_all(self, script: Row | None = None) -> None:
        """All progress is sent."""
        self.script |= script or {}
        self.note(rebalancing.persist_all(self.consumer, self.network))

    def set_brokers(self, ids: list[int] | None) -> None:
        """The client has these addresses."""
        client = evolve(self.consumer.client, brokers=read_brokers(ids))
        store = evolve(self.consumer.store, client=client)
        self.consumer = evolve(self.consumer, store=store)

    def update_queue(self, queue: int, offset: int, is_increase_only: bool) -> None:
        """A queue's progress is set, or moved on."""
        store = offset_store.update(
            self.consumer.store, queue, offset, is_increase_only=is_increase_only
        )
        self.consumer = evolve(self.consumer, store=store)

    def update_offset(self, offset: int, is_increase_only: bool) -> None:
        """The same for the consumer's own queue."""
        self.update_queue(self.consumer.queue, offset, is_increase_only)

    def read_offset(self, kind: str, script: Row | None = None) -> None:
        """The queue's progress is read."""
        self.script |= script or {}
        store, queue = self.consumer.store, self.consumer.queue
        self.note_exchange(offset_store.read(store, queue, ReadOffsetType(kind), self.network))

    def persist(self, script: Row | None = None) -> None:
        """The queue's progress is sent."""
        self.script |= script or {}
        store, queue = self.consumer.store, self.consumer.queue
        self.note_exchange(offset_store.persist(store, queue, self.network))

    def persist_queues(self, queues: list[int]) -> None:
        """Progress of these queues is sent, and the rest forgotten."""
        store = self.consumer.store
        self.note_exchange(offset_store.persist_all(store, frozenset(queues), self.network))
        left = sorted(self.consumer.store.offsets.items())
        self.result = {str(queue): offset for queue, offset in left}
        # The order is that of a hash table, so rows have it sorted by their text.
        self.sent = tuple(sorted(self.sent, key=lambda r: json.dumps(write_request(r))))

    def remove_offset(self) -> None:
        """The queue's progress is forgotten."""
        store = offset_store.forget(self.consumer.store, self.consumer.queue)
        self.consumer = evolve(self.consumer, store=store)

    def write_state(self) -> Written:
        """What rows show of a consumer."""
        consumer = self.consumer
        assignment = None if self.shown is None else consumer.assignments[self.shown]
        cached = None if assignment is None else list(assignment.cache.offsets)
        return {
            "next_offset": assignment and assignment.next_offset,
            "memory_offset": consumer.memory_offset,
            "which_node": consumer.client.suggested_id,
            "cached": cached,
            "message_count": None if cached is None else len(cached),
            "dropped": assignment and assignment.is_dropped,
            "is_assigned": consumer.assigned is not None,
            "pulls_ready": len(consumer.ready),
            "tasks_later": len(consumer.later),
            "consume_requests": len(consumer.batches),
        }

    def write_step(self, before: Written) -> Written:
        """An operation's answer; of the state what has changed since."""
        answer = {
            "result": self.result,
            "sent": list(map(write_request, self.sent)),
            "scheduled_ms": list(self.scheduled_ms),
        }
        written = {name: value for name, value in answer.items() if value not in (None, [])}
        state = self.write_state()
        changed = {n: v for n, v in state.items() if n not in before or before[n] != v}
        return {**written, "state": changed}


OPERATIONS: Mapping[str, Callable[..., None]] = {
    "rebalance": Session.rebalance,
    "pull": Session.pull,
    "consume": Session.consume,
    "elapse": Session.elapse,
    "persist_all": Session.persist_all,
    "brokers": Session.set_brokers,
    "update_offset": Session.update_offset,
    "update_queue": Session.update_queue,
    "read_offset": Session.read_offset,
    "persist": Session.persist,
    "persist_mqs": Session.persist_queues,
    "remove_offset": Session.remove_offset,
}
"""Operations by the names that rows give them."""


def ask_session(row: Row, _folder: Path) -> Iterator[Found]:
    """What a consumer sends, keeps and waits for, operation by operation."""
    asked = row["input"]
    session, before = Session(asked), {}
    for number, (op, expected) in enumerate(zip(asked["ops"], row["output"]["steps"], strict=True)):
        session.run(op)
        answer = session.write_step(before)
        before = session.write_state()
        yield from list_every_field(number, expected, answer)


def list_every_field(number: int, expected: Row, answer: Row) -> Iterator[Found]:
    """Where two answers differ; what only one of them tells is a difference too."""
    flat, other = ({**each, **each["state"]} for each in (expected, answer))
    for field in sorted((flat.keys() | other.keys()) - {"state"}):
        if flat.get(field) != other.get(field) or (field in flat) != (field in other):
            yield number, field, flat.get(field), other.get(field)


def ask_pull_from_where(row: Row, _folder: Path) -> Iterator[Found]:
    """Where a consumer begins to read, and whom it asks for that."""
    asked = row["input"]
    session = Session(asked)
    session.script = asked["answers"]
    begun = rebalancing.begin(session.consumer, session.network)
    session.consumer = begun.consumer
    answer = {
        "offset": NOT_TAKEN if begun.offset is None else begun.offset,
        "sent": list(map(write_request, begun.sent)),
        "state": session.write_state(),
    }
    yield from list_fields(None, row["output"], answer)


ASKED: Mapping[str, Callable[[Row, Path], Iterator[Found]]] = {
    "which_node": ask_which_node,
    "process_queue": ask_process_queue,
    "pull_from_where": ask_pull_from_where,
    "offset_store": ask_session,
    "session": ask_session,
    "session_moved": ask_session,
    "session_random": ask_session,
}
"""Who answers, by the ``kind`` of a row."""
