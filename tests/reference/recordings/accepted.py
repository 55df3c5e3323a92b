"""Which corrupted copies of a recording the checker accepts."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator

from reference.recordings.handlers import explain
from reference.recordings.order import History, explain_next, forget_old

from reference.recordings.ahead.order import order_observations
from reference.recordings.ahead.plan import make_plan
from reference.recordings.groups import split_groups
from reference.recordings.judging import check_recording, find_version
from reference.recordings.reading import Recording
from reference.recordings.view import Blocked, begin_explanation
from reference.releases.versions import Version
from tests.reference.recordings.corruptions import Corruption


def find_accepted(
    recording: Recording, corruptions: Iterable[Corruption]
) -> Iterator[tuple[Corruption, bool]]:
    """Every corruption, and whether it is explained in the place of its event."""
    by_seq: dict[int, list[Corruption]] = defaultdict(list)
    for corruption in corruptions:
        by_seq[corruption.seq].append(corruption)
    (group,) = split_groups(recording)
    waiting = list(order_observations(group.events))[::-1]
    explanation = begin_explanation(make_plan(group, find_version(recording) or Version()))
    history: History = deque()
    while waiting:
        seen = waiting[-1]
        for corruption in by_seq.pop(seen.event.seq, ()) if seen.is_whole else ():
            copies = corruption.recording.events
            event = next(each for each in copies if each.seq == corruption.seq)
            try:
                explain(explanation, seen.kind, seen.t_ms, event)
            except Blocked:
                yield corruption, False
            else:
                yield corruption, True
        explanation = explain_next(history, explanation, waiting)
        forget_old(history, explanation.now_ms)


def is_accepted(corruption: Corruption) -> bool:
    """The corrupted copy conforms as a whole."""
    return check_recording(corruption.recording).is_conforming
