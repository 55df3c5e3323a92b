"""A recording of a master's log and its slaves, explained by search."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from attrs import field, frozen

from brokers.recordings.ahead.order import may_be_late, may_swap, order_observations
from brokers.recordings.ahead.plan import make_plan
from brokers.recordings.hidden.overdue import Clock
from brokers.recordings.hidden.search import Budget
from brokers.recordings.hidden.timeline import Progress, Stuck, Timeline
from brokers.recordings.log.asking import Asking
from brokers.recordings.log.guide import LogGuide
from brokers.recordings.log.limits.deadlines import LogDeadlines
from brokers.recordings.log.observers import ask
from brokers.recordings.reading import Recording
from reference.language.machine import Action
from reference.releases.versions import Version
from reference.worlds.replication.state import Cluster

CONFORMS, REJECTED, UNDECIDED = "conforms", "rejected", "undecided"


@frozen
class LogVerdict:
    """What the search says of the recording of one group."""

    word: str
    """CONFORMS, REJECTED, or UNDECIDED: the budget was spent before an explanation was found."""
    explained: int
    """How many observations are explained."""
    ignored: Mapping[str, int]
    """How many ask for nothing, by kind and reason."""
    goals: int = 0
    """How many observed values and conditions were held against the state."""
    schedule: tuple[Action, ...] = ()
    """The steps up to the last observation that is explained."""
    seq: int | None = None
    """The first event that is not explained."""
    reason: str = ""
    """Which goals are not met there."""
    timeline: Timeline | None = field(default=None, repr=False)
    """The explanation, for whoever wants to look at its states."""
    stuck: Stuck | None = field(default=None, repr=False)
    """The observation that is not explained."""
    tell: Callable[[int], Any] | None = field(default=None, repr=False)
    """What is put at an event, where there is no timeline that tells it."""

    @property
    def cluster(self) -> Cluster | None:
        """The state at the end, or the one that comes nearest to what is not explained."""
        if self.timeline is None:
            return None
        node = self.timeline.node if self.stuck is None else self.stuck.nearest
        cluster: Cluster = self.timeline.guide.machine.decode(node.state)
        return cluster

    @property
    def message(self) -> int | None:
        """The place of the followed message that the event is about which is not explained."""
        guide = self.timeline.guide if self.timeline is not None else None
        if not isinstance(guide, LogGuide) or self.stuck is None:
            return None
        put = guide.plan.put_by_seq.get(self.stuck.observation.event.seq)
        slots = self.stuck.nearest.notes.slots
        return slots.index(put.number) if put is not None and put.number in slots else None

    def as_json(self) -> dict[str, Any]:
        """The verdict for other programs."""
        return {
            "verdict": self.word,
            "explained": self.explained,
            "ignored": dict(self.ignored),
            "goals": self.goals,
            "schedule": [str(action) for action in self.schedule],
            "first_unexplained_seq": self.seq,
            "reason": self.reason,
        }


def explain(
    recording: Recording,
    version: Version,
    steps_max: int | None = None,
    progress: Progress = None,
) -> LogVerdict:
    """Explains the recording of one group by the rules of a version.

    With ``steps_max`` no more steps are tried for the whole recording. ``progress`` is told how
    many observations are explained.

    Raises:
        OutsideTheModel: a group that the model has no structure for.
    """
    timeline = begin(recording, version, steps_max)
    stuck = timeline.explain(list(order_observations(recording.events)), progress)
    return make_verdict(timeline, stuck)


def begin(recording: Recording, version: Version, steps_max: int | None = None) -> Timeline:
    """The timeline of one group, before its first observation. Raises OutsideTheModel."""
    plan = make_plan(recording, version)
    guide = LogGuide(plan)
    asking = Asking(plan, guide)
    deadlines = LogDeadlines(guide)
    watched = deadlines.list_watched()
    clock = Clock(guide, deadlines, watched, lambda s: s.earliest_ms, lambda s: s.t_ms)
    timeline = Timeline(guide, partial(ask, asking), may_swap, asking.begin(), may_be_late, clock)
    timeline.total = None if steps_max is None else Budget(steps_max)
    return timeline


def make_verdict(timeline: Timeline, stuck: Stuck | None) -> LogVerdict:
    """The verdict of a timeline that has come to its end, or is stuck."""
    told = timeline.summarize()
    found = (told.explained, told.ignored, told.goals, tuple(told.schedule))
    if stuck is None:
        return LogVerdict(CONFORMS, *found, timeline=timeline)
    word = REJECTED if stuck.is_exhausted else UNDECIDED
    seq, reason = stuck.observation.event.seq, "; ".join(stuck.texts)
    return LogVerdict(word, *found, seq, reason, timeline, stuck)
