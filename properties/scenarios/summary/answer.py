"""What the short answer consists of, and the same as data: read without anything else.

Nothing here decides anything, so an answer that is remembered is shown without the engines.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
from attrs import frozen

from properties.scenarios.summary.words import Grade, Kind


@frozen
class Failure:
    """What breaks a row: a refuted claim under a fault class."""

    code: str
    """Stable: the row's letter and the fault class's number."""
    words: str
    """What happens, for an operator."""
    kind: Kind
    grade: Grade
    claim: str
    fault: str
    """The name of the fault class."""
    structure: str
    """The name of the structure that has the schedule."""
    steps: int


@frozen
class Row:
    """One fear, judged."""

    letter: str
    title: str
    grade: Grade
    note: str = ""
    """Why nothing can be broken, or why nothing is known; empty for what is judged."""
    failures: tuple[Failure, ...] = ()
    """The weakest ones, the gravest first."""
    fallen: tuple[str, ...] = ()
    """The codes of all fault classes under which a claim of it falls."""
    open_under: tuple[str, ...] = ()
    """The fault classes under which a claim of it is not decided."""
    disputed: tuple[str, ...] = ()
    """The findings that dispute a cell of it."""


@frozen
class Action:
    """Something to do."""

    text: str
    codes: tuple[str, ...]
    """The failures that it ends, prevents, repairs or eases, the gravest first."""
    key: str = ""
    """The key that a switch changes; empty for what is no switch of a key."""
    is_switch: bool = False
    """Its effect was computed for the group as it would be."""
    is_repair: bool = False
    """It is done after the failure."""
    eases: tuple[str, ...] = ()
    """Those of its codes that stay, though fewer of the row's claims fall."""
    brings: tuple[str, ...] = ()
    """The failures that a switch brings with it."""


@frozen
class Summary:
    """The short answer about one broker group, or about several that behave alike."""

    slaves: int
    """How many slaves it is about."""
    settings: Mapping[str, str]
    """What decides most, by key: role, flush, store pool, reads from slaves."""
    rows: tuple[Row, ...] = ()
    """Nothing for a group outside the model."""
    actions: tuple[Action, ...] = ()
    outside: tuple[str, ...] = ()
    """Why nothing can be said."""
    resting: int = 0
    """How many proved verdicts rest on reading RocketMQ's source alone."""


def encode_summary(summary: Summary) -> dict[str, Any]:
    """A summary as JSON has it."""
    return attrs.asdict(summary, value_serializer=_encode_word)


def _encode_word(_instance: Any, _field: Any, value: Any) -> Any:
    return value.value if isinstance(value, Grade | Kind) else value


def decode_summary(data: Mapping[str, Any]) -> Summary:
    """The summary that ``encode_summary`` made. Raises KeyError, TypeError or ValueError."""
    return Summary(
        slaves=data["slaves"],
        settings=dict(data["settings"]),
        rows=tuple(map(_decode_row, data["rows"])),
        actions=tuple(Action(**_freeze(each)) for each in data["actions"]),
        outside=tuple(data["outside"]),
        resting=data["resting"],
    )


def _decode_row(data: Mapping[str, Any]) -> Row:
    failures = tuple(_decode_failure(each) for each in data["failures"])
    return Row(**_freeze(data) | {"grade": Grade(data["grade"]), "failures": failures})


def _decode_failure(data: Mapping[str, Any]) -> Failure:
    return Failure(**{**data, "kind": Kind(data["kind"]), "grade": Grade(data["grade"])})


def _freeze(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(v) if isinstance(v, list) else v for name, v in data.items()}
