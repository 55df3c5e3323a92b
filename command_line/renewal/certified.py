"""Certificates as artefacts: every verdict of a structure, renewed with what was known of it.

A verdict that changes is a finding, not a detail: it is told, and written only when it is accepted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

from attrs import evolve

from command_line.prove import search
from command_line.renewal.artefact import Artefact, Need, NotRenewedError, Say
from properties.checkout import PROGRAM, ROOT
from properties.comparison.upgrades import COMPARED_VARIANTS, get_base
from properties.language.world import ClaimedStructure
from properties.verdicts import certificates
from properties.verdicts.expectations import (
    find_expectation,
    get_expectations_file,
    has_expectations,
)
from properties.verdicts.renewal import Renewal, renew
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds.catalogue import STRUCTURES, Tag, list_tagged_groups
from properties.worlds.replication.structures import POOLED_GROUPS
from properties.worlds.replication.world import SEARCHED_SLAVES_MAX, ClaimedGroup
from properties.worlds.system.world import EARLIER, ClaimedSystem
from reference.releases.releases import CONTROLLER
from reference.releases.versions import RULE_SETS, find_version

SECONDS = 8.0
"""About how long a certificate of one slave takes: 3 to 12 s on a small machine."""

TOLD_MAX = 3
"""Of changed verdicts so many are told in full; the others are counted."""


def list_certified() -> list[Any]:
    """Every structure that has a certificate."""
    pooled = (
        evolve(structure, variants=(*structure.variants, release))
        for structure in POOLED_GROUPS
        for release in RULE_SETS
        if not release.endswith(CONTROLLER)
    )
    repaired = (
        evolve(s, variants=(v,))
        for s in list_tagged_groups(Tag.COMPARED)
        for v in COMPARED_VARIANTS
    )
    found = {s.name: s for s in (*STRUCTURES.values(), *pooled, *repaired)}
    return [structure for structure in found.values() if is_certified(structure)]


def is_certified(structure: ClaimedStructure) -> bool:
    """Large groups are only of RocketMQ 4.4.0."""
    is_later = any(name in RULE_SETS for name in structure.variants)
    return not is_later or structure.slaves <= SEARCHED_SLAVES_MAX


def name_certificate(structure: ClaimedStructure) -> str:
    """The name of a structure's certificate among artefacts."""
    return f"certificate of {structure.name}"


def list_certificates(*, is_accepting: bool) -> Iterator[Artefact]:
    """An artefact for each of them; ``is_accepting`` writes verdicts that have changed."""
    structures = list_certified()
    names = {structure.name for structure in structures}
    for structure in structures:
        bases = (base for base in list_bases(structure) if base.name in names)
        yield Artefact(
            name_certificate(structure),
            Need.ANSWER,
            partial(is_certificate_current, structure),
            partial(make_certificate, structure, is_accepting=is_accepting),
            tuple(map(name_certificate, bases)),
            structure.name,
            SECONDS,
        )


def list_bases(structure: ClaimedStructure) -> Iterator[ClaimedStructure]:
    """The structures whose lemmas and schedules are tried first, and so are renewed first."""
    if isinstance(structure, ClaimedSystem) and structure in EARLIER:
        yield EARLIER[structure]
    if not isinstance(structure, ClaimedGroup):
        return
    if structure.variants:
        yield get_base(structure)
    elif structure.slaves > 1:
        yield evolve(structure, slaves=structure.slaves - 1)


def is_certificate_current(structure: ClaimedStructure) -> bool:
    """It is of these rules, claims and lemmas, and every verdict is as expected."""
    document = certificates.load(structure)
    if document is None or certificates.compute_changes(structure, document):
        return False
    return not list_unexpected(structure, certificates.decode_cells(structure, document))


def make_certificate(structure: ClaimedStructure, say: Say, *, is_accepting: bool) -> str:
    """Renew a certificate, or search where there is nothing to renew.

    That of a system of a later release is renewed from the release before.
    """
    document, base = certificates.read(structure), None
    if document is None and isinstance(structure, ClaimedSystem):
        base = EARLIER.get(structure)
        document = certificates.read(base) if base else None
    if document is None or certificates.compute_changes(structure, document, base) is None:
        verdicts = search(structure, say).verdicts
        check_expected(structure, verdicts)
        return "searched from nothing"
    renewal = renew(structure, document, say, base=base)
    left = [v for v in renewal.verdicts if v.word is VerdictWord.UNDECIDED]
    if base and list_unexpected(structure, left):
        check_expected(structure, search(structure, say).verdicts)
        return f"searched, as the proofs and schedules of {base.name} leave claims open"
    if renewal.changed and not (base or is_accepting):
        raise NotRenewedError(f"{tell_changes(renewal)}; `{PROGRAM} renew --accept` writes that")
    certificates.save(structure, renewal.verdicts)
    check_expected(structure, renewal.verdicts)
    lost = ", ".join(sorted(set(document["inductive_set"]) - set(get_lemmas(renewal.verdicts))))
    return f"{renewal}{f'; no longer proved: {lost}' if lost else ''}"


def get_lemmas(verdicts: tuple[Verdict, ...]) -> tuple[str, ...]:
    """The lemmas of the proofs; one set serves all."""
    return next((v.lemmas for v in verdicts if v.lemmas), ())


def tell_changes(renewal: Renewal) -> str:
    """Which verdicts differ: counted, and the first of them."""
    counted = Counter(f"{old.word.value} -> {new.word.value}" for old, new in renewal.changed)
    told = [tell_change(new) for _, new in renewal.changed[:TOLD_MAX]]
    more = len(renewal.changed) - len(told)
    words = ", ".join(f"{count} cells: {word}" for word, count in counted.items())
    return f"{words}: {'; '.join(told)}{f'; and {more} more' if more else ''}"


def tell_change(verdict: Verdict) -> str:
    """A changed verdict, with what shows it."""
    cell = f"{verdict.guarantee} under {verdict.fault}"
    if verdict.word is VerdictWord.REFUTED:
        last = verdict.schedule[-1].instance
        return f"{cell}, by {len(verdict.schedule)} steps that end with {last}"
    return f"{cell}, because the lemmas imply it" if verdict.word is VerdictWord.PROVED else cell


def check_expected(structure: ClaimedStructure, verdicts: tuple[Verdict, ...]) -> None:
    """Raise NotRenewedError for verdicts that are not expected, with what to edit."""
    if unexpected := list_unexpected(structure, verdicts):
        first, *others = unexpected
        raise NotRenewedError(f"{first}{f'; {len(others)} more of this kind' if others else ''}")


def list_unexpected(structure: ClaimedStructure, verdicts: Any) -> list[str]:
    """The verdicts that are not as expected, each with what to edit."""
    if not has_expectations(structure):
        return []
    return [told for v in verdicts if (told := tell_unexpected(structure, v))]


def tell_unexpected(structure: ClaimedStructure, verdict: Verdict) -> str:
    """What is wrong with the expectation of a verdict; empty if nothing is."""
    file = get_expectations_file(structure)
    try:
        expected = find_expectation(verdict.guarantee, structure, verdict.fault).verdict.value
    except LookupError:
        expected = "nothing"
    if verdict.word.value == expected:
        return ""
    entry = (
        f"[[expected]] guarantee = {verdict.guarantee!r}, verdict = {verdict.word.value!r}, "
        f"faults = [{verdict.fault!r}]"
    )
    if structure.variants:
        entry += f", releases = [{find_version(structure.variants).rule_set!r}]"
    return (
        f"{verdict.guarantee} under {verdict.fault} is {verdict.word.value}, expected {expected}: "
        f"edit {file.relative_to(ROOT)}, for example {entry} with its reason"
    )
