"""The tester as a producer: each answer becomes a line of the recording."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from attrs import define, field, frozen

from brokers.broker.host import Host
from brokers.broker.network.client import RemotingClient
from brokers.wire.codes import RequestCode
from brokers.wire.remoting import Command
from brokers.wire.request_fields import make_send
from reference.decisions.sending.send_processor import RESPONSES, STORED
from reference.store.records import compute_message_length

TOPIC = "T0"
MESSAGE_ID_DIGITS = 32
"""Of an offset message id: the store's address, then sixteen digits of the offset
(``MessageDecoder#createMessageId``)."""
OFFSET_DIGITS = 16
ANSWER_TIMEOUT_MS = 30_000.0
STATUS_OF_CODE: Mapping[int, str] = {
    int(code): status for status, code in reversed(list(RESPONSES.items()))
}
"""The first of several statuses that have one code."""
STORED_CODES = frozenset(int(code) for code in STORED)


def make_request(code: RequestCode, fields: Mapping[str, Any], body: bytes = b"") -> Command:
    """A request; its fields are texts on the wire."""
    return Command(code, {name: str(value) for name, value in fields.items()}, body)


@frozen
class ProducerMessage:
    """A message that is sent."""

    body_bytes: int
    queue: int = 0
    waits: bool = True
    """The producer waits for disk and slave (``WAIT``)."""
    topic: str = TOPIC

    @property
    def properties(self) -> str:
        """As they are sent."""
        return "" if self.waits else "WAIT\x01false\x02"

    @property
    def size_bytes(self) -> int:
        """What it takes in a log of 4.4.0 (``CommitLog#calMsgLength``)."""
        return compute_message_length(self.body_bytes, len(self.topic), len(self.properties))

    def make_request(self, born_ms: int) -> Command:
        """SEND_MESSAGE, at a time of day (ms since 1970)."""
        others = {"bornTimestamp": born_ms, "reconsumeTimes": 0, "properties": self.properties}
        fields = make_send(self.topic, self.queue, **others)
        return make_request(RequestCode.SEND_MESSAGE, fields, bytes(self.body_bytes))


@define(eq=False, repr=False)
class Producer:
    """Sends, and notes what comes back."""

    host: Host
    address: str
    note: Callable[..., None]
    elapsed_ms: Callable[[], float]
    """The clock of the recording."""
    client: RemotingClient = field(init=False)
    unanswered: int = 0
    log_end: int = 0
    """One past the last byte of all messages that were answered."""

    def __attrs_post_init__(self) -> None:
        self.client = RemotingClient(self.host)

    def send(self, sending: ProducerMessage, then: Callable[[], None]) -> None:
        """One message; ``then`` follows its answer, or the lack of one."""
        begin_ms = self.elapsed_ms()

        def take(answer: Command | None) -> None:
            if answer is None:
                self.unanswered += 1
                seconds = (self.elapsed_ms() - begin_ms) / 1000
                self.note("note", text=f"a put has no answer after {seconds:.0f} s")
                then()
                return
            end_ms = self.elapsed_ms()
            told = self._describe(sending, answer)
            spent = {"t_begin_ms": begin_ms, "duration_ms": round(end_ms - begin_ms, 3)}
            self.note("put", **spent, **told)
            then()

        request = sending.make_request(self.host.wall_ms())
        self.client.ask(self.address, request, ANSWER_TIMEOUT_MS, take)

    def _describe(self, sending: ProducerMessage, answer: Command) -> dict[str, Any]:
        told: dict[str, Any] = {
            "node": "master",
            "topic": sending.topic,
            "queue": sending.queue,
            "body_bytes": sending.body_bytes,
            "wait_store_ok": sending.waits,
            "put_status": STATUS_OF_CODE.get(answer.code, "UNKNOWN_ERROR"),
        }
        identity = answer.fields.get("msgId", "")
        if answer.code in STORED_CODES and len(identity) == MESSAGE_ID_DIGITS:
            offset = int(identity[-OFFSET_DIGITS:], 16)
            size = sending.size_bytes
            self.log_end = max(self.log_end, offset + size)
            told |= {
                "append_status": "PUT_OK",
                "wrote_offset": offset,
                "wrote_bytes": size,
                "queue_offset": int(answer.fields.get("queueOffset", -1)),
            }
        return told
