"""The verdict tables of ``spec/guarantees.md``, rendered from the certificates.

``rmqspec docs --write spec/guarantees.md`` writes them anew after certificates have changed.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

from properties.certificates import CERTIFIED_STRUCTURES, get_path, load
from properties.claims import CLAIMS
from properties.code_page import CLAIM_SHELF, write_code
from properties.fault_class import FAULT_CLASS_BY_NAME, FAULT_CLASSES
from properties.fault_sets import FaultSetProver
from properties.generated_text import count_steps
from properties.induction import prove_lemmas
from properties.merged_table import render_merged
from properties.verdict import VerdictWord
from reference.structure import Structure

CHAPTER = Path(__file__).parents[1] / "spec" / "guarantees.md"

BEGIN = "<!-- begin generated: verdicts -->"
END = "<!-- end generated: verdicts -->"

STRUCTURES = sorted(
    CERTIFIED_STRUCTURES, key=lambda s: (s.role.name, s.flush_disk_type.name, s.slaves)
)
"""Every row, in the order of the tables."""

_SECTION = re.compile(
    rf"(^## `(?P<name>\w+)`\n(?:(?!^## ).)*?{re.escape(BEGIN)}\n).*?({re.escape(END)})",
    re.MULTILINE | re.DOTALL,
)


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


def render_table(guarantee: str) -> str:
    """The Markdown table of one guarantee: every certificate that there is, equal ones merged."""
    rows = {structure.name: compute_row(structure) for structure in STRUCTURES}
    names = [name for name, row in rows.items() if row]
    return render_merged(names, list(FAULT_CLASS_BY_NAME), lambda s, c: rows[s][guarantee, c])


def update(text: str) -> str:
    """The chapter with every generated table and all code as they should be."""

    def render(section: re.Match[str]) -> str:
        if section["name"] not in CLAIMS:
            return str(section[0])
        return f"{section[1]}{render_table(section['name'])}\n{section[3]}"

    return write_code(CLAIM_SHELF, _SECTION.sub(render, text))
