"""When a consumer pulls again after each kind of answer."""

from __future__ import annotations

import pytest

from reference.decisions.clients.next_pull import find_next_pull
from reference.decisions.clients.pulling import pull
from reference.decisions.clients.push_consumer import make_reader
from reference.decisions.clients.requests import Network, PullReply
from reference.decisions.reading.client import Client, choose_target


@pytest.mark.parametrize(
    ("code", "span", "memory", "target"),
    [(19, (0, 0), 9, 1), (16, (3_000, 3_000), 4, 0), (21, (10_000, 30_000), 9, 1)],
)
def test_next_pulls(code: int, span: tuple[int, int], memory: int, target: int) -> None:
    """At once; after three seconds, of the same broker; at a rebalance after the correction."""
    step = pull(make_reader(Client(), 4), Network(pull=PullReply(code, 9, 0, 20, 1)))
    found = find_next_pull(step.consumer)
    assert (found.least_ms, found.most_ms) == span
    assert found.is_queue_given_up is (code == 21)
    assert found.consumer.memory_offset == memory
    assert choose_target(found.consumer.client).broker_id == target
    assert found.consumer.ready
    assert not found.consumer.assignments[found.consumer.ready[0]].is_dropped
