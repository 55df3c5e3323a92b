"""A coverage curve as a drawing: how much was met after how many schedules.

Lengths are in pixels of the drawing; schedules are on a logarithmic axis, because most of what a
campaign meets it meets early.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from attrs import frozen

WIDTH, HEIGHT = 340, 190
LEFT, RIGHT, TOP, BOTTOM = 46, 330, 14, 160
"""Where the axes begin and end."""


@frozen
class Tick:
    """A line across the drawing, and the number beside it."""

    at: float
    label: str


@frozen
class Curve:
    """Everything that is drawn."""

    points: tuple[tuple[float, float], ...]
    schedules: tuple[Tick, ...]
    """Powers of ten."""
    met: tuple[Tick, ...]
    """None, half, and the most."""

    @property
    def path(self) -> str:
        """The points as SVG takes them."""
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in self.points)


def format_decade(exponent: int) -> str:
    """A power of ten in few letters: 1, 10, 100, 1k, up to 100G."""
    thousands, rest = divmod(exponent, 3)
    return f"{10**rest}{('', 'k', 'M', 'G', 'T')[thousands]}"


def draw_curve(measured: Sequence[Sequence[int]]) -> Curve:
    """The drawing of pairs (schedules, met), in order; schedules are at least 1."""
    last = max(schedules for schedules, _ in measured)
    most = max(1, *(met for _, met in measured))
    decades = range(math.floor(math.log10(last)) + 1)

    def place(schedules: int) -> float:
        share = math.log10(schedules) / math.log10(last) if last > 1 else 1.0
        return LEFT + (RIGHT - LEFT) * share

    def raise_by(met: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * met / most

    points = tuple((place(schedules), raise_by(met)) for schedules, met in measured)
    ticks = tuple(Tick(place(10**n), format_decade(n)) for n in decades)
    levels = tuple(Tick(raise_by(met), f"{met:,}") for met in sorted({0, most // 2, most}))
    return Curve(points, ticks, levels)
