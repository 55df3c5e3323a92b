"""Runs SPIN on an exported model: translated, compiled and run in a temporary folder.

https://spinroot.com. Storage is exact: no bitstate hashing, no lossy compression, no reduction.
``-o2`` matters: without it SPIN leaves variables that are never read out of the state.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

from attrs import field, frozen

from properties.exports.measured_process import run_measured

MODEL = "model.pml"
TRANSLATE = ("-a", "-o2")
"""``-a`` writes the verifier; ``-o2`` keeps variables in the state that are only written."""
DEFINES = ("-DSAFETY", "-DNOREDUCE")
"""No search for cycles; no partial-order reduction, as there is one process."""
MEMORY_MAX_MIB = 4096
"""The limits after which the verifier gives up."""
BREADTH_FIRST = ("-DBFS",)
VISIBLE_SCRATCH = "VISIBLE_SCRATCH"
"""The macro of an exported model that breadth-first search needs."""
DEPTH_MAX = 1_000_000
"""The maximal path length of depth-first search."""
HASH_BITS = 22
"""The usual size of the hash table: a power of two."""


class SpinError(RuntimeError):
    """Raised when SPIN, the compiler or the verifier fails, or does not finish; one line."""


class MissingSpinError(SpinError):
    """Raised if SPIN or a C compiler is not installed; one line, with what to install."""


@frozen
class SpinOptions:
    """Options for compiling and running the verifier."""

    macros: tuple[str, ...] = ()
    """Macros of the model, for example those that check guarantees."""
    defines: tuple[str, ...] = ()
    """More options of the verifier, for example ``-DCOLLAPSE``."""
    is_breadth_first: bool = False
    """Breadth-first search: the first error found is a shortest one."""
    depth_max: int | None = None
    """With breadth-first search: states that need more steps are not searched."""
    optimisation: str = "-O1"
    hash_bits: int = HASH_BITS


@frozen
class SpinResult:
    """The result of the verifier."""

    states: int
    """Distinct states stored."""
    transitions: int
    is_violated: bool
    """An assertion failed; the search ended there."""
    path: tuple[str, ...]
    """The printed options on the path to it; empty without a violation."""
    vector_bytes: int
    """The size of one state, before it is stored."""
    memory_bytes: int
    """The peak memory of the verifier's process; 0 if the system does not report it."""
    seconds: float = field(eq=False)
    """The time of the search alone."""
    translation_seconds: float = field(eq=False)
    """The time of SPIN and the compiler."""


def find_spin() -> tuple[str, str]:
    """The programs ``spin`` and a C compiler. Raises MissingSpinError."""
    spin = shutil.which("spin")
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if spin is None or compiler is None:
        missing = "spin" if spin is None else "a C compiler"
        raise MissingSpinError(f"{missing} is not installed; on Debian: apt-get install spin gcc")
    return spin, compiler


def run_spin(model: str, options: SpinOptions) -> SpinResult:
    """Verify a model. Raises MissingSpinError, and SpinError if the search does not finish."""
    spin, compiler = find_spin()
    macros = [f"-D{name}" for name in options.macros]
    defines = [*DEFINES, f"-DMEMLIM={MEMORY_MAX_MIB}", *options.defines]
    if options.is_breadth_first:
        macros.append(f"-D{VISIBLE_SCRATCH}")
        defines += BREADTH_FIRST
    with tempfile.TemporaryDirectory(prefix="rmqspec-spin-") as name:
        folder = Path(name)
        (folder / MODEL).write_text(model, encoding="utf-8")
        started = time.perf_counter()
        run([spin, *TRANSLATE, *macros, MODEL], folder)
        run([compiler, options.optimisation, "-w", *defines, "-o", "pan", "pan.c"], folder)
        translated = time.perf_counter()
        depth = options.depth_max or DEPTH_MAX
        sizes = [f"-m{depth}", f"-w{options.hash_bits}"]
        ran = run_measured(["./pan", "-E", "-n", *sizes], folder)
        finished = time.perf_counter()
        is_violated = (folder / f"{MODEL}.trail").exists()
        replay = run([spin, "-t", *macros, MODEL], folder) if is_violated else ""
    if ran.code:
        raise SpinError(f"./pan ended with code {ran.code}")
    output = ran.output
    check_end(output, is_cut=is_violated or options.depth_max is not None)
    return SpinResult(
        states=find_number(r"([\d.e+]+) states, stored", output),
        transitions=find_number(r"([\d.e+]+) transitions", output),
        is_violated=is_violated,
        path=read_path(replay),
        vector_bytes=find_number(r"State-vector (\d+) byte", output),
        memory_bytes=ran.memory_bytes,
        seconds=finished - translated,
        translation_seconds=translated - started,
    )


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
    """The options that SPIN prints when it follows a trail, without its own text after them."""
    lines: Iterable[str] = (line.strip() for line in replay.splitlines())
    return tuple(line for line in lines if re.fullmatch(r"[a-z]\w*(\[[\d,]*\])?( \d+)*", line))
