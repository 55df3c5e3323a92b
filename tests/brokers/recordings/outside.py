"""Recordings as somebody has them who sees brokers from outside: without what only they know."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import evolve

from brokers.recordings.kinds import SEEN_FROM_INSIDE
from brokers.recordings.reading import Event, Recording

OF_A_START = ("seq", "t_ms", "node", "role")
"""What somebody outside knows of any start."""


def see_from_outside(recording: Recording, *, has_statuses: bool = False) -> Recording:
    """A copy with the answers to puts alone, no looks, and starts that show nothing of a store.

    ``has_statuses``: a broker is asked about itself where it was looked at.
    """
    events = tuple(_list_visible(recording, has_statuses=has_statuses))
    return evolve(recording, events=events)


def _list_visible(recording: Recording, *, has_statuses: bool) -> Iterator[Event]:
    for event in recording.events:
        if event.kind == "put":
            told = {k: v for k, v in event.data.items() if k not in SEEN_FROM_INSIDE}
            yield evolve(event, data=told)
        elif event.kind == "node_started":
            kind = "process_started"
            told = {name: event[name] for name in OF_A_START} | {"ev": kind}
            yield evolve(event, kind=kind, data=told)
        elif event.kind != "snapshot":
            yield event
        elif has_statuses:
            yield make_status(event, event.seq)


TOOK_MS = 0.5


def make_status(look: Event, seq: int, **changes: int) -> Event:
    """What a broker would have answered when it was looked at."""
    fields = {name: look[name] for name in ("node", "max_offset", "min_offset")}
    fields["dispatch_behind_bytes"] = look["max_offset"] - look["dispatched_offset"]
    fields["t_begin_ms"] = look.t_ms - TOOK_MS
    for name, change in changes.items():
        fields[name] += change
    return Event(look.line, seq, look.t_ms, "broker_status", fields)
