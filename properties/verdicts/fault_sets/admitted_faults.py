"""What is proved or refuted of a guarantee under a mixture of faults."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from attrs import frozen

from properties.checkout import PROGRAM
from properties.language.world import ClaimedStructure
from properties.verdicts.certificates import find_cells, get_path
from properties.verdicts.expectations import find_expectation
from properties.verdicts.fault_sets.certificates import describe, load_borders
from properties.verdicts.findings.disputes import find_claim_disputes, find_disputes, say_disputed
from properties.verdicts.verdict import InternalDisagreementError, Verdict, VerdictWord
from properties.worlds.catalogue import Tag, list_tagged
from properties.z3.fault_sets import FaultSet


@frozen
class TabledVerdict:
    """A verdict, and the fault model or the set of faults that it comes from."""

    word: VerdictWord
    fault: str
    """The fault model's name, or the faults of the set."""
    disputed: tuple[str, ...] = ()
    """The findings according to which real brokers behave otherwise."""

    @property
    def label(self) -> str:
        """The word, or ``disputed (F101)``."""
        return say_disputed(self.disputed) or self.word.value


def find_tabled_verdict(
    guarantee: str, structure: ClaimedStructure, admitted: Iterable[str]
) -> TabledVerdict | None:
    """The known verdict on a guarantee when exactly these faults may happen.

    Proved if a fault model, or else a set of faults, that has them all is proved; refuted if one
    with some of them is refuted. None for a mixture that is no fault model of a group whose fault
    sets are not decided, and for a structure whose rules or claims have changed since its proofs.
    For a guarantee of a part, its verdict in its own world.
    """
    mixture = frozenset(admitted)
    if (part := structure.world.part_claims.get(guarantee)) is not None:
        return find_tabled_verdict(part.name, part.get_part(structure), part.get_faults(mixture))
    if not are_proofs_current(structure):
        return None
    for fault_model in structure.world.fault_models:
        word = find_expectation(guarantee, structure, fault_model.name).verdict
        if word is VerdictWord.PROVED and mixture <= set(fault_model.admitted):
            disputed = find_disputes(structure, Verdict(guarantee, fault_model.name, word))
            return TabledVerdict(word, fault_model.name, disputed)
        if word is VerdictWord.REFUTED and mixture >= set(fault_model.admitted):
            return TabledVerdict(word, fault_model.name)
    return find_bordered_verdict(guarantee, structure, mixture)


@cache
def are_proofs_current(structure: ClaimedStructure) -> bool:
    """The certificate and the fault sets of a structure, if it has any, are of today's rules."""
    has_certificate = get_path(structure).exists()
    try:
        return (not has_certificate or bool(find_cells(structure))) and (
            structure not in list_tagged(Tag.FAULT_SETS) or bool(load_borders_once(structure))
        )
    except InternalDisagreementError:
        return False


def say_outdated(structure: ClaimedStructure) -> str:
    """Why proofs are not compared with, and what makes them again."""
    return f"those of {structure.name} are of other rules or claims; run `{PROGRAM} renew`"


def find_bordered_verdict(
    guarantee: str, structure: ClaimedStructure, mixture: FaultSet
) -> TabledVerdict | None:
    """The known verdict by the borders between survived and fatal sets of faults."""
    if structure not in list_tagged(Tag.FAULT_SETS):
        return None
    border = next(b for b in load_borders_once(structure) if b.guarantee == guarantee)
    for survived in border.proved:
        if mixture <= survived:
            disputed = find_claim_disputes(structure, guarantee)
            return TabledVerdict(VerdictWord.PROVED, describe(survived), disputed)
    for refutation in border.refuted:
        if mixture >= refutation.faults:
            return TabledVerdict(VerdictWord.REFUTED, describe(refutation.faults))
    return None


load_borders_once = cache(load_borders)
"""The borders' file is read once, not for every guarantee."""
