"""The share of memory, as Java computes it."""

from __future__ import annotations

import pytest

from reference.decisions.reading.settings import compute_memory_bytes, is_further_back_than_memory

RECORDED_TOTAL = 25_276_502_016
"""A total that gives the threshold of the recordings."""


def test_the_recorded_threshold() -> None:
    """40 percent of the recorder's machine, as 4.4.0 brokers computed it."""
    assert compute_memory_bytes(RECORDED_TOTAL, 40) == 10_110_600_806


@pytest.mark.parametrize(
    ("total", "ratio", "java"),
    [(100, 29, 28), (100, 57, 56), (100, 40, 40), (2**34, 0, 0)],
)
def test_known_values(total: int, ratio: int, java: int) -> None:
    """29 percent of 100 are 28 in Java: 29 / 100.0 * 100 is a little less than 29."""
    assert compute_memory_bytes(total, ratio) == java


def test_the_comparison_is_strict() -> None:
    """A distance of exactly the memory is in memory."""
    assert not is_further_back_than_memory(100, 60, 40)
    assert is_further_back_than_memory(100, 59, 40)
