"""The number of proved verdicts that depend on each restriction, over a world's structures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

from attrs import frozen

from properties.language.world import ClaimedStructure
from properties.restrictions.evidence import RestrictionEvidence, find_unevidenced, get_standing
from properties.restrictions.results import load_judged, load_proved, make_disagreement
from properties.worlds.catalogue import WORLD_BY_TOPIC, Tag, list_tagged


@frozen
class Bearing:
    """A load-bearing restriction of a world."""

    name: str
    cells: int
    """Proved verdicts of all structures that are lost without it."""
    cells_by_one: int
    """Those that are lost when it is moved by one."""
    claims: tuple[str, ...]
    """The claims of those verdicts, the one with most verdicts first."""
    standing: RestrictionEvidence


@frozen
class RestrictionTally:
    """A world in numbers."""

    restrictions: int
    load_bearing: int
    evident: int
    """Load-bearing restrictions that were probed on real code."""
    by_nature: int
    refuted: int
    unasked: int
    """The other load-bearing restrictions."""
    proved_cells: int
    resting_cells: int
    """Proved verdicts that depend on a restriction that is refuted or was not probed."""


def list_judged_structures(world: str) -> tuple[Any, ...]:
    """The structures of a world whose restrictions are relaxed."""
    return tuple(s for s in WORLD_BY_TOPIC[world].structures if s in list_tagged(Tag.SMALL))


@cache
def list_bearing(world: str) -> tuple[Bearing, ...]:
    """The load-bearing restrictions of a world, those with most verdicts first.

    Raises InternalDisagreementError if nothing is stored for today's rules.
    """
    cells, by_one = Counter[str](), Counter[str]()
    claims: dict[str, Counter[str]] = {}
    for structure in list_judged_structures(world):
        for judged in load_judged(structure):
            for claim, fault_models in judged.entirely.cells.items():
                cells[judged.restriction] += len(fault_models)
                claims.setdefault(judged.restriction, Counter())[claim] += len(fault_models)
            by_one[judged.restriction] += sum(map(len, judged.by_one.cells.values()))
    return tuple(
        Bearing(
            name,
            count,
            by_one[name],
            tuple(claim for claim, _ in claims[name].most_common()),
            get_standing(world, name),
        )
        for name, count in sorted(cells.items(), key=lambda item: (-item[1], item[0]))
    )


def compute_tally(world: str) -> RestrictionTally:
    """A world in numbers. Raises InternalDisagreementError."""
    structures = list_judged_structures(world)
    names = {j.restriction for s in structures for j in load_judged(s)}
    bearing = list_bearing(world)
    standings = [b.standing for b in bearing]
    cells = list(_list_cells(structures))
    return RestrictionTally(
        restrictions=len(names),
        load_bearing=len(bearing),
        evident=sum(s.is_evident and not s.is_by_nature for s in standings),
        by_nature=sum(s.is_evident and s.is_by_nature for s in standings),
        refuted=sum(bool(s.refuted_by) for s in standings),
        unasked=sum(not s.is_evident and not s.refuted_by for s in standings),
        proved_cells=len(cells),
        resting_cells=sum(_is_resting(*cell) for cell in cells),
    )


def _is_resting(structure: ClaimedStructure, claim: str, fault_model: str) -> bool:
    """The verdict depends on a restriction that was not probed."""
    found = find_unevidenced(structure, claim, fault_model)
    if found is None:
        raise make_disagreement(structure, f"nothing is known of {claim} under {fault_model}")
    return bool(found)


def _list_cells(structures: tuple[Any, ...]) -> Iterator[tuple[Any, str, str]]:
    for structure in structures:
        for claim, fault_models in load_proved(structure).items():
            for fault_model in fault_models:
                yield structure, claim, fault_model
