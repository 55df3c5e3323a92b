"""Copies of a recording in which one value is another one, for every value that somebody reads.

Unlike `corruptions`, which has what no broker can have done, this goes through all fields alike:
what a value is changed to depends on its form alone, so some copies are possible recordings too.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from brokers.recordings.inspection.looks import Place, Value, list_values
from brokers.recordings.kinds import IGNORED_KINDS
from brokers.recordings.reading import Event, Recording
from tests.brokers.recordings.edits import Corruption, Edit
from tests.brokers.recordings.ways import choose_checksum, find_file_size, list_far_numbers

AWAY_MS = 5_000.0
"""Beyond the tolerance of every clock, and of every wait that is usual in the recordings."""

TIMES = ("t_ms", "t_begin_ms", "duration_ms", "shutdown_ms")
"""Fields in milliseconds."""

CHECKSUM_FIELDS = ("crc32",)

UNTOUCHED = ("seq", "ev")
"""Fields that say which event it is, not what it shows."""

IsRead = Callable[[int, Place], bool]
"""Whether somebody reads a value of an event."""


def list_changes(value: Value, others: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    """What a value may be changed to, where ``others`` are what its field is elsewhere."""
    old = value.value
    if old is not None:
        yield "null", None
    if value.field in TIMES:
        yield "later", old + AWAY_MS
        yield "earlier", old - AWAY_MS
    elif isinstance(old, bool):
        yield "negated", not old
    elif isinstance(old, int | float):
        yield "+1", old + 1
        yield "-1", old - 1
        if isinstance(old, int):
            yield from (("other", each) for each in others if abs(each - old) > 1)
    elif isinstance(old, str):
        if value.field.rpartition(".")[2] in CHECKSUM_FIELDS:
            yield "other", choose_checksum(old)
            return
        yield from (("other", each) for each in others)
        yield "unheard of", f"{old}_"


def change_values(
    recording: Recording, chance: random.Random, is_read: IsRead
) -> Iterator[Corruption]:
    """Every change of every value that is read; of other values that a field has, one is drawn."""
    elsewhere = gather_values(recording)
    for event, value in list_read(recording, is_read):
        others = [each for each in elsewhere[name_value(event, value)] if each != value.value]
        others = [each for each in others if type(each) is type(value.value)]
        drawn = [chance.choice(others)] if others else []
        yield from (make_copy(event, value, *each) for each in list_changes(value, drawn))


def change_values_far(recording: Recording, is_read: IsRead) -> Iterator[Corruption]:
    """Every number that is read, but no time, changed to some that are far from it."""
    size = find_file_size(recording)
    for event, value in list_read(recording, is_read):
        if type(value.value) is int and value.field not in TIMES:
            found = list_far_numbers(value.value, size)
            yield from (make_copy(event, value, *each) for each in found)


def make_copy(event: Event, value: Value, change: str, new: Any) -> Corruption:
    """The copy with another value."""
    edit = Edit(event.seq, value.path, new, value.value)
    return Corruption(name_value(event, value), change, (edit,))


def name_value(event: Event, value: Value) -> str:
    """Its kind and field."""
    return f"{event.kind}.{value.field}"


def list_read(recording: Recording, is_read: IsRead) -> Iterator[tuple[Event, Value]]:
    """The values that somebody reads, each with its event."""
    for event in recording.events:
        if event.kind in IGNORED_KINDS:
            continue
        for value in list_values(event.data):
            if value.path[0] in UNTOUCHED or isinstance(value.value, dict | list):
                continue
            if value.path[0] == "t_ms" or is_read(event.seq, value.path):
                yield event, value


def gather_values(recording: Recording) -> Mapping[str, list[Any]]:
    """By field: the values that it has somewhere, each once."""
    found: dict[str, dict[Any, None]] = defaultdict(dict)
    for event in recording.events:
        for value in list_values(event.data):
            if not isinstance(value.value, dict | list):
                found[name_value(event, value)][value.value] = None
    return defaultdict(list, {name: list(values) for name, values in found.items()})
