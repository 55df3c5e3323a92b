"""How soon each engine of random walks finds mistakes that are made on purpose.

``python -m spark_fuzz.judges.detection`` plants the mistakes of ``planted_rules.toml`` one at a
time, each in a process of its own, and walks with Hypothesis' machine, with plain weighted and even
walks, and with the kernel; an exhaustive search says how short a violation can be. It prints a
table, and keeps it as the measurement ``detection``. ``--name TEXT`` takes only mistakes whose name
has the text; ``--seeds N`` also draws the machine's first violation N times. It leaves with 1 if
the machine misses a mistake that a plain walk finds.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import partial
from math import inf
from multiprocessing.pool import ThreadPool
from pathlib import Path
from typing import Any

from attrs import frozen

from properties.checkout import ROOT
from properties.judges.measurements import write_measurement
from properties.judges.planted import Planted, make_planted

PLANTED_FILE = Path(__file__).parent / "planted_rules.toml"
MEASUREMENT = "detection"
EXAMPLES = 1000
"""The number of examples of the machine, and of plain walks."""
HEAD = (
    "Mistake",
    "Shortest",
    "Machine",
    "Shrunk to",
    "Weighted walk",
    "Even walk",
    "Kernel",
    "Seeds",
)


@frozen
class PlantedRule:
    """One mistake, and the walks that are to find it."""

    planted: Planted
    structure: str
    fault: str


def list_planted_rules(path: Path = PLANTED_FILE) -> Iterator[PlantedRule]:
    """Every mistake. Raises ValueError for one without a place."""
    for entry in tomllib.loads(path.read_text(encoding="utf-8"))["planted"]:
        yield PlantedRule(make_planted(entry, "rule"), entry["structure"], entry["fault"])


def find_proved(rule: PlantedRule) -> list[str]:
    """The claims that hold without the mistake, by the certificate."""
    from properties.verdicts.certificates import load_required  # noqa: PLC0415
    from properties.worlds.catalogue import STRUCTURES  # noqa: PLC0415

    cells = load_required(STRUCTURES[rule.structure])["cells"]
    return sorted(
        c["guarantee"] for c in cells if c["fault"] == rule.fault and c["verdict"] == "proved"
    )


def measure_apart(rule: PlantedRule, examples: int, seeds: int) -> dict[str, Any]:
    """What each engine finds, measured in a process that has the mistake."""
    asked = {
        "name": rule.planted.name,
        "claims": find_proved(rule),
        "examples": examples,
        "seeds": seeds,
    }
    words = [sys.executable, "-P", "-m", "spark_fuzz.judges.detection_run", json.dumps(asked)]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode:
        raise RuntimeError(f"{rule.planted.name}: {done.stderr.strip().splitlines()[-1]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def describe(row: dict[str, Any]) -> tuple[str, ...]:
    """The cells of a mistake's row."""
    machine = row["machine"]
    shrunk = "" if machine is None else f"{machine['shrunk']} steps, {machine['seconds']} s"
    first = "-" if machine is None else f"example {machine['example']}, step {machine['step']}"
    kernel = row["kernel"]
    return (
        row["name"],
        "-" if row["shortest"] is None else str(row["shortest"]),
        first,
        shrunk,
        *(describe_walk(row[walk]) for walk in ("weighted", "even")),
        "-" if kernel is None else f"{kernel['share']:.1%}, step {kernel['step']}",
        describe_seeds(row["seeds"]),
    )


def describe_seeds(examples: list[int | None]) -> str:
    """The median and the quartiles of the first violating example; how many seeds have none."""
    if not examples:
        return ""
    ordered = sorted(inf if each is None else each for each in examples)
    low, middle, high = (ordered[(len(ordered) - 1) * part // 4] for part in (1, 2, 3))
    missed = examples.count(None)
    return f"median {middle:.0f}, {low:.0f} to {high:.0f}, missed by {missed} of {len(examples)}"


def describe_walk(walk: dict[str, int] | None) -> str:
    """The number of violating walks, and the first of them."""
    if walk is None:
        return "-"
    return f"{walk['violating']}, first {walk['example']}, step {walk['step']}"


def list_missed(rows: list[dict[str, Any]]) -> list[str]:
    """The mistakes that a plain walk finds and the machine does not."""
    return [r["name"] for r in rows if r["machine"] is None and (r["weighted"] or r["even"])]


def main(arguments: list[str]) -> int:
    """Measure, print and keep the table; 1 if the machine misses what a plain walk finds."""
    parser = argparse.ArgumentParser(prog="python -m spark_fuzz.judges.detection")
    parser.add_argument("--name", default="", help="only mistakes whose name has this text")
    parser.add_argument("--examples", type=int, default=EXAMPLES, help="of each kind of walk")
    parser.add_argument("--seeds", type=int, default=0, help="more runs of the machine")
    parser.add_argument("--jobs", type=int, default=1, help="how many mistakes at once")
    chosen = parser.parse_args(arguments)
    rules = [r for r in list_planted_rules() if chosen.name in r.planted.name]
    rows = []
    with ThreadPool(chosen.jobs) as pool:
        measure = partial(measure_apart, examples=chosen.examples, seeds=chosen.seeds)
        print(" | ".join(HEAD))
        for row in pool.imap(measure, rules):
            rows.append(row)
            print(" | ".join(describe(row)), flush=True)
    missed = list_missed(rows)
    found = sum(row["machine"] is not None for row in rows)
    print(f"{found} of {len(rows)} found by the machine; missed: {', '.join(missed) or 'none'}")
    if not chosen.name:
        write_measurement(MEASUREMENT, rows)
    return int(bool(missed))


def find_rule(name: str) -> PlantedRule:
    """The mistake of this name. Raises StopIteration for none."""
    return next(rule for rule in list_planted_rules() if rule.planted.name == name)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
