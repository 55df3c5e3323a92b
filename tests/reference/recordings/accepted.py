"""Which corrupted copies of a recording the search accepts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from attrs import evolve

from reference.recordings.ahead.order import order_observations
from reference.recordings.groups import split_groups
from reference.recordings.hidden.search import Budget
from reference.recordings.hidden.timeline import EVENT_STEPS, Entry
from reference.recordings.judging import check_recording, find_version
from reference.recordings.log.explain import begin
from reference.recordings.reading import Recording
from reference.releases.versions import Version
from tests.reference.recordings.corruptions import Corruption


def find_accepted(
    recording: Recording, corruptions: Iterable[Corruption]
) -> Iterator[tuple[Corruption, bool]]:
    """Every corruption, and whether it is explained in the place of its event.

    The original is explained once; a changed event is tried in the state before its own.
    """
    by_seq: dict[int, list[Corruption]] = defaultdict(list)
    for corruption in corruptions:
        by_seq[corruption.seq].append(corruption)
    (group,) = split_groups(recording)
    timeline = begin(group, find_version(recording) or Version())
    assert timeline.explain(list(order_observations(group.events))) is None
    node, since = timeline.begin, {}
    for entry in timeline.trail:
        seen = entry.observation
        for corruption in by_seq.pop(seen.event.seq, ()) if seen.is_whole else ():
            copies = corruption.recording.events
            event = next(each for each in copies if each.seq == corruption.seq)
            timeline.budget = Budget(EVENT_STEPS)
            found = timeline.try_next(node, since, evolve(seen, event=event))
            yield corruption, isinstance(found, Entry)
        node, since = entry.after, entry.since


def is_accepted(corruption: Corruption) -> bool:
    """The corrupted copy conforms as a whole."""
    return check_recording(corruption.recording).is_conforming
