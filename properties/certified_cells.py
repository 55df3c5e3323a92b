"""The cells of the certificates in words, and which of the proved ones are vacuous."""

from __future__ import annotations

from functools import cache
from typing import Any

from properties.certificates import get_path, load
from properties.fault_class import FAULT_CLASSES
from properties.fault_sets import FaultSetProver
from properties.generated_text import count_steps
from properties.induction import prove_lemmas
from properties.verdict import VerdictWord
from reference.structure import Structure


class StaleCertificateError(Exception):
    """Raised when a certificate exists whose rules have changed since it was made."""


def load_certificate(structure: Structure) -> dict[str, Any] | None:
    """A structure's certificate, or None when there is none. Raises StaleCertificateError."""
    document = load(structure)
    if document is None and get_path(structure).exists():
        raise StaleCertificateError(f"the certificate of {structure.name} is older than its rules")
    return document


def compute_vacuous(structure: Structure) -> set[tuple[str, str]]:
    """The cells (guarantee, fault) whose premise provably never holds.

    What induction cannot exclude in the first column, without faults, it cannot exclude in another.
    """
    found: set[tuple[str, str]] = set()
    prover = FaultSetProver(structure, prove_lemmas(structure))
    for fault_class in FAULT_CLASSES:
        result = prover.decide(fault_class)
        if not result.vacuous:
            break
        found |= {(name, fault_class.name) for name in result.vacuous}
    return found


@cache
def compute_row(structure: Structure) -> dict[tuple[str, str], str]:
    """What stands in the cells (guarantee, fault) of a structure; nothing without certificate."""
    document = load_certificate(structure)
    if document is None:
        return {}
    vacuous = compute_vacuous(structure)
    return {
        (cell["guarantee"], cell["fault"]): render_cell(
            cell, (cell["guarantee"], cell["fault"]) in vacuous
        )
        for cell in document["cells"]
    }


def render_cell(cell: dict[str, Any], is_vacuous: bool) -> str:
    """One cell's verdict, for example ``refuted, 12 steps``."""
    word = VerdictWord(cell["verdict"])
    if word is VerdictWord.PROVED and is_vacuous:
        return f"{word.value} (vacuous)"
    if word is VerdictWord.REFUTED:
        return f"{word.value}, {count_steps(len(cell['schedule']))}"
    if cell.get("depth") is not None:
        return f"{word.value}, depth {cell['depth']}"
    return str(word.value)
