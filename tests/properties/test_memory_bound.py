"""The theorem about the memory threshold, and totals that show it to be sharp."""

from __future__ import annotations

import struct
from fractions import Fraction

import pytest

from properties.memory_bound import (
    EXACT_RATIOS,
    RATIOS,
    REALISTIC_BELOW,
    SMALLER_RATIOS,
    compute_bound,
    compute_ratio_error,
    find_differences,
    find_first_difference,
    is_exact,
    is_never_smaller,
    list_telling_totals,
)
from reference.read.memory import DOUBLE_EXACT_BELOW, compute_memory_bytes

BOUNDS = [compute_bound(ratio, DOUBLE_EXACT_BELOW) for ratio in RATIOS]
REALISTIC = [compute_bound(ratio, REALISTIC_BELOW) for ratio in RATIOS]


def test_one_byte_at_most() -> None:
    """For every ratio and every memory."""
    assert all(bound.is_one_byte for bound in BOUNDS)


def test_which_ratios_may_give_less_and_which_are_exact() -> None:
    """The proof decides both for each ratio."""
    assert tuple(r for r in RATIOS if not is_never_smaller(r)) == SMALLER_RATIOS
    exact = [b.ratio for b in BOUNDS if b.is_never_larger and is_never_smaller(b.ratio)]
    assert tuple(exact) == EXACT_RATIOS


def test_up_to_64_tebibytes_never_more() -> None:
    """And less only where the product is a whole number."""
    assert all(bound.is_never_larger for bound in REALISTIC)
    assert all(bound.is_smaller_at_multiples_only for bound in REALISTIC)


@pytest.mark.parametrize("ratio", RATIOS)
def test_search_agrees_and_the_theorem_is_sharp(ratio: int) -> None:
    """An independent search finds every kind of difference that is not excluded, and no other."""
    found = [
        each for totals in list_telling_totals(ratio) for each in find_differences(ratio, totals)
    ]
    kinds = {difference for _, difference in found}
    assert kinds <= {-1, 1}
    assert (-1 in kinds) is (ratio in SMALLER_RATIOS)
    assert bool(kinds) is (ratio not in EXACT_RATIOS)
    realistic = [(t, d) for t, d in found if t < REALISTIC_BELOW]
    assert all(d == -1 and t * ratio % 100 == 0 for t, d in realistic)


def test_the_smallest_differences() -> None:
    """57 and 58 percent of small numbers, as everyone may recompute."""
    firsts = {r: find_first_difference(r, range(20_000)) for r in RATIOS}
    assert {r: first for r, first in firsts.items() if first} == {
        29: (100, -1),
        35: (180, -1),
        41: (300, -1),
        47: (4300, -1),
        57: (100, -1),
        58: (50, -1),
        69: (300, -1),
        70: (90, -1),
        82: (150, -1),
        94: (2150, -1),
    }
    assert is_exact(58, 49)


def test_the_default_ratio_never_gives_less() -> None:
    """And more only from some 4 PiB on: 40 percent are what one expects on every machine."""
    assert is_never_smaller(40)
    assert compute_bound(40, 2**50).is_never_larger
    assert not compute_bound(40, 2**53).is_never_larger


def test_floats_are_the_doubles_of_java() -> None:
    """64 bits with 53 significant ones, rounded to even: 0.4 has the bits of Java's 0.4."""
    assert struct.pack(">d", 40 / 100.0).hex() == "3fd999999999999a"
    assert compute_ratio_error(40) == Fraction(1, 45_035_996_273_704_960)
    assert compute_memory_bytes(2**53 - 1, 100) == 2**53 - 1
