"""The client: whom it asks next, what it makes of each code, and where its progress goes."""

from __future__ import annotations

import pytest
from attrs import evolve

from reference.decisions.reading.client import (
    Client,
    ClientError,
    PullStatus,
    Target,
    choose_offset_store,
    choose_target,
    compute_commit_flag,
    get_wanted_id,
    order_as_hash_map,
    react,
)
from reference.decisions.reading.get_message import GetMessageResult
from reference.decisions.reading.pull import ResponseCode
from reference.decisions.reading.pull_processor import PullAnswer
from reference.decisions.reading.read import GetMessageStatus


def answer(code: ResponseCode, begin: int = 9, suggested: int = 1) -> PullAnswer:
    """An answer with a code; status and counts do not matter to the client."""
    result = GetMessageResult(GetMessageStatus.FOUND, "", begin, 0, 20, message_count=2)
    return PullAnswer(code, "", suggested_broker_id=suggested, result=result)


@pytest.mark.parametrize(
    ("client", "target"),
    [
        (Client(), Target(0, "is_wanted_there")),
        (Client(suggested_id=1), Target(1, "is_wanted_there")),
        (Client(suggested_id=1, forced_id=0), Target(0, "is_wanted_there")),
        (Client(suggested_id=2), Target(0, "is_other_there")),
        (Client(suggested_id=0, brokers=(3, 2)), Target(2, "is_other_there")),
    ],
)
def test_targets(client: Client, target: Target) -> None:
    """The suggested broker, or the first one that has an address."""
    assert choose_target(client) == target
    assert target.is_slave is (target.broker_id > 0)


def test_no_broker_at_all() -> None:
    """Neither pulls nor progress go anywhere."""
    for choose in (choose_target, choose_offset_store):
        with pytest.raises(ClientError):
            choose(Client(brokers=()))


def test_progress_goes_to_the_first_address() -> None:
    """The master if it is listed, wherever pulls go; but ids of one bucket keep their order."""
    assert choose_offset_store(Client(suggested_id=1)) == 0
    assert choose_offset_store(Client(brokers=(2, 1))) == 1
    assert choose_offset_store(Client(brokers=(16, 0))) == 16
    assert order_as_hash_map((16, 3, 0, 17, 1)) == (16, 0, 17, 1, 3)


def test_the_commit_flag_is_cleared_towards_a_slave() -> None:
    """And it is not set before there is any progress."""
    client = Client(memory_offset=4)
    assert compute_commit_flag(client, Target(0, "")) == 4
    assert compute_commit_flag(client, Target(1, "")) is None
    assert compute_commit_flag(evolve(client, memory_offset=0), Target(0, "")) is None


def test_a_batch_is_taken_and_the_next_pull_goes_at_once() -> None:
    """Next offset and suggested broker come from the answer."""
    reaction = react(Client(), answer(ResponseCode.SUCCESS))
    assert (reaction.status, reaction.messages, reaction.pause_ms) == (PullStatus.FOUND, 2, 0)
    assert (reaction.client.next_offset, get_wanted_id(reaction.client)) == (9, 1)
    assert not reaction.client.is_cache_empty


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (ResponseCode.PULL_NOT_FOUND, PullStatus.NO_NEW_MSG),
        (ResponseCode.PULL_RETRY_IMMEDIATELY, PullStatus.NO_MATCHED_MSG),
    ],
)
@pytest.mark.parametrize(
    ("is_empty", "before", "after"), [(True, 4, 9), (True, 12, 12), (False, 4, 4)]
)
def test_nothing_for_it(
    code: ResponseCode, status: PullStatus, is_empty: bool, before: int, after: int
) -> None:
    """It pulls again at once; progress follows if nothing is cached, and only upwards."""
    client = Client(memory_offset=before, is_cache_empty=is_empty)
    reaction = react(client, answer(code))
    assert (reaction.status, reaction.pause_ms) == (status, 0)
    assert (reaction.client.memory_offset, reaction.client.next_offset) == (after, 9)


def test_a_moved_offset_gives_up_the_queue() -> None:
    """Progress is corrected after ten seconds, downwards too; cached messages are dropped."""
    client = Client(memory_offset=30, is_cache_empty=False)
    reaction = react(client, answer(ResponseCode.PULL_OFFSET_MOVED, begin=0))
    assert reaction.is_queue_given_up
    assert (reaction.status, reaction.pause_ms) == (PullStatus.OFFSET_ILLEGAL, 10_000)
    assert (reaction.client.memory_offset, reaction.client.is_cache_empty) == (0, True)


def test_other_codes_change_nothing() -> None:
    """The same pull goes to the same broker three seconds later."""
    reaction = react(Client(suggested_id=1), PullAnswer(ResponseCode.SYSTEM_ERROR, ""))
    assert (reaction.client, reaction.status, reaction.pause_ms) == (
        Client(suggested_id=1),
        None,
        3_000,
    )
