"""Expected verdicts: data, each with a reason, compared with the engines' verdicts."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from attrs import field, frozen

from properties.language.world import ClaimedStructure
from properties.verdicts.selectors import CellSelector
from properties.verdicts.verdict import VerdictWord
from properties.worlds.replication.world import REPLICATION
from reference.releases.versions import RULE_SETS

EXPECTATIONS_FILE = REPLICATION.reasons / "expected_verdicts.toml"


@frozen(kw_only=True)
class Expectation(CellSelector):
    """The expected verdict of some table cells of one guarantee."""

    guarantee: str
    verdict: VerdictWord = field(converter=VerdictWord)
    is_claimed: bool
    """The documentation promises the guarantee to an operator here."""
    reason: str
    """One sentence: the reason for the verdict."""


@cache
def load_expectations(file: Path = EXPECTATIONS_FILE) -> tuple[Expectation, ...]:
    """All entries, in the order of the file."""
    entries: list[dict[str, Any]] = tomllib.loads(file.read_text())["expected"]
    return tuple(Expectation(**entry) for entry in entries)


def get_expectations_file(structure: ClaimedStructure) -> Path:
    """The file about a structure's world."""
    return structure.world.reasons / "expected_verdicts.toml"


def has_expectations(structure: ClaimedStructure) -> bool:
    """Verdicts are expected of it: it is a structure of a release, without settings or repairs.

    Those of others are compared with the release's instead.
    """
    return all(name in RULE_SETS for name in structure.variants)


def find_expectation(guarantee: str, structure: ClaimedStructure, fault: str) -> Expectation:
    """The entry for a verdict. Raises LookupError when there is none."""
    for entry in load_expectations(get_expectations_file(structure)):
        if entry.guarantee == guarantee and entry.fits(structure, fault):
            return entry
    raise LookupError(f"no expectation for {guarantee} of {structure.name} under {fault}")
