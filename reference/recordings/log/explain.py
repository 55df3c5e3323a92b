"""A recording of a master's log and its slaves, explained by search."""

from __future__ import annotations

from collections import Counter
from typing import Any

from attrs import field, frozen

from reference.language.machine import Action
from reference.recordings.clock import JITTER_MS
from reference.recordings.hidden.timeline import Stuck, Timeline
from reference.recordings.log.guide import LogGuide
from reference.recordings.log.observers import LogObserver
from reference.recordings.order import FIXED_KINDS, Observation, order_observations
from reference.recordings.plan import make_plan
from reference.recordings.reading import Recording
from reference.releases.versions import Version

CONFORMS, REFUSED, UNDECIDED = "conforms", "refused", "undecided"


@frozen
class LogVerdict:
    """What the search says of one recording."""

    word: str
    explained: int
    ignored: Counter[str]
    schedule: tuple[Action, ...] = ()
    seq: int | None = None
    reason: str = ""
    stuck: Stuck | None = field(default=None, repr=False)
    timeline: Timeline | None = field(default=None, repr=False)


def explain(recording: Recording, version: Version) -> LogVerdict:
    """Explains the recording of one group by the rules of a version."""
    plan = make_plan(recording, version)
    guide = LogGuide(plan)
    observer = LogObserver(plan, guide)
    timeline = Timeline(guide, observer.ask, may_swap, observer.begin())
    observations = list(order_observations(recording.events))
    stuck = timeline.explain(observations)
    ignored: Counter[str] = Counter(
        f"{e.observation.kind}: {e.asked.ignored}" for e in timeline.trail if e.asked.ignored
    )
    explained = len(timeline.trail) - ignored.total()
    schedule = timeline.node.list_actions()
    if stuck is None:
        return LogVerdict(CONFORMS, explained, ignored, schedule, timeline=timeline)
    word = REFUSED if stuck.is_exhausted else UNDECIDED
    reason = "; ".join(stuck.texts)
    seq = stuck.observation.event.seq
    return LogVerdict(word, explained, ignored, schedule, seq, reason, stuck, timeline)


def may_swap(earlier: Observation, later: Observation) -> bool:
    """Two observations may have happened in the other order, by their sources and stamps."""
    if earlier.source == later.source and earlier.event is not later.event:
        if "put" not in (earlier.event.kind, later.event.kind):
            return False
    if {earlier.kind, later.kind} & FIXED_KINDS or earlier.event is later.event:
        return False
    return later.interval_ms[0] - JITTER_MS <= earlier.interval_ms[1] + JITTER_MS


def describe(value: Any) -> str:
    """A value in words."""
    return str(value)
