"""A run of cases as JSON, which the other forms are made from."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from brokers.conformance.judging import (
    FAILED,
    INCONCLUSIVE,
    PASSED,
    SKIPPED,
    VACUOUS,
    WORDS,
    CaseOutcome,
)

FORMAT = 1
MARKS: Mapping[str, str] = {
    PASSED: "ok  ",
    FAILED: "FAIL",
    INCONCLUSIVE: "?   ",
    VACUOUS: "none",
    SKIPPED: "skip",
}


def make_report(
    broker: str, role: str, release: str, outcomes: Sequence[CaseOutcome]
) -> dict[str, Any]:
    """All of it."""
    return {
        "format": FORMAT,
        "broker": broker,
        "role": role,
        "rocketmq_version": release,
        "counts": count(outcomes),
        "cases": [outcome.as_json() for outcome in outcomes],
    }


def count(outcomes: Sequence[CaseOutcome]) -> dict[str, int]:
    """How many outcomes there are of each word; failures that are waived apart."""
    found = Counter(each.word for each in outcomes if not each.waiver)
    waived = sum(bool(each.waiver) for each in outcomes)
    return {**{word: found[word] for word in WORDS}, "waived": waived}


def read_report(path: Path) -> dict[str, Any]:
    """A report that an earlier run has written. Raises click.BadParameter."""
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as problem:
        raise click.BadParameter(f"{path} is no report: {problem}") from problem
    if not isinstance(told, dict) or told.get("format") != FORMAT or "cases" not in told:
        raise click.BadParameter(f"{path} is no report of `rmqspec conform`")
    return told


def say_outcome(outcome: CaseOutcome) -> list[str]:
    """One case, as lines for a terminal."""
    mark = "waiv" if outcome.waiver else MARKS[outcome.word]
    lines = [f"{mark} {outcome.case.name}"]
    if outcome.word not in (PASSED, VACUOUS):
        lines += [f"     {outcome.reason}"]
    if outcome.word == FAILED:
        lines += [f"     holds: {', '.join(outcome.case.headings)}"]
    if outcome.waiver:
        lines += [f"     waived: {outcome.waiver}"]
    lines += [f"     guarantee broken: {each}" for each in outcome.broken]
    return lines


def say_counts(counts: Mapping[str, int]) -> str:
    """The last line."""
    words = {
        PASSED: "conform",
        FAILED: "fail",
        INCONCLUSIVE: "are inconclusive",
        VACUOUS: "exclude nothing and do not count",
        SKIPPED: "were not played",
        "waived": "fail and are waived",
    }
    return ", ".join(f"{counts[word]} {text}" for word, text in words.items() if counts[word])
