"""What a recording tells in advance of a controller: elections, epochs, changes of its set."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import frozen

from brokers.recordings.kinds import END_KINDS, START_KINDS
from brokers.recordings.reading import Event
from brokers.recordings.roles.places import EXCHANGE


def list_ids(nodes: Mapping[str, Any]) -> tuple[int, ...]:
    """The ids by which the SyncStateSet knows the brokers: the master's, then each slave's."""
    return tuple(node.get("broker_id", place + 1) for place, node in enumerate(nodes.values()))


def find_elected_ends(events: Iterable[Event], master: str) -> frozenset[int]:
    """``seq`` of each end of a master's process after which a slave became the master."""
    found: set[int] = set()
    ended: int | None = None
    for event in events:
        if EXCHANGE in event.data and ended is not None:
            found.add(ended)
        if event.data.get("node") != master:
            continue
        if event.kind in END_KINDS:
            ended = event.seq
        if event.kind in START_KINDS:
            ended = None
    return frozenset(found)


def number_epochs(events: Iterable[Event]) -> Mapping[int, int]:
    """Which epoch, counted from 0, has which number of the controller.

    The controller counts on when it gives a master up and has no other, too
    (``SyncStateInfo#updateMasterInfo``): no broker is told that number. So between two recorded
    epochs there are only as many others as elections whose epoch was not recorded.
    """
    found: dict[int, int] = {}
    last, place, elections = 0, -1, 0
    for event in events:
        if event.kind != "to_master":
            continue
        elections += 1
        for row in event["epochs"]:
            if row and row[0] > last:
                place += min(row[0] - last, max(elections, 1))
                last, elections = row[0], 0
                found[last] = place
    return found


def count_epochs(events: Iterable[Event], numbers: Mapping[int, int]) -> int:
    """How many epochs a recording may need: one for each election, or as many as have numbers."""
    elections = sum(event.kind == "to_master" for event in events)
    return max([elections, *(place + 1 for place in numbers.values())])


def see_epochs(events: Iterable[Event]) -> frozenset[tuple[int, int]]:
    """Each epoch that a master is told, or has then, by number and begin; no other one begins."""
    rows = (row for event in events if event.kind == "to_master" for row in event["epochs"])
    return frozenset((row[0], row[1]) for row in rows if len(row) > 1)


@frozen
class SetChanges:
    """When one slave is shown to be in the SyncStateSet, or is taken out of it."""

    entries_ms: tuple[float, ...]
    """When the master asked for it, or a controller has told a set with it."""
    exits_ms: tuple[float, ...]
    """When a controller has told a set without it."""

    def may_enter(self, now_ms: float, ahead_ms: float) -> bool:
        """It is shown to have entered so soon after this moment."""
        return has_soon(self.entries_ms, now_ms, ahead_ms)

    def may_leave(self, now_ms: float, ahead_ms: float) -> bool:
        """The same of leaving."""
        return has_soon(self.exits_ms, now_ms, ahead_ms)


def has_soon(times_ms: Sequence[float], now_ms: float, ahead_ms: float) -> bool:
    """One of these moments is now, or so soon."""
    place = bisect_left(times_ms, now_ms)
    return place < len(times_ms) and times_ms[place] <= now_ms + ahead_ms


@frozen
class ControllerAhead:
    """What a controller is shown to do; nothing where there is none."""

    set_changes: tuple[SetChanges, ...]
    """By slave: when it is shown to enter the SyncStateSet, and to leave it."""
    epochs: frozenset[tuple[int, int]]
    """The epochs of masters, by number and begin."""
    epoch_numbers: Mapping[int, int]
    """Which epoch, counted from 0, has which number."""
    epoch_count: int
    """How many epochs there may be."""


def see_controller(events: Iterable[Event], nodes: Mapping[str, Any]) -> ControllerAhead:
    """What a controller is shown to do in a recording of these nodes."""
    every = list(events)
    numbers = number_epochs(every)
    return ControllerAhead(
        set_changes=tuple(see_changes_of(every, broker) for broker in list_ids(nodes)[1:]),
        epochs=see_epochs(every),
        epoch_numbers=numbers,
        epoch_count=count_epochs(every, numbers),
    )


def see_changes_of(events: Sequence[Event], broker: int) -> SetChanges:
    """The changes of the set that are about one broker."""
    entries, exits = [], []
    for event in events:
        told = event.kind in ("to_master", "set_sss")
        if event.kind == "sss_listener":
            entries += [event.t_ms] * (broker in event["set"])
        elif told and broker in event["sync_state_set"]:
            entries.append(event.t_ms)
        elif told:
            exits.append(event.t_ms)
    return SetChanges(tuple(entries), tuple(exits))
