"""The dear tests in turns: every run takes some of them, and some runs together take all.

A dear test is one of a function whose tests together take long. Its turn is a digest of its id, so
it stays the same whatever other tests come and go, and the cases of one function are spread over
the turns. Which functions are dear was measured:
``pytest -n 0 -vv --durations=0 > FILE``, then ``python -m tests.nightly.turns FILE``.
"""

from __future__ import annotations

import json
import sys
import tomllib
import zlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from tests.nightly.measuring import read_durations
from tests.nightly.slices import get_function

DEAR = Path(__file__).with_name("dear.toml")
TURNS = 20
DEAR_SECONDS = 0.5
"""A function is dear if its tests together take as long."""
HEAD = "# Functions of tests that take long, by file; turns.py writes and reads them."


@cache
def read_dear() -> frozenset[str]:
    """The dear functions: ``FILE::NAME``."""
    files = tomllib.loads(DEAR.read_text())
    return frozenset(f"{file}::{name}" for file, names in files.items() for name in names)


def is_dear(test: str) -> bool:
    """The test, an id, is of a dear function."""
    return get_function(test) in read_dear()


def find_turn(test: str) -> int:
    """The turn in which a dear test is run."""
    return zlib.crc32(test.encode()) % TURNS


def is_left(test: str, turn: int) -> bool:
    """A run of this turn leaves the test to another one."""
    return is_dear(test) and find_turn(test) != turn


def compute_dear(measured: Mapping[str, float]) -> dict[str, list[str]]:
    """The dear functions of each file, from what each test took."""
    functions: dict[str, float] = defaultdict(float)
    for test, cost in measured.items():
        functions[get_function(test)] += cost
    files: dict[str, list[str]] = defaultdict(list)
    for name, cost in sorted(functions.items()):
        if cost >= DEAR_SECONDS:
            file, _, function = name.partition("::")
            files[file].append(function)
    return files


def write(files: Mapping[str, Iterable[str]]) -> str:
    """The dear functions as they are written down."""
    lines = [f"{json.dumps(file)} = {json.dumps([*names])}" for file, names in files.items()]
    return "\n".join([HEAD, *lines]) + "\n"


def main(paths: Iterable[str]) -> None:
    """Write down which functions are dear."""
    measured = {k: v for path in paths for k, v in read_durations(Path(path).read_text()).items()}
    DEAR.write_text(write(compute_dear(measured)))


if __name__ == "__main__":
    main(sys.argv[1:])
