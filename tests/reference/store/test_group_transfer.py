"""Puts that wait for a slave."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.store import group_transfer
from reference.store.group_transfer import GroupCommitRequest, GroupTransfer, Wakeup
from tests.reference.store.logs import MASTER

LONG_MS = 10**6


def play(*events: tuple[int, str, int]) -> GroupTransfer:
    """Puts and acknowledgements at their times; the service runs from the begin."""
    state = group_transfer.start(GroupTransfer())
    for number, (at, kind, offset) in enumerate(events):
        state = group_transfer.advance(state, at)
        if kind == "put":
            state = group_transfer.put_request(state, GroupCommitRequest(number, offset))
        else:
            state = group_transfer.notify_transfer_some(state, offset)
    return group_transfer.advance(state, LONG_MS)


def test_five_waits_of_a_second() -> None:
    """Then a put is refused; those behind it have waited as long for nothing (T6-00052)."""
    state = play((0, "put", 100), (10, "put", 100), (20, "put", 50), (4500, "ack", 50))
    assert (
        Wakeup(0, is_transferred=False, at_ms=4500),
        Wakeup(1, is_transferred=False, at_ms=9500),
        Wakeup(2, is_transferred=True, at_ms=9500),
    ) == state.wakeups


def test_small_acknowledgements_use_waits_up() -> None:
    """Five of them are a refusal within a second and a half (T6-00040)."""
    acks = [(300 * i, "ack", i) for i in range(1, 6)]
    state = play((0, "put", 100), *acks, (1600, "ack", 100))
    assert (Wakeup(0, is_transferred=False, at_ms=1500),) == state.wakeups


def test_an_acknowledgement_for_nobody_uses_a_wait_up() -> None:
    """Four seconds are left (T6-00001)."""
    state = play((0, "ack", 99), (600, "put", 100))
    assert (Wakeup(1, is_transferred=False, at_ms=4600),) == state.wakeups
    assert state.waits[0].is_notified_before


def test_lower_acknowledgements_say_nothing() -> None:
    """Nor does the same one again."""
    state = play((0, "ack", 100), (0, "ack", 100), (0, "ack", 99))
    assert (100, 1) == (state.push2_slave_max_offset_bytes, state.notify_count)


EVENTS = st.lists(
    st.tuples(st.integers(0, 20_000), st.sampled_from(["put", "ack"]), st.integers(0, 5)),
    max_size=12,
).map(sorted)


@given(EVENTS)
def test_every_put_is_answered_in_its_order(events: list[tuple[int, str, int]]) -> None:
    """Within five seconds for each put before it, and rightly where the answer is yes."""
    state = play(*events)
    puts = [number for number, event in enumerate(events) if event[1] == "put"]
    assert puts == [wakeup.number for wakeup in state.wakeups]
    before = 0
    for wakeup in state.wakeups:
        at, _, offset = events[wakeup.number]
        assert wakeup.at_ms <= max(before, at) + 5000
        before = wakeup.at_ms
        acknowledged = [e[2] for e in events if e[1] == "ack" and e[0] <= wakeup.at_ms]
        if wakeup.is_transferred:
            assert offset <= max(acknowledged, default=0)


@given(EVENTS)
def test_time_may_pass_in_steps(events: list[tuple[int, str, int]]) -> None:
    """How often the clock is looked at changes nothing."""
    state = group_transfer.start(GroupTransfer())
    for number, (at, kind, offset) in enumerate(events):
        while state.now_ms + 700 < at:
            state = group_transfer.advance(state, state.now_ms + 700)
        state = group_transfer.advance(state, at)
        if kind == "put":
            state = group_transfer.put_request(state, GroupCommitRequest(number, offset))
        else:
            state = group_transfer.notify_transfer_some(state, offset)
    assert group_transfer.advance(state, LONG_MS) == play(*events)


@pytest.mark.parametrize(
    ("connections", "where", "pushed", "is_ok"),
    [
        (1, 2**28 - 1, 0, True),
        (1, 2**28, 0, False),
        (0, 0, 0, False),
        (-1, 0, 0, False),
        (2, 5, 100, True),
    ],
)
def test_slave_ok(connections: int, where: int, pushed: int, is_ok: bool) -> None:
    """Less than 256 MiB behind, or ahead (T6-00206, T6-00214)."""
    assert is_ok == group_transfer.is_slave_ok(MASTER, connections, where, pushed)
