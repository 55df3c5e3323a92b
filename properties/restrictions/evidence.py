"""Evidence from real brokers at the boundaries of restrictions, and open questions.

A row or a recording is evidence only if a real broker was at the boundary and could have continued.
One that merely follows the rule proves nothing about the restriction.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from properties.language.world import ClaimedStructure
from properties.restrictions.results import load_judged, load_proved
from properties.verdicts.verdict import InternalDisagreementError
from properties.worlds.catalogue import WORLD_BY_TOPIC, Tag, list_tagged
from properties.worlds.replication.world import ClaimedGroup

EVIDENCE_FILE = Path(__file__).with_name("evidence.toml")


@frozen
class RestrictionEvidence:
    """The evidence for one restriction of a world."""

    says: str = ""
    """One sentence: what was observed, why no observation is needed, or what refutes it."""
    rows: tuple[str, ...] = ()
    """Rows of tables that real classes filled, by name."""
    recordings: tuple[str, ...] = ()
    """Places in recordings of real brokers, for example ``j_rollover seq 39 to 40``."""
    refuted_by: tuple[str, ...] = ()
    """Findings that show real brokers beyond the boundary."""
    is_by_nature: bool = False
    """It holds for any process, connection or disk, or only decides which rule a step is of."""
    ask: str = ""
    """The question to a real broker, if nothing is known."""

    @property
    def is_evident(self) -> bool:
        """No question is open: it was probed, or cannot be otherwise."""
        is_seen = bool(self.rows or self.recordings)
        return (is_seen or self.is_by_nature) and not self.refuted_by


@cache
def load_standings() -> Mapping[tuple[str, str], RestrictionEvidence]:
    """The evidence for restrictions, by world and name. Raises ValueError for a duplicate."""
    found: dict[tuple[str, str], RestrictionEvidence] = {}
    for entry in tomllib.loads(EVIDENCE_FILE.read_text(encoding="utf-8"))["restriction"]:
        for name in entry["names"]:
            key = entry["world"], name
            if key in found:
                raise ValueError(f"{name} of {key[0]} is told twice")
            found[key] = _read(entry)
    return found


def _read(entry: Mapping[str, Any]) -> RestrictionEvidence:
    return RestrictionEvidence(
        says=entry.get("says", ""),
        rows=tuple(entry.get("rows", ())),
        recordings=tuple(entry.get("recordings", ())),
        refuted_by=tuple(entry.get("refuted_by", ())),
        is_by_nature=entry.get("is_by_nature", False),
        ask=entry.get("ask", ""),
    )


def get_standing(world: str, restriction: str) -> RestrictionEvidence:
    """The evidence for a restriction; empty if there is none."""
    return load_standings().get((world, restriction), RestrictionEvidence())


def get_world_name(structure: ClaimedStructure) -> str:
    """The world of a structure, as tables call it: ``replication``, ``consumption`` and so on."""
    names = (name for name, world in WORLD_BY_TOPIC.items() if world is structure.world)
    return next(names, structure.world.topic)


@cache
def find_bearing(
    structure: ClaimedStructure, claim: str, fault_model: str
) -> tuple[str, ...] | None:
    """The restrictions that a proved verdict depends on; None if that is unknown.

    A group with more slaves has those of the group with one slave, if the verdict is proved there
    too. They are unknown for variants and other releases, of which they are not asked, and if the
    stored data is missing or was made from other rules (``is_table_current``).
    """
    judged = get_judged_related(structure)
    if judged is None:
        return None
    try:
        found = load_judged(judged)
        is_proved = fault_model in load_proved(judged).get(claim, ())
    except InternalDisagreementError:
        return None
    return (
        tuple(j.restriction for j in found if j.has_cell(claim, fault_model)) if is_proved else None
    )


@cache
def is_table_current(structure: ClaimedStructure) -> bool:
    """Whatever was asked of a structure is stored for today's rules; nothing is asked of some."""
    judged = get_judged_related(structure)
    try:
        return judged is None or bool(load_judged(judged))
    except InternalDisagreementError:
        return False


def get_judged_related(structure: ClaimedStructure) -> Any | None:
    """The structure whose restrictions apply to this one; None if there is none."""
    if isinstance(structure, ClaimedGroup) and structure.slaves > 1:
        structure = evolve(structure, slaves=1)
    return structure if structure in list_tagged(Tag.SMALL) else None


@cache
def find_unevidenced(
    structure: ClaimedStructure, claim: str, fault_model: str
) -> tuple[str, ...] | None:
    """The restrictions that a proved verdict depends on and that were not probed on a real broker.

    They include those that a finding refutes. None if the verdict's restrictions are unknown.
    """
    bearing = find_bearing(structure, claim, fault_model)
    if bearing is None:
        return None
    world = get_world_name(structure)
    return tuple(name for name in bearing if not get_standing(world, name).is_evident)
