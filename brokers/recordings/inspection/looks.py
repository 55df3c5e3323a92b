"""Which values of a recording somebody has looked at, and which nobody has.

The values are those of the events of the kinds that the model explains. They are counted by kind
and field, where an item of a list counts under ``[]`` and a name that the recording has chosen,
such as that of a queue, under ``*``: ``snapshot.queues.*.[]``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from attrs import define, evolve, field, frozen

from brokers.recordings.kinds import COMMON_FIELDS, NAMED_BY_RECORDING
from brokers.recordings.reading import Event, Recording

Place: TypeAlias = tuple[str | int, ...]
"""Where a value stands in its event: names of fields, and places in lists."""

ITEM, ANY_NAME = "[]", "*"


@frozen
class Value:
    """A value of an event that is neither a list nor an object."""

    path: Place
    value: Any

    @property
    def field(self) -> str:
        """Its field, for example ``connections.[].slave_ack_offset``."""
        return name_field(self.path)


def name_field(path: Place) -> str:
    """The field at a path."""
    names, is_free = [], False
    for step in path:
        if isinstance(step, int):
            names.append(ITEM)
        else:
            names.append(ANY_NAME if is_free else step)
        is_free = step in NAMED_BY_RECORDING or (is_free and names[-1] == ANY_NAME)
    return ".".join(names)


def list_values(data: Any, path: Place = ()) -> Iterator[Value]:
    """All values of an event, in the order of the file."""
    items: Iterable[tuple[Any, Any]] = ()
    if isinstance(data, dict):
        items = dict.items(data)
    elif isinstance(data, list):
        items = enumerate(data)
    elif path:
        yield Value(path, data)
    for step, value in items:
        yield from list_values(value, (*path, step))


class WatchedObject(dict[str, Any]):
    """An object of a recording that notes each field whose value somebody takes.

    To ask whether a field is there is not to look at its value.
    """

    def __init__(self, data: Mapping[str, Any], path: Place, noted: set[Place]) -> None:
        super().__init__(
            {name: watch_value(each, (*path, name), noted) for name, each in data.items()}
        )
        self.path, self.noted = path, noted

    def __getitem__(self, name: str) -> Any:
        self.noted.add((*self.path, name))
        return super().__getitem__(name)

    def __iter__(self) -> Iterator[str]:
        # With an iterator of its own, ``{**this}`` and ``dict(this)`` take the values one by one.
        return super().__iter__()

    def get(self, name: str, default: Any = None) -> Any:
        """A field, or the default."""
        if name not in self:
            return default
        return self[name]

    def items(self) -> Any:
        """All fields, which are all looked at."""
        return {name: self[name] for name in self}.items()

    def values(self) -> Any:
        """All values, which are all looked at."""
        return {name: self[name] for name in self}.values()


def watch_value(value: Any, path: Place, noted: set[Place]) -> Any:
    """The same value, in which the objects note who looks at their fields."""
    if isinstance(value, dict):
        return WatchedObject(value, path, noted)
    if isinstance(value, list):
        return [watch_value(each, (*path, place), noted) for place, each in enumerate(value)]
    return value


Fields: TypeAlias = Mapping[str, int]
"""How many values, by ``kind.field``."""


@frozen
class Counted:
    """What was looked at in a recording."""

    events: Mapping[str, int]
    """How many events there are, by kind."""
    read: Fields
    """How many values somebody has looked at."""
    unread: Fields
    """How many values nobody has looked at."""

    @property
    def never_read(self) -> tuple[str, ...]:
        """The fields of which nobody has looked at any value."""
        return tuple(sorted(set(self.unread) - set(self.read)))

    @property
    def unread_kinds(self) -> tuple[str, ...]:
        """The kinds of events of which nobody has looked at anything but when they were."""
        looked = {name.partition(".")[0] for name in self.read}
        return tuple(sorted(set(self.events) - looked))


@define
class Looks:
    """Notes who looks at what in one recording."""

    noted: dict[int, set[Place]] = field(factory=dict)
    """By ``seq``: where somebody has looked."""

    def watch(self, recording: Recording) -> Recording:
        """The same recording, whose events note who looks at their fields."""
        events = tuple(self._watch_event(event) for event in recording.events)
        return evolve(recording, events=events)

    def _watch_event(self, event: Event) -> Event:
        noted = self.noted.setdefault(event.seq, set())
        return evolve(event, data=WatchedObject(event.data, (), noted))

    def is_read(self, seq: int, path: Place) -> bool:
        """Somebody has looked at a value, or taken the list that it stands in."""
        named = path
        while isinstance(named[-1], int):
            named = named[:-1]
        return named in self.noted.get(seq, ())

    def count(self, recording: Recording) -> Counted:
        """What was looked at; what stands in every event is left out."""
        events = Counter(event.kind for event in recording.events)
        read: Counter[str] = Counter()
        unread: Counter[str] = Counter()
        for event in recording.events:
            for value in list_values(event.data):
                if value.path[0] in COMMON_FIELDS:
                    continue
                counts = read if self.is_read(event.seq, value.path) else unread
                counts[f"{event.kind}.{value.field}"] += 1
        return Counted(events, read, unread)
