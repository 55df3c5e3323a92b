"""The ways in which an event of a wrong copy differs from the one that was recorded."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from attrs import frozen

from brokers.recordings.inspection.looks import Place
from brokers.recordings.reading import Event, Recording
from reference.decisions.reading.pull import ResponseCode
from tests.brokers.recordings.edits import TIME, WHOLE, Edit

FAR_MS = 60.0
"""Much more than the tolerance, and more than a kill takes to be seen."""

LARGEST = 2**63 - 1
"""``Long.MAX_VALUE``."""

FILE_SIZE_DEFAULT = 1024**3
"""``mapedFileSizeCommitLog`` where a recording does not set it (bytes)."""


@frozen
class Site:
    """What is changed: a value of an event, or the event itself."""

    recording: Recording
    place: int
    """Of the event."""
    path: Place = WHOLE
    old: Any = None

    @property
    def event(self) -> Event:
        """The event."""
        return self.recording.events[self.place]

    @property
    def before(self) -> tuple[Event, ...]:
        """The events before it, the last one first."""
        return self.recording.events[: self.place][::-1]

    def put(self, new: Any) -> tuple[Edit, ...]:
        """The edit to another value."""
        return (Edit(self.event.seq, self.path, new, self.old),)

    def put_fields(self, **fields: Any) -> tuple[Edit, ...]:
        """The edits to other fields of the event."""
        data = self.event.data
        return tuple(Edit(self.event.seq, (k,), v, data.get(k)) for k, v in fields.items())


Changes: TypeAlias = Iterator[tuple[str, tuple[Edit, ...]]]
"""Each change in words, and its edits."""


@frozen
class Way:
    """A way to change something."""

    name: str
    """What its copies are called, where ``{field}`` and ``{kind}`` are filled in."""
    list_changes: Callable[[Site], Changes]


def at(*, name: str = "{kind}.{field}") -> Callable[[Callable[[Site], Changes]], Way]:
    """The way that a function of a place is."""
    return lambda make: Way(name, make)


# Values


@at()
def by_one(site: Site) -> Changes:
    """One more, one less."""
    if isinstance(site.old, int):
        yield from ((f"{step:+}", site.put(site.old + step)) for step in (1, -1))


@at(name="far {kind}.{field}")
def far(site: Site) -> Changes:
    """A number that is far from it."""
    if isinstance(site.old, int):
        for what, new in list_far_numbers(site.old, find_file_size(site.recording)):
            yield what, site.put(new)


def list_far_numbers(old: int, file_size: int) -> Iterator[tuple[str, int]]:
    """By name: other numbers, none of them next to the old one; ``file_size``: of a log (bytes)."""
    found = {
        "zero": 0,
        "half": old // 2,
        "double": 2 * old,
        "a file more": old + file_size,
        "a file less": old - file_size,
        "largest": LARGEST,
    }
    known: set[int] = set()
    for name, new in found.items():
        if abs(new - old) > 1 and new not in known:
            known.add(new)
            yield name, new


def find_file_size(recording: Recording) -> int:
    """The size of the files of a recording's first broker (bytes)."""
    node = next(iter(recording.config["nodes"].values()))
    return int(node["store_config"].get("mapedFileSizeCommitLog", FILE_SIZE_DEFAULT))


@at(name="report beyond the end")
def beyond_the_end(site: Site) -> Changes:
    """A slave reports more than it has."""
    yield "+100", site.put(site.old + 100)


@at()
def negated(site: Site) -> Changes:
    """The other truth value."""
    yield "negated", site.put(not site.old)


def any_of(*others: Any, name: str = "{kind}.{field}") -> Way:
    """Each other of some values."""
    return Way(name, lambda site: ((str(new), site.put(new)) for new in others if new != site.old))


@at()
def another_name(site: Site) -> Changes:
    """The name of something that is not there."""
    yield "other", site.put(site.old + "x")


@at()
def another_checksum(site: Site) -> Changes:
    """Of other bytes."""
    yield "other", site.put(choose_checksum(site.old))


def choose_checksum(old: str) -> str:
    """One that is not the old one."""
    return "00000000" if old != "00000000" else "11111111"


@at()
def another_role(site: Site) -> Changes:
    """A slave's for a master's."""
    yield "other", site.put("ASYNC_MASTER" if site.old == "SLAVE" else "SLAVE")


@at()
def one_fewer(site: Site) -> Changes:
    """The last item is not there."""
    if site.old:
        yield "one fewer", site.put(site.old[:-1])


@at()
def other_items(site: Site) -> Changes:
    """One more item, or each one left out."""
    old = site.old
    if old:
        yield "one more", site.put([*old, "NEVER_MADE"])
    yield from ((f"without {t}", site.put([*old[:i], *old[i + 1 :]])) for i, t in enumerate(old))


@at()
def inside(site: Site) -> Changes:
    """A number inside of an object by one, or an entry left out, at whatever depth."""
    yield from ((what, site.put(new)) for what, new in _list_inner(site.old))


def _list_inner(table: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if not isinstance(table, dict):
        yield from ((f"{path} {step:+}", table + step) for step in (1, -1))
        return
    for key, value in table.items():
        if path or not isinstance(value, dict) or key != "offsetTable":
            yield f"without {path}/{key}", {k: v for k, v in table.items() if k != key}
        for what, changed in _list_inner(value, f"{path}/{key}"):
            yield what, {**table, key: changed}


ENDS = ("node_kill9", "process_exit", "store_wiped", "store_surgery")
"""Events after which a broker may show less."""


@at(name="fallen {field}")
def fallen(site: Site) -> Changes:
    """What never falls falls to an earlier value; what was shown before any end is left out."""
    field, node = str(site.path[0]), site.event["node"]
    life = itertools.takewhile(lambda event: event.kind not in ENDS, site.before)
    shown = [e[field] for e in life if e.data.get("node") == node and field in e.data]
    lower = [value for value in shown if value < max(shown)]
    if lower and site.old == max(shown):
        yield str(max(lower)), site.put(max(lower))


# Whole events


@at(name="drop {kind}")
def dropped(site: Site) -> Changes:
    """The line is left out."""
    if is_progress(site):
        yield "left out", site.put(())


@at(name="double {kind}")
def doubled(site: Site) -> Changes:
    """The line is there twice."""
    if is_progress(site) and site.event.kind != "ha_report":
        yield "twice", site.put((site.event, site.event))


def is_progress(site: Site) -> bool:
    """It is neither a heartbeat nor a report that says nothing new."""
    event = site.event
    if event.kind == "ha_frame":
        return bool(event["body_bytes"])
    if event.kind == "ha_report":
        names = ("link", "conn", "slave_offset")
        others = (each for each in site.before if each.kind == event.kind)
        return all(any(each[name] != event[name] for name in names) for each in others)
    return True


def swapped(*fields: str) -> Way:
    """It shows what the next one of its kind on its connection does, and that one its own."""

    def list_changes(site: Site) -> Changes:
        first, later = site.event, site.recording.events[site.place + 1 :]
        second = next((event for event in later if event.kind == first.kind), None)
        if second is None or find_connection(first) != find_connection(second):
            return
        if any(first[name] != second[name] for name in fields):
            theirs = Site(site.recording, site.recording.events.index(second))
            edits = site.put_fields(**{name: second[name] for name in fields})
            yield "", edits + theirs.put_fields(**{name: first[name] for name in fields})

    return Way("swapped {kind}", list_changes)


def find_connection(event: Event) -> tuple[Any, Any]:
    """The link and the number of the connection."""
    return event.data.get("link"), event.data.get("conn")


@at(name="early first report")
def early_report(site: Site) -> Changes:
    """The first report comes too early."""
    for event in site.before:
        if find_connection(event) == find_connection(site.event):
            if event.kind == "ha_link_open":
                middle = (event.t_ms + site.event.t_ms) / 2
                yield "", (Edit(site.event.seq, TIME, middle, site.event.t_ms),)
            if event.kind in ("ha_link_open", "ha_report"):
                return


@at(name="early heartbeat")
def early_heartbeat(site: Site) -> Changes:
    """A heartbeat comes too early."""
    event, connection = site.event, find_connection(site.event)
    frames = (each for each in site.before if each.kind == event.kind)
    last = next((each for each in frames if find_connection(each) == connection), None)
    if last is not None and not event["body_bytes"] and event.t_ms - last.t_ms > 2 * FAR_MS:
        yield "", (Edit(event.seq, TIME, (last.t_ms + event.t_ms) / 2, event.t_ms),)


@at(name="recovered offset")
def recovered_less(site: Site) -> Changes:
    """A broker comes back with less than it had."""
    events = site.recording.events
    size = next((e["wrote_bytes"] for e in events if "wrote_bytes" in e.data), None)
    if size is not None and site.event["max_offset"]:
        lower = max(0, site.event["max_offset"] - size)
        names = ("max_offset", "flushed_offset", "dispatched_offset")
        yield str(lower), site.put_fields(**dict.fromkeys(names, lower))


@at(name="short time-out")
def short_wait(site: Site) -> Changes:
    """A wait is too short for its answer."""
    event = site.event
    is_time_out = event["put_status"] == "FLUSH_SLAVE_TIMEOUT" and event["duration_ms"] > 200
    if is_time_out and "append_status" in event.data:
        short = event["duration_ms"] * 0.6
        fields = {"duration_ms": short, "t_begin_ms": event.t_ms - short}
        yield f"{short:.0f} ms", site.put_fields(**fields)


@at(name="long duration")
def long_wait(site: Site) -> Changes:
    """A wait is too long for its answer."""
    if "append_status" in site.event.data:
        long = site.event["duration_ms"] + 30_000.0
        yield f"{long:.0f} ms", site.put_fields(duration_ms=long)


@at(name="{kind}.answer")
def another_answer(site: Site) -> Changes:
    """No progress is found where there was some, or the other way round."""
    is_found = site.event["offset"] is not None
    other = (22, "QUERY_NOT_FOUND", None) if is_found else (0, "SUCCESS", 0)
    names = ("response_code", "response", "offset")
    yield "other", site.put_fields(**dict(zip(names, other, strict=True)))


@at(name="{kind}.response")
def another_response(site: Site) -> Changes:
    """Each other code, with its name."""
    for code in ResponseCode:
        if code != site.event["response_code"]:
            yield code.name, site.put_fields(response=code.name, response_code=code.value)
