"""The source of a schedule's random choices: its own, or up to some step its ancestors'.

An unguided schedule uses the random choices of its own number. A guided one first repeats an older
one, up to a step that led to a rare place, and uses its own choices from there. A schedule is
identified by the numbers of its ancestors and the steps at which it left each: ``196~31.200007``
walks 31 steps with the choices of schedule 196, then continues with those of 200007.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from attrs import frozen

from spark_fuzz.kernel.scheduler import PARENT_STEP, compute_schedule_key, draw, pick_below

PATTERN = r"\d+(?:~\d+\.\d+)*"
"""The text of a lineage."""
PARTS_MAX = 17
"""The maximal number of a schedule's numbers: its own, and one of each earlier guided round."""


@frozen
class Lineage:
    """A schedule's number after those of its ancestors."""

    numbers: tuple[int, ...]
    """The oldest ancestor first, the schedule's own number last."""
    ends: tuple[int, ...] = ()
    """The steps after which each but the last was left; increasing."""

    def __str__(self) -> str:
        later = zip(self.ends, self.numbers[1:], strict=True)
        return str(self.numbers[0]) + "".join(f"~{end}.{number}" for end, number in later)

    @classmethod
    def of(cls, schedule: int | Lineage) -> Lineage:
        """The lineage of an unguided schedule is its number."""
        return schedule if isinstance(schedule, Lineage) else cls((schedule,))

    @property
    def number(self) -> int:
        """The schedule's own number."""
        return self.numbers[-1]

    def get_number_at(self, step: int) -> int:
        """The number of the schedule whose choices are used at a step, counted from 0."""
        return self.numbers[sum(end <= step for end in self.ends)]


@frozen
class Parent:
    """A place from which schedules continue."""

    lineage: Lineage
    step: int
    """The number of common steps."""


def parse_lineage(text: str) -> Lineage:
    """Read what ``str`` writes. Raises ValueError for any other text."""
    if not re.fullmatch(PATTERN, text):
        raise ValueError(f"{text!r} is no lineage such as 196~31.200007")
    first, *later = text.split("~")
    pairs = [part.split(".") for part in later]
    numbers = (int(first), *(int(number) for _, number in pairs))
    ends = tuple(int(end) for end, _ in pairs)
    if len(numbers) > PARTS_MAX or any(one >= other for one, other in pairwise((-1, *ends))):
        raise ValueError(f"{text!r} leaves its ancestors in no possible order")
    return Lineage(numbers, ends)


def encode_paths(parents: Sequence[Parent]) -> Any:
    """For each parent its numbers, then its ends, padded with -1: int64, a row each."""
    parts = max((len(p.lineage.numbers) for p in parents), default=0)
    rows = np.full((len(parents), 2 * parts), -1, np.int64)
    for row, parent in zip(rows, parents, strict=True):
        count = len(parent.lineage.numbers)
        row[:count] = parent.lineage.numbers
        row[parts : parts + count] = [*parent.lineage.ends, parent.step]
    return rows


def find_lineage(campaign_seed: int, parents: Sequence[Parent], number: int) -> Lineage:
    """The lineage of the schedule with this number, which continues from one of these parents.

    Without parents it is unguided. The kernel makes the same choice.
    """
    if not parents:
        return Lineage((number,))
    key = compute_schedule_key(campaign_seed, number)
    parent = parents[pick_below(draw(key, PARENT_STEP, 0), len(parents))]
    older = parent.lineage
    return Lineage((*older.numbers, number), (*older.ends, parent.step))
