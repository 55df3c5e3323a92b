"""Disputed verdicts: the rules as written prove them, but real brokers have refuted them.

A proof is about the rules. If real code does more than the rules do, a verdict can be proved and
false. Until the rule is corrected, the verdict reads ``disputed`` with the finding's identifier.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from properties.language.world import ClaimedStructure
from properties.verdicts.selectors import CellSelector
from properties.verdicts.verdict import Verdict, VerdictWord

FINDINGS_FILE = Path(__file__).with_name("findings.toml")


@frozen(kw_only=True)
class DisputedCells(CellSelector):
    """Verdicts that one finding falsifies."""

    claims: tuple[str, ...] = field(converter=tuple)
    verdict: VerdictWord = field(default=VerdictWord.PROVED, converter=VerdictWord)
    """The engine's word that is disputed."""
    inference: str = ""
    """Why these verdicts are false, if no run has shown it; empty if one has."""

    def has(self, structure: ClaimedStructure, verdict: Verdict) -> bool:
        """The verdict is one of these."""
        is_meant = verdict.word is self.verdict and verdict.guarantee in self.claims
        return is_meant and self.fits(structure, verdict.fault)


def _read_cells(entries: Iterable[Mapping[str, Any]]) -> tuple[DisputedCells, ...]:
    return tuple(DisputedCells(**entry) for entry in entries)


@frozen(kw_only=True)
class Finding:
    """Behaviour of real brokers that the rules leave out."""

    id: str
    """The identifier, for example ``F101``."""
    says: str
    """What real brokers do."""
    evidence: tuple[str, ...] = field(converter=tuple)
    """Rows, recordings, source, threads."""
    cells: tuple[DisputedCells, ...] = field(default=(), converter=_read_cells)
    no_cells: str = ""
    """Why it disputes no verdict; empty if it does."""


@cache
def load_findings(file: Path = FINDINGS_FILE) -> tuple[Finding, ...]:
    """Every finding, in the order of the file."""
    entries: list[dict[str, Any]] = tomllib.loads(file.read_text())["finding"]
    return tuple(Finding(**entry) for entry in entries)


def find_disputes(structure: ClaimedStructure, verdict: Verdict) -> tuple[str, ...]:
    """The findings that falsify a verdict, by identifier: observed before inferred ones."""
    disputing = [
        (bool(cells.inference), finding.id)
        for finding in load_findings()
        for cells in finding.cells
        if cells.has(structure, verdict)
    ]
    in_order = sorted(disputing, key=lambda each: each[0])
    return tuple(dict.fromkeys(identifier for _, identifier in in_order))


def find_claim_disputes(structure: ClaimedStructure, claim: str) -> tuple[str, ...]:
    """The findings that falsify a proof of the claim in this structure, under any fault model."""
    return find_disputes(structure, Verdict(claim, "", VerdictWord.PROVED))


def mark_disputed(structure: ClaimedStructure, verdicts: Iterable[Verdict]) -> tuple[Verdict, ...]:
    """The verdicts of a structure, each with the findings that dispute it.

    A vacuous proof claims nothing that could be false.
    """
    return tuple(
        v if v.is_vacuous else evolve(v, disputed=find_disputes(structure, v)) for v in verdicts
    )


def say_disputed(identifiers: Iterable[str]) -> str:
    """``disputed (F101)`` by the first of some findings; empty if there is none."""
    return next((f"disputed ({identifier})" for identifier in identifiers), "")


def list_disputing(verdicts: Iterable[Verdict]) -> tuple[Finding, ...]:
    """The findings that dispute any of these verdicts, in the order of the file."""
    named = {identifier for v in verdicts for identifier in v.disputed}
    return tuple(finding for finding in load_findings() if finding.id in named)
