"""A recording of a master's log and its slaves, explained by search."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from attrs import evolve, field, frozen

from reference.configuration.later_keys import compute_mode
from reference.language.machine import Action
from reference.recordings.clock import JITTER_MS
from reference.recordings.hidden.overdue import Clock
from reference.recordings.hidden.search import Budget
from reference.recordings.hidden.timeline import Stuck, Timeline
from reference.recordings.log.asking import Asking
from reference.recordings.log.guide import LogGuide
from reference.recordings.log.limits.deadlines import LogDeadlines
from reference.recordings.log.observers import ask
from reference.recordings.order import FIXED_KINDS, Observation, order_observations
from reference.recordings.plan import make_plan
from reference.recordings.reading import Recording
from reference.releases.versions import USUAL, Version, parse_version

CONFORMS, REFUSED, UNDECIDED = "conforms", "refused", "undecided"


@frozen
class LogVerdict:
    """What the search says of the recording of one group."""

    word: str
    """CONFORMS, REFUSED, or UNDECIDED: the budget was spent before an explanation was found."""
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


def explain(recording: Recording, version: Version, steps_max: int | None = None) -> LogVerdict:
    """Explains the recording of one group by the rules of a version.

    With ``steps_max`` no more steps are tried for the whole recording.

    Raises:
        OutsideTheModel: a group that the model has no structure for.
    """
    plan = make_plan(recording, version)
    guide = LogGuide(plan)
    asking = Asking(plan, guide)
    deadlines = LogDeadlines(guide)
    clock = Clock(guide, deadlines, deadlines.list_watched(), get_earliest_ms)
    timeline = Timeline(guide, partial(ask, asking), may_swap, asking.begin(), clock)
    timeline.total = None if steps_max is None else Budget(steps_max)
    stuck = timeline.explain(list(order_observations(recording.events)))
    return make_verdict(timeline, stuck)


def find_version(recording: Recording) -> Version:
    """The release that a recording names, in the mode that its master's settings choose.

    Raises:
        VersionError: it names a release that is not known.
    """
    return find_mode(recording, recording.config.data.get("rocketmq", USUAL))


def find_mode(recording: Recording, name: str) -> Version:
    """A release in the mode that the master's settings choose. Raises VersionError."""
    version = parse_version(name)
    nodes: Mapping[str, Any] = recording.config["nodes"]
    settings = {
        key: str(value) for key, value in next(iter(nodes.values()))["store_config"].items()
    }
    return evolve(version, mode=compute_mode(settings, version))


def make_verdict(timeline: Timeline, stuck: Stuck | None) -> LogVerdict:
    """The verdict of a timeline that has come to its end, or is stuck."""
    told = timeline.summarize()
    found = (told.explained, told.ignored, told.goals, tuple(told.schedule))
    if stuck is None:
        return LogVerdict(CONFORMS, *found, timeline=timeline)
    word = REFUSED if stuck.is_exhausted else UNDECIDED
    seq, reason = stuck.observation.event.seq, "; ".join(stuck.texts)
    return LogVerdict(word, *found, seq, reason, timeline, stuck)


def get_earliest_ms(observation: Observation) -> float:
    """When an observation was made at the earliest."""
    return observation.interval_ms[0] - JITTER_MS


def may_swap(earlier: Observation, later: Observation) -> bool:
    """Two observations may have happened in the other order, by their sources and stamps."""
    is_put = "put" in (earlier.event.kind, later.event.kind)
    if earlier.event is later.event or {earlier.kind, later.kind} & FIXED_KINDS:
        return False
    if earlier.source == later.source and not is_put:
        return False
    return later.interval_ms[0] - JITTER_MS <= earlier.interval_ms[1] + JITTER_MS
