"""The order in which packed states lie on disk: by a hash, of which each part has a range.

The first word of a state is replaced by a hash of all its words from which, with the other words,
it can be found again. So the order of the first word is that of the hash, two states seldom have
the same one, and none needs more room.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

import numba
import numpy as np

SHIFT = np.uint64(32)
FACTOR = np.uint64(0x9E3779B97F4A7C15)
INVERSE = np.uint64(pow(int(FACTOR), -1, 1 << 64))
"""Multiplied with FACTOR, it is 1 in 64 bits."""


def scramble(rows: Any) -> Any:
    """These packed states with the hash in their first word: uint64, shape (states, words)."""
    scrambled = np.array(rows).view(np.uint64)
    scrambled[:, 0] = _mix(scrambled[:, 0] ^ _mix_others(scrambled), FACTOR)
    return scrambled


def restore(scrambled: Any) -> Any:
    """The packed states that were scrambled: int64, shape (states, words)."""
    rows = np.array(scrambled)
    rows[:, 0] = _mix(rows[:, 0], INVERSE) ^ _mix_others(rows)
    return rows.view(np.int64)


def _mix(values: Any, factor: Any) -> Any:
    """One number for each of 64 bits; undone by the inverse factor."""
    values = values ^ (values >> SHIFT)
    values *= factor
    values ^= values >> SHIFT
    return values


def _mix_others(rows: Any) -> Any:
    mixed = np.zeros(len(rows), np.uint64)
    for word in rows.T[1:]:
        mixed = _mix(mixed ^ word, FACTOR)
    return mixed


def sort_distinct(rows: Any) -> Any:
    """Each scrambled row once, in order."""
    if not len(rows):
        return rows
    low, high = int(rows[:, 0].min()), int(rows[:, 0].max())
    shift = max(0, (high - low).bit_length() - len(rows).bit_length())
    ends = np.zeros(((high - low) >> shift) + 1, np.int64)
    placed = np.empty_like(rows)
    count = _place_distinct(rows, np.uint64(low), np.uint64(shift), ends, placed)
    return placed[:count]


def drop_known(rows: Any, known: Any) -> Any:
    """The rows that are not among the known ones; both are in order and distinct, and stay so."""
    is_new = np.ones(len(rows), np.bool_)
    _mark_known(rows, known, is_new)
    return rows[is_new]


def choose_range(rows: Any, part: int, parts: int) -> Any:
    """The rows of a part, where the hashes are cut into so many equal ranges; rows are in order."""
    first, last = (
        bisect_left(range(len(rows)), limit, key=lambda row: int(rows[row, 0]))
        for limit in ((part << 64) // parts, ((part + 1) << 64) // parts)
    )
    return rows[first:last]


@numba.njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _compare(one: Any, row: int, other: Any, number: int) -> int:
    """Negative if a row comes before a row of the other array, 0 if they are equal."""
    for word in range(one.shape[1]):
        mine, theirs = one[row, word], other[number, word]
        if mine != theirs:
            return int(mine > theirs) - int(mine < theirs)
    return 0


@numba.njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _place_distinct(rows: Any, low: Any, shift: Any, ends: Any, placed: Any) -> int:
    """Write each row once into ``placed``, in order; their number.

    Hashes are spread evenly: without its lowest bits, the hash of a row tells nearly where the row
    goes. ``ends`` has a 0 for each such number.
    """
    for row in range(len(rows)):
        ends[(rows[row, 0] - low) >> shift] += 1
    for number in range(1, len(ends)):
        ends[number] += ends[number - 1]
    for row in range(len(rows)):
        number = (rows[row, 0] - low) >> shift
        ends[number] -= 1
        for word in range(rows.shape[1]):
            placed[ends[number], word] = rows[row, word]
    count: int = _insert_distinct(placed)
    return count


@numba.njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _insert_distinct(rows: Any) -> int:
    """Put rows that are nearly in order into order, each once, at the front; their number."""
    kept = np.empty((1, rows.shape[1]), rows.dtype)
    count = 0
    for row in range(len(rows)):
        place, order = count, -1
        while place > 0:
            order = _compare(rows, place - 1, rows, row)
            if order <= 0:
                break
            place -= 1
        if place > 0 and order == 0:
            continue
        kept[0] = rows[row]
        for after in range(count, place, -1):
            rows[after] = rows[after - 1]
        rows[place] = kept[0]
        count += 1
    return count


@numba.njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _mark_known(rows: Any, known: Any, is_new: Any) -> None:
    """Note False for each row that is known; both are in order.

    Which of the two goes on is computed, not branched on, as no processor can foretell it.
    """
    row, other = 0, 0
    while row < len(rows) and other < len(known):
        mine, theirs = rows[row, 0], known[other, 0]
        word = 1
        while mine == theirs and word < rows.shape[1]:
            mine, theirs = rows[row, word], known[other, word]
            word += 1
        is_new[row] &= mine != theirs
        row += int(mine <= theirs)
        other += int(theirs <= mine)
