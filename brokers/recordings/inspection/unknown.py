"""Kinds of events and fields of a recording that the format does not have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attrs import field, frozen

from brokers.recordings.inspection.looks import ITEM
from brokers.recordings.kinds import (
    APPENDED_FIELDS,
    BROKER_KINDS,
    COMMON_FIELDS,
    EXPLAINED_KINDS,
    LIST_FIELDS,
    MASTER_FIELDS,
    OPTIONAL_COMMON_FIELDS,
    OPTIONAL_FIELDS,
    OPTIONAL_ITEM_FIELDS,
    SLAVE_FIELDS,
)
from brokers.recordings.reading import Event, Recording, TraceError, trace_error

NAMED_MAX = 6
"""How many unknown names one line has room for."""


@frozen
class Unknown:
    """What is unknown in one recording."""

    kinds: Mapping[str, int] = field(factory=dict)
    """How many events, by kind."""
    fields: Mapping[str, int] = field(factory=dict)
    """How many values, by ``kind.field``, where items of a list stand under ``[]``."""
    first_line: int = 0
    """The first line of the file that has any of it; 0 for none."""

    @property
    def is_any(self) -> bool:
        """There is some."""
        return bool(self.first_line)

    def describe(self) -> str:
        """In words, the names first that begin the alphabet."""
        parts = []
        for what, counts in (("kinds of events", self.kinds), ("fields", self.fields)):
            if counts:
                parts.append(f"unknown {what}: {name_counts(counts)}")
        return "; ".join(parts)


def name_counts(counts: Mapping[str, int]) -> str:
    """Each name with its count, as far as there is room."""
    told = [f"{name} ({counts[name]})" for name in sorted(counts)]
    more = [f"and {len(told) - NAMED_MAX} more"] if len(told) > NAMED_MAX else []
    return ", ".join([*told[:NAMED_MAX], *more])


def find_unknown(recording: Recording) -> Unknown:
    """Everything that the format does not have."""
    kinds = Counter(event.kind for event in recording.unknown)
    found = [(event.line, name) for event in recording.events for name in list_unknown(event)]
    lines = [*(event.line for event in recording.unknown), *(line for line, _ in found)]
    return Unknown(kinds, Counter(name for _, name in found), min(lines, default=0))


def list_unknown(event: Event) -> Iterator[str]:
    """The fields of an event that its kind does not have."""
    for name in event.data.keys() - list_known(event.kind):
        yield f"{event.kind}.{name}"
    for name, must in LIST_FIELDS.items():
        if name in list_known(event.kind) and isinstance(event.data.get(name), list):
            known = {*must, *OPTIONAL_ITEM_FIELDS.get(name, ())}
            yield from (
                f"{event.kind}.{name}.{ITEM}.{each}"
                for each in list_others(event.data[name], known)
            )


def list_others(items: Iterable[Any], known: set[str]) -> Iterator[str]:
    """The fields of items of a list that are not known."""
    for item in items:
        if isinstance(item, Mapping):
            yield from item.keys() - known


def list_known(kind: str) -> set[str]:
    """The fields that an event of a kind may carry."""
    common = {*COMMON_FIELDS, *OPTIONAL_COMMON_FIELDS}
    known = {*common, *EXPLAINED_KINDS.get(kind, ()), *OPTIONAL_FIELDS.get(kind, ())}
    if kind in BROKER_KINDS:
        known |= {*MASTER_FIELDS, *SLAVE_FIELDS}
    return known | {*APPENDED_FIELDS} if kind == "put" else known


def refuse_unknown(recording: Recording) -> None:
    """Raises TraceError if the recording has any kind or field that the format does not have."""
    unknown = find_unknown(recording)
    if unknown.is_any:
        raise make_error(recording, unknown)


def make_error(recording: Recording, unknown: Unknown) -> TraceError:
    """The one line that says so."""
    advice = "without --strict they are left out"
    return trace_error(recording.file, unknown.first_line, unknown.describe(), advice)
