"""The outcome of each planted mistake as it was measured, and why survivors are not gaps."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path

from attrs import asdict, frozen

from properties.judges.measurements import read_measurement, write_measurement
from properties.judges.planted import Planted

MEASUREMENT = "planted"
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


def save_table(findings: Iterable[PlantedFinding]) -> None:
    """Keep the findings. Raises OSError."""
    write_measurement(MEASUREMENT, [asdict(finding) for finding in findings])


def load_table() -> dict[str, PlantedFinding]:
    """The measured findings by the mistake's name; empty if they are missing or damaged."""
    measured = read_measurement(MEASUREMENT)
    try:
        findings = [PlantedFinding(**entry) for entry in measured.result] if measured else []
    except TypeError:
        return {}
    return {finding.name: finding for finding in findings}


def load_current(listed: Iterable[Planted]) -> dict[str, PlantedFinding]:
    """The measured findings about these mistakes that are current."""
    stored = load_table()
    return {
        planted.name: stored[planted.name]
        for planted in listed
        if planted.name in stored and stored[planted.name].digest == planted.digest
    }


def load_arguments(path: Path = ARGUMENTS_FILE) -> dict[str, str]:
    """Why a mistake that no check finds is not a gap, by its name."""
    return dict(tomllib.loads(path.read_text())["survivors"])
