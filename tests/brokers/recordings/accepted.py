"""Which corrupted copies of a recording the search accepts.

The original is explained once; a changed event is tried in the state before its own. That is much
faster than a copy as a whole, and notices nearly as much.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping

from attrs import evolve, frozen

from brokers.recordings.ahead.order import order_observations
from brokers.recordings.groups import split_groups
from brokers.recordings.hidden.node import Node
from brokers.recordings.hidden.overdue import Since
from brokers.recordings.hidden.search import Budget
from brokers.recordings.hidden.timeline import EVENT_STEPS, ExplainedObservation, Stuck, Timeline
from brokers.recordings.judging import check_recording, find_version
from brokers.recordings.log.explain import begin
from brokers.recordings.reading import Event, Recording
from reference.releases.versions import Version
from tests.brokers.recordings.corruptions import Corruption


@frozen(eq=False)
class Place:
    """Where an event is explained: the entry, and the state before it."""

    timeline: Timeline
    entry: ExplainedObservation
    node: Node
    since: Since

    def accepts(self, event: Event) -> bool:
        """Another event may stand here."""
        return isinstance(self._try(event), ExplainedObservation)

    def may_accept(self, event: Event) -> bool:
        """Another event may stand here, as far as the search tells."""
        found = self._try(event)
        return isinstance(found, ExplainedObservation) or not found.is_exhausted

    def _try(self, event: Event) -> ExplainedObservation | Stuck:
        self.timeline.budget = Budget(EVENT_STEPS)
        seen = evolve(self.entry.observation, event=event, kind=event.kind, t_ms=event.t_ms)
        return self.timeline.try_next(self.node, self.since, seen)


def find_places(recording: Recording) -> Mapping[int, Place]:
    """By ``seq``: where each event of a recording is explained."""
    found: dict[int, Place] = {}
    for group in split_groups(recording):
        timeline = begin(group, find_version(recording) or Version())
        timeline.kept_max = sys.maxsize
        assert timeline.explain(list(order_observations(group.events))) is None
        node, since = timeline.begin, {}
        for entry in timeline.trail:
            if entry.observation.is_whole:
                found[entry.observation.event.seq] = Place(timeline, entry, node, since)
            node, since = entry.after, entry.since
    return found


def find_accepted(
    recording: Recording, corruptions: Iterable[Corruption]
) -> Iterator[tuple[Corruption, bool]]:
    """Every corruption of one event, and whether it may be explained in the place of its event.

    What a put shows is known in advance, so its place says nothing: such a copy has to be tried as
    a whole, and counts as explained here.
    """
    places = find_places(recording)
    for corruption in corruptions:
        event = next((e for e in corruption.recording.events if e.seq == corruption.seq), None)
        if event is not None and corruption.seq in places:
            is_taken = event.kind == "put" or places[corruption.seq].may_accept(event)
            yield corruption, is_taken


def is_accepted(corruption: Corruption) -> bool:
    """The corrupted copy conforms as a whole."""
    return check_recording(corruption.recording).is_conforming


def judge(corruption: Corruption) -> str:
    """The verdict on the corrupted copy as a whole."""
    return check_recording(corruption.recording).verdict
