"""Certificates made anew after a change, at the price of what the change touches.

The lemmas are proved again and the schedules replayed, which settles most cells. Only a cell that
is neither proved nor refuted then is searched: among all known schedules first, and then step by
step. What is not searched again is whether a schedule is still the shortest; a renewed certificate
says of each cell whether that is known, until ``rmqspec prove --search`` has found out.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping
from typing import Any

from attrs import evolve, frozen

from properties.schedules.known_schedules import load_known_schedules
from properties.verdicts import certificates
from properties.verdicts.fault_sets.search import find_refutations
from properties.verdicts.fingerprint import Difference
from properties.verdicts.verdict import (
    Hints,
    InternalDisagreementError,
    Verdict,
    VerdictWord,
    search_structure,
)
from properties.worlds import find_world
from reference.checkout import PROGRAM

RENEWAL_DEPTH_LIMIT = 8
"""How deep a renewal searches for a cell that no known schedule refutes and no lemma proves."""
LARGE_RENEWAL_DEPTH_LIMIT = 4
"""The same for two and three slaves: what the group with one slave finds is tried there first."""


@frozen
class Renewal:
    """The cells of a structure after a change, and what became of the old ones."""

    difference: Difference
    verdicts: tuple[Verdict, ...]
    replayed: int
    """Refuted cells whose own schedule refutes still."""
    replaced: int
    """Cells that are refuted by another schedule than before."""
    changed: tuple[tuple[Verdict, Verdict], ...]
    """Cells with another word than before: the old one and the new one."""

    def __str__(self) -> str:
        """One line: what has changed, and what that did."""
        unknown = sum(not v.is_shortest for v in self.verdicts)
        parts = [f"{self.replayed} schedules refute still"]
        parts += [f"{self.replaced} replaced"] * bool(self.replaced)
        parts += [f"{len(self.changed)} cells with another word"] * bool(self.changed)
        parts += [f"{unknown} not known to be the shortest"] * bool(unknown)
        return f"renewed, other {self.difference}: {', '.join(parts)}"


def renew(
    structure: Any,
    document: dict[str, Any],
    on_progress: Callable[[str], None] = lambda text: None,
    *,
    sizes: Any = None,
) -> Renewal:
    """Decide every cell with the help of a certificate that was made from other rules.

    Raises InternalDisagreementError for a certificate that does not say what it was made from.
    """
    difference = certificates.compute_changes(structure, document)
    if difference is None:
        raise InternalDisagreementError(
            f"the certificate of {structure.name} does not say what it was made from; "
            f"run `{PROGRAM} prove --search`"
        )
    known = certificates.decode_asked(structure, document)
    old = {(c.guarantee, c.fault): c for c in known}
    is_large = structure.index_counts.get("slave", 0) > 1
    found = search_structure(
        structure,
        on_progress,
        depth_limit=LARGE_RENEWAL_DEPTH_LIMIT if is_large else RENEWAL_DEPTH_LIMIT,
        sizes=sizes,
        hints=Hints(
            known,
            lambda left: _find_refutations(structure, left, sizes),
        ),
    )
    verdicts = tuple(_mark(v, old.get((v.guarantee, v.fault)), difference) for v in found)
    return _compare(difference, verdicts, old)


def _find_refutations(
    structure: Any, left: Mapping[str, Collection[str]], sizes: Any
) -> tuple[Verdict, ...]:
    """What the schedules of related structures refute here, and its own, of these claims."""
    kindred = (structure, *find_world(structure).list_related_structures(structure))
    folders = dict.fromkeys(certificates.get_world_folder(s) for s in kindred)
    known = [schedule for folder in folders for schedule in load_known_schedules(folder)]
    claims = dict.fromkeys(itertools.chain(*left.values()))
    refutations = find_refutations(structure, known, sizes, names=claims)
    return tuple(
        Verdict(name, column.name, VerdictWord.REFUTED, schedule)
        for name, by_faults in refutations.items()
        for faults, schedule in by_faults.items()
        for column in find_world(structure).fault_models
        if name in left.get(column.name, ()) and faults <= set(column.admitted)
    )


def _mark(verdict: Verdict, old: Verdict | None, difference: Difference) -> Verdict:
    """The cell with what is known of its length."""
    if verdict.word is VerdictWord.PROVED:
        return verdict
    is_as_before = old is not None and (
        (old.word, old.steps, old.depth) == (verdict.word, verdict.steps, verdict.depth)
    )
    is_known = is_as_before and old is not None and old.is_shortest
    return evolve(verdict, is_shortest=is_known and difference.keeps_shortest(verdict.guarantee))


def _compare(
    difference: Difference, verdicts: tuple[Verdict, ...], old: dict[tuple[str, str], Verdict]
) -> Renewal:
    pairs = [(old[v.guarantee, v.fault], v) for v in verdicts if (v.guarantee, v.fault) in old]
    refuted = [(before, v) for before, v in pairs if before.word is v.word is VerdictWord.REFUTED]
    kept = sum(before.schedule == v.schedule for before, v in refuted)
    changed = tuple((before, v) for before, v in pairs if before.word is not v.word)
    return Renewal(difference, verdicts, kept, len(refuted) - kept, changed)
