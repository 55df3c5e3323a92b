"""The verdicts that depend on each restriction, as data that is judged again from the rules.

A world has one file, with the judged structures, a digest of the rules, lemmas and restrictions
that decided them, and every restriction that proofs need, with the verdicts that are lost without
it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attrs import frozen

from properties.checkout import PROGRAM
from properties.language.world import ClaimedStructure
from properties.restrictions.derivation import (
    Degree,
    Restriction,
    list_relaxed,
    list_restrictions,
)
from properties.restrictions.judge import Cells, Fall, RestrictionJudge
from properties.verdicts.certificates import (
    CERTIFICATE_FOLDER,
    get_world_folder,
    load_cells,
    load_required,
)
from properties.verdicts.fingerprint import compute_digest
from properties.verdicts.storage.certificate_files import read_entries, write_entry
from properties.verdicts.verdict import InternalDisagreementError, VerdictWord
from properties.worlds.catalogue import Tag, list_tagged
from reference.language.machine import record_predicate

RESTRICTIONS_FILE = "restrictions.json"

ALL_FAULT_MODELS = "all"
"""Means in a file: every fault model under which a claim is proved."""


@frozen
class RestrictionResult:
    """The result for one restriction in one structure."""

    restriction: str
    """Its name."""
    entirely: Fall
    by_one: Fall

    @property
    def is_load_bearing(self) -> bool:
        """A proved verdict depends on it."""
        return bool(self.entirely.cells)

    def has_cell(self, claim: str, fault_model: str) -> bool:
        """This verdict depends on it."""
        return fault_model in self.entirely.cells.get(claim, ())


def make_judge(structure: ClaimedStructure) -> RestrictionJudge:
    """The judge of a structure with the lemmas and the proved verdicts of its certificate.

    Raises InternalDisagreementError if it has no certificate of its rules.
    """
    lemmas = load_required(structure)["inductive_set"]
    return RestrictionJudge(structure, lemmas, load_proved(structure))


def load_proved(structure: ClaimedStructure) -> dict[str, tuple[str, ...]]:
    """The fault models that prove a claim, by claim. Raises InternalDisagreementError."""
    proved: dict[str, tuple[str, ...]] = {}
    for (claim, fault_model), cell in load_cells(structure).items():
        if cell.word is VerdictWord.PROVED:
            proved[claim] = (*proved.get(claim, ()), fault_model)
    return proved


def judge_structure(
    structure: ClaimedStructure, on_progress: Callable[[str], None] = lambda text: None
) -> tuple[RestrictionResult, ...]:
    """Every restriction of a structure, relaxed and judged. Raises InternalDisagreementError."""
    judge, found = make_judge(structure), []
    restrictions = list_restrictions(structure)
    for number, restriction in enumerate(restrictions, start=1):
        on_progress(f"{structure.name}: {restriction.rule}, {number} of {len(restrictions)}")
        found.append(RestrictionResult(restriction.name, *judge.judge(restriction)))
    return tuple(found)


def compute_restriction_digest(structure: ClaimedStructure) -> str:
    """A digest of what decides the answers: rules, claims, fault models, lemmas, relaxed rules."""
    parts = [compute_digest(structure)]
    for name, lemma in structure.world.get_lemmas(structure).items():
        parts.append(f"{name} {record_predicate(structure, lemma.predicate)}")
    for restriction in list_restrictions(structure):
        for degree in Degree:
            relaxed = list_relaxed(structure, restriction, degree)
            parts += [f"{restriction.name} {degree.value} {_describe(relaxed)}"]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _describe(relaxed: Iterable[Any]) -> str:
    return " ".join(
        f"{r.instance.name} {dict(r.conditions)} {r.arguments} {dict(r.effects)}" for r in relaxed
    )


def save_judged(
    structure: ClaimedStructure,
    judged: Iterable[RestrictionResult],
    folder: Path = CERTIFICATE_FOLDER,
) -> None:
    """Write the results of a structure; those of others are kept. Raises OSError."""
    path = get_world_folder(structure, folder) / RESTRICTIONS_FILE
    proved = load_proved(structure)
    entry = {
        "digest": compute_restriction_digest(structure),
        "load_bearing": {
            j.restriction: {
                "entirely": _encode(j.entirely, proved),
                "by_one": _encode(j.by_one, proved),
            }
            for j in judged
            if j.is_load_bearing
        },
    }
    write_entry(path, structure.name, entry, [s.name for s in list_tagged(Tag.SMALL)])
    load_judged.cache_clear()


@cache
def load_judged(
    structure: ClaimedStructure, folder: Path = CERTIFICATE_FOLDER
) -> tuple[RestrictionResult, ...]:
    """The stored results of a structure, in the order of its restrictions.

    Raises InternalDisagreementError if nothing is stored, or it is malformed or made from other
    rules.
    """
    try:
        path = get_world_folder(structure, folder) / RESTRICTIONS_FILE
        stored = read_entries(path)[structure.name]
        is_current = stored["digest"] == compute_restriction_digest(structure)
        bearing = stored["load_bearing"]
        proved = load_proved(structure)
        names = [r.name for r in list_restrictions(structure)]
        judged = tuple(_decode(name, bearing.get(name), proved) for name in names)
        is_complete = bearing.keys() <= set(names)
    except (OSError, KeyError, TypeError, ValueError, AttributeError) as problem:
        raise make_disagreement(structure, f"missing or malformed ({problem!r})") from problem
    if not is_current or not is_complete:
        raise make_disagreement(structure, "made from other rules")
    return judged


def find_flaw(
    structure: ClaimedStructure, restriction: Restriction, judge: RestrictionJudge
) -> str:
    """What is wrong with a stored result, judged again; empty if nothing is."""
    stored = {j.restriction: j for j in load_judged(structure)}[restriction.name]
    now = RestrictionResult(restriction.name, *judge.judge(restriction))
    return "" if now == stored else f"{restriction.name}: {now} is stored as {stored}"


def make_disagreement(structure: ClaimedStructure, reason: str) -> InternalDisagreementError:
    """The error that reports what is wrong with the stored results, and what to do."""
    return InternalDisagreementError(
        f"the restrictions of {structure.name}: {reason}; run `{PROGRAM} renew`"
    )


def _encode(fall: Fall, proved: Cells) -> dict[str, Any]:
    cells = {
        claim: ALL_FAULT_MODELS if fault_models == proved[claim] else list(fault_models)
        for claim, fault_models in fall.cells.items()
    }
    return {"cells": cells, "gave_up": list(fall.gave_up)}


def _decode(name: str, data: Mapping[str, Any] | None, proved: Cells) -> RestrictionResult:
    if data is None:
        return RestrictionResult(name, Fall({}), Fall({}))
    return RestrictionResult(
        name, _decode_fall(data["entirely"], proved), _decode_fall(data["by_one"], proved)
    )


def _decode_fall(data: Mapping[str, Any], proved: Cells) -> Fall:
    cells = {
        claim: proved[claim] if fault_models == ALL_FAULT_MODELS else tuple(fault_models)
        for claim, fault_models in data["cells"].items()
    }
    return Fall(cells, tuple(data["gave_up"]))
