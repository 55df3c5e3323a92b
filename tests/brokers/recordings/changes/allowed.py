"""Which changed copies of recordings may have happened, and why: ``allowed.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from attrs import frozen

from tests.brokers.recordings.changes.edits import Corruption

CLASSES: Mapping[str, frozenset[str]] = {
    "near": frozenset({"+1", "-1", "other"}),
    "far": frozenset({"zero", "half", "double", "a file more", "a file less", "largest"}),
    "name": frozenset({"other", "unheard of"}),
    "time": frozenset({"later", "earlier"}),
}
"""Changes that an entry names together; all others it names by themselves."""

FILE = Path(__file__).with_name("allowed.toml")


@frozen
class Allowed:
    """Changes of a field, or of a kind of events, of which some copies may have happened."""

    changes: frozenset[str]
    reason: str


@cache
def read_allowed() -> Mapping[str, tuple[Allowed, ...]]:
    """By field or kind."""
    found = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {
        name: tuple(Allowed(spread(row["changes"]), row["because"]) for row in rows)
        for name, rows in found.items()
    }


def spread(changes: Iterable[str]) -> frozenset[str]:
    """The changes that an entry names, those of its classes among them."""
    return frozenset(each for name in changes for each in CLASSES.get(name, (name,)))


def find_reason(change: Corruption) -> str:
    """Why a copy may be accepted; "" for one that may not. ``*`` stands for any kind of event."""
    _, dot, field = change.name.partition(".")
    names = (change.name, f"*{dot}{field}") if dot else (change.name,)
    rows = [row for name in names for row in read_allowed().get(name, ())]
    return next((row.reason for row in rows if change.change in row.changes), "")
