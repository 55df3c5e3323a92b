"""Brokers that answer requests with other codes or numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from brokers.broker.mutants.mutant import (
    BEFORE_5,
    MASTER,
    SLAVE,
    WAITING,
    mutant,
    mutant_of_request,
)
from brokers.broker.requests.ports import BrokerPorts
from brokers.broker.requests.progress import query_consumer_offset
from brokers.broker.requests.pulling import find_queue
from brokers.broker.requests.request import SUCCESS, Request
from brokers.wire.codes import RequestCode
from reference.decisions.progress.offset_table import QueryCode
from reference.decisions.reading.pull import ResponseCode
from reference.decisions.sending.send_processor import SendCode

SENDS = (RequestCode.SEND_MESSAGE, RequestCode.SEND_MESSAGE_V2, RequestCode.SEND_BATCH_MESSAGE)
PULL = "PullMessageProcessor#processRequest"
DECIDED, QUERIES = "reading.md#what-the-broker-answers", "progress.md#queries"
GET_END = "AdminBrokerProcessor#getMaxOffset, #getMinOffset"
QUERY = "ConsumerManageProcessor#queryConsumerOffset"

Answered = tuple[int, Mapping[str, Any] | None]


class ChangedAnswer(Request):
    """It changes code or fields of some answers."""

    codes: tuple[RequestCode, ...] = (RequestCode.PULL_MESSAGE,)

    def change(self, code: int, fields: Mapping[str, Any] | None) -> Answered:
        """What is answered instead."""
        raise NotImplementedError

    def answer(
        self,
        code: int = SUCCESS,
        remark: str | None = None,
        fields: Mapping[str, Any] | None = None,
        body: bytes = b"",
    ) -> None:
        """The answer, changed."""
        if self.command.code in self.codes:
            code, fields = self.change(code, fields)
        super().answer(code, remark, fields, body)


@mutant(
    "put.md#the-put-path", "SendMessageProcessor#handlePutMessageResult", role=MASTER, spans=WAITING
)
class SwapsCodesOfSlaves(ChangedAnswer):
    """SLAVE_NOT_AVAILABLE and FLUSH_SLAVE_TIMEOUT have each other's response code."""

    codes = SENDS
    swapped: Mapping[int, int] = {
        SendCode.SLAVE_NOT_AVAILABLE: SendCode.FLUSH_SLAVE_TIMEOUT,
        SendCode.FLUSH_SLAVE_TIMEOUT: SendCode.SLAVE_NOT_AVAILABLE,
    }

    def change(self, code: int, fields: Mapping[str, Any] | None) -> Answered:
        """The other one."""
        return self.swapped.get(code, code), fields


@mutant(
    "put.md#the-put-path", "SendMessageProcessor#handlePutMessageResult", role=MASTER, spans=WAITING
)
class FailuresOfSlavesAreErrors(ChangedAnswer):
    """A put that no slave has reported is answered SYSTEM_ERROR, as if it was not stored."""

    codes = SENDS

    def change(self, code: int, fields: Mapping[str, Any] | None) -> Answered:
        """An error, and no place."""
        is_stored = code in (SendCode.SLAVE_NOT_AVAILABLE, SendCode.FLUSH_SLAVE_TIMEOUT)
        return (SendCode.SYSTEM_ERROR, {}) if is_stored else (code, fields)


@mutant(DECIDED, PULL, spans=BEFORE_5)
class AlwaysSuggestsTheMaster(ChangedAnswer):
    """A pull suggests the master, however far back it reads."""

    def change(self, code: int, fields: Mapping[str, Any] | None) -> Answered:
        """Broker 0."""
        return code, {**fields, "suggestWhichBrokerId": 0} if fields else fields


@mutant(DECIDED, PULL, spans=BEFORE_5)
class AlwaysSuggestsTheSlave(ChangedAnswer):
    """A pull suggests the slave, however near to the end it reads."""

    def change(self, code: int, fields: Mapping[str, Any] | None) -> Answered:
        """Broker 1."""
        return code, {**fields, "suggestWhichBrokerId": 1} if fields else fields


@mutant(DECIDED, PULL, spans=BEFORE_5)
class MovedIsNotFound(ChangedAnswer):
    """A pull of an offset that is not there is answered PULL_NOT_FOUND, not PULL_OFFSET_MOVED."""

    def change(self, code: int, fields: Mapping[str, Any] | None) -> Answered:
        """It may come later."""
        is_moved = code == ResponseCode.PULL_OFFSET_MOVED
        return ResponseCode.PULL_NOT_FOUND if is_moved else code, fields


@mutant(DECIDED, PULL, spans=BEFORE_5)
class NotFoundIsMoved(ChangedAnswer):
    """A pull at the end of a queue is answered PULL_OFFSET_MOVED, not PULL_NOT_FOUND."""

    def change(self, code: int, fields: Mapping[str, Any] | None) -> Answered:
        """It is not there."""
        is_missing = code == ResponseCode.PULL_NOT_FOUND
        return ResponseCode.PULL_OFFSET_MOVED if is_missing else code, fields


@mutant("reading.md#what-the-store-answers", PULL, spans=BEFORE_5)
class NextOffsetIsTheRequested(ChangedAnswer):
    """A pull of an offset that is not there is sent back to that offset, not to a corrected one."""

    def change(self, code: int, fields: Mapping[str, Any] | None) -> Answered:
        """Where it was."""
        if code != ResponseCode.PULL_OFFSET_MOVED or not fields:
            return code, fields
        return code, {**fields, "nextBeginOffset": self.number("queueOffset")}


@mutant("reading.md#what-the-store-answers", PULL, spans=BEFORE_5)
class QueuesBeginAtZero(ChangedAnswer):
    """The least offset of a queue is told as 0, also when its first messages are gone."""

    codes = (RequestCode.PULL_MESSAGE, RequestCode.GET_MIN_OFFSET)

    def change(self, code: int, fields: Mapping[str, Any] | None) -> Answered:
        """Nothing was ever deleted."""
        name = "minOffset" if self.command.code == RequestCode.PULL_MESSAGE else "offset"
        return code, {**fields, name: 0} if fields else fields


@mutant("reading.md#what-the-store-answers", GET_END)
class TellsTheLastOffset(ChangedAnswer):
    """The end of a queue is told as that of its last message, not as the next one's."""

    codes = (RequestCode.GET_MAX_OFFSET,)

    def change(self, code: int, fields: Mapping[str, Any] | None) -> Answered:
        """One less."""
        return code, {name: max(0, value - 1) for name, value in (fields or {}).items()}


@mutant(QUERIES, QUERY)
class YoungQueueHasNoProgress(ChangedAnswer):
    """Unknown progress is never answered with 0, not even in a queue that still has everything."""

    codes = (RequestCode.QUERY_CONSUMER_OFFSET,)

    def change(self, code: int, fields: Mapping[str, Any] | None) -> Answered:
        """No number without a commit."""
        is_zero = code == SUCCESS and fields is not None and fields.get("offset") == 0
        return (QueryCode.QUERY_NOT_FOUND, {}) if is_zero else (code, fields)


@mutant_of_request(RequestCode.QUERY_CONSUMER_OFFSET, QUERIES, QUERY)
def unknown_progress_is_the_least(ports: BrokerPorts, request: Request) -> None:
    """Unknown progress is answered with the least offset of the queue."""

    class Falling(ChangedAnswer):
        codes = (RequestCode.QUERY_CONSUMER_OFFSET,)

        def change(self, code: int, fields: Mapping[str, Any] | None) -> Answered:
            if code != QueryCode.QUERY_NOT_FOUND:
                return code, fields
            return SUCCESS, {"offset": find_queue(ports, request).min_offset_in_queue}

    query_consumer_offset(ports, Falling(request.command, request.asker))


@mutant_of_request(
    RequestCode.UPDATE_CONSUMER_OFFSET, "progress.md#commits", "ConsumerOffsetManager#commitOffset"
)
def progress_never_goes_back(ports: BrokerPorts, request: Request) -> None:
    """A commit below the known progress is answered, and left out."""
    key = f"{request.text('topic')}@{request.text('consumerGroup')}"
    queue, offset = request.number("queueId"), request.number("commitOffset")
    if offset >= ports.tables.tables.offsets.get(key, {}).get(queue, -1):
        ports.tables.commit(key, queue, offset)
    request.answer()


@mutant_of_request(
    RequestCode.UPDATE_CONSUMER_OFFSET,
    "progress.md#commits",
    "ConsumerManageProcessor#updateConsumerOffset",
    role=SLAVE,
)
def slave_takes_no_progress(ports: BrokerPorts, request: Request) -> None:
    """A slave answers commits, and keeps none of them."""
    if not ports.settings.is_slave:
        key = f"{request.text('topic')}@{request.text('consumerGroup')}"
        ports.tables.commit(key, request.number("queueId"), request.number("commitOffset"))
    request.answer()
