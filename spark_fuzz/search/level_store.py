"""The levels of a search on disk: parts that are either complete or absent.

Level 7 are the states that need seven steps. The hash of a state decides its part, so a part of a
level is compared only with the same part of earlier levels.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from attrs import evolve, frozen

from properties.language.fault_model import FaultModel
from properties.language.world import ClaimedStructure
from properties.verdicts.fingerprint import compute_digest
from reference.language.parameters import BaseParameters
from reference.releases.versions import find_version
from spark_fuzz.campaign.store import MANIFEST, CampaignError, put_in_place

PARTS = 16
"""The usual number of parts of a level."""

STATES_PER_PART = 8_000_000
"""Searches with a larger budget have more parts, so that one fits into a worker's memory."""

FORMAT = 2
"""The form of the files."""


@frozen
class SearchPlan:
    """The plan of a search by levels. It is written first and never changed."""

    structure: ClaimedStructure
    fault_model: FaultModel
    sizes: BaseParameters
    """Its limits are those of the fault model."""
    guarantees: tuple[str, ...]
    is_symmetric: bool = True
    """Whether slaves are treated as interchangeable."""
    parts: int = PARTS

    def encode(self) -> str:
        """The text of manifest.json."""
        content = {
            "format": FORMAT,
            "rocketmq_version": find_version(self.structure.variants).name,
            "structure": self.structure.name,
            "fault_model": self.fault_model.name,
            "sizes": str(self.sizes.limit(self.fault_model.search_limits)),
            "guarantees": self.guarantees,
            "is_symmetric": self.is_symmetric,
            "parts": self.parts,
            "digest": compute_digest(self.structure),
        }
        return json.dumps(content, indent=1) + "\n"


def plan_search(
    structure: ClaimedStructure,
    fault_model: FaultModel,
    sizes: BaseParameters | None = None,
    guarantees: Iterable[str] | None = None,
    **others: Any,
) -> SearchPlan:
    """``sizes`` default to the small ones, ``guarantees`` to all."""
    names = tuple(structure.world.guarantees if guarantees is None else guarantees)
    small = structure.world.sizes.search if sizes is None else sizes
    return SearchPlan(structure, fault_model, small, names, **others)


@frozen
class Level:
    """A finished level, or a part of one."""

    states: int
    violating: dict[str, tuple[int, ...]]
    """For each guarantee that is violated there the first state that does, as it lies on disk."""

    @classmethod
    def join(cls, parts: Iterable[Level]) -> Level:
        """The level of these parts."""
        states = 0
        violating: dict[str, tuple[int, ...]] = {}
        for part in parts:
            states += part.states
            for name, words in part.violating.items():
                violating[name] = min(words, violating.get(name, words))
        return cls(states, violating)


def begin_or_resume(folder: Path, plan: SearchPlan) -> SearchPlan:
    """Create the folder of a search, or check that it belongs to the same one; the plan there.

    The number of parts is that of the first run. Raises CampaignError for a folder of another
    search, OSError when it cannot be created.
    """
    path = folder / MANIFEST
    folder.mkdir(parents=True, exist_ok=True)
    if path.is_file():
        if (begun := _read_plan(path, plan)) is not None:
            return begun
        raise CampaignError(
            f"{folder} has the levels of another search, or of other rules; name another folder"
        )
    if any(not child.name.startswith(".") for child in folder.iterdir()):
        raise CampaignError(f"{folder} has something else in it; name another folder")
    with put_in_place(path) as temporary:
        temporary.write_text(plan.encode())
    return plan


def _read_plan(path: Path, plan: SearchPlan) -> SearchPlan | None:
    """The plan with the parts that a manifest names, or None if it is of another search."""
    text = path.read_text()
    try:
        begun = evolve(plan, parts=int(json.loads(text)["parts"]))
    except (ValueError, KeyError, TypeError):
        return None
    return begun if text == begun.encode() else None


def get_level_path(folder: Path, level: int) -> Path:
    """The folder of the parts of a level."""
    return folder / f"level-{level:04}"


def get_part_path(folder: Path, level: int, part: int) -> Path:
    """The path of a part; the numbers alone decide."""
    return get_level_path(folder, level) / f"part-{part:04}.npy"


def get_candidates_path(folder: Path, level: int, source: int) -> Path:
    """The successors that one part of the level before has; gone when the level is complete."""
    return get_level_path(folder, level) / f"candidates-{source:04}.npy"


def find_level(folder: Path, level: int) -> Level | None:
    """A level that is complete, or None."""
    path = get_level_path(folder, level).with_suffix(".json")
    if not path.exists():
        return None
    content = json.loads(path.read_text())
    violating = {name: tuple(words) for name, words in content["violating"].items()}
    return Level(content["states"], violating)


def complete_level(folder: Path, level: int, found: Level) -> None:
    """Note that all parts of a level are in place, and remove what only they needed."""
    path = get_level_path(folder, level)
    with put_in_place(path.with_suffix(".json")) as temporary:
        content = {"states": found.states, "violating": found.violating}
        temporary.write_text(json.dumps(content) + "\n")
    for candidates in path.glob("candidates-*.npy"):
        candidates.unlink(missing_ok=True)


def write_rows(path: Path, rows: Any) -> None:
    """Put rows in place."""
    path.parent.mkdir(exist_ok=True)
    with put_in_place(path) as temporary, temporary.open("wb") as file:
        np.save(file, rows)


def read_rows(path: Path) -> Any:
    """The rows of a file, uint64, shape (states, words), read as they are used."""
    return np.load(path, mmap_mode="r")
