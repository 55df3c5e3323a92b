"""Verdicts that a rule of the log has turned from proved to refuted, with the cause."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from attrs import field, frozen

from properties.verdicts.certificates import find_cells
from properties.verdicts.selectors import CellSelector
from properties.verdicts.verdict import Verdict
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.replication.world import ClaimedGroup
from reference.releases.versions import RULE_SETS

TURNED_FILE = Path(__file__).with_name("turned_cells.toml")


@frozen(kw_only=True)
class TurnedCells(CellSelector):
    """Verdicts that were proved until one cause turned them; all of them are refuted now."""

    claims: tuple[str, ...] = field(converter=tuple)
    cells: int
    """Their number, over all groups and releases."""
    rules: tuple[str, ...] = field(default=(), converter=tuple)
    """Rules; each of their schedules has one of these."""
    feature: str = ""
    """A predicate that holds in some state of each schedule; empty if the rules suffice."""
    cause: str
    """One sentence: what real brokers do."""

    def find(self) -> list[tuple[Any, Verdict]]:
        """The certified verdicts of the tables that all groups have, each with its structure."""
        known = (s for s in STRUCTURES.values() if isinstance(s, ClaimedGroup))
        groups = (s for s in known if RULE_SETS.keys() >= set(s.variants))
        return [
            (group, verdict)
            for group in groups
            for verdict in find_cells(group).values()
            if verdict.guarantee in self.claims and self.fits(group, verdict.fault)
        ]


@cache
def load_turned() -> tuple[TurnedCells, ...]:
    """Every entry, in the order of the file."""
    entries = tomllib.loads(TURNED_FILE.read_text(encoding="utf-8"))["turned"]
    return tuple(TurnedCells(**entry) for entry in entries)
