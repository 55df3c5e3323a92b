"""Runs SPIN on an exported model: translated, compiled and run in a temporary folder.

https://spinroot.com. Storage is exact: no bitstate hashing, no lossy compression, no reduction.
The search is breadth first and goes on after a violation, so that one verifier counts all states
and finds a shortest violation of each guarantee. ``-o2`` matters: without it SPIN leaves variables
that are never read out of the state.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from attrs import frozen

from properties.exports.promela import VIOLATES

MODEL = "model.pml"
TRANSLATE = ("-a", "-o2")
"""``-a`` writes the verifier; ``-o2`` keeps variables in the state that are only written."""
DEFINES = ("-DSAFETY", "-DNOREDUCE", "-DBFS")
"""No search for cycles; no partial-order reduction, as there is one process; breadth first."""
OPTIMISATION = "-O1"
"""Most searches are shorter than a compilation that optimises more."""
MEMORY_MAX_MIB = 8192
"""The limits after which the verifier gives up."""
DEPTH_MAX = 1_000_000
"""The maximal path length of a search that should cover all states."""
EVERY_VIOLATION = ("-c0", "-e")
"""The search goes on after a violation, and each one leaves its trail."""
RUN = ("-E", "-n", "-w22", *EVERY_VIOLATION)
"""A state without a successor is no error; no list of unreached code; the usual hash table."""


class SpinError(RuntimeError):
    """Raised when SPIN, the compiler or the verifier fails, or does not finish; one line."""


class MissingSpinError(SpinError):
    """Raised if SPIN or a C compiler is not installed; one line, with what to install."""


@frozen
class SpinResult:
    """The result of the verifier."""

    states: int
    """Distinct states stored."""
    violations: Mapping[str, tuple[str, ...]]
    """The printed options on a shortest path to each violation, by what is violated."""
    vector_bytes: int
    """The size of one state, before it is stored."""


@frozen
class Verifier:
    """A compiled verifier."""

    folder: Path

    def search(self, depth_max: int | None = None) -> SpinResult:
        """Search all states, or those within so many steps. Raises SpinError if it cannot end."""
        for trail in self.folder.glob(f"{MODEL}*.trail"):
            trail.unlink()
        output = run(["./pan", *RUN, f"-m{depth_max or DEPTH_MAX}"], self.folder)
        check_end(output, is_cut=depth_max is not None)
        return SpinResult(
            states=find_number(r"([\d.e+]+) states, stored", output),
            violations=dict(self._list_violations(find_number(r"errors: (\d+)", output))),
            vector_bytes=find_number(r"State-vector (\d+) byte", output),
        )

    def _list_violations(self, count: int) -> Iterator[tuple[str, tuple[str, ...]]]:
        """What each trail violates, and its path. Raises SpinError for one that says nothing."""
        for number in range(1, count + 1):
            replay = run(["./pan", f"-r{number}"], self.folder)
            told = re.search(rf"^\s*{VIOLATES} (.+)$", replay, re.MULTILINE)
            if told is None:
                raise SpinError(f"trail {number} of {count} ends in no violation")
            yield told[1], read_path(replay)


def find_spin() -> tuple[str, str]:
    """The programs ``spin`` and a C compiler. Raises MissingSpinError."""
    spin = shutil.which("spin")
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if spin is None or compiler is None:
        missing = "spin" if spin is None else "a C compiler"
        raise MissingSpinError(f"{missing} is not installed; on Debian: apt-get install spin gcc")
    return spin, compiler


@contextmanager
def compile_verifier(model: str, macros: Iterable[str] = ()) -> Iterator[Verifier]:
    """The verifier of a model with these macros, until its folder is removed.

    Raises MissingSpinError, and SpinError for a model that is not understood.
    """
    spin, compiler = find_spin()
    with tempfile.TemporaryDirectory(prefix="rmqspec-spin-") as name:
        folder = Path(name)
        (folder / MODEL).write_text(model, encoding="utf-8")
        run([spin, *TRANSLATE, *(f"-D{macro}" for macro in macros), MODEL], folder)
        limit = f"-DMEMLIM={MEMORY_MAX_MIB}"
        run([compiler, OPTIMISATION, "-w", *DEFINES, limit, "-o", "pan", "pan.c"], folder)
        yield Verifier(folder)


def run(command: Sequence[str], folder: Path) -> str:
    """Run a program and return its output. Raises SpinError if it fails."""
    result = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, errors="replace"
    )
    if result.returncode or "Error: syntax" in result.stdout:
        lines = [*result.stdout.splitlines(), *result.stderr.splitlines()]
        reason = next((line for line in lines if "rror" in line), "no message")
        raise SpinError(f"{' '.join(command)} failed: {reason}")
    return result.stdout


def check_end(output: str, *, is_cut: bool) -> None:
    """Raise SpinError for a search that should have covered all states and did not."""
    troubles = ["out of memory", "reached -DMEMLIM bound", "VECTORSZ too small", "memory limit"]
    if not is_cut:
        troubles += ["max search depth too small", "Search not completed"]
    for trouble in troubles:
        if trouble in output:
            raise SpinError(f"the verifier did not finish: {trouble}")


def find_number(pattern: str, output: str) -> int:
    """The number in a verifier's output. Raises SpinError if there is none."""
    found = re.search(pattern, output)
    if found is None:
        lines = output.strip().splitlines() or ["nothing"]
        raise SpinError(f"the verifier's output is not understood: {lines[0]}")
    return int(float(found[1]))


def read_path(replay: str) -> tuple[str, ...]:
    """The options that the verifier prints on a trail, without its own text after them."""
    lines: Iterable[str] = (line.strip() for line in replay.splitlines())
    return tuple(line for line in lines if re.fullmatch(r"[a-z]\w*(\[[\d,]*\])?( \d+)*", line))
