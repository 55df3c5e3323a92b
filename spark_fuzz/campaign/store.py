"""A campaign on disk: a manifest, and units that are either complete or absent."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from uuid import uuid4

from attrs import frozen

from properties.language.world import ClaimedStructure
from reference.language.machine import record_machine
from reference.releases.versions import find_version
from spark_fuzz.campaign.schedule import (
    SCHEDULES_MAX,
    CampaignOptions,
    IdentifierError,
    parse_identifier,
)
from spark_fuzz.kernel.ancestry import PARTS_MAX

MANIFEST = "manifest.json"
DATA_FOLDER = "schedules.parquet"
COVERAGE_FOLDER = "coverage.parquet"
ROW_FORMAT = 2
"""The form in which rows are stored. In the first one, lists had names instead of bits, and columns
that follow from others were stored, too."""
SCHEDULES_PER_UNIT = 50_000
"""The size of a unit in small campaigns."""
UNITS_USUAL = 20
"""Campaigns with more units of that size have larger ones instead, up to LARGE_UNIT: a unit costs
some 0.03 s besides its schedules, and what is lost with a worker is a unit at most."""
LARGE_UNIT = 250_000
UNITS_MAX = 1_000
"""The largest campaigns have still larger units; this holds for each round."""
ROUNDS_MAX = PARTS_MAX - 1
"""Guided rounds of a campaign."""
LIBRARIES = ("numpy", "pyarrow", "pyspark")


class CampaignError(Exception):
    """Raised when a campaign cannot begin, continue or be read; one line, with a remedy."""


@frozen
class Manifest:
    """The plan of a campaign. It is written first and never changed."""

    options: CampaignOptions
    schedules: int
    """The number of schedules in each round."""
    schedules_per_unit: int
    """Units are consecutive schedules; the last one of a round may be smaller."""
    guided_rounds: int = 0
    """Rounds after the first one; their schedules continue where earlier ones met rare things."""

    @property
    def units_per_round(self) -> int:
        """The number of units in each round."""
        return -(-self.schedules // self.schedules_per_unit)

    @property
    def units(self) -> int:
        """The number of units, numbered from 0."""
        return self.units_per_round * (1 + self.guided_rounds)

    @property
    def schedules_in_all(self) -> int:
        """The number of schedules, numbered from 0."""
        return self.schedules * (1 + self.guided_rounds)

    def get_round(self, unit: int) -> int:
        """The round of a unit; round 0 is unguided."""
        return unit // self.units_per_round

    def get_units(self, guided_round: int) -> range:
        """The units of a round."""
        first = guided_round * self.units_per_round
        return range(first, first + self.units_per_round)

    def get_schedules(self, unit: int) -> range:
        """The numbers of a unit's schedules."""
        guided_round, within = divmod(unit, self.units_per_round)
        begin, end = guided_round * self.schedules, (guided_round + 1) * self.schedules
        first = begin + within * self.schedules_per_unit
        return range(first, min(first + self.schedules_per_unit, end))

    def encode(self) -> str:
        """The text of manifest.json; its first schedule's identifier contains all options."""
        versions = {"python": platform.python_version()}
        content = {
            "rocketmq_version": find_version(self.options.structure.variants).name,
            "first_schedule": self.options.format_identifier(0),
            "schedules": self.schedules,
            "schedules_per_unit": self.schedules_per_unit,
            "guided_rounds": self.guided_rounds,
            "row_format": ROW_FORMAT,
            "rule_bits": list_rule_instances(self.options.structure),
            "stuck_bits": self.options.structure.world.claims_about_rest,
            "versions": versions | {library: version(library) for library in LIBRARIES},
        }
        return json.dumps(content, indent=1) + "\n"


def list_rule_instances(structure: ClaimedStructure) -> list[str]:
    """The rule instances, in the order of their bits in a row."""
    return [recorded.instance.name for recorded in record_machine(structure)]


def plan_campaign(options: CampaignOptions, schedules: int, guided_rounds: int = 0) -> Manifest:
    """Cut a campaign into units; the same ones on every cluster."""
    usual = min(LARGE_UNIT, -(-schedules // UNITS_USUAL))
    size = max(SCHEDULES_PER_UNIT, usual, -(-schedules // UNITS_MAX))
    return Manifest(options, schedules, size, guided_rounds)


def check_is_new(folder: Path) -> None:
    """Raise CampaignError when a folder exists."""
    if folder.exists():
        raise CampaignError(
            f"{folder} exists and is left as it is; choose another --out, or continue an "
            "interrupted campaign with --resume"
        )


def create_campaign(folder: Path, manifest: Manifest) -> None:
    """Create the folder of a new campaign, with its manifest and without units.

    Raises CampaignError when the folder exists, OSError when it cannot be made.
    """
    check_is_new(folder)
    # A kill must not leave a folder without manifest, which could be neither started nor resumed.
    begun = _get_temporary(folder)
    for data in (DATA_FOLDER, COVERAGE_FOLDER):
        (begun / data).mkdir(parents=True)
    (begun / MANIFEST).write_text(manifest.encode())
    begun.rename(folder)


def read_manifest(folder: Path) -> Manifest:
    """The plan of a folder's campaign.

    Raises CampaignError for a folder that is no campaign, or one of other rules or other rows.
    """
    path = folder / MANIFEST
    if not path.is_file():
        raise CampaignError(f"{folder} is no campaign: it has no {MANIFEST}; name another folder")
    try:
        content = json.loads(path.read_text())
        schedules, size = int(content["schedules"]), int(content["schedules_per_unit"])
        guided_rounds = int(content["guided_rounds"])
        if not (0 < schedules <= SCHEDULES_MAX and size > 0 and 0 <= guided_rounds <= ROUNDS_MAX):
            raise ValueError("schedules")
        options, _ = parse_identifier(content["first_schedule"])
        row_format = content.get("row_format", 1)
    except IdentifierError as problem:
        raise CampaignError(f"{path}: {problem}") from problem
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise CampaignError(
            f"{path} is no campaign's manifest ({problem!r}); name another folder"
        ) from problem
    if row_format != ROW_FORMAT:
        raise CampaignError(
            f"{path}: the rows have form {row_format}, and this version reads form {ROW_FORMAT}; "
            "use the version of this project that made them, or begin anew with another --out"
        )
    return Manifest(options, schedules, size, guided_rounds)


def get_unit_path(folder: Path, unit: int) -> Path:
    """The path of a unit; its number alone decides."""
    return folder / DATA_FOLDER / f"unit-{unit:06}.parquet"


def get_coverage_path(folder: Path, unit: int) -> Path:
    """The path of a unit's observations; in place before the unit is."""
    return folder / COVERAGE_FOLDER / get_unit_path(folder, unit).name


def find_units(folder: Path) -> set[int]:
    """The finished units."""
    return {
        int(path.stem.partition("-")[2]) for path in (folder / DATA_FOLDER).glob("unit-*.parquet")
    }


def find_missing_units(
    folder: Path, manifest: Manifest, guided_round: int | None = None
) -> list[int]:
    """The units that are still to be computed, of one round or of all, in order."""
    wanted = range(manifest.units) if guided_round is None else manifest.get_units(guided_round)
    return sorted(set(wanted) - find_units(folder))


@contextmanager
def put_in_place(path: Path) -> Iterator[Path]:
    """A temporary file that is renamed to the path on success and removed otherwise."""
    temporary = _get_temporary(path)
    try:
        yield temporary
        with temporary.open("r+b") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    except FileNotFoundError:
        # Another process has completed the campaign meanwhile, and removed leftovers.
        if not path.exists():
            raise
    finally:
        temporary.unlink(missing_ok=True)


def remove_leftovers(folder: Path) -> None:
    """Remove the temporary files that killed workers have left in a complete campaign."""
    for data in (DATA_FOLDER, COVERAGE_FOLDER):
        for path in (folder / data).glob(".unit-*.tmp"):
            path.unlink(missing_ok=True)


def _get_temporary(path: Path) -> Path:
    """A unique name beside the path that Spark does not read."""
    return path.with_name(f".{path.name}.{uuid4().hex}.tmp")
