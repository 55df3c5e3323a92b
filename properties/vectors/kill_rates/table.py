"""Kill rates as they were measured, their form on the page, and the stored numbers of vectors."""

from __future__ import annotations

import json
from pathlib import Path

import attrs

from properties.generated_text import render_table
from properties.judges.measurements import read_measurement, write_measurement
from properties.vectors.kill_rates.measuring import (
    NOT_REACHED,
    SAME_ANSWERS,
    KillRate,
    measure_functions,
)
from properties.vectors.kill_rates.rules import (
    ARGUED,
    HIDDEN,
    NOT_IN_SCHEDULES,
    PROVED,
    measure_rules,
)
from properties.vectors.question import list_vectors
from properties.vectors.sets.every_set import SETS

MEASUREMENT = "kill_rates"
COUNTS = Path(__file__).parent / "counts.json"
SET_NAMES = tuple(each.name for each in SETS)


def measure(name: str, sample: int | None = None) -> KillRate:
    """The kill rate of a set, from all mistakes or from a drawn sample."""
    found = {each.name: each for each in SETS}[name]
    return measure_rules(sample) if name == "log" else measure_functions(found, sample)


def load_table() -> dict[str, KillRate]:
    """The measured kill rates, by set; empty if they are missing or damaged."""
    measured = read_measurement(MEASUREMENT)
    try:
        return {
            name: KillRate(
                name, each["mutants"], each["killed"], each["survivors"], tuple(each["unexplained"])
            )
            for name, each in (measured.result if measured else {}).items()
        }
    except (AttributeError, KeyError, TypeError):
        return {}


def save_table(table: dict[str, KillRate]) -> None:
    """Keep kill rates. Raises OSError."""
    told = {
        name: attrs.asdict(table[name], filter=attrs.filters.exclude("set_name"))
        for name in SET_NAMES
        if name in table
    }
    write_measurement(MEASUREMENT, told)


def count_vectors(name: str) -> dict[str, int]:
    """The vectors of a set, by the release whose file has them."""
    found = {each.name: each for each in SETS}[name]
    owners = dict.fromkeys(found.releases.values())
    return {release: sum(1 for _ in list_vectors(found, release)) for release in owners}


def load_counts() -> dict[str, dict[str, int]]:
    """The stored numbers of vectors, by set and release."""
    if not COUNTS.exists():
        return {}
    stored: dict[str, dict[str, int]] = json.loads(COUNTS.read_text(encoding="utf-8"))
    return stored


def save_counts(counts: dict[str, dict[str, int]]) -> None:
    """Store numbers of vectors."""
    ordered = {name: counts[name] for name in SET_NAMES if name in counts}
    COUNTS.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")


def compute_share(rate: KillRate) -> str:
    """Of the mistakes that are mistakes, and that the set's questions are about, those noticed."""
    left_out = sum(rate.survivors.get(reason, 0) for reason in (PROVED, ARGUED, NOT_REACHED))
    left = rate.mutants - left_out
    return f"{100 * rate.killed / left:.0f} %"


def render_kill_rates() -> str:
    """A row for each set."""
    head = (
        "Set",
        "mistakes",
        "noticed",
        "no mistake",
        "line not reached",
        "only ghosts differ",
        "all answers alike",
        "noticed of the rest",
    )
    rows = []
    for name, rate in load_table().items():
        left = rate.survivors
        rows.append(
            (
                f"`{name}`",
                rate.mutants,
                rate.killed,
                left.get(PROVED, 0) + left.get(ARGUED, 0),
                left.get(NOT_REACHED, 0),
                left.get(HIDDEN, 0),
                left.get(SAME_ANSWERS, 0) + left.get(NOT_IN_SCHEDULES, 0),
                compute_share(rate),
            )
        )
    return render_table(head, rows)
