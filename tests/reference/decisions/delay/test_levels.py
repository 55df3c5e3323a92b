"""Delay levels."""

from __future__ import annotations

import pytest

from reference.decisions.delay.levels import (
    compute_countdown_ms,
    compute_level,
    compute_queue_id,
    is_delayed,
    parse_delay_levels,
)
from reference.store.records import DELAYS_MS

USUAL = "1s 5s 10s 30s 1m 2m 3m 4m 5m 6m 7m 8m 9m 10m 20m 30m 1h 2h"


@pytest.mark.parametrize(
    ("text", "delays_ms"),
    [
        (USUAL, DELAYS_MS),
        ("0s 1h", (0, 3_600_000)),
        ("1d ", (86_400_000,)),
        ("1", None),
        ("1s  2s", None),
        ("s", None),
        ("1w", None),
        ("", None),
    ],
)
def test_levels_are_read(text: str, delays_ms: tuple[int, ...] | None) -> None:
    """What cannot be read ends the start."""
    assert parse_delay_levels(text) == delays_ms


def test_a_level_above_the_last_is_the_last() -> None:
    """And 0 is none."""
    assert [compute_level(level) for level in (1, 18, 19)] == [1, 18, 18]
    assert [is_delayed(level) for level in (-1, 0, 1)] == [False, False, True]
    assert compute_queue_id(1) == 0


@pytest.mark.parametrize(
    ("due_ms", "countdown_ms"), [(90, -10), (100, 0), (101, 1), (150, 50), (151, 0)]
)
def test_who_would_wait_too_long_is_due(due_ms: int, countdown_ms: int) -> None:
    """Now is 100, and the level waits 50."""
    assert compute_countdown_ms(due_ms, 100, 50) == countdown_ms
