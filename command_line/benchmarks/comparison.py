"""Two commits measured in turns: their ratio, and whether it is more than noise."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import click
from attrs import frozen


@frozen
class Comparison:
    """One engine of two commits, measured once a round each."""

    engine: str
    before: Sequence[float]
    """Judged steps per second of processor time of the other commit, round by round; two at
    least."""
    after: Sequence[float]
    """The same of this commit."""

    @property
    def ratios(self) -> list[float]:
        """This commit to the other one, round by round: both were measured close together."""
        return [after / before for before, after in zip(self.before, self.after, strict=True)]

    @property
    def ratio(self) -> float:
        """The middle one of the rounds."""
        return statistics.median(self.ratios)

    @property
    def noise(self) -> float:
        """A factor, 1 or more: how far a commit was from itself in the next round, at most."""
        return max(
            max(one, other) / min(one, other)
            for measured in (self.before, self.after)
            for one, other in pairwise(measured)
        )

    @property
    def is_beyond_noise(self) -> bool:
        """Whether the two commits are further apart than a commit was ever from itself."""
        return max(self.ratio, 1 / self.ratio) > self.noise


def compare(
    before: Sequence[dict[str, float]], after: Sequence[dict[str, float]]
) -> list[Comparison]:
    """A comparison for each engine, of the rates of each round."""
    return [
        Comparison(engine, [r[engine] for r in before], [r[engine] for r in after])
        for engine in before[0]
    ]


def print_comparison(comparison: Comparison, names: tuple[str, str]) -> None:
    """Both commits' figures, their ratio and what it is worth."""
    click.echo(f"{comparison.engine}:")
    width = max(map(len, names))
    for name, rates in zip(names, (comparison.before, comparison.after), strict=True):
        click.echo(
            f"  {name:{width}}  lowest {min(rates):12,.0f}   "
            f"median {statistics.median(rates):12,.0f}   highest {max(rates):12,.0f}"
        )
    low, high = min(comparison.ratios), max(comparison.ratios)
    click.echo(
        f"  ratio {comparison.ratio:.3f} (rounds: {low:.3f} to {high:.3f}); "
        f"a commit against itself: up to factor {comparison.noise:.3f}.\n  The difference "
        + ("exceeds" if comparison.is_beyond_noise else "does not exceed")
        + " this noise."
    )


def comparison_as_json(comparison: Comparison) -> dict[str, Any]:
    """The same for programs."""
    return {
        "engine": comparison.engine,
        "before": list(comparison.before),
        "after": list(comparison.after),
        "ratios": comparison.ratios,
        "ratio": comparison.ratio,
        "noise": comparison.noise,
        "is_beyond_noise": comparison.is_beyond_noise,
    }
