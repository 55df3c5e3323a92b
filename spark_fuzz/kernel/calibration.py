"""Fixed work of the kernel's kind and of the reference's: what their speed is compared with.

A ratio of both says how fast an engine is whatever the machine; a slow or loaded one slows both.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numba
import numpy as np
from attrs import frozen

CELLS = 64
"""How many numbers the compiled loop changes, and objects the interpreted one keeps."""


@frozen
class Mark:
    """A small immutable object, as the states of the reference are."""

    number: int
    is_odd: bool


@numba.njit(_nrt=False)  # type: ignore[untyped-decorator]
def _mix_compiled(iterations: int, cells: Any) -> int:
    word = np.uint64(1)
    resets = 0
    for _ in range(iterations):
        word ^= word << np.uint64(13)
        word ^= word >> np.uint64(7)
        word ^= word << np.uint64(17)
        cell = word & np.uint64(CELLS - 1)
        if cells[cell] < np.int64(word >> np.uint64(60)):
            cells[cell] += 1
        else:
            cells[cell] = 0
            resets += 1
    return resets


def compute_digest() -> str:
    """A fingerprint of this file: figures of other loops are compared with nothing."""
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:8]


def run_compiled_loop(iterations: int) -> int:
    """Integers, branches and a small array, compiled as the kernel is: the same work each time."""
    return int(_mix_compiled(iterations, np.zeros(CELLS, np.int64)))


def run_interpreted_loop(iterations: int) -> int:
    """Calls, attributes, dictionaries and immutable objects: the same work each time."""
    marks: dict[int, Mark] = {}
    odd = 0
    for number in range(iterations):
        key = _find_key(number)
        before = marks.get(key)
        after = Mark(number, before is None or not before.is_odd)
        marks[key] = after
        odd += after.is_odd
    return odd


def _find_key(number: int) -> int:
    return (number * 7 + number // CELLS) % CELLS
