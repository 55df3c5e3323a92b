"""The puts of a recording, in the order of the master's log, and those that are under way."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from copy import copy

from attrs import define, field

from brokers.explaining.seen.moments import NotedMoment
from brokers.recordings.ahead.puts import RecordedPut
from brokers.recordings.clock import JITTER_MS
from brokers.recordings.kinds import START_KINDS, STOP_KINDS
from brokers.recordings.roles.places import EXCHANGE

SAME_MS = 0.01
"""What is noted no further apart comes at once: stamps are whole microseconds."""


def number_runs(moments: Sequence[NotedMoment], master: str) -> dict[int, int]:
    """By ``seq`` of each put: how often its master had ended before; a restart begins a run."""
    runs: dict[int, int] = {}
    run, is_up = 0, True
    for moment in moments:
        if moment.event.data.get("node") != master or moment.is_call:
            continue
        if moment.kind == "put":
            runs[moment.event.seq] = run
        elif moment.kind in START_KINDS or EXCHANGE in moment.event.data:
            is_up = True
        elif moment.kind in STOP_KINDS and is_up:
            run, is_up = run + 1, False
    return runs


@define(eq=False)
class PutLine:
    """Which puts are appended and answered."""

    puts: Sequence[RecordedPut] = field(repr=False)
    """In the order in which they were appended."""
    runs: Mapping[int, int] = field(repr=False)
    """Which run of the master took each, by ``seq``."""
    ends: Sequence[int] = field(init=False, repr=False)
    """Where their messages end, in order of offsets."""
    run: int = 0
    """Which run of the master this is."""
    next_number: int = 0
    """The next to be appended."""
    next_look_ms: float = math.inf
    """When the master's process notes something next that is no call."""
    slots: list[RecordedPut] = field(factory=list)
    """Those appended and not answered, by the place of their message in the state."""
    waits: dict[int, int] = field(factory=dict)
    """By ``seq``: how many seconds the group transfer has waited for a put."""

    covered_ms: dict[int, float] = field(factory=dict)
    """By ``seq``: since when a put might have been answered, which a slave has reported."""

    @ends.default
    def _sort_ends(self) -> Sequence[int]:
        return sorted({put.end_offset for put in self.puts})

    def find_last_end(self, offset: int) -> int:
        """The last end of a message at an offset or below; 0 for none."""
        place = bisect_right(self.ends, offset)
        return self.ends[place - 1] if place else 0

    def find_next(self) -> RecordedPut | None:
        """The next put that is appended to the master's log in this run."""
        if self.next_number >= len(self.puts):
            return None
        put = self.puts[self.next_number]
        return put if self.runs[put.seq] == self.run else None

    def list_until(self, t_ms: float) -> Iterator[RecordedPut]:
        """Those that are appended next in this run, up to the first that is called later."""
        for put in self.puts[self.next_number :]:
            if put.begin_ms > t_ms or self.runs[put.seq] != self.run:
                return
            yield put

    def find_next_called(self, now_ms: float) -> RecordedPut | None:
        """The next put, if it has been called."""
        put = self.find_next()
        return put if put is not None and self.is_called(put, now_ms) else None

    def is_called(self, put: RecordedPut, now_ms: float) -> bool:
        """A put has been called.

        What others note may be stamped ``JITTER_MS`` earlier; what the master's process notes has
        one clock with the calls.
        """
        return put.begin_ms <= min(now_ms + JITTER_MS, self.next_look_ms + SAME_MS)

    def append_next(self) -> None:
        """The next put is appended."""
        self.slots.append(self.puts[self.next_number])
        self.next_number += 1

    def find_slot(self, seq: int) -> int | None:
        """The place of a put's message; None if it is not appended."""
        return next((slot for slot, put in enumerate(self.slots) if put.seq == seq), None)

    def end_run(self) -> None:
        """The puts of a run that has ended are not appended any more."""
        self.slots, self.run = [], self.run + 1
        while self.next_number < len(self.puts) and self._get_run() < self.run:
            self.next_number += 1

    def _get_run(self) -> int:
        return self.runs[self.puts[self.next_number].seq]

    def copy(self) -> PutLine:
        """The same, of which others may be appended."""
        other = copy(self)
        other.slots, other.waits = list(self.slots), dict(self.waits)
        other.covered_ms = dict(self.covered_ms)
        return other
