"""The moments of a recording, in the order in which they are explained."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

from attrs import evolve, frozen

from brokers.recordings.ahead.order import SENT_KINDS, derive_logged_stops, derive_stops
from brokers.recordings.clock import KILL_MS, SLACK_MS
from brokers.recordings.kinds import IGNORED_KINDS, START_KINDS, STOP_KINDS
from brokers.recordings.reading import Event

Key: TypeAlias = tuple[int, bool]
"""A moment: the ``seq`` of its event, and whether that is called rather than answered."""

CUT_KINDS = frozenset({"ha_link_close", "link_cut", "link_cut_mid_frame"})
"""Events that end a connection."""

LATER_CONNECTION_MS = 1000.0
"""How late what was sent on a connection may be noted behind the begin of the next one."""

HEALED_MS = 50.0
"""How soon after a stall what the proxy held back has passed."""


@frozen
class NotedMoment:
    """An event, or the call whose answer an event tells: that of a put, or a question."""

    t_ms: float
    event: Event
    is_call: bool = False

    @property
    def key(self) -> Key:
        """What tells it apart."""
        return self.event.seq, self.is_call

    @property
    def kind(self) -> str:
        """Of its event; "call" for a call."""
        return "call" if self.is_call else self.event.kind


def list_moments(events: Sequence[Event], master: str, slaves: Sequence[str]) -> list[NotedMoment]:
    """All moments, in the order in which they are explained."""
    moments = [
        NotedMoment(float(e.data.get("t_begin_ms", e.t_ms)), e, is_call=True)
        for e in events
        if (e.kind == "put" and e["node"] == master) or e.kind == "broker_status"
    ]
    seen = [event for event in events if event.kind not in IGNORED_KINDS]
    moments += [NotedMoment(each.t_ms, each.event) for each in derive_stops(seen)]
    moments += [NotedMoment(each.t_ms, each.event) for each in derive_logged_stops(events)]
    moments += [NotedMoment(find_time_ms(event), event) for event in seen]
    moments.sort(key=lambda each: (each.t_ms, not each.is_call, each.event.seq))
    return put_before_ends(put_after_starts(moments, slaves), master)


def put_after_starts(moments: Sequence[NotedMoment], slaves: Sequence[str]) -> list[NotedMoment]:
    """A slave's connect, and what follows, after the line that tells of its start.

    A broker connects while it starts; its line is written when it has started.
    """
    down = set(slaves)
    starts = Counter(m.event["node"] for m in moments if m.kind in START_KINDS)
    held: dict[str, list[NotedMoment]] = {slave: [] for slave in slaves}
    ordered: list[NotedMoment] = []
    for moment in moments:
        event = moment.event
        starts[event.data.get("node")] -= event.kind in START_KINDS
        if event.kind in START_KINDS and event["node"] in down:
            down.discard(event["node"])
            ordered += [moment, *held[event["node"]]]
            held[event["node"]] = []
        elif (
            (slave := get_slave(event)) in down
            and starts[slave]
            and (event.kind == "ha_link_open" or held[slave])
        ):
            held[slave].append(moment)
        else:
            if event.kind in STOP_KINDS and event["node"] in held:
                down.add(event["node"])
            ordered.append(moment)
    return ordered


def get_slave(event: Event) -> str:
    """The slave at the end of an event's link; empty for an event of no link."""
    return str(event.data.get("link", "")).removeprefix("link_")


def put_before_ends(moments: Sequence[NotedMoment], master: str) -> list[NotedMoment]:
    """What was still on its way when its connection ended, before that end.

    A proxy notes it up to ``KILL_MS`` later, and what it held back when it lets it pass.
    """
    ordered = list(moments)
    stalls: dict[str, StallTime] = {}
    latest: dict[str, int] = {}
    for number, moment in enumerate(moments):
        link = moment.event.data.get("link", "")
        if moment.kind == "link_stalled":
            stalls[link] = StallTime(moment.t_ms)
        elif moment.kind == "link_healed" and link in stalls:
            stalls[link] = StallTime(stalls[link].begin_ms, moment.t_ms)
        elif moment.kind == "ha_link_open":
            latest[link] = moment.event["conn"]
        elif moment.kind in SENT_KINDS:
            since_ms = stalls.get(link, StallTime()).find_earliest_ms(moment.t_ms)
            if moment.event["conn"] < latest.get(link, 0):
                since_ms = min(since_ms, moment.t_ms - LATER_CONNECTION_MS)
            place = find_place_before_end(ordered, number, master, since_ms)
            if place < number:
                earlier = evolve(ordered.pop(number), t_ms=ordered[place].t_ms)
                ordered.insert(place, earlier)
    return ordered


@frozen
class StallTime:
    """When a proxy held back what goes over a link."""

    begin_ms: float = math.inf
    end_ms: float = math.inf

    def find_earliest_ms(self, noted_ms: float) -> float:
        """When something may have been sent at the earliest that was noted then."""
        is_held = self.end_ms <= noted_ms <= self.end_ms + HEALED_MS
        return (self.begin_ms if is_held else noted_ms) - KILL_MS


def find_place_before_end(
    ordered: Sequence[NotedMoment], number: int, master: str, since_ms: float
) -> int:
    """Where the end of its connection stands that was noted too early; else its own place.

    The next connection of the link ends it, too. A process may have ended up to ``SLACK_MS``
    before, as long as the proxy does not tell that its connection has.
    """
    passing = ordered[number].event
    place, earliest_ms = number, min(since_ms, ordered[number].t_ms - SLACK_MS)
    for before in range(number - 1, -1, -1):
        event = ordered[before].event
        if ordered[before].t_ms < earliest_ms:
            break
        is_soon = ordered[before].t_ms >= since_ms
        is_same = event.data.get("link") == passing["link"]
        if is_same and event.kind == "ha_link_open":
            if event["conn"] <= passing["conn"]:
                break
            place = before
        is_cut = is_same and event.kind in CUT_KINDS
        is_cut = is_cut and event.data.get("conn", passing["conn"]) == passing["conn"]
        if is_cut and not is_soon:
            break
        is_stop = event.kind in STOP_KINDS and event["node"] in (get_slave(passing), master)
        if is_cut or is_stop:
            place = before
    return place


def find_time_ms(event: Event) -> float:
    """When what an event tells has happened; a put's line is written some time after its answer."""
    if event.kind == "put":
        return min(event.t_ms, float(event["t_begin_ms"] + event["duration_ms"]))
    return event.t_ms
