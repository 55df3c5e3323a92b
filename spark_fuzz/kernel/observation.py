"""Observations of schedules, counted by schedules. Compiled by the kernel.

A table of observations has a row for each thing that can be met: the number of schedules, the first
one, and its step. The number of the last schedule prevents counting one schedule twice.
"""

from __future__ import annotations

from typing import Any

LAST, SCHEDULES, FIRST, STEP, NAME = range(5)
"""The last schedule that met it plus one; how many did; the first one; the first one's step; only
in a table of situations, the situation's number."""
PROBES_MAX = 16
"""The number of rows in which a situation is searched; one that does not fit is counted as lost."""


def note_observation(table: Any, row: int, schedule: int, step: int) -> None:
    """A schedule meets something; schedules come in the order of their numbers."""
    if table[row, LAST] == schedule + 1:
        return
    if table[row, SCHEDULES] == 0:
        table[row, FIRST] = schedule
        table[row, STEP] = step
    table[row, LAST] = schedule + 1
    table[row, SCHEDULES] += 1


def compute_situation(marks: Any, enabled: Any, count: int) -> int:
    """The number of a situation, that is, of a set of enabled instances.

    A fingerprint of 62 bits, the marks of the enabled instances added without carry (Zobrist): two
    situations of one campaign share it with negligible probability.
    """
    number = 0
    for i in range(count):
        number ^= marks[enabled[i]]
    return number + 1


def note_situation(observations: Any, enabled: Any, count: int, schedule: int, step: int) -> None:
    """A schedule is in a situation; open addressing in a power of two of rows."""
    table = observations.situations
    name = compute_situation(observations.marks, enabled, count)
    row = name & (len(table) - 1)
    for _ in range(PROBES_MAX):
        if table[row, NAME] == name or table[row, NAME] == 0:
            table[row, NAME] = name
            note_observation(table, row, schedule, step)
            return
        row = (row + 1) & (len(table) - 1)
    observations.lost[0] += 1
