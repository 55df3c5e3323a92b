"""Write down what the nightly tests cost: ``python -m tests.nightly.measuring LISTED DURATIONS``.

LISTED is the output of ``pytest -m nightly --collect-only -q``, DURATIONS that of
``pytest -m nightly -n 0 -vv --durations=0`` for any of them, such as one of each function: a test
that was not measured costs as much as those of its function on the average. What is known of
functions of which none was measured stays.
"""

from __future__ import annotations

import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from tests.nightly.slices import COSTS, Costs, get_function, read_costs

ALONE = 60.0
"""Seconds from which on a test is a slice of its own."""
UNKNOWN = 2.0
"""What a test is taken to cost of whose function none was measured."""
SLICE = 90.0
"""Seconds of one core that a slice is to cost: less than a minute on two."""
LINE = re.compile(r"([\d.]+)s (?:setup|call|teardown) +(.+)")
HEAD = """# What the nightly tests cost in seconds of one core, from tests/nightly/measuring.py:
# the test functions of each file, and the tests that are slices of their own."""


def read_durations(text: str) -> dict[str, float]:
    """What each test took: its setup, itself and what follows it."""
    found: dict[str, float] = defaultdict(float)
    for match in map(LINE.fullmatch, text.splitlines()):
        if match:
            found[match[2]] += float(match[1])
    return dict(found)


def compute_costs(tests: Iterable[str], measured: dict[str, float], before: Costs) -> Costs:
    """The costs of these tests."""
    functions: dict[str, list[str]] = defaultdict(list)
    alone: dict[str, float] = {}
    for test in sorted(tests):
        if (cost := {**before.alone, **measured}.get(test, 0.0)) >= ALONE:
            alone[test] = cost
        else:
            functions[get_function(test)].append(test)
    files: dict[str, dict[str, float]] = defaultdict(dict)
    for name, alike in functions.items():
        file, _, function = name.partition("::")
        known = [measured[test] for test in alike if test in measured]
        cost = sum(known) * len(alike) / len(known) if known else UNKNOWN * len(alike)
        former = before.files.get(file, {}).get(function)
        cost = former if former is not None and not known else cost
        files[file][function] = max(0.1, round(cost, 1))
    total = sum(sum(costs.values()) for costs in files.values())
    return Costs(max(1, round(total / SLICE)), files, alone)


def write(costs: Costs) -> str:
    """The costs as they are written down."""
    lines = [HEAD, f"shared = {costs.shared}", "", "[alone]"]
    lines += [f"{quote(test)} = {cost:g}" for test, cost in costs.alone.items()]
    lines += ["", "[files]"]
    for file, functions in sorted(costs.files.items()):
        lines += ["", f"[files.{quote(file)}]"]
        lines += [f"{name} = {cost:g}" for name, cost in sorted(functions.items())]
    return "\n".join(lines) + "\n"


def quote(name: str) -> str:
    """A name as TOML has it."""
    return json.dumps(name, ensure_ascii=False)


def main() -> None:
    """Write the costs again."""
    listed, *durations = [Path(word).read_text() for word in sys.argv[1:]]
    tests = [line for line in listed.splitlines() if "::" in line]
    measured = {k: v for text in durations for k, v in read_durations(text).items()}
    COSTS.write_text(write(compute_costs(tests, measured, read_costs())))


if __name__ == "__main__":
    main()
