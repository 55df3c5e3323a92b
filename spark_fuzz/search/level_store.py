"""The levels of a distributed search on disk: parts that are either complete or absent.

Level 7 are the states that need seven steps. A state's packed words decide its part, so a part of a
level is compared only with the same part of earlier levels.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from attrs import evolve, frozen

from properties.fault_model import FaultModel
from properties.verdicts.fingerprint import compute_digest
from properties.worlds import find_world
from reference.releases.versions import find_version
from spark_fuzz.campaign.store import MANIFEST, CampaignError, put_in_place

PARTS = 16
"""The usual number of parts of a level."""

VIOLATING = b"first violating row"
"""The key in a file's metadata for the first violating row of each violated guarantee."""


@frozen
class SearchPlan:
    """The plan of a distributed search. It is written first and never changed."""

    structure: Any
    fault_model: FaultModel
    sizes: Any
    """Its limits are those of the fault class."""
    guarantees: tuple[str, ...]
    is_symmetric: bool = True
    """Whether slaves are treated as interchangeable."""
    parts: int = PARTS

    def encode(self) -> str:
        """The text of manifest.json."""
        content = {
            "rocketmq_version": find_version(self.structure.variants).name,
            "structure": self.structure.name,
            "fault_class": self.fault_model.name,
            "sizes": str(evolve(self.sizes, limits=self.fault_model.search_limits)),
            "guarantees": self.guarantees,
            "is_symmetric": self.is_symmetric,
            "parts": self.parts,
            "digest": compute_digest(self.structure),
        }
        return json.dumps(content, indent=1) + "\n"


def plan_search(
    structure: Any,
    fault_model: FaultModel,
    sizes: Any = None,
    guarantees: Iterable[str] | None = None,
    **others: Any,
) -> SearchPlan:
    """``sizes`` default to the small ones, ``guarantees`` to all."""
    names = tuple(find_world(structure).guarantees if guarantees is None else guarantees)
    small = find_world(structure).sizes.search if sizes is None else sizes
    return SearchPlan(structure, fault_model, small, names, **others)


@frozen
class Level:
    """A finished level."""

    states: int
    violating: dict[str, Any]
    """For each guarantee that is violated there the smallest state that does, packed."""


def begin_or_resume(folder: Path, plan: SearchPlan) -> None:
    """Create the folder of a search, or check that it belongs to the same one.

    Raises CampaignError for a folder of another search, OSError when it cannot be created.
    """
    path = folder / MANIFEST
    folder.mkdir(parents=True, exist_ok=True)
    if path.is_file():
        if path.read_text() != plan.encode():
            raise CampaignError(
                f"{folder} has the levels of another search, or of other rules; name another folder"
            )
    elif any(not child.name.startswith(".") for child in folder.iterdir()):
        raise CampaignError(f"{folder} has something else in it; name another folder")
    else:
        with put_in_place(path) as temporary:
            temporary.write_text(plan.encode())


def get_level_path(folder: Path, level: int) -> Path:
    """The path of the parts of a level."""
    return folder / f"level-{level:04}.parquet"


def get_part_path(folder: Path, level: int, part: int) -> Path:
    """The path of a part; the numbers alone decide."""
    return get_level_path(folder, level) / f"part-{part:04}.parquet"


def find_missing_parts(folder: Path, plan: SearchPlan, level: int) -> list[int]:
    """The parts of a level that are still to be computed, in order."""
    return [p for p in range(plan.parts) if not get_part_path(folder, level, p).exists()]


def choose_parts(rows: Any, parts: int) -> Any:
    """For each packed state the part that it belongs to."""
    mixed = np.zeros(len(rows), np.uint64)
    for word in rows.astype(np.uint64).T:
        mixed = (mixed ^ word) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return (mixed % np.uint64(parts)).astype(np.int32)


def write_part(path: Path, rows: Any, violating: dict[str, int]) -> None:
    """Put a part in place; ``violating`` has the first row that does for some guarantees."""
    table = make_table(rows).replace_schema_metadata({VIOLATING: json.dumps(violating)})
    path.parent.mkdir(exist_ok=True)
    with put_in_place(path) as temporary:
        pq.write_table(table, temporary)


def read_level(folder: Path, plan: SearchPlan, level: int) -> Level:
    """The data in the footers of a level's files, and the violating states."""
    states = 0
    found: dict[str, tuple[int, ...]] = {}
    for part in range(plan.parts):
        path = get_part_path(folder, level, part)
        footer = pq.read_metadata(path)
        states += footer.num_rows
        for name, row in json.loads(footer.metadata[VIOLATING]).items():
            words = tuple(map(int, read_rows([path])[row]))
            found[name] = min(words, found.get(name, words))
    return Level(states, {name: np.array(words) for name, words in found.items()})


def read_rows(paths: Iterable[Path]) -> Any:
    """The packed states in these files: int64, shape (states, words)."""
    return get_rows(pa.concat_tables([pq.ParquetFile(path).read() for path in paths]))


def make_table(rows: Any) -> pa.Table:
    """Packed states, a column for each word."""
    return pa.table({f"word{i}": column for i, column in enumerate(rows.T)})


def get_rows(table: pa.Table | pa.RecordBatch) -> Any:
    """The packed states of a table: its columns that are words, int64, shape (states, words)."""
    names = [name for name in table.schema.names if name.startswith("word")]
    columns = [np.asarray(table.column(name), np.int64) for name in names]
    return np.column_stack(columns) if table.num_rows else np.zeros((0, len(names)), np.int64)
