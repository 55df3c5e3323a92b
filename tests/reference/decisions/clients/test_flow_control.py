"""When a consumer puts off a pull."""

from __future__ import annotations

import pytest

from reference.decisions.clients.flow_control import MIB, Cached, FlowLimits, find_pause


@pytest.mark.parametrize(
    ("cached", "by"),
    [
        (Cached(messages=1_000), None),
        (Cached(messages=1_001), "has_too_many_messages"),
        (Cached(size_bytes=101 * MIB - 1), None),
        (Cached(size_bytes=101 * MIB), "has_too_many_bytes"),
        (Cached(span=2_000), None),
        (Cached(span=2_001), "has_too_wide_a_span"),
        (Cached(span=2_001, is_orderly=True, is_locked=True), None),
        (Cached(is_orderly=True), "is_lock_missing"),
        (Cached(messages=11, limits=FlowLimits(messages=10)), "has_too_many_messages"),
    ],
)
def test_pauses(cached: Cached, by: str | None) -> None:
    """Strictly above each limit; bytes count in whole mebibytes, so nearly one more fits."""
    pause = find_pause(cached)
    assert (pause.by if pause else None) == by
    if pause:
        assert pause.value == (3_000 if by == "is_lock_missing" else 50)


def test_the_first_limit_is_told() -> None:
    """In the order of the code."""
    pause = find_pause(Cached(messages=5_000, size_bytes=500 * MIB, span=5_000))
    assert pause is not None
    assert pause.by == "has_too_many_messages"
