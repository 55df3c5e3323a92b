"""Fixed work of the kernel's kind and of the reference's: what their speed is compared with.

A ratio of both says how fast an engine is whatever the machine; a slow or loaded one slows both.
"""

from __future__ import annotations

import ctypes
import hashlib
from pathlib import Path

import numpy as np
from attrs import frozen

from spark_fuzz.kernel.native.compiler import HERE, load_c_file

CELLS = 64
"""How many numbers the compiled loop changes, and objects the interpreted one keeps."""


@frozen
class Mark:
    """A small immutable object, as the states of the reference are."""

    number: int
    is_odd: bool


def compute_digest() -> str:
    """A fingerprint of both loops: figures of other ones are compared with nothing."""
    texts = (Path(__file__), HERE / "calibration.c")
    return hashlib.sha256(b"".join(text.read_bytes() for text in texts)).hexdigest()[:8]


def run_compiled_loop(iterations: int) -> int:
    """Integers, branches and a small array, compiled as the kernel is: the same work each time."""
    cells = np.zeros(CELLS, np.int64)
    mix = load_c_file("calibration").mix
    mix.restype = ctypes.c_int64
    return int(mix(ctypes.c_int64(iterations), ctypes.c_void_p(cells.ctypes.data)))


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
