"""SPIN run on an exported model: translated, compiled and run in a folder that is removed.

https://spinroot.com. Storage is exact: no bitstate hashing, no compression that forgets, no
reduction. ``-o2`` matters: without it SPIN leaves variables out of the state that nothing reads.
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
"""No cycles are sought; no partial-order reduction, as there is one process."""
MEMORY_MAX_MIB = 4096
"""How much the verifier may take before it gives up."""
BREADTH_FIRST = ("-DBFS",)
VISIBLE_SCRATCH = "VISIBLE_SCRATCH"
"""The macro of an exported model that breadth-first search needs."""
DEPTH_MAX = 1_000_000
"""How long a path of depth-first search may be."""
HASH_BITS = 22
"""The usual size of the hash table: a power of two."""


class SpinError(RuntimeError):
    """Raised when SPIN, the compiler or the verifier fails, or does not finish; one line."""


class MissingSpinError(SpinError):
    """Raised where SPIN or a C compiler is not installed; one line, with what to install."""


@frozen
class SpinOptions:
    """How the verifier is made and run."""

    macros: tuple[str, ...] = ()
    """Of the model, for example those that have guarantees checked."""
    defines: tuple[str, ...] = ()
    """More of the verifier's own, for example ``-DCOLLAPSE``."""
    is_breadth_first: bool = False
    """The first error that is found is then a shortest one."""
    depth_max: int | None = None
    """With breadth-first search: states that need more steps are not looked at."""
    optimisation: str = "-O1"
    hash_bits: int = HASH_BITS


@frozen
class SpinResult:
    """What the verifier says."""

    states: int
    """Distinct states stored."""
    transitions: int
    is_violated: bool
    """An assertion failed; the search ended there."""
    path: tuple[str, ...]
    """The options on the way to it, as they are printed; empty without a violation."""
    vector_bytes: int
    """Of one state, before it is stored."""
    memory_bytes: int
    """The most that the verifier's process held; 0 where the system does not tell."""
    seconds: float = field(eq=False)
    """Of the search alone."""
    translation_seconds: float = field(eq=False)
    """Of SPIN and the compiler."""


def find_spin() -> tuple[str, str]:
    """The programs ``spin`` and a C compiler. Raises MissingSpinError."""
    spin = shutil.which("spin")
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if spin is None or compiler is None:
        missing = "spin" if spin is None else "a C compiler"
        raise MissingSpinError(f"{missing} is not installed; on Debian: apt-get install spin gcc")
    return spin, compiler


def run_spin(model: str, options: SpinOptions) -> SpinResult:
    """Verify a model. Raises MissingSpinError, and SpinError when it does not come to an end."""
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
    """Run a program and return what it printed. Raises SpinError where it fails."""
    result = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, errors="replace"
    )
    if result.returncode or "Error: syntax" in result.stdout:
        lines = [*result.stdout.splitlines(), *result.stderr.splitlines()]
        reason = next((line for line in lines if "rror" in line), "no message")
        raise SpinError(f"{' '.join(command)} failed: {reason}")
    return result.stdout


def check_end(output: str, *, is_cut: bool) -> None:
    """Raise SpinError for a search that did not look at all states though it should have."""
    troubles = ["out of memory", "reached -DMEMLIM bound", "VECTORSZ too small", "memory limit"]
    if not is_cut:
        troubles += ["max search depth too small", "Search not completed"]
    for trouble in troubles:
        if trouble in output:
            raise SpinError(f"the verifier did not finish: {trouble}")


def find_number(pattern: str, output: str) -> int:
    """The number in a verifier's output. Raises SpinError where there is none."""
    found = re.search(pattern, output)
    if found is None:
        lines = output.strip().splitlines() or ["nothing"]
        raise SpinError(f"the verifier's output is not understood: {lines[0]}")
    return int(float(found[1]))


def read_path(replay: str) -> tuple[str, ...]:
    """The options that SPIN prints when it follows a trail; what comes after is its own words."""
    lines: Iterable[str] = (line.strip() for line in replay.splitlines())
    return tuple(line for line in lines if re.fullmatch(r"[a-z]\w*(\[[\d,]*\])?( \d+)*", line))
