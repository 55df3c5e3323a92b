"""One cell of a certificate in an operator's words: yes, no with a reason, or never."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from string import ascii_letters
from typing import TypeAlias

from attrs import field, frozen

from properties.language.world import ClaimedStructure
from properties.verdicts.certificates import load_cells
from properties.verdicts.certified_cells import list_vacuous
from properties.verdicts.expectations import find_expectation
from properties.verdicts.findings.explanations import explain
from properties.verdicts.verdict import VerdictWord
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.replication.world import ClaimedGroup

REASONS = "#the-reason-for-each-no"
"""The section of the page with the reasons."""

NEVER = "never `PUT_OK`"
"""What a vacuous proof means: the group gives no answer that would promise anything."""


@frozen
class Reason:
    """Why a cell is refuted: what happens, where it was seen, and how to see each step."""

    sentence: str
    seen: tuple[str, ...] = field(eq=False)
    """Threads and recordings."""
    faults: tuple[str, ...] = field(eq=False)
    """The rules of the faults that its first cell's schedule takes, as often as it takes them."""
    claim: str = field(eq=False)
    """The claim of its first cell, which has a page of its own."""
    command: str = field(eq=False)
    """What draws the schedule of the first cell that has this reason."""


def find_vacuous(structure_name: str) -> frozenset[tuple[str, str]]:
    """The cells whose premise never holds; of other worlds none is asked here."""
    structure = STRUCTURES[structure_name]
    if not isinstance(structure, ClaimedGroup):
        return frozenset()
    return list_vacuous(structure)


@cache
def find_reason(structure_name: str, claim: str, fault: str) -> Reason:
    """Why a refuted cell is refuted."""
    structure: ClaimedStructure = STRUCTURES[structure_name]
    verdict = load_cells(structure)[claim, fault]
    command = f'./rmqspec explain {claim} "{fault}" --structure "{structure_name}"'
    rules = structure.rules
    faults = tuple(a.rule_name for a in verdict.schedule if rules[a.rule_name].is_fault)
    if not isinstance(structure, ClaimedGroup):
        return Reason(find_expectation(claim, structure, fault).reason, (), faults, claim, command)
    found = explain(structure, verdict)
    return Reason(found.sentence, (*found.threads, *found.recordings), faults, claim, command)


Answer: TypeAlias = str | Reason
"""What a cell answers: ``yes``, ``NEVER``, that it is disputed, or why not."""


def find_answer(structure_name: str, claim: str, fault: str) -> Answer:
    """The answer of a cell. Raises LookupError for one that no certificate has."""
    if (claim, fault) in find_vacuous(structure_name):
        return NEVER
    cell = load_cells(STRUCTURES[structure_name])[claim, fault]
    if cell.disputed:
        return f"[{cell.dispute}](disputed.md)"
    if cell.word is VerdictWord.PROVED:
        return "yes"
    return find_reason(structure_name, claim, fault)


@frozen
class Reasons:
    """The reasons of a page in the order of their first use, each with the letter of its cells."""

    listed: tuple[Reason, ...]

    @classmethod
    def collect(cls, answers: Iterable[Answer]) -> Reasons:
        """Those of all answers of a page, in the order of the page."""
        return cls(tuple(dict.fromkeys(a for a in answers if isinstance(a, Reason))))

    def get_letter(self, reason: Reason) -> str:
        """The letter of a reason, a to z, then A to Z. Raises ValueError for one elsewhere."""
        return ascii_letters[self.listed.index(reason)]

    def say(self, answer: Answer) -> str:
        """An answer in words; a no with the letter of its reason."""
        if isinstance(answer, Reason):
            return f"[no, {self.get_letter(answer)}]({REASONS})"
        return answer
