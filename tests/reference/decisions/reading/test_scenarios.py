"""Consequences that operators have met, told with the functions of the read decision."""

from __future__ import annotations

import itertools

import pytest

from reference.decisions.clients import pulling
from reference.decisions.clients.next_pull import NextPull, find_next_pull
from reference.decisions.clients.push_consumer import PushConsumer, make_reader
from reference.decisions.clients.requests import Network
from reference.decisions.reading.client import Client, choose_target
from reference.decisions.reading.consume_queue import MessageLocation, ReadableQueue
from reference.decisions.reading.get_message import get_message
from reference.decisions.reading.pull import PullMessageRequest, PullSituation, ResponseCode, Topic
from reference.decisions.reading.pull_processor import PullAnswer, answer_pull
from reference.decisions.reading.read import Read
from reference.decisions.reading.settings import BrokerSettings, StoreSettings
from reference.decisions.reading.subscription_group import DEFAULT_GROUP
from reference.roles import Role

MASTER, SLAVE = StoreSettings(), StoreSettings(Role.SLAVE)
CHECKING = StoreSettings(Role.SLAVE, is_offset_checked_in_slave=True)
BYTES = 10


def make_queue(low: int, high: int) -> ReadableQueue:
    """The messages from ``low`` on, below ``high``."""
    entries = [MessageLocation(place * BYTES, BYTES) for place in range(low, high)]
    return ReadableQueue(low, high, low, entries)


def ask(store: StoreSettings, queue: ReadableQueue, offset: int) -> PullAnswer:
    """What a broker with this queue answers."""
    end = queue.max_offset * BYTES
    result = get_message(Read(store, queue, offset, 32, log_max_offset=end))
    pull = PullMessageRequest(offset, has_suspend_flag=True)
    return answer_pull(
        PullSituation(pull, store, BrokerSettings(), DEFAULT_GROUP, Topic(), None, result)
    )


def pull(consumer: PushConsumer, store: StoreSettings, queue: ReadableQueue) -> NextPull:
    """One pull of a consumer, and where its next one goes."""
    reply = pulling.make_reply(ask(store, queue, get_next_offset(consumer)))
    return find_next_pull(pulling.pull(consumer, Network(pull=reply)).consumer)


def get_next_offset(consumer: PushConsumer) -> int:
    """Where its next pull begins."""
    return consumer.assignments[consumer.ready[0]].next_offset


def count_cached(consumer: PushConsumer) -> int:
    """Messages that it has."""
    return len(consumer.assignments[consumer.ready[0]].cache.offsets)


def choose_broker(consumer: PushConsumer) -> int:
    """Whom its next pull goes to."""
    return choose_target(consumer.client).broker_id


def test_a_new_slave_sends_readers_of_old_messages_back() -> None:
    """It has the last file only; with the master there, the next pull goes to it (K-23)."""
    reader = make_reader(Client(suggested_id=1), 5)
    assert ask(SLAVE, make_queue(82, 102), 5).code is ResponseCode.PULL_RETRY_IMMEDIATELY
    after = pull(reader, SLAVE, make_queue(82, 102)).consumer
    assert (get_next_offset(after), choose_broker(after)) == (5, 0)


@pytest.mark.parametrize("queue", [make_queue(82, 102), make_queue(0, 3), ReadableQueue()])
def test_without_a_master_such_readers_loop(queue: ReadableQueue) -> None:
    """Below the slave's queue, beyond it, or at an empty one: no pause, no news (K-23, K-43)."""
    reader = make_reader(Client(brokers=(1,)), 5)
    for _ in range(3):
        following = pull(reader, SLAVE, queue)
        reader = following.consumer
        assert (following.most_ms, count_cached(reader)) == (0, 0)
        assert (get_next_offset(reader), reader.memory_offset) == (5, 5)
        assert choose_broker(reader) == 1


def test_at_the_slave_s_end_a_reader_is_held_instead() -> None:
    """The one offset outside the queue that does not loop (K-43)."""
    answer = ask(SLAVE, make_queue(0, 5), 5)
    assert answer.code is ResponseCode.PULL_NOT_FOUND
    assert answer.held_ms == 15_000


def test_a_wiped_master_is_read_again_from_0() -> None:
    """Its queue begins again while consumers remember larger offsets (K-26)."""
    following = pull(make_reader(Client(), 40), MASTER, make_queue(0, 3))
    assert following.is_queue_given_up
    assert (get_next_offset(following.consumer), following.consumer.memory_offset) == (0, 0)


@pytest.mark.parametrize(
    ("low", "high", "following"), [(0, 0, 0), (0, 4, 0), (1, 4, 4), (0, 5, 5), (0, 7, 7)]
)
def test_what_a_consumer_ahead_misses(low: int, high: int, following: int) -> None:
    """It asks for 5 from a master that has lost its queue and has new messages (K-33, issue 37).

    Sent back to 0 it reads them all. In every other case those before 5 are never seen, and at the
    end of the queue nothing tells.
    """
    after = pull(make_reader(Client(), 5), MASTER, make_queue(low, high))
    assert get_next_offset(after.consumer) == following
    assert after.is_queue_given_up is (high < 5)


def test_a_lagging_slave_that_checks_offsets_resets_progress() -> None:
    """By default it leaves the offset alone (issue 36)."""
    reader = make_reader(Client(brokers=(1,)), 15_619)
    queue = make_queue(0, 7_358)
    assert pull(reader, CHECKING, queue).consumer.memory_offset == 0
    assert pull(reader, SLAVE, queue).consumer.memory_offset == 15_619


def test_a_longer_slave_resets_a_reader_that_comes_back() -> None:
    """It has read beyond the master's end (issue 51): the whole queue again."""
    at_slave = pull(make_reader(Client(suggested_id=1), 0), SLAVE, make_queue(0, 12)).consumer
    assert (get_next_offset(at_slave), choose_broker(at_slave)) == (12, 0)
    assert pull(at_slave, MASTER, make_queue(0, 6)).consumer.memory_offset == 0


def test_reads_that_move_to_a_lagging_slave_see_nothing_for_a_while() -> None:
    """What was read from the master is not there yet, and no message is read twice (issue 50)."""
    reader = make_reader(Client(brokers=(1,)), 9)
    for end, expected in itertools.zip_longest((7, 8, 9, 10), (0, 0, 0, 1)):
        assert count_cached(pull(reader, SLAVE, make_queue(0, end)).consumer) == expected
