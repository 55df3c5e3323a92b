"""The parts of the short answer, also as data that is read without the engines.

Nothing here decides anything; a remembered answer is shown without the engines.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
from attrs import frozen

from properties.scenarios.summary.words import FailureKind, Grade

DECIDED = (Grade.OK, Grade.NOT_PROMISED)
"""Grades that say something without a failure."""


@frozen
class Failure:
    """What breaks a row: a refuted claim under a fault model."""

    code: str
    """Stable: the row's letter, and the number of its fault model or of its cause."""
    words: str
    """What happens, in an operator's words."""
    kind: FailureKind
    grade: Grade
    claim: str
    fault: str
    """The name of the fault model."""
    structure: str
    """The name of the structure that has the schedule."""
    steps: int


@frozen
class Kept:
    """A claim of a row that is proved under some fault models."""

    claim: str
    words: str
    """What holds, in an operator's words."""
    codes: tuple[str, ...]
    """The row's letter with the number of each of these classes, those of common failures first."""


@frozen
class BrokenClaim:
    """A claim of a row, and the common failures that break it, weakest or not."""

    claim: str
    codes: tuple[str, ...]


@frozen
class Row:
    """One fear of an operator, judged."""

    letter: str
    title: str
    grade: Grade
    note: str = ""
    """Why nothing can be broken, or why nothing is known; empty for a judged row."""
    failures: tuple[Failure, ...] = ()
    """The weakest failures, the gravest first."""
    others: tuple[Failure, ...] = ()
    """Failures known to break a claim in a way of their own, though it breaks without any too."""
    fallen: tuple[str, ...] = ()
    """The codes of all fault models that break one of its claims."""
    broken: tuple[BrokenClaim, ...] = ()
    """Each of its claims, the gravest first."""
    kept: tuple[Kept, ...] = ()
    """Those of its claims that hold under some fault model, the gravest first."""
    open_under: tuple[str, ...] = ()
    """The fault models under which one of its claims is not decided."""
    open_codes: tuple[str, ...] = ()
    """Their codes."""
    open_note: str = ""
    """Why, if there is one reason for all of them."""
    unmet: tuple[str, ...] = ()
    """The assumptions that proofs of the row need and the group does not meet, a line each."""
    disputed: tuple[str, ...] = ()
    """The findings that dispute one of its verdicts."""


@frozen
class OperatorAction:
    """An action for the operator."""

    text: str
    codes: tuple[str, ...]
    """The failures that it ends, prevents, repairs or eases, the gravest first."""
    key: str = ""
    """The key that a switch changes; empty for other actions."""
    is_switch: bool = False
    """Its effect was computed for the changed group."""
    is_repair: bool = False
    """Whether it is done after the failure."""
    eases: tuple[str, ...] = ()
    """Those of its codes that remain although fewer of the row's claims are broken."""
    brings: tuple[str, ...] = ()
    """The failures that a switch brings with it."""
    worsens: tuple[str, ...] = ()
    """The failures that break more claims of their row after a switch."""
    voids: tuple[str, ...] = ()
    """The letters of rows in which nothing is promised any more after a switch."""

    @property
    def replaces_store(self) -> bool:
        """A broker's store is replaced by another one's, or emptied."""
        return self.is_repair and replaces_store(self.text)


def replaces_store(text: str) -> bool:
    """Advice in these words replaces or empties a store."""
    words = text.lower()
    return "store" in words and ("copy" in words or "empty" in words)


@frozen
class Summary:
    """The short answer about one broker group, or about several that behave alike."""

    slaves: int
    """The number of slaves."""
    settings: Mapping[str, str]
    """The settings that decide most, by key: role, flush, store pool, reads from slaves."""
    rows: tuple[Row, ...] = ()
    """Empty for a group outside the model."""
    actions: tuple[OperatorAction, ...] = ()
    """Every action that helps, those against the gravest failures first."""
    outside: tuple[str, ...] = ()
    """Why there is no answer."""
    resting: int = 0
    """The number of proved verdicts that depend on reading RocketMQ's source alone."""
    unweighed: int = 0
    """The number of proved verdicts of which that is unknown: the table of restrictions is missing,
    or was made from other rules."""
    gave_up: tuple[str, ...] = ()
    """The questions on which Z3 used up its work, each once."""

    @property
    def is_decided(self) -> bool:
        """Some row says something: what breaks it, what holds, or that nothing is promised."""
        return any(r.failures or r.kept or r.grade in DECIDED for r in self.rows)

    @property
    def unmet(self) -> tuple[str, ...]:
        """The assumptions that the group does not meet, as far as a proof needs them."""
        return tuple(dict.fromkeys(line for row in self.rows for line in row.unmet))


def encode_summary(summary: Summary) -> dict[str, Any]:
    """A summary as JSON data."""
    return attrs.asdict(summary, value_serializer=_encode_word)


def _encode_word(_instance: Any, _field: Any, value: Any) -> Any:
    return value.value if isinstance(value, Grade | FailureKind) else value


def decode_summary(data: Mapping[str, Any]) -> Summary:
    """The summary that ``encode_summary`` made. Raises KeyError, TypeError or ValueError."""
    return Summary(
        slaves=data["slaves"],
        settings=dict(data["settings"]),
        rows=tuple(map(_decode_row, data["rows"])),
        actions=tuple(OperatorAction(**_freeze(each)) for each in data["actions"]),
        outside=tuple(data["outside"]),
        resting=data["resting"],
        unweighed=data["unweighed"],
        gave_up=tuple(data["gave_up"]),
    )


def _decode_row(data: Mapping[str, Any]) -> Row:
    read = {
        "grade": Grade(data["grade"]),
        "failures": tuple(map(_decode_failure, data["failures"])),
        "others": tuple(map(_decode_failure, data["others"])),
        "kept": tuple(Kept(**_freeze(each)) for each in data["kept"]),
        "broken": tuple(BrokenClaim(**_freeze(each)) for each in data["broken"]),
    }
    return Row(**_freeze(data) | read)


def _decode_failure(data: Mapping[str, Any]) -> Failure:
    return Failure(**{**data, "kind": FailureKind(data["kind"]), "grade": Grade(data["grade"])})


def _freeze(data: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(v) if isinstance(v, list) else v for name, v in data.items()}
