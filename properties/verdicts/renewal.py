"""Renewal of certificates after a change; only what the change touches is decided again.

The lemmas are proved again and the schedules replayed, which settles most verdicts. Only a verdict
that is then neither proved nor refuted is searched: first among all known schedules, then step by
step. Renewal does not check whether a schedule is still the shortest; a renewed certificate marks
each verdict for which that is unknown, until ``rmqspec prove --search`` has decided it.
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
"""The depth to which a renewal searches for a verdict that nothing known decides."""
LARGE_RENEWAL_DEPTH_LIMIT = 4
"""The depth for two and three slaves, where the schedules of one slave are tried first."""


@frozen
class Renewal:
    """The verdicts of a structure after a change, compared with the old ones."""

    difference: Difference
    verdicts: tuple[Verdict, ...]
    replayed: int
    """Refuted verdicts whose own schedule still refutes."""
    replaced: int
    """Verdicts that are refuted by another schedule than before."""
    changed: tuple[tuple[Verdict, Verdict], ...]
    """Verdicts with another word than before: the old one and the new one."""

    def __str__(self) -> str:
        """One line: what has changed, and its effect."""
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
    """Decide every verdict with the help of a certificate that was made from other rules.

    Raises InternalDisagreementError for a certificate without a fingerprint.
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
    """Refutations of these claims by the structure's own schedules and related structures'."""
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
    """The verdict, marked with what is known of its schedule's length."""
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
