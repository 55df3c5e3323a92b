"""What TLC says of the small instances on which SPIN judges too, as data.

``python -m properties.exports.tlc_counts`` asks it anew after a change of the rules. TLC has
no limit of depth, so states are counted where all of them are not too many; the shortest violations
are sought everywhere. An entry carries the digest of the rules that it was made from.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from properties.exports.instances import JUDGED_INSTANCES, JudgedInstance, load_spin_counts
from properties.exports.tla import Module, write_module
from properties.exports.tlc import run_tlc
from properties.verdicts.fingerprint import compute_digest
from properties.worlds import find_world

FILE = Path(__file__).parent / "tlc_counts.json"

STATES_MAX = 2_000_000
"""Instances with more states than that are left to SPIN."""

QUICK_STATES_MAX = 100_000
"""What is asked anew at every change of the project, not only at night."""


def list_instances() -> list[JudgedInstance]:
    """Those with few enough states."""
    counts = load_spin_counts()
    return [j for j in JUDGED_INSTANCES if counts[j.name]["states"] <= STATES_MAX]


def is_counted(judged: JudgedInstance) -> bool:
    """TLC can count its states: they are all states, and nothing counts no further."""
    return judged.depth_max is None and not judged.highest


def export(judged: JudgedInstance) -> Module:
    """The module of an instance."""
    return write_module(judged.structure, judged.small.fault_model, judged.sizes)


def ask(judged: JudgedInstance) -> dict[str, Any]:
    """The entry of an instance; what SPIN found violated is sought. Raises TlcError."""
    module = export(judged)
    shortest = {}
    for name in load_spin_counts()[judged.name]["shortest"]:
        result = run_tlc(module, [name])
        if result.violated == name:
            shortest[name] = result.steps
    states = run_tlc(module, list_kept(judged)).states if is_counted(judged) else None
    return {"digest": compute_digest(judged.structure), "states": states, "shortest": shortest}


def list_kept(judged: JudgedInstance) -> list[str]:
    """The guarantees that hold in all states: TLC judges them while it counts."""
    refuted = load_spin_counts()[judged.name]["shortest"]
    return [name for name in find_world(judged.structure).guarantees if name not in refuted]


def load_tlc_counts() -> dict[str, dict[str, Any]]:
    """What TLC said, by the name of the instance."""
    counts: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    return counts


def main() -> None:
    """Ask about every instance anew."""
    counts = {}
    for judged in list_instances():
        print(judged.name, file=sys.stderr)
        counts[judged.name] = ask(judged)
    FILE.write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
