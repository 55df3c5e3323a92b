"""Copies of a recording in which one value is another one, for every value that somebody reads.

Unlike `corruptions`, which has what no broker can have done, this goes through all fields alike:
what a value is changed to depends on its form alone, so some copies are possible recordings too.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from attrs import evolve, frozen

from brokers.recordings.inspection.looks import Place, Value, list_values
from brokers.recordings.kinds import IGNORED_KINDS
from brokers.recordings.reading import Event, Recording
from tests.brokers.recordings.far_values import find_file_size, list_far_numbers

FAR_MS = 5_000.0
"""Beyond the tolerance of every clock, and of every wait that is usual in the recordings."""

TIMES = ("t_ms", "t_begin_ms", "duration_ms", "shutdown_ms")
"""Fields in milliseconds."""

CHECKSUM_FIELDS = ("crc32",)

UNTOUCHED = ("seq", "ev")
"""Fields that say which event it is, not what it shows."""

Change = tuple[str, Any]
"""What kind of change, and the new value."""


@frozen
class Perturbation:
    """One value that is changed."""

    name: str
    """For example ``put.wrote_offset``."""
    change: str
    """What kind of change, for example ``+1``."""
    seq: int
    path: Place
    old: Any
    new: Any

    def describe(self) -> str:
        """In one line."""
        return f"seq {self.seq} {self.name}: {self.old!r} becomes {self.new!r}"

    def apply(self, recording: Recording) -> Recording:
        """The copy."""
        return replace_value(recording, self.seq, self.path, self.new)


def list_changes(value: Value, others: Iterable[Any]) -> Iterator[Change]:
    """What a value may be changed to, where ``others`` are what its field is elsewhere."""
    old = value.value
    if old is not None:
        yield "null", None
    if value.field in TIMES:
        yield "later", old + FAR_MS
        yield "earlier", old - FAR_MS
    elif isinstance(old, bool):
        yield "negated", not old
    elif isinstance(old, int):
        yield "+1", old + 1
        yield "-1", old - 1
        yield from (("other", each) for each in others if abs(each - old) > 1)
    elif isinstance(old, float):
        yield "+1", old + 1.0
        yield "-1", old - 1.0
    elif isinstance(old, str):
        yield from choose_texts(value, others)


def choose_texts(value: Value, others: Iterable[Any]) -> Iterator[Change]:
    """Another text: what the field is elsewhere, else one that nobody else has."""
    if value.field.rpartition(".")[2] in CHECKSUM_FIELDS:
        yield "other", "00000000" if value.value != "00000000" else "11111111"
        return
    found = list(others)
    yield from (("other", each) for each in found)
    yield "unheard of", f"{value.value}_"


def list_perturbations(
    recording: Recording, chance: random.Random, is_read: Callable[[int, Place], bool]
) -> Iterator[Perturbation]:
    """Every change of every value that is read; of other values that a field has, one is drawn."""
    elsewhere = gather_values(recording)
    for event, value in list_read(recording, is_read):
        name = f"{event.kind}.{value.field}"
        others = [each for each in elsewhere[name] if type(each) is type(value.value)]
        others = [each for each in others if each != value.value]
        drawn = [chance.choice(others)] if others else []
        for change, new in list_changes(value, drawn):
            yield Perturbation(name, change, event.seq, value.path, value.value, new)


def list_far_perturbations(
    recording: Recording, is_read: Callable[[int, Place], bool]
) -> Iterator[Perturbation]:
    """Every number that is read, but no time, changed to some that are far from it."""
    file_size = find_file_size(recording)
    for event, value in list_read(recording, is_read):
        if type(value.value) is int and value.field not in TIMES:
            name = f"{event.kind}.{value.field}"
            for change, new in list_far_numbers(value.value, file_size):
                yield Perturbation(name, change, event.seq, value.path, value.value, new)


def list_read(
    recording: Recording, is_read: Callable[[int, Place], bool]
) -> Iterator[tuple[Event, Value]]:
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
                found[f"{event.kind}.{value.field}"][value.value] = None
    return defaultdict(list, {name: list(values) for name, values in found.items()})


def replace_value(recording: Recording, seq: int, path: Place, new: Any) -> Recording:
    """A copy with one value of one event changed; an event that is moved in time stands there."""
    events = list(recording.events)
    place = next(i for i, event in enumerate(events) if event.seq == seq)
    event = events[place]
    changed = evolve(event, data=replace_in(event.data, path, new))
    if path == ("t_ms",) and new is not None:
        return move(recording, place, evolve(changed, t_ms=new))
    events[place] = changed
    return evolve(recording, events=tuple(events))


def move(recording: Recording, place: int, moved: Event) -> Recording:
    """A copy in which an event stands where its time says; the numbers stay increasing."""
    others = [*recording.events[:place], *recording.events[place + 1 :]]
    index = sum(other.t_ms <= moved.t_ms for other in others)
    seqs = [event.seq for event in recording.events]
    events = [*others[:index], moved, *others[index:]]
    numbered = tuple(
        evolve(each, seq=seq, data={**each.data, "seq": seq})
        for seq, each in zip(seqs, events, strict=True)
    )
    return evolve(recording, events=numbered)


def replace_in(data: Any, path: Place, new: Any) -> Any:
    """A copy of lists and objects in which one value is replaced."""
    step, *rest = path
    inner = replace_in(data[step], tuple(rest), new) if rest else new
    if isinstance(data, list):
        assert isinstance(step, int)
        return [*data[:step], inner, *data[step + 1 :]]
    return {**data, step: inner}
