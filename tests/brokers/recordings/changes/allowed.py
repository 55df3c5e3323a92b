"""Which changed copies of recordings may have happened, and why: ``allowed.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from attrs import frozen

from tests.brokers.recordings.changes.edits import Corruption

FILE = Path(__file__).with_name("allowed.toml")


@frozen
class Allowed:
    """Changes of a field, or of a kind of events, of which some copies may have happened."""

    changes: tuple[str, ...]
    reason: str


@cache
def read_allowed() -> Mapping[str, tuple[Allowed, ...]]:
    """By field or kind."""
    found = tomllib.loads(FILE.read_text(encoding="utf-8"))
    return {
        name: tuple(Allowed(tuple(row["changes"]), row["because"]) for row in rows)
        for name, rows in found.items()
    }


def find_reason(change: Corruption) -> str:
    """Why a copy may be accepted; "" for one that may not."""
    rows = read_allowed().get(change.name, ())
    return next((row.reason for row in rows if change.change in row.changes), "")
