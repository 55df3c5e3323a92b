"""What is known of real brokers at the boundaries of restrictions, and what nobody has seen.

A row or a recording is evidence only where a real broker stood at the boundary and could have gone
on: one that merely does what the rule says proves nothing about the restriction.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from properties.restrictions.results import JUDGED_STRUCTURES, load_judged, load_proved
from properties.verdicts.verdict import InternalDisagreementError
from properties.worlds import STRUCTURES_BY_WORLD
from reference.worlds.replication.structure import Structure

EVIDENCE_FILE = Path(__file__).with_name("evidence.toml")


@frozen
class Standing:
    """What stands behind one restriction of a world."""

    says: str = ""
    """What was seen, why nobody has to look, or what refutes it; one sentence."""
    rows: tuple[str, ...] = ()
    """Rows of tables that real classes filled, by their names."""
    recordings: tuple[str, ...] = ()
    """Places in recordings of real brokers, for example ``j_rollover seq 39 to 40``."""
    refuted_by: tuple[str, ...] = ()
    """Findings that show real brokers beyond the boundary."""
    is_by_nature: bool = False
    """It holds of any process, connection or disk, or only says which rule a step is counted to."""
    ask: str = ""
    """What to ask a real broker, where nothing is known."""

    @property
    def is_evident(self) -> bool:
        """Nothing is left to ask: it was probed, or could not be otherwise."""
        is_seen = bool(self.rows or self.recordings)
        return (is_seen or self.is_by_nature) and not self.refuted_by


@cache
def load_standings() -> Mapping[tuple[str, str], Standing]:
    """What is known of restrictions, by world and name. Raises ValueError for one told twice."""
    found: dict[tuple[str, str], Standing] = {}
    for entry in tomllib.loads(EVIDENCE_FILE.read_text(encoding="utf-8"))["restriction"]:
        for name in entry["names"]:
            key = entry["world"], name
            if key in found:
                raise ValueError(f"{name} of {key[0]} is told twice")
            found[key] = _read(entry)
    return found


def _read(entry: Mapping[str, Any]) -> Standing:
    return Standing(
        says=entry.get("says", ""),
        rows=tuple(entry.get("rows", ())),
        recordings=tuple(entry.get("recordings", ())),
        refuted_by=tuple(entry.get("refuted_by", ())),
        is_by_nature=entry.get("is_by_nature", False),
        ask=entry.get("ask", ""),
    )


def get_standing(world: str, restriction: str) -> Standing:
    """What is known of a restriction; nothing where nobody has looked."""
    return load_standings().get((world, restriction), Standing())


def get_world_name(structure: Any) -> str:
    """The world of a structure: ``replication``, ``consumption``, ``tables``, ``delay``."""
    worlds = STRUCTURES_BY_WORLD.items()
    return next(name for name, known in worlds if type(known[0]) is type(structure))


@cache
def find_bearing(structure: Any, claim: str, column: str) -> tuple[str, ...] | None:
    """The restrictions that a proved cell hangs on; None where that is not known.

    Of a group with more slaves those of the group with one slave, where the cell is proved as well;
    nothing is known of variants and other releases, nor where what is stored was made from other
    rules.
    """
    judged = get_judged_related(structure)
    if judged is None:
        return None
    try:
        found = load_judged(judged)
        is_proved = column in load_proved(judged).get(claim, ())
    except InternalDisagreementError:
        return None
    return tuple(j.restriction for j in found if j.has_cell(claim, column)) if is_proved else None


def get_judged_related(structure: Any) -> Any | None:
    """The structure whose restrictions speak for this one; None where there is none."""
    if isinstance(structure, Structure) and structure.slaves > 1:
        structure = evolve(structure, slaves=1)
    return structure if structure in JUDGED_STRUCTURES else None


@cache
def find_unevidenced(structure: Any, claim: str, column: str) -> tuple[str, ...] | None:
    """The restrictions that a proved cell hangs on and that no real broker has been asked about.

    Those that a finding refutes are among them. None where it is not known which ones carry the
    cell.
    """
    bearing = find_bearing(structure, claim, column)
    if bearing is None:
        return None
    world = get_world_name(structure)
    return tuple(name for name in bearing if not get_standing(world, name).is_evident)
