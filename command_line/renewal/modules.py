"""Artefacts of modules that are run by themselves: ``python -m MODULE``, and with ``--check``.

With ``--check`` a module writes nothing, and leaves with 0 if what it would write is current.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import partial

from command_line.renewal.artefact import Artefact, Need, NotRenewedError, Say
from properties.checkout import ROOT

CHECK = "--check"

MODULES = (
    ("counterexamples of lemmas", "properties.z3.lemma_counterexamples", Need.PAGE, 100),
    ("counts of SPIN", "spark_fuzz.search.peers", Need.PAGE, 600),
    ("counts of TLC", "properties.exports.tlc", Need.PAGE, 600),
    ("counts of states", "tests.spark_fuzz.state_counts", Need.PAGE, 120),
    ("digests of states", "tests.spark_fuzz.state_digests", Need.PAGE, 120),
    ("planted mistakes", "spark_fuzz.judges.planted_run", Need.MEASUREMENT, 7200),
    ("changed values", "tests.brokers.recordings.perturbing", Need.MEASUREMENT, 1200),
    ("kill rates of vectors", "properties.vectors.kill_rates", Need.MEASUREMENT, 400),
)
"""Name, module, what needs it, and about how many seconds it takes.

A clone has no measurements: they are looked at only when they are asked for.
"""


NEEDS: Mapping[str, tuple[str, ...]] = {"counts of TLC": ("counts of SPIN",)}
"""What else they are computed from: TLC is asked about the violations that SPIN has found."""


def list_modules() -> Iterator[Artefact]:
    """An artefact for each module."""
    for name, module, need, seconds in MODULES:
        yield Artefact(
            name,
            need,
            partial(is_current, module),
            partial(make, module),
            NEEDS.get(name, ()),
            seconds=seconds,
        )


def is_current(module: str) -> bool:
    """What a module would write is there already."""
    return run(module, CHECK).returncode == 0


def make(module: str, say: Say) -> str:
    """Run a module. Raises NotRenewedError with the last line of what it says."""
    say(f"python -m {module}")
    ended = run(module)
    if ended.returncode:
        lines = ended.stderr.strip().splitlines() or [f"it ended with {ended.returncode}"]
        raise NotRenewedError(f"{lines[-1]}; try `python -m {module}`")
    return "written"


def run(*words: str) -> subprocess.CompletedProcess[str]:
    """A module in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
