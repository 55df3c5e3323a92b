"""A known issue as a decision: a question, and what the reference answers in a few cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import field, frozen

from properties.scenarios.known_issues.questions import QUESTIONS, Question
from properties.scenarios.known_issues.scenario import Evidence


@frozen
class Case:
    """One asking of a question."""

    arguments: Mapping[str, Any]
    answer: Any
    """What is to come of it: a number, a truth value, a list or a table of them."""
    means: str
    """What that is for an operator."""


def as_cases(entries: Iterable[Mapping[str, Any]]) -> tuple[Case, ...]:
    """The cases that stand in the data."""
    return tuple(Case(**entry) for entry in entries)


@frozen
class Decision:
    """A known issue that one function decides."""

    name: str
    rows: tuple[str, ...] = field(converter=tuple)
    """Rows of the survey of known issues, as identifiers of the ledger."""
    sources: tuple[str, ...] = field(converter=tuple)
    title: str
    certainty: str
    """One of CERTAINTIES."""
    question_name: str
    """One of QUESTIONS."""
    cases: tuple[Case, ...]
    """The reported case first, then others to compare it with."""
    note: str = ""
    seen: tuple[Evidence, ...] = ()

    @property
    def question(self) -> Question:
        """What is asked."""
        return QUESTIONS[self.question_name]

    def find_wrong_cases(self) -> list[Case]:
        """The cases in which the reference answers otherwise."""
        return [c for c in self.cases if self.question.ask(**c.arguments) != c.answer]
