"""How far the memory threshold that Java computes may be from the one that one would expect.

Two operations on doubles are rounded: the ratio divided by 100, and the product with the memory.
The error of the first is known exactly for each ratio; that of the second is at most half of the
distance between doubles of that size. With exact rationals this bounds the difference of the two
whole numbers, for every size of memory at once.

**Theorem.** For every total from 0 to 2**53 - 1 bytes and every ratio from 0 to 100 the two differ
by one byte at most. Java's number is the smaller one for the ratios of SMALLER_RATIOS only, and the
larger one for none of EXACT_RATIOS; below 2**46 bytes (64 TiB) for no ratio at all. Where it is the
smaller one below 2**46 bytes, total * ratio is a multiple of 100.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import gcd

from attrs import frozen

from reference.read.memory import (
    compute_memory_bytes,
    compute_memory_bytes_exactly,
)

RATIOS = range(101)
"""Every ratio that makes sense, in percent."""

SMALLER_RATIOS = (29, 35, 41, 47, 57, 58, 69, 70, 82, 94)
"""Ratios for which Java's number is too small by one for some totals."""

EXACT_RATIOS = (0, 1, 2, 4, 25, 50, 100)
"""Ratios for which it never differs."""

REALISTIC_BELOW = 2**46
"""64 TiB."""

SIGNIFICANT_BITS = 53
"""Of a double (IEEE 754 binary64)."""


def compute_ratio_error(ratio: int) -> Fraction:
    """What the double ``ratio / 100.0`` is more than the ratio, exactly."""
    return Fraction(ratio / 100.0) - Fraction(ratio, 100)


SMALLEST_EXPONENT = -7
"""One percent of a byte is more than 2 to this power."""


@frozen
class Bound:
    """What bounds the product before its fraction is cut off, minus the exact product."""

    ratio: int
    low: Fraction
    high: Fraction

    @property
    def is_one_byte(self) -> bool:
        """The two whole numbers differ by one at most."""
        return -1 <= self.low and self.high <= 1

    @property
    def is_never_larger(self) -> bool:
        """Too little to reach the next whole number, which is so many hundredths away at least.

        Half, a quarter and the whole are exact: their product with any total is a double itself.
        """
        is_product_exact = Fraction(self.ratio, 100) in (
            Fraction(1),
            Fraction(1, 2),
            Fraction(1, 4),
        )
        return is_product_exact or self.high < Fraction(gcd(self.ratio, 100), 100)

    @property
    def is_smaller_at_multiples_only(self) -> bool:
        """Too little to fall below a whole number, but where the product is one itself."""
        return self.low > Fraction(-1, 100)


def is_never_smaller(ratio: int) -> bool:
    """The product never falls below a whole number N that it should be.

    N is a double, so a product that is not below N is not rounded to below N. A product that is
    below N by a share of it up to 2**-54 is rounded to N: doubles below N are further apart.
    """
    error = compute_ratio_error(ratio)
    return error >= 0 or -error / Fraction(ratio, 100) <= Fraction(1, 2 ** (SIGNIFICANT_BITS + 1))


def compute_bound(ratio: int, below: int) -> Bound:
    """The bound for every total from 1 to below a number, for one ratio.

    Products between two powers of two are rounded by half of one distance; the totals that give
    them, and with them what the ratio's own error comes to, lie between two numbers as well.
    """
    error, double = compute_ratio_error(ratio), Fraction(ratio / 100.0)
    lows, highs = [Fraction(0)], [Fraction(0)]
    for exponent in range(SMALLEST_EXPONENT, below.bit_length() if ratio else SMALLEST_EXPONENT):
        least = max(Fraction(2) ** exponent / double, Fraction(1))
        most = min(Fraction(2) ** (exponent + 1) / double, Fraction(below))
        if least <= most:
            rounding = Fraction(2) ** (exponent + 1 - SIGNIFICANT_BITS) / 2
            lows.append(min(error * least, error * most) - rounding)
            highs.append(max(error * least, error * most) + rounding)
    return Bound(ratio, min(lows), max(highs))


def is_exact(ratio: int, total: int) -> bool:
    """The two numbers are the same."""
    return compute_memory_bytes(total, ratio) == compute_memory_bytes_exactly(total, ratio)


def find_differences(ratio: int, totals: range) -> Iterator[tuple[int, int]]:
    """Totals where the two differ, with Java's number minus the expected one."""
    for total in totals:
        java = compute_memory_bytes(total, ratio)
        difference = java - compute_memory_bytes_exactly(total, ratio)
        if difference:
            yield total, difference


def list_telling_totals(ratio: int) -> Iterator[range]:
    """Small totals, and those about which a product or a total comes to a power of two."""
    yield range(20_000)
    for exponent in range(10, SIGNIFICANT_BITS + 1):
        for power in (2**exponent, 2**exponent * 100 // max(ratio, 1)):
            yield range(max(power - 200, 0), min(power + 200, 2**SIGNIFICANT_BITS))


def find_first_difference(ratio: int, within: range) -> tuple[int, int] | None:
    """The smallest total where the two differ; None where they do not."""
    return next(find_differences(ratio, within), None)
