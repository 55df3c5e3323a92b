"""The outcome of each planted mistake: the stored table, and why survivors are not gaps."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from pathlib import Path

from attrs import frozen

from properties.judges.planted import ROOT, Planted

TABLE = ROOT / "tests" / "data" / "planted.json"
ARGUMENTS_FILE = Path(__file__).parent / "planted_arguments.toml"
SURVIVED = "survived"


@frozen
class PlantedFinding:
    """The outcome of one mistake."""

    name: str
    kind: str
    digest: str
    """The digest of its function; if that has changed since, the finding is stale."""
    found_by: str
    """The first check that found it, ``error`` if a check failed to run, or ``survived``."""
    told: str
    """The message of the check."""
    seconds: float


def make_finding(planted: Planted, found_by: str, told: str, seconds: float) -> PlantedFinding:
    """The finding about a mistake; a long message is cut."""
    name, kind, digest = planted.name, planted.kind, planted.digest
    return PlantedFinding(name, kind, digest, found_by, told[:300], seconds)


def load_table(path: Path = TABLE) -> dict[str, PlantedFinding]:
    """The stored findings by the mistake's name; empty without a table."""
    if not path.exists():
        return {}
    findings = (PlantedFinding(**entry) for entry in json.loads(path.read_text()))
    return {finding.name: finding for finding in findings}


def load_current(listed: Iterable[Planted]) -> dict[str, PlantedFinding]:
    """The stored findings about these mistakes that are current."""
    stored = load_table()
    return {
        planted.name: stored[planted.name]
        for planted in listed
        if planted.name in stored and stored[planted.name].digest == planted.digest
    }


def load_arguments(path: Path = ARGUMENTS_FILE) -> dict[str, str]:
    """Why a mistake that no check finds is not a gap, by its name."""
    return dict(tomllib.loads(path.read_text())["survivors"])
