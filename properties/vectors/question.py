"""A question with its expected answer, and a set of them.

A question is data: what is asked (``ask``), what the reference answers (``answer``), and which rule
or function decides that, with its section in the book.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from attrs import frozen

Data: TypeAlias = dict[str, Any]
"""A JSON object."""

RELEASES = ("4.4.0", "4.9.8", "5.3.3", "5.3.3-quorum")
"""The releases, in their modes, that an archive has vectors of."""


@frozen
class ExpectedAnswer:
    """What the reference answers, and why."""

    answer: Data
    rule: str
    """The rule or function that decides."""
    section: str
    """Its place in the book: ``PAGE.md#heading``."""


@frozen
class Ask:
    """A question before it has an answer."""

    name: str
    """For a human; unique in its set with the number that is put before it."""
    ask: Data


@frozen
class VectorSet:
    """The questions of one subject."""

    name: str
    sentence: str
    """What is asked and answered."""
    list_asks: Callable[[str], Iterator[Ask]]
    """The questions for a release, always the same ones."""
    answer: Callable[[str, Data], ExpectedAnswer]
    """The answer of a release. Raises QuestionError for what cannot be asked."""
    ask_schema: Data
    answer_schema: Data
    """JSON Schemas of both; what an answer need not have is not among ``required`` there."""
    releases: Mapping[str, str]
    """By release: the release whose file has its vectors; the others are not known."""
    seed: int
    """Of what is drawn."""
    unknown: str = ""
    """Why the other releases have none."""


def list_vectors(vector_set: VectorSet, release: str) -> Iterator[Data]:
    """The lines of a set's file: every question once, with its answer."""
    asks = {json.dumps(each.ask, sort_keys=True): each for each in vector_set.list_asks(release)}
    for number, each in enumerate(asks.values(), 1):
        answered = vector_set.answer(release, each.ask)
        yield {
            "set": vector_set.name,
            "id": f"{number:04d} {each.name}",
            "ask": each.ask,
            "answer": answered.answer,
            "rule": answered.rule,
            "section": answered.section,
        }
