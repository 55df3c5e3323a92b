"""A slave under test copies the tables of the tester's master: changes there, and looks at both."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import frozen

from brokers.conformance.acts import Then, repeat, wait_until
from brokers.conformance.clients import (
    READ_WRITE,
    GroupMade,
    ProgressMade,
    TopicMade,
    ask,
    name_code,
)
from brokers.conformance.producer import TOPIC, make_request
from brokers.conformance.shown_tables import (
    DELAY_STEP,
    SHOWN_STEPS,
    describe_own,
    describe_tables,
)
from brokers.conformance.stage import MASTER_NODE, Stage
from brokers.recordings.tables.worlds import COPY_LATEST_MS, START_LONGEST_MS
from brokers.wire.codes import RequestCode
from brokers.wire.remoting import Command
from reference.decisions.delay.stored import delay_message
from reference.decisions.metadata.copying import REQUEST_CODES, STEPS, choose_form
from reference.decisions.metadata.json_text import TextError
from reference.decisions.metadata.table_text import TopicConfig
from reference.decisions.progress.offset_table import name_key
from reference.decisions.reading.subscription_group import SubscriptionGroup
from reference.decisions.sending.send_processor import RESPONSES, SendCode
from reference.store.put import MessageToPut

SUCCESS = int(SendCode.SUCCESS)
SETTLE_MS = 500.0
"""So long after its request a slave has taken a table over."""
LISTENING_MS = 200.0
"""So long after it was asked to a port is open."""
OWED_REST_MS = START_LONGEST_MS + COPY_LATEST_MS + 1_000.0
"""So long after it is due a copy is over, or was left out."""


@frozen
class OpenNames:
    """The slave under test finds a name server from now on."""

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        stage.open_names()
        stage.host.after(LISTENING_MS, then)

    def __str__(self) -> str:
        return "a name server runs"


@frozen
class CloseNames:
    """Its name server is gone: what it has learnt there stays."""

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        stage.close_names()
        then()

    def __str__(self) -> str:
        return "the name server ends"


@frozen
class MasterTopic(TopicMade):
    """The tester's master makes a topic."""

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        made = TopicConfig(
            name=self.topic,
            read_queues=self.queues,
            write_queues=self.queues,
            permission=READ_WRITE,
        )
        stage.get_master().running.tables.put_topic(made)
        self.note(stage, MASTER_NODE, SUCCESS)
        then()

    def __str__(self) -> str:
        return f"the master makes topic {self.topic}, {self.queues} queues"


@frozen
class MasterGroup(GroupMade):
    """The tester's master makes a subscription group, or changes it."""

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        made = SubscriptionGroup(broker_id=self.broker_id, slow_broker_id=self.slow_broker_id)
        stage.get_master().running.tables.put_group(self.group, made)
        self.note(stage, MASTER_NODE, SUCCESS)
        then()

    def __str__(self) -> str:
        ids = f"broker {self.broker_id}, {self.slow_broker_id} when slow"
        return f"the master makes group {self.group}: {ids}"


@frozen
class MasterCommit(ProgressMade):
    """The tester's master takes progress of a consumer."""

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        key = name_key(TOPIC, self.group)
        stage.get_master().running.tables.commit(key, self.queue, self.offset)
        self.note(stage, MASTER_NODE, SUCCESS)
        then()

    def __str__(self) -> str:
        return f"the master has progress {self.offset} of {self.group} in queue {self.queue}"


@frozen
class MasterTakes:
    """The tester's master takes messages, one after another, that do not wait for its slave."""

    count: int = 1
    queue: int = 0
    body_bytes: int = 100
    delay_level: int = 0
    """It delivers them later; 0: at once."""

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        repeat(self.count, lambda done: self._put(stage, done), then)

    def _put(self, stage: Stage, then: Then) -> None:
        body = bytes(self.body_bytes)
        message = MessageToPut(
            TOPIC, self.queue, body, "WAIT\x01false\x02", is_wait_store_msg_ok=False
        )
        master, delayed = stage.get_master().running, {}
        if self.delay_level:
            message = delay_message(message, self.delay_level, master.store.store)
            delayed = {"delay_level": self.delay_level}

        def answered(put: Any) -> None:
            result, code = put.result, RESPONSES[put.result.status.name]
            stage.note(
                "send_message",
                node=MASTER_NODE,
                topic=TOPIC,
                queue=self.queue,
                body_bytes=self.body_bytes,
                wait_store_ok=False,
                response_code=int(code),
                response=name_code(int(code)),
                queue_offset=str(result.append.logics_offset),
                remark=None,
                **delayed,
            )
            then()

        master.puts.ask(message, answered)

    def __str__(self) -> str:
        when = f", delay level {self.delay_level}" if self.delay_level else ""
        size = f"{self.body_bytes} bytes"
        return f"the master takes {self.count} messages of {size} for queue {self.queue}{when}"


@frozen
class ShowMaster:
    """A look at the tables of the tester's master, with its progress of delayed delivery."""

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        stage.note("tables", node=MASTER_NODE, **describe_own(stage.get_master().running))
        then()

    def __str__(self) -> str:
        return "a look at the master's tables"


@frozen
class Copied:
    """Until the slave has copied all tables that are there now, or owes that."""

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        first, *_, last = (REQUEST_CODES[step] for step in STEPS)
        form = choose_form(stage.settings.version.release)
        patience_ms = max(form.first_ms, form.period_ms) + OWED_REST_MS
        begun, done = stage.copies[first], stage.copies[last]
        is_under_way = begun > done

        def is_copied() -> bool:
            # A copy that was under way has asked for some tables before.
            return stage.copies[first] > begun and stage.copies[last] > done + is_under_way

        wait_until(stage, is_copied, patience_ms, then, rest_ms=SETTLE_MS)

    def __str__(self) -> str:
        return "until the slave has copied"


@frozen
class ShowTables:
    """A look at the tables of the slave under test, when no copy is under way."""

    is_first: bool = False
    """It shows what the slave has begun with, before it knows a master."""
    with_delays: bool = False
    """It shows delay offsets, too, which the slave has taken from its file when it started."""

    def perform(self, stage: Stage, then: Then) -> None:
        """Do it."""
        began_ms = stage.host.now_ms()

        def show(texts: dict[str, str]) -> None:
            if stage.copied_ms > began_ms - SETTLE_MS:
                stage.host.after(SETTLE_MS, lambda: self.perform(stage, then))
                return
            self._note(stage, texts)
            then()

        steps = [*SHOWN_STEPS, DELAY_STEP] if self.with_delays else list(SHOWN_STEPS)
        self._ask(stage, steps, {}, show)

    def _ask(
        self,
        stage: Stage,
        steps: list[str],
        texts: dict[str, str],
        show: Callable[[dict[str, str]], None],
    ) -> None:
        if not steps:
            show(texts)
            return
        step, *rest = steps

        def take(answer: Command) -> None:
            texts[step] = answer.body.decode("utf-8", "replace")

        request = make_request(RequestCode(REQUEST_CODES[step]), {})
        ask(stage, request, take, lambda: self._ask(stage, rest, texts, show))

    def _note(self, stage: Stage, texts: dict[str, str]) -> None:
        try:
            told = describe_tables(texts)
        except TextError as problem:
            stage.producer.unanswered += 1
            stage.note("note", text=f"the tables cannot be read: {problem}")
            return
        if self.is_first:
            stage.lines[0] |= told
        else:
            stage.note("tables", node=stage.tested_node, **told)

    def __str__(self) -> str:
        if self.is_first:
            return "the tables that the slave begins with"
        return "a look at its tables" + (", with delay offsets" if self.with_delays else "")
