"""Renewal of certificates after a change; only what the change touches is decided again.

The lemmas are proved again and the schedules replayed, which settles most verdicts. Only a verdict
that is then neither proved nor refuted is searched: first among all known schedules, then step by
step. Renewal does not check whether a schedule is still the shortest; a renewed certificate marks
each verdict for which that is unknown, until ``rmqspec prove --search`` has decided it. Where rules
were only added, that search looks for schedules with a step of an added rule alone.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from attrs import evolve, frozen

from properties.checkout import PROGRAM
from properties.language.fault_model import FaultModel
from properties.language.world import ClaimedStructure
from properties.schedules.known_schedules import load_known_schedules
from properties.verdicts import certificates
from properties.verdicts.changed_rules import BEFORE
from properties.verdicts.fault_sets.search import find_refutations
from properties.verdicts.fingerprint import FingerprintDifference, is_sealed
from properties.verdicts.remembering import remember
from properties.verdicts.verdict import (
    Hints,
    InternalDisagreementError,
    Verdict,
    VerdictWord,
    compute_depth_limit,
    inherit,
    leave_open,
    record_violation,
    search_column,
    search_structure,
)
from properties.z3.bounded_search import BoundedSearch
from properties.z3.induction import keep_inductive, prove_lemmas
from properties.z3.needless_steps import find_needless
from reference.language.parameters import BaseParameters

RENEWAL_DEPTH_LIMIT = 8
"""The depth to which a renewal searches for a verdict that nothing known decides."""
LARGE_RENEWAL_DEPTH_LIMIT = 4
"""The depth for two and three slaves, where the schedules of one slave are tried first."""


@frozen
class Renewal:
    """The verdicts of a structure after a change, compared with the old ones."""

    difference: FingerprintDifference
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
    structure: ClaimedStructure,
    document: dict[str, Any],
    on_progress: Callable[[str], None] = lambda text: None,
    *,
    base: ClaimedStructure | None = None,
    sizes: BaseParameters | None = None,
) -> Renewal:
    """Decide every verdict with the help of a certificate that was made from other rules.

    They are older rules of the structure, or those of its ``base``. Raises
    InternalDisagreementError for a certificate without a fingerprint.
    """
    difference = certificates.compute_changes(structure, document, base)
    if difference is None:
        raise InternalDisagreementError(
            f"the certificate of {structure.name} does not say what it was made from; "
            f"run `{PROGRAM} prove --search`"
        )
    known = certificates.decode_asked(structure, document)
    is_whole = is_sealed(document)
    if not is_whole:
        known = tuple(evolve(c, is_shortest=False) for c in known)
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
            _list_old_lemmas(structure, document, difference) if is_whole else (),
            _list_left_open(known, difference) if is_whole and base is None else {},
            lambda v: is_whole and difference.keeps_shortest(v.guarantee),
        ),
    )
    verdicts = tuple(_mark(v, old.get((v.guarantee, v.fault)), difference) for v in found)
    return _compare(difference, verdicts, old)


def renew_for_answer(
    structure: ClaimedStructure, document: dict[str, Any], say: Callable[[str], None]
) -> dict[str, Any]:
    """A certificate from other rules as it would be from these, which is said and not stored.

    What is open after a search of some steps is left undecided. Raises InternalDisagreementError
    for one that is malformed.
    """
    changes = certificates.compute_changes(structure, document)
    say(
        f"the proofs about {structure.name} are of other rules or claims ({changes}); decided "
        "again for this answer, not stored"
    )
    verdicts = remember("renewed", (structure.name,), lambda: renew(structure, document).verdicts)
    before = {
        (v.guarantee, v.fault): v.word.value for v in certificates.decode_asked(structure, document)
    }
    return certificates.make_document(structure, verdicts) | {BEFORE: before}


def derive(
    structure: ClaimedStructure,
    base: ClaimedStructure,
    on_progress: Callable[[str], None] = lambda text: None,
) -> dict[str, Any]:
    """A certificate of a structure that has none, from that of its ``base``, which is not stored.

    Raises InternalDisagreementError if that is missing or of other rules.
    """
    document = certificates.load_required(base)
    verdicts = renew(structure, document, on_progress, base=base).verdicts
    return certificates.make_document(structure, shorten_by_related(structure, verdicts))


def shorten_by_related(
    structure: ClaimedStructure, verdicts: Iterable[Verdict]
) -> tuple[Verdict, ...]:
    """The same verdicts, refuted by a schedule of a related structure where that is shorter.

    A base in which much more is needed leaves schedules of which most steps are needless here.
    """
    related = certificates.load_related(structure)
    known = dict.fromkeys(v.schedule for v in related if v.word is VerdictWord.REFUTED)
    found = find_refutations(structure, known, None)

    def shorten(verdict: Verdict) -> Verdict:
        admitted = set(structure.world.get_fault_model(verdict.fault).admitted)
        fitting = (s for faults, s in found[verdict.guarantee].items() if faults <= admitted)
        shortest = min((verdict.schedule, *fitting), key=len)
        if len(shortest) == len(verdict.schedule):
            return verdict
        return evolve(verdict, schedule=shortest, is_shortest=False)

    return tuple(shorten(v) if v.word is VerdictWord.REFUTED else v for v in verdicts)


def _list_old_lemmas(
    structure: ClaimedStructure, document: dict[str, Any], difference: FingerprintDifference
) -> tuple[str, ...]:
    """The lemmas that are tried before all others: those that were proved, and changed ones.

    What was inductive is so still if the changed rules keep it, because no other step is new.
    """
    proved = set(document["inductive_set"])
    if not difference.is_frame_changed and proved.isdisjoint(difference.lemmas):
        keep_inductive(structure, proved, difference.more)
    return tuple(
        n for n in structure.world.get_lemmas(structure) if n in proved or n in difference.lemmas
    )


def _list_left_open(
    known: Iterable[Verdict], difference: FingerprintDifference
) -> dict[tuple[str, str], Verdict]:
    """What was open stays open: a search has failed before.

    Where rules allow more, or the claim has changed, it is not known any more how deep there is no
    schedule.
    """
    return {
        (v.guarantee, v.fault): v
        if difference.keeps_shortest(v.guarantee)
        else leave_open(v.guarantee, v.fault)
        for v in known
        if v.word is VerdictWord.UNDECIDED
    }


def list_added(structure: ClaimedStructure, document: dict[str, Any]) -> tuple[str, ...]:
    """The rules that a structure has gained since its certificate was made; other changes: none.

    Further conditions of old rules, and changed lemmas or claims, are no obstacle. Empty as well
    for a structure that is too large for a search, and for a certificate with a broken seal, of
    which it is not known what was searched.
    """
    difference = certificates.compute_changes(structure, document)
    if difference is None or difference.is_frame_changed or not compute_depth_limit(structure):
        return ()
    if not is_sealed(document):
        return ()
    is_added = difference.more and not {*difference.more} & document["fingerprint"]["rules"].keys()
    return difference.more if is_added else ()


def search_additions(
    structure: ClaimedStructure,
    document: dict[str, Any],
    on_progress: Callable[[str], None] = lambda text: None,
    *,
    sizes: BaseParameters | None = None,
) -> tuple[Verdict, ...]:
    """Every verdict after rules were added, with the shortest schedules where they were known.

    A schedule without a step of an added rule was possible before, so it is not shorter than one
    that was the shortest then. Of the others only those are searched whose added steps are not
    proved to be needless (``z3.needless_steps``). Raises SolverGaveUpError, and as ``renew`` does.
    """
    added = list_added(structure, document)
    renewal = renew(structure, document, on_progress, sizes=sizes)
    asked = _list_comparable(document, structure, renewal)
    lemmas = prove_lemmas(structure)
    shorter: list[tuple[FaultModel, Verdict]] = []
    verdicts: list[Verdict] = []
    for fault_model in structure.world.fault_models:
        best = inherit(shorter, fault_model)
        cells = {v.guarantee: v for v in renewal.verdicts if v.fault == fault_model.name}
        cells |= {n: v for n, v in best.items() if v.is_shorter_than(cells[n])}
        proved = [n for n, v in cells.items() if v.word is VerdictWord.PROVED]
        if known := {n: v for n, v in cells.items() if (n, fault_model.name) in asked}:
            search = BoundedSearch(
                structure, fault_model, (*lemmas, *proved), sizes=sizes, needed=added
            )
            found = {n: known[n] for n in _list_unaided(search, known, on_progress)}
            limits = {n: len(v.schedule) - 1 for n, v in known.items() if n not in found}
            found |= search_column(search, limits, known, on_progress)
            shorter += [(fault_model, v) for n, v in found.items() if v is not cells[n]]
            cells |= {n: evolve(v, is_shortest=True) for n, v in found.items()}
        verdicts += cells.values()
    return tuple(verdicts)


def _list_unaided(
    search: BoundedSearch, known: Mapping[str, Verdict], on_progress: Callable[[str], None]
) -> tuple[str, ...]:
    """The claims against which the needed steps of a search are of no help."""
    structure, fault = search.structure, search.fault_model
    on_progress(f"{structure.name}, {fault.name}: which added steps are needless")
    goals = {n: record_violation(structure, n) for n in known}
    return find_needless(search, search.needed, goals)


def _list_comparable(
    document: dict[str, Any], structure: ClaimedStructure, renewal: Renewal
) -> set[tuple[str, str]]:
    """Claim and fault model of each refutation that was the shortest, and is as long now."""
    old = certificates.decode_asked(structure, document)
    steps = {(c.guarantee, c.fault): c.steps for c in old if c.is_shortest}
    return {
        (v.guarantee, v.fault)
        for v in renewal.verdicts
        if v.word is VerdictWord.REFUTED
        and steps.get((v.guarantee, v.fault)) == v.steps
        and v.guarantee not in renewal.difference.claims
    }


def _find_refutations(
    structure: ClaimedStructure, left: Mapping[str, Collection[str]], sizes: BaseParameters | None
) -> tuple[Verdict, ...]:
    """Refutations of these claims by the structure's own schedules and related structures'."""
    kindred = (structure, *structure.world.list_related_structures(structure))
    folders = dict.fromkeys(certificates.get_world_folder(s) for s in kindred)
    known = [schedule for folder in folders for schedule in load_known_schedules(folder)]
    claims = dict.fromkeys(itertools.chain(*left.values()))
    refutations = find_refutations(structure, known, sizes, names=claims)
    return tuple(
        Verdict(name, fault_model.name, VerdictWord.REFUTED, schedule)
        for name, by_faults in refutations.items()
        for faults, schedule in by_faults.items()
        for fault_model in structure.world.fault_models
        if name in left.get(fault_model.name, ()) and faults <= set(fault_model.admitted)
    )


def _mark(verdict: Verdict, old: Verdict | None, difference: FingerprintDifference) -> Verdict:
    """The verdict, marked with what is known of its schedule's length."""
    if verdict.word is VerdictWord.PROVED:
        return verdict
    is_as_before = old is not None and (
        (old.word, old.steps, old.depth) == (verdict.word, verdict.steps, verdict.depth)
    )
    is_known = is_as_before and old is not None and old.is_shortest
    return evolve(verdict, is_shortest=is_known and difference.keeps_shortest(verdict.guarantee))


def _compare(
    difference: FingerprintDifference,
    verdicts: tuple[Verdict, ...],
    old: dict[tuple[str, str], Verdict],
) -> Renewal:
    pairs = [(old[v.guarantee, v.fault], v) for v in verdicts if (v.guarantee, v.fault) in old]
    refuted = [(before, v) for before, v in pairs if before.word is v.word is VerdictWord.REFUTED]
    kept = sum(before.schedule == v.schedule for before, v in refuted)
    changed = tuple((before, v) for before, v in pairs if before.word is not v.word)
    return Renewal(difference, verdicts, kept, len(refuted) - kept, changed)
