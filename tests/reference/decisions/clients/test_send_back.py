"""Messages that could not be consumed."""

from __future__ import annotations

import pytest

from reference.decisions.clients.consuming import Failed, answer_send_back, send_back
from reference.decisions.clients.sending import SendAnswer
from reference.decisions.name_server.client_side import Route
from reference.decisions.name_server.registry import QueueData
from reference.decisions.progress.client_offsets import compute_consumed
from reference.decisions.reading.pull import ResponseCode
from reference.worlds.replication.roles import Role

OK, ERROR, NOTHING = SendAnswer(0), SendAnswer(1), SendAnswer(None)
BOTH = Route({"a": QueueData()}, {"a": {0: "m:1", 1: "s:1"}})
SLAVE_ONLY = Route({"a": QueueData()}, {"a": {1: "s:1"}})
TWO = Route({"a": QueueData(), "b": QueueData()}, {"a": {1: "s:1"}, "b": {0: "m:2"}})


@pytest.mark.parametrize(
    ("failed", "by"),
    [
        (Failed("a", BOTH, BOTH, {"a": OK}), "is_taken_back"),
        (Failed("a", BOTH, BOTH, {"a": NOTHING}), "is_left"),
        (Failed("a", BOTH, BOTH, {"a": ERROR}), "is_left"),
        (Failed("a", SLAVE_ONLY, SLAVE_ONLY, {}), "is_left"),
        (Failed("a", SLAVE_ONLY, None, {}), "is_left"),
        (Failed("a", SLAVE_ONLY, TWO, {"b": OK}), "is_copied"),
        (Failed("a", SLAVE_ONLY, TWO, {"b": SendAnswer(11)}), "is_copied"),
        (Failed("a", SLAVE_ONLY, TWO, {"b": NOTHING}), "is_left"),
    ],
)
def test_ways(failed: Failed, by: str) -> None:
    """To the master of the name, else as a copy to any master, else nowhere (R-CC-17)."""
    assert send_back(failed).by == by


def test_a_message_that_is_left_holds_back_progress() -> None:
    """The consumer keeps it, so its progress does not pass it."""
    assert send_back(Failed("a", SLAVE_ONLY, None, {})).by == "is_left"
    assert compute_consumed(frozenset({4}), 9) == 4


def test_a_slave_takes_nothing_back() -> None:
    """Its store refuses puts, which is answered as an error."""
    assert answer_send_back(Role.SLAVE) is ResponseCode.SYSTEM_ERROR
    for role in (Role.ASYNC_MASTER, Role.SYNC_MASTER):
        assert answer_send_back(role) is ResponseCode.SUCCESS
