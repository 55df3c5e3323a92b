"""Where an answer differs from the expected one, field by field."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from attrs import frozen

from properties.vectors.question import Data

SHOWN_CHARACTERS = 100
NOTHING = "nothing"
STEP = re.compile(r"steps\[(\d+)\]")


class Absent:
    """A member that is not there."""

    def __repr__(self) -> str:
        return NOTHING


ABSENT = Absent()


@frozen
class AnswerDifference:
    """One field of an answer that is not the expected one."""

    question: str
    """Its id."""
    field: str
    """For example ``steps[3].master.log.ends.1``; empty: the whole answer."""
    expected: Any
    given: Any
    rule: str
    section: str

    def describe(self) -> str:
        """One line."""
        place = self.field or "answer"
        return (
            f"{self.question}: {place}: expected {shorten(self.expected)}, "
            f"given {shorten(self.given)}; {self.rule}, {self.section}"
        )


def shorten(value: Any) -> str:
    """A value in one short piece."""
    text = repr(value) if value is ABSENT else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 3] + "..."


def list_differences(
    vector: Data, given: Data, optional: frozenset[str], sections: Mapping[str, str]
) -> Iterator[AnswerDifference]:
    """Every field of an answer that differs; optional members may be left out."""
    expected = {k: v for k, v in vector["answer"].items() if k in given or k not in optional}
    for field, one, other in compare(expected, given, ""):
        rule, section = find_place(vector, field, sections)
        yield AnswerDifference(vector["id"], field, one, other, rule, section)


def find_place(vector: Data, field: str, sections: Mapping[str, str]) -> tuple[str, str]:
    """Rule and section: those of the step in which the difference is, or of the question."""
    found = STEP.match(field)
    steps = vector["ask"].get("steps", ())
    if found and int(found[1]) < len(steps) and isinstance(steps[int(found[1])], dict):
        rule = str(steps[int(found[1])].get("rule", "")).partition("[")[0]
        if rule in sections:
            return rule, sections[rule]
    return vector["rule"], vector["section"]


def compare(expected: Any, given: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """Path, expected and given value of each place where two values differ."""
    if isinstance(expected, dict) and isinstance(given, dict):
        for name in [*expected, *(n for n in given if n not in expected)]:
            inner = f"{path}.{name}" if path else name
            yield from compare(expected.get(name, ABSENT), given.get(name, ABSENT), inner)
    elif isinstance(expected, list) and isinstance(given, list):
        for index in range(max(len(expected), len(given))):
            one = expected[index] if index < len(expected) else ABSENT
            other = given[index] if index < len(given) else ABSENT
            yield from compare(one, other, f"{path}[{index}]")
    elif type(expected) is not type(given) or expected != given:
        yield path, expected, given
