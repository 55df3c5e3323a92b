"""The tester as a consumer and an administrator: answers become lines of the recording.

A broker that takes clients is recorded as a whole one (``broker_started``): what it stores is
known from its answers only.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

from attrs import frozen

from brokers.conformance.acts import POLL_MS, Then, repeat
from brokers.conformance.producer import ANSWER_TIMEOUT_MS, TOPIC, ProducerMessage, make_request
from brokers.conformance.stage import Stage
from brokers.recorder.observing import AnswerError, read_figures, read_table
from brokers.wire.codes import RequestCode
from brokers.wire.remoting import Command
from brokers.wire.request_fields import make_pull
from reference.decisions.progress.offset_table import QueryCode
from reference.decisions.reading.pull import ResponseCode
from reference.decisions.sending.send_processor import SendCode

COMMIT_FLAG, SUSPEND_FLAG, SUBSCRIPTION_FLAG = 1, 2, 4
"""``PullSysFlag``."""
ENDS = {"min_offset": RequestCode.GET_MIN_OFFSET, "max_offset": RequestCode.GET_MAX_OFFSET}
NO_OFFSET = -9
"""What recordings have for the offsets of an answer that has none."""
READ_WRITE = 6


def ask(stage: Stage, request: Command, take: Callable[[Command], None], then: Then) -> None:
    """One request to the broker under test; ``then`` follows in any case."""

    def answered(command: Command | None) -> None:
        if command is None:
            stage.producer.unanswered += 1
            stage.note("note", text=f"request {request.code} has no answer")
        else:
            take(command)
        then()

    stage.producer.client.ask(stage.broker_address, request, ANSWER_TIMEOUT_MS, answered)


def name_code(code: int) -> str:
    """A code as recordings have it."""
    for names in (ResponseCode, SendCode, QueryCode):
        if code in set(names):
            return str(names(code).name)
    return str(code)


@frozen
class TopicMade:
    """A topic that a broker makes."""

    topic: str = TOPIC
    queues: int = 4

    def note(self, stage: Stage, node: str, code: int) -> None:
        """The broker has answered so."""
        told: dict[str, Any] = {"topic": self.topic, "queues": self.queues}
        stage.note("update_topic", node=node, response_code=code, **told)


@frozen
class GroupMade:
    """A subscription group that a broker makes or changes."""

    group: str = "G"
    broker_id: int = 0
    slow_broker_id: int = 1

    def note(self, stage: Stage, node: str, code: int) -> None:
        """The broker has answered so."""
        stage.note(
            "update_subscription_group",
            node=node,
            group=self.group,
            broker_id=self.broker_id,
            which_broker_when_consume_slowly=self.slow_broker_id,
            response_code=code,
        )


@frozen
class ProgressMade:
    """Progress that a broker takes."""

    offset: int
    queue: int = 0
    group: str = "G"

    def note(self, stage: Stage, node: str, code: int) -> None:
        """The broker has answered so."""
        stage.note(
            "update_consumer_offset",
            node=node,
            group=self.group,
            topic=TOPIC,
            queue=self.queue,
            offset=self.offset,
            response_code=code,
            response=name_code(code),
        )


@frozen
class MakeTopic(TopicMade):
    """A topic is made."""

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        fields = {
            "topic": self.topic,
            "defaultTopic": "TBW102",
            "readQueueNums": self.queues,
            "writeQueueNums": self.queues,
            "perm": READ_WRITE,
            "topicFilterType": "SINGLE_TAG",
            "topicSysFlag": 0,
            "order": "false",
        }

        def take(answer: Command) -> None:
            self.note(stage, stage.tested_node, answer.code)

        ask(stage, make_request(RequestCode.UPDATE_AND_CREATE_TOPIC, fields), take, then)

    def __str__(self) -> str:
        return f"topic {self.topic} is made, {self.queues} queues"


@frozen
class MakeGroup(GroupMade):
    """A subscription group is made."""

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        told = {
            "groupName": self.group,
            "consumeEnable": True,
            "consumeFromMinEnable": True,
            "consumeBroadcastEnable": True,
            "retryQueueNums": 1,
            "retryMaxTimes": 16,
            "brokerId": self.broker_id,
            "whichBrokerWhenConsumeSlowly": self.slow_broker_id,
        }

        def take(answer: Command) -> None:
            self.note(stage, stage.tested_node, answer.code)

        code, body = RequestCode.UPDATE_AND_CREATE_SUBSCRIPTIONGROUP, json.dumps(told).encode()
        ask(stage, make_request(code, {}, body), take, then)

    def __str__(self) -> str:
        ids = f"broker {self.broker_id}, {self.slow_broker_id} when slow"
        return f"group {self.group} is made: {ids}"


@frozen
class Send:
    """Messages are sent one after another, as to any whole broker."""

    count: int = 1
    body_bytes: int = 100
    queue: int = 0

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        repeat(self.count, lambda done: self._send(stage, done), then)

    def _send(self, stage: Stage, then: Then) -> None:
        request = ProducerMessage(self.body_bytes, self.queue).make_request(stage.host.wall_ms())

        def take(answer: Command) -> None:
            stage.sends_open -= 1
            stage.note(
                "send_message",
                node=stage.tested_node,
                topic=TOPIC,
                queue=self.queue,
                body_bytes=self.body_bytes,
                wait_store_ok=True,
                response_code=answer.code,
                response=name_code(answer.code),
                queue_offset=answer.fields.get("queueOffset"),
                remark=answer.remark,
            )

        stage.sends_open += 1
        ask(stage, request, take, then)

    def __str__(self) -> str:
        return f"{self.count} messages of {self.body_bytes} bytes to queue {self.queue}"


@frozen
class Pull:
    """A consumer pulls; it waits for messages only if it is told how long."""

    offset: int
    queue: int = 0
    messages_max: int = 32
    group: str = "G"
    commits: int | None = None
    """The offset that it commits with the pull."""
    topic: str = TOPIC
    held_ms: int = 0
    """So long the broker may hold it; the next act does not wait for the answer."""

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        flags = SUBSCRIPTION_FLAG | (0 if self.commits is None else COMMIT_FLAG)
        flags |= SUSPEND_FLAG if self.held_ms else 0
        begin_ms = stage.elapsed_ms()
        fields = make_pull(
            self.topic,
            self.queue,
            self.offset,
            consumerGroup=self.group,
            maxMsgNums=self.messages_max,
            sysFlag=flags,
            commitOffset=self.commits or 0,
            suspendTimeoutMillis=self.held_ms,
        )
        request = make_request(RequestCode.PULL_MESSAGE, fields)
        after = (lambda: None) if self.held_ms else then
        ask(stage, request, lambda answer: self._note(stage, answer, begin_ms), after)
        if self.held_ms:
            stage.host.after(POLL_MS, then)

    def _note(self, stage: Stage, answer: Command, begin_ms: float) -> None:
        if self.held_ms and stage.sends_open:
            # It may have found a message that is about to be acknowledged.
            stage.host.after(1.0, lambda: self._note(stage, answer, begin_ms))
            return

        def get(name: str) -> int:
            return int(answer.fields.get(name, NO_OFFSET))

        suggested = answer.fields.get("suggestWhichBrokerId")
        stage.note(
            "pull_message",
            node=stage.tested_node,
            group=self.group,
            topic=self.topic,
            queue=self.queue,
            offset=self.offset,
            max_msgs=self.messages_max,
            commit_flag=self.commits is not None,
            commit_offset=self.commits,
            suspend_flag=bool(self.held_ms),
            **(
                {"t_begin_ms": begin_ms, "suspend_timeout_ms": self.held_ms} if self.held_ms else {}
            ),
            get_status=answer.remark or "",
            response_code=answer.code,
            response=name_code(answer.code),
            suggest_which_broker_id=None if suggested is None else int(suggested),
            next_begin_offset=get("nextBeginOffset"),
            min_offset=get("minOffset"),
            max_offset=get("maxOffset"),
            body_bytes=len(answer.body),
            role=stage.settings.role.name,
        )

    def __str__(self) -> str:
        commit = "" if self.commits is None else f", commits {self.commits}"
        held = f", held {self.held_ms} ms" if self.held_ms else ""
        where = f"{self.messages_max} from {self.offset} of {self.topic}-{self.queue}"
        return f"{self.group} pulls {where}{commit}{held}"


@frozen
class AskEnds:
    """A consumer asks where a queue begins and ends."""

    queue: int = 0

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        place: dict[str, Any] = {"topic": TOPIC, "queueId": self.queue}
        ends: dict[str, int] = {}

        def take(name: str, answer: Command) -> None:
            ends[name] = int(answer.fields.get("offset", NO_OFFSET))

        def told() -> None:
            if len(ends) == len(ENDS):
                where: dict[str, Any] = {"topic": TOPIC, "queue": self.queue}
                stage.note("queue_ends", node=stage.tested_node, **where, **ends)
            then()

        def ask_next(left: list[tuple[str, RequestCode]]) -> None:
            if not left:
                told()
                return
            (name, code), *rest = left
            ask(stage, make_request(code, place), partial(take, name), lambda: ask_next(rest))

        ask_next(list(ENDS.items()))

    def __str__(self) -> str:
        return f"somebody asks where queue {self.queue} begins and ends"


@frozen
class AskStatus:
    """Somebody asks the broker under test where its log begins and ends."""

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        begin_ms = stage.elapsed_ms()

        def take(answer: Command) -> None:
            try:
                figures = read_figures(read_table(answer))
            except AnswerError as problem:
                stage.note("note", text=f"the broker tells no status: {problem}")
                return
            stage.note("broker_status", node=stage.tested_node, t_begin_ms=begin_ms, **figures)

        ask(stage, make_request(RequestCode.GET_BROKER_RUNTIME_INFO, {}), take, then)

    def __str__(self) -> str:
        return "somebody asks where the log begins and ends"


@frozen
class Commit(ProgressMade):
    """A consumer commits its progress."""

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        fields = {
            "consumerGroup": self.group,
            "topic": TOPIC,
            "queueId": self.queue,
            "commitOffset": self.offset,
        }

        def take(answer: Command) -> None:
            self.note(stage, stage.tested_node, answer.code)

        ask(stage, make_request(RequestCode.UPDATE_CONSUMER_OFFSET, fields), take, then)

    def __str__(self) -> str:
        return f"{self.group} commits {self.offset} of queue {self.queue}"


@frozen
class Query:
    """A consumer asks for its progress."""

    queue: int = 0
    group: str = "G"

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        fields = {"consumerGroup": self.group, "topic": TOPIC, "queueId": self.queue}

        def take(answer: Command) -> None:
            told = answer.fields.get("offset")
            stage.note(
                "query_consumer_offset",
                node=stage.tested_node,
                group=self.group,
                topic=TOPIC,
                queue=self.queue,
                response_code=answer.code,
                response=name_code(answer.code),
                **({} if told in (None, "None") else {"offset": int(told)}),
            )

        ask(stage, make_request(RequestCode.QUERY_CONSUMER_OFFSET, fields), take, then)

    def __str__(self) -> str:
        return f"{self.group} asks for its progress in queue {self.queue}"
