"""What the table of verdicts says of faults that are no column of it: a mixture that may strike."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from attrs import frozen

from properties.expectation import find_expectation
from properties.subject import get_fault_classes
from properties.verdict import VerdictWord


@frozen
class TabledVerdict:
    """A verdict, and the column that it is taken from."""

    word: VerdictWord
    fault: str


def find_tabled_verdict(
    guarantee: str, structure: Any, admitted: Iterable[str]
) -> TabledVerdict | None:
    """What the table says of a guarantee when exactly these faults may strike.

    Proved where a column that has them all is proved, refuted where a column of some of them is
    refuted; None where the table does not decide.
    """
    mixture = set(admitted)
    for column in get_fault_classes(structure):
        word = find_expectation(guarantee, structure, column.name).verdict
        if word is VerdictWord.PROVED and mixture <= set(column.admitted):
            return TabledVerdict(word, column.name)
        if word is VerdictWord.REFUTED and mixture >= set(column.admitted):
            return TabledVerdict(word, column.name)
    return None
