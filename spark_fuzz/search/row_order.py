"""The order in which packed states lie on disk: by a hash, of which each part has a range.

The first word of a state is replaced by a hash of all its words from which, with the other words,
it can be found again. So the order of the first word is that of the hash, two states seldom have
the same one, and none needs more room.
"""

from __future__ import annotations

import ctypes
from bisect import bisect_left
from functools import cache
from typing import Any

import numpy as np

from spark_fuzz.kernel.native.compiler import load_c_file

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
    rows = np.ascontiguousarray(rows, np.uint64)
    low, high = int(rows[:, 0].min()), int(rows[:, 0].max())
    shift = max(0, (high - low).bit_length() - len(rows).bit_length())
    ends = np.zeros(((high - low) >> shift) + 1, np.int64)
    placed, kept = np.empty(rows.shape, np.uint64), np.empty(rows.shape[1], np.uint64)
    count = load_rows().place_distinct(
        *(rows.ctypes.data, *rows.shape, low, shift, ends.ctypes.data, len(ends)),
        *(placed.ctypes.data, kept.ctypes.data),
    )
    return placed[:count]


def drop_known(rows: Any, known: Any) -> Any:
    """The rows that are not among the known ones; both are in order and distinct, and stay so.

    Raises ValueError for rows of another number of words.
    """
    if rows.shape[1] != known.shape[1]:
        raise ValueError(f"rows of {rows.shape[1]} and of {known.shape[1]} words")
    rows, known = (np.ascontiguousarray(each, np.uint64) for each in (rows, known))
    is_new = np.ones(len(rows), np.bool_)
    load_rows().mark_known(
        *(rows.ctypes.data, len(rows), known.ctypes.data, *known.shape, is_new.ctypes.data)
    )
    return rows[is_new]


POINTER, NUMBER, WORD = ctypes.c_void_p, ctypes.c_int64, ctypes.c_uint64


@cache
def load_rows() -> Any:
    """The compiled functions of ``rows.c``. Raises MissingCompilerError."""
    library = load_c_file("rows")
    library.place_distinct.restype = NUMBER
    library.place_distinct.argtypes = (
        *(POINTER, NUMBER, NUMBER, WORD, NUMBER, POINTER, NUMBER, POINTER, POINTER),
    )
    library.mark_known.restype = None
    library.mark_known.argtypes = (POINTER, NUMBER, POINTER, NUMBER, NUMBER, POINTER)
    return library


def choose_range(rows: Any, part: int, parts: int) -> Any:
    """The rows of a part, where the hashes are cut into so many equal ranges; rows are in order."""
    first, last = (
        bisect_left(range(len(rows)), limit, key=lambda row: int(rows[row, 0]))
        for limit in ((part << 64) // parts, ((part + 1) << 64) // parts)
    )
    return rows[first:last]
