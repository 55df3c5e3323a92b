"""Copies of a recording in which one value is another one, for every value that somebody reads.

What a value is changed to depends on its form alone, so some copies are possible recordings, too.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from brokers.recordings.inspection.looks import Place, Value, list_values, name_field
from brokers.recordings.kinds import IGNORED_KINDS
from brokers.recordings.reading import Event, Recording
from tests.brokers.recordings.changes.edits import Corruption, Edit

AWAY_MS = 5_000.0
"""Beyond the tolerance of every clock, and of every wait that is usual in the recordings."""

LARGEST = 2**63 - 1
"""``Long.MAX_VALUE``."""

FILE_BYTES_DEFAULT = 1024**3
"""``mapedFileSizeCommitLog`` where a recording does not set it."""

TIMES = ("t_ms", "t_begin_ms", "duration_ms", "shutdown_ms")
"""Fields in milliseconds."""

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
        if value.field.endswith("crc32"):
            yield "other", "00000000" if old != "00000000" else "11111111"
            return
        yield from (("other", each) for each in others)
        yield "unheard of", f"{old}_"


def list_far_numbers(old: int, file_bytes: int) -> Iterator[tuple[str, int]]:
    """By name: other numbers, none of them next to the old one."""
    found = {
        "zero": 0,
        "half": old // 2,
        "double": 2 * old,
        "a file more": old + file_bytes,
        "a file less": old - file_bytes,
        "largest": LARGEST,
    }
    known: set[int] = set()
    for name, new in found.items():
        if abs(new - old) > 1 and new not in known:
            known.add(new)
            yield name, new


def find_file_bytes(recording: Recording) -> int:
    """The size of the files of a recording's first broker."""
    node = next(iter(recording.config["nodes"].values()))
    return int(node["store_config"].get("mapedFileSizeCommitLog", FILE_BYTES_DEFAULT))


def change_values(
    recording: Recording, chance: random.Random, is_read: IsRead
) -> Iterator[Corruption]:
    """Every change of every value that is read; of other values that a field has, one is drawn."""
    elsewhere, file_bytes = gather_values(recording), find_file_bytes(recording)
    for event, value in list_read(recording, is_read):
        old = value.value
        others = [each for each in elsewhere[name_value(event, value)] if each != old]
        others = [each for each in others if type(each) is type(old)]
        drawn = [chance.choice(others)] if others else []
        yield from (make_copy(event, value, *each) for each in list_changes(value, drawn))
        if type(old) is int and value.field not in TIMES:
            far = list_far_numbers(old, file_bytes)
            yield from (make_copy(event, value, *each) for each in far)


def leave_out_entries(recording: Recording, is_read: IsRead) -> Iterator[Corruption]:
    """Every list and object without its last entry, where that is read."""
    for event, value in list_read(recording, is_read):
        path = value.path[:-1]
        if path and is_last(event.data, value.path):
            owner = get_at(event.data, path)
            kept = owner[:-1] if isinstance(owner, list) else dict(list(owner.items())[:-1])
            edit = Edit(event.seq, path, kept, owner)
            yield Corruption(f"{event.kind}.{name_field(path)}", "one fewer", (edit,))


def is_last(data: Any, path: Place) -> bool:
    """A value is the last of its list, or of names that the recording has chosen."""
    owner, step = get_at(data, path[:-1]), path[-1]
    if isinstance(owner, list):
        return bool(step == len(owner) - 1)
    return name_field(path).endswith("*") and bool(step == list(owner)[-1])


def get_at(data: Any, path: Place) -> Any:
    """What stands at a path."""
    for step in path:
        data = data[step]
    return data


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
            if value.path[0] in UNTOUCHED:
                continue
            if value.path[0] == "t_ms" or is_read(event.seq, value.path):
                yield event, value


def gather_values(recording: Recording) -> Mapping[str, list[Any]]:
    """By field: the values that it has somewhere, each once."""
    found: dict[str, dict[Any, None]] = defaultdict(dict)
    for event in recording.events:
        for value in list_values(event.data):
            found[name_value(event, value)][value.value] = None
    return defaultdict(list, {name: list(values) for name, values in found.items()})
