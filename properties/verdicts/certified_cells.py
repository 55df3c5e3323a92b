"""The verdicts of the certificates in words, and the vacuous ones among the proved."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from properties.generated_text import count_steps
from properties.verdicts.certificates import load_cells
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds.replication.world import ClaimedGroup

NOT_SHORTEST = " (shortest not re-established)"
"""Follows the steps of a schedule of which it is unknown, since rules have changed."""


def list_vacuous(structure: ClaimedGroup) -> frozenset[tuple[str, str]]:
    """The pairs (guarantee, fault) whose premise provably never holds.

    Raises InternalDisagreementError if the structure has no certificate of its rules.
    """
    return frozenset(key for key, cell in load_cells(structure).items() if cell.is_vacuous)


@cache
def compute_row(structure: ClaimedGroup) -> Mapping[tuple[str, str], str]:
    """The text of each table cell (guarantee, fault) of a structure.

    Raises InternalDisagreementError if it has no certificate of its rules.
    """
    return {
        key: describe(cell, is_vacuous=cell.is_vacuous)
        for key, cell in load_cells(structure).items()
    }


def describe(verdict: Verdict, *, is_vacuous: bool = False) -> str:
    """A verdict in words, for example ``refuted, 12 steps``, or ``disputed (F101)``."""
    if verdict.word is VerdictWord.PROVED and is_vacuous:
        return f"{verdict.word.value} (vacuous)"
    steps = "" if verdict.steps is None else f", {count_steps(verdict.steps)}"
    steps += "" if verdict.is_shortest or not steps else NOT_SHORTEST
    if verdict.disputed:
        return verdict.dispute + steps
    depth = "" if verdict.depth is None else f", searched to depth {verdict.depth}"
    return f"{verdict.word.value}{steps or depth}"
