"""A message that could not be consumed goes back, to be consumed again later (R-CC-17).

Source: DefaultMQPushConsumerImpl#sendMessageBack, ConsumeMessageConcurrentlyService and
SendMessageProcessor#consumerSendMsgBack of 4.4.0.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import frozen

from reference.decisions.clients.sending import SendAnswer, send
from reference.decisions.name_server.client_side import (
    Route,
    find_publish_address,
    list_write_queues,
)
from reference.decisions.reading.decision import Case, Decided, choose_first
from reference.decisions.reading.pull import ResponseCode
from reference.worlds.replication.roles import Role

CONSUME_AGAIN_MS = 5_000
"""A message that nobody takes back is consumed again by the same consumer after this time."""


def answer_send_back(role: Role) -> ResponseCode:
    """What a broker answers: anything but PUT_OK is an error, and a slave's store refuses puts."""
    return ResponseCode.SYSTEM_ERROR if role is Role.SLAVE else ResponseCode.SUCCESS


@frozen
class Failed:
    """A message that could not be consumed, and what the consumer knows then."""

    broker_name: str
    """Where the message was read from, whatever the id."""
    route: Route
    """Of the message's topic."""
    retry_route: Route | None
    """Of the group's retry topic; None: there is no such topic yet."""
    answers: Mapping[str, SendAnswer]
    """What the master of each name answers, by name; one that is dead gives no answer."""


def is_taken_back(failed: Failed) -> bool:
    """The master of the same name has an address and takes it."""
    is_listed = find_publish_address(failed.route, failed.broker_name) is not None
    return is_listed and failed.answers[failed.broker_name].code == 0


def is_copied(failed: Failed) -> bool:
    """Any master of the retry topic takes a new message with the same content."""
    queues = list_write_queues(failed.retry_route)
    return send(queues, failed.answers).status is not None


def is_left(_failed: Failed) -> bool:
    """Nobody takes it."""
    return True


WAYS: tuple[Case[Failed, str], ...] = (
    (is_taken_back, lambda _: "the broker delivers it again, later each time"),
    (is_copied, lambda _: "a copy in the group's retry topic is delivered later"),
    (is_left, lambda _: f"the same consumer consumes it again after {CONSUME_AGAIN_MS} ms"),
)
"""What becomes of a message that could not be consumed, in the order of the code.

Progress does not pass a message that is left, so it is not missed; see
`reference.decisions.progress.client_offsets.compute_consumed`.
"""


def send_back(failed: Failed) -> Decided[str]:
    """What becomes of a message that could not be consumed."""
    decided = choose_first(WAYS, failed)
    assert decided is not None  # The last condition always holds.
    return decided
