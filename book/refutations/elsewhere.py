"""The same cell elsewhere: in other deployments, in later releases, with a repair."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from attrs import evolve

from properties.comparison.upgrades import COMPARED_VARIANTS
from properties.scenarios.counterexamples.cases import Case
from properties.verdicts.certificates import find_cells
from properties.verdicts.certified_cells import compute_row, describe
from properties.worlds import STRUCTURES_BY_WORLD
from reference.releases.versions import RULE_SETS, apply_rule_set
from reference.worlds.replication.structure import Structure


def tell_cell(case: Case, structure: Any) -> str | None:
    """The verdict of the case's cell in another structure; None where nobody has decided it.

    A deployment of 4.4.0 is told as in the verdict tables, which know vacuous proofs.
    """
    if case.is_replication and not structure.variants:
        return compute_row(structure).get((case.claim, case.fault))
    found = find_cells(structure).get((case.claim, case.fault))
    return None if found is None else describe(found)


def list_variants(structure: Structure) -> Iterator[tuple[str, Structure]]:
    """The repairs, by name, on top of 4.4.0."""
    for name in COMPARED_VARIANTS:
        if name not in RULE_SETS:
            yield name, evolve(structure, variants=(name,))


def list_releases(structure: Structure) -> Iterator[tuple[str, Structure]]:
    """Later releases, by the first one with the same rules."""
    for name in RULE_SETS:
        yield name, apply_rule_set(structure, name)


def list_deployments(case: Case) -> Iterator[tuple[str, Any]]:
    """The other structures of the same world in 4.4.0, by name."""
    for structures in STRUCTURES_BY_WORLD.values():
        if case.structure in structures:
            yield from ((s.name, s) for s in structures if s != case.structure)


def group_by_verdict(case: Case, named: Iterable[tuple[str, Any]]) -> dict[str, list[str]]:
    """The names of structures by the verdict of the cell there; undecided ones are left out."""
    groups: dict[str, list[str]] = {}
    for name, structure in named:
        verdict = tell_cell(case, structure)
        if verdict is not None:
            groups.setdefault(verdict, []).append(name)
    return groups
