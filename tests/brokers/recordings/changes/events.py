"""Copies of a recording in which an event is not there, is there twice, or is another one."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from attrs import frozen

from brokers.recordings.reading import Event, Recording
from reference.decisions.reading.pull import ResponseCode
from tests.brokers.recordings.changes.edits import TIME, WHOLE, Corruption, Edit

FAR_MS = 60.0
"""Much more than the tolerance, and more than a kill takes to be seen."""


@frozen
class Site:
    """An event of a recording."""

    recording: Recording
    place: int

    @property
    def event(self) -> Event:
        """The event."""
        return self.recording.events[self.place]

    @property
    def before(self) -> tuple[Event, ...]:
        """The events before it, the last one first."""
        return self.recording.events[: self.place][::-1]

    def put(self, *events: Event) -> tuple[Edit, ...]:
        """The edit to other events."""
        return (Edit(self.event.seq, WHOLE, events),)

    def put_fields(self, **fields: Any) -> tuple[Edit, ...]:
        """The edits to other fields of the event."""
        data = self.event.data
        return tuple(Edit(self.event.seq, (k,), v, data.get(k)) for k, v in fields.items())


Changes: TypeAlias = Iterator[tuple[str, tuple[Edit, ...]]]
"""Each change in words, and its edits."""
Way: TypeAlias = Callable[[Site], Changes]


def dropped(site: Site) -> Changes:
    """The line is left out."""
    if is_progress(site):
        yield "left out", site.put()


def doubled(site: Site) -> Changes:
    """The line is there twice."""
    if is_progress(site) and site.event.kind != "ha_report":
        yield "twice", site.put(site.event, site.event)


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
            yield "swapped", edits + theirs.put_fields(**{name: first[name] for name in fields})

    return list_changes


def find_connection(event: Event) -> tuple[Any, Any]:
    """The link and the number of the connection."""
    return event.data.get("link"), event.data.get("conn")


def early_report(site: Site) -> Changes:
    """The first report comes too early."""
    for event in site.before:
        if find_connection(event) == find_connection(site.event):
            if event.kind == "ha_link_open":
                middle = (event.t_ms + site.event.t_ms) / 2
                yield "too early", (Edit(site.event.seq, TIME, middle, site.event.t_ms),)
            if event.kind in ("ha_link_open", "ha_report"):
                return


def early_heartbeat(site: Site) -> Changes:
    """A heartbeat comes too early."""
    event, connection = site.event, find_connection(site.event)
    frames = (each for each in site.before if each.kind == event.kind)
    last = next((each for each in frames if find_connection(each) == connection), None)
    if last is not None and not event["body_bytes"] and event.t_ms - last.t_ms > 2 * FAR_MS:
        yield "too early", (Edit(event.seq, TIME, (last.t_ms + event.t_ms) / 2, event.t_ms),)


def recovered_less(site: Site) -> Changes:
    """A broker comes back with less than it had."""
    events = site.recording.events
    size = next((e["wrote_bytes"] for e in events if "wrote_bytes" in e.data), None)
    if size is not None and site.event["max_offset"]:
        lower = max(0, site.event["max_offset"] - size)
        names = ("max_offset", "flushed_offset", "dispatched_offset")
        yield "recovered less", site.put_fields(**dict.fromkeys(names, lower))


def short_wait(site: Site) -> Changes:
    """A wait is too short for its answer."""
    event = site.event
    is_time_out = event["put_status"] == "FLUSH_SLAVE_TIMEOUT" and event["duration_ms"] > 200
    if is_time_out and "append_status" in event.data:
        short = event["duration_ms"] * 0.6
        fields = {"duration_ms": short, "t_begin_ms": event.t_ms - short}
        yield "too short", site.put_fields(**fields)


def long_wait(site: Site) -> Changes:
    """A wait is too long for its answer."""
    if "append_status" in site.event.data:
        yield "too long", site.put_fields(duration_ms=site.event["duration_ms"] + 30_000.0)


ENDS = ("node_kill9", "process_exit", "store_wiped", "store_surgery")
"""Events after which a broker may show less."""


def fallen(site: Site) -> Changes:
    """What never falls falls to an earlier value; what was shown before any end is left out."""
    node = site.event["node"]
    life = list(itertools.takewhile(lambda event: event.kind not in ENDS, site.before))
    for field in ("flushed_offset", "dispatched_offset", "push2_slave_after"):
        if (old := site.event.data.get(field)) is None:
            continue
        shown = [e[field] for e in life if e.data.get("node") == node and field in e.data]
        lower = [value for value in shown if value < max(shown)]
        if lower and old == max(shown):
            yield f"{field} fallen", site.put_fields(**{field: max(lower)})


def another_answer(site: Site) -> Changes:
    """No progress is found where there was some, or the other way round."""
    is_found = site.event["offset"] is not None
    other = (22, "QUERY_NOT_FOUND", None) if is_found else (0, "SUCCESS", 0)
    names = ("response_code", "response", "offset")
    yield "another answer", site.put_fields(**dict(zip(names, other, strict=True)))


def another_response(site: Site) -> Changes:
    """Each other code, with its name."""
    for code in ResponseCode:
        if code != site.event["response_code"]:
            fields = {"response": code.name, "response_code": code.value}
            yield code.name, site.put_fields(**fields)


LIFE = (dropped, doubled)
"""Events without which the rest cannot be explained, and which happen once."""

WAYS: Mapping[str, tuple[Way, ...]] = {
    "node_started": (*LIFE, recovered_less, fallen),
    **dict.fromkeys(("snapshot", "broker_started", "to_master", "to_slave", "set_sss"), (fallen,)),
    "put": (*LIFE, short_wait, long_wait, fallen),
    "ha_link_open": LIFE,
    "ha_report": (*LIFE, early_report, swapped("slave_offset")),
    "ha_frame": (*LIFE, early_heartbeat, swapped("master_offset", "body_bytes")),
    **dict.fromkeys(("process_exit", "node_kill9", "store_wiped", "delete_expired_files"), LIFE),
    "query_consumer_offset": (another_answer,),
    "pull_message": (another_response,),
}
"""By kind of event."""


def change_events(recording: Recording) -> Iterator[Corruption]:
    """Every such copy; it is named after the kind of the event."""
    for place, event in enumerate(recording.events):
        for way in WAYS.get(event.kind, ()):
            for change, edits in way(Site(recording, place)):
                yield Corruption(event.kind, change, edits)
