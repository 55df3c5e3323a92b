"""What differences between two stores mean, as data."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from attrs import frozen

from brokers.disk.findings import DiskFinding, FindingKind
from brokers.disk.records.units import UnitKind
from properties.scenarios.procedures.procedures import link_recipe

FILE = Path(__file__).parent / "store_findings.toml"


@frozen
class History:
    """How a pair comes to differ."""

    text: str
    page: str
    """Where it is told: a file, perhaps with a heading."""
    when: str = ""
    """A name in EVIDENCE; empty: nothing in the bytes contradicts it."""

    def fits(self, finding: DiskFinding) -> bool:
        """The bytes are as it leaves them."""
        return not self.when or EVIDENCE[self.when](finding)


def has_blank_on_slave(finding: DiskFinding) -> bool:
    """The slave has a blank where the master has a record."""
    return finding.on_slave is not None and finding.on_slave.kind is UnitKind.BLANK


def is_newer_on_slave(finding: DiskFinding) -> bool:
    """The slave's record was stored later than the master's at the same place."""
    ours, theirs = (u.record if u else None for u in (finding.on_master, finding.on_slave))
    return bool(ours and theirs and theirs.store_timestamp_ms > ours.store_timestamp_ms)


EVIDENCE: Mapping[str, Callable[[DiskFinding], bool]] = {
    "slave_has_blank": has_blank_on_slave,
    "slave_is_damaged": lambda f: f.on_slave is not None and f.on_slave.is_begun,
    "slave_has_hole": lambda finding: finding.is_hole or finding.on_master is not None,
    "file_is_missing": lambda finding: bool(finding.broker),
    "slave_is_torn": lambda finding: finding.is_torn,
    "slave_is_newer": is_newer_on_slave,
}


@frozen
class StoreFinding:
    """The meaning of a kind."""

    kind: FindingKind
    means: str
    histories: tuple[History, ...]
    """The likeliest first."""
    issues: tuple[str, ...]
    """Names in the catalogue of known issues."""
    claims: tuple[str, ...]
    """Guarantees that do not hold any more."""
    recipe: str
    """The heading of a recipe; empty: nothing has to be done, or the text says it."""

    @property
    def recipe_link(self) -> str:
        """The heading's address; empty without one."""
        return f"spec/{link_recipe(self.recipe)}" if self.recipe else ""

    def find_history(self, finding: DiskFinding) -> History | None:
        """The likeliest that fits."""
        return next((each for each in self.histories if each.fits(finding)), None)


@cache
def load_store_findings() -> Mapping[FindingKind, StoreFinding]:
    """By kind; equal stores, and those of which nothing can be said, have none."""
    entries = tomllib.loads(FILE.read_text())["finding"]
    found = (
        StoreFinding(
            FindingKind(e["kind"]),
            e["means"],
            tuple(History(**told) for told in e["histories"]),
            tuple(e["issues"]),
            tuple(e["claims"]),
            e["recipe"],
        )
        for e in entries
    )
    return {finding.kind: finding for finding in found}
