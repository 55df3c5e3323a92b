"""Borders between survived and fatal fault sets as data, checked again whenever they are used.

Like every certificate this one is a hint: sets called proved are proved again, schedules are
replayed again, and it is checked again that no set of faults is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from properties.checkout import PROGRAM
from properties.language.world import ClaimedStructure
from properties.schedules.judgement import is_refuted_by
from properties.verdicts.certificates import (
    CERTIFICATE_FOLDER,
    decode_schedule,
    encode_schedule,
    get_world_folder,
)
from properties.verdicts.fingerprint import compute_digest
from properties.verdicts.storage.certificate_files import read_entries, write_entry
from properties.verdicts.verdict import InternalDisagreementError
from properties.z3.fault_sets import (
    Border,
    FaultSet,
    FaultSetProver,
    Refutation,
    compute_faults,
    get_all_faults,
    make_parameters,
)
from properties.z3.induction import prove_lemmas

FAULT_SET_FILE = "fault_sets.json"
WRITTEN_SETS_FILE = "written_fault_sets.json"
"""Schedules written by hand against sets of faults that no search refutes. Each fault happens up to
three times. They are known schedules like those of certificates."""


def recheck_borders(
    structure: ClaimedStructure, folder: Path = CERTIFICATE_FOLDER
) -> tuple[Border, ...]:
    """The stored borders of a structure, after all of them were proved or replayed again.

    Raises InternalDisagreementError if anything is missing or does not hold.
    """
    borders = load_borders(structure, folder)
    if [b.guarantee for b in borders] != list(structure.world.claims):
        raise make_disagreement(structure, "borders of some guarantees are missing")
    prover = FaultSetProver(structure, prove_lemmas(structure))
    for border in borders:
        if reason := find_flaw(prover, border):
            raise make_disagreement(structure, f"{border.guarantee}: {reason}")
    return borders


def find_flaw(prover: FaultSetProver, border: Border) -> str:
    """What is wrong with a border; empty if nothing is."""
    for survived in border.proved:
        if prover.find_survived(border.guarantee, survived) is None:
            return f"not proved under {describe(survived)}"
    for refutation in border.refuted:
        if not is_refutation(prover.structure, border.guarantee, refutation):
            return f"not refuted under {describe(refutation.faults)}"
    if (forgotten := border.find_open_set(get_all_faults(prover.structure))) is not None:
        return f"nothing is said of {describe(forgotten)}"
    return ""


def is_refutation(structure: ClaimedStructure, guarantee: str, refutation: Refutation) -> bool:
    """The schedule refutes the guarantee, and needs exactly those faults."""
    parameters = make_parameters(structure, refutation.faults)
    return (
        is_refuted_by(guarantee, structure, parameters, refutation.schedule)
        and compute_faults(structure, refutation.schedule) == refutation.faults
    )


def describe(faults: FaultSet) -> str:
    """The names in order, or ``no fault``."""
    return ", ".join(sorted(faults)) or "no fault"


def save_borders(
    found: Mapping[Any, tuple[Border, ...]], folder: Path = CERTIFICATE_FOLDER
) -> None:
    """Write the borders of these structures; those of other structures are kept."""
    for structure, borders in found.items():
        path = get_world_folder(structure, folder) / FAULT_SET_FILE
        entry = {
            "digest": compute_digest(structure),
            "borders": [_encode(b, get_all_faults(structure)) for b in borders],
        }
        write_entry(path, structure.name, entry)


def load_borders(
    structure: ClaimedStructure, folder: Path = CERTIFICATE_FOLDER
) -> tuple[Border, ...]:
    """The stored borders of a structure.

    Raises InternalDisagreementError when there are none for these rules, or they are malformed.
    """
    digest, borders = _read(structure, folder)
    if digest != compute_digest(structure):
        raise make_disagreement(structure, "made from other rules")
    return borders


def list_open_sets(
    structure: ClaimedStructure, folder: Path = CERTIFICATE_FOLDER
) -> tuple[tuple[FaultSet, str], ...]:
    """The sets that were open when the stored borders were made, each with its guarantee.

    They may have been made from other rules; none if nothing usable is stored.
    """
    try:
        _, borders = _read(structure, folder)
    except InternalDisagreementError:
        return ()
    return tuple((faults, border.guarantee) for border in borders for faults in border.undecided)


def _read(structure: ClaimedStructure, folder: Path) -> tuple[str, tuple[Border, ...]]:
    try:
        path = get_world_folder(structure, folder) / FAULT_SET_FILE
        stored = read_entries(path)[structure.name]
        borders = tuple(_decode(b, get_all_faults(structure)) for b in stored["borders"])
        return stored["digest"], borders
    except (OSError, KeyError, TypeError, ValueError, AttributeError) as problem:
        raise make_disagreement(structure, f"missing or malformed ({problem!r})") from problem


def make_disagreement(structure: ClaimedStructure, reason: str) -> InternalDisagreementError:
    """The error that reports what is wrong with the stored borders, and what to do."""
    return InternalDisagreementError(
        f"the fault sets of {structure.name}: {reason}; run `{PROGRAM} prove --fault-sets --search`"
    )


def _encode(border: Border, all_faults: FaultSet) -> dict[str, Any]:
    return {
        "guarantee": border.guarantee,
        "proved_without": [sorted(all_faults - faults) for faults in border.proved],
        "refuted": [
            {"faults": sorted(r.faults), "schedule": encode_schedule(r.schedule)}
            for r in border.refuted
        ],
        "undecided": [sorted(faults) for faults in border.undecided],
    }


def _decode(data: Any, all_faults: FaultSet) -> Border:
    return Border(
        data["guarantee"],
        tuple(all_faults - frozenset(absent) for absent in data["proved_without"]),
        tuple(
            Refutation(frozenset(r["faults"]), decode_schedule(r["schedule"]))
            for r in data["refuted"]
        ),
        tuple(frozenset(faults) for faults in data["undecided"]),
    )
