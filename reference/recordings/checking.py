"""The trace checker tells whether a recording of real brokers follows the rules of the model.

Every event is explained by steps of the reference machine, least first (see `state`). A
recording conforms when all of them are; else the verdict names the first event that is not, and
the conditions that stand in its way.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from attrs import evolve, field, frozen

from reference.recordings.groups import OutsideTheModel, split_groups
from reference.recordings.kinds import IGNORED_KINDS
from reference.recordings.log.explain import find_mode
from reference.recordings.order import History, explain_next, forget_old, order_observations
from reference.recordings.plan import Plan, make_plan
from reference.recordings.put_order import find_slot
from reference.recordings.reading import Event, Recording, TraceError, read_recording
from reference.recordings.state import Blocked, Explanation, begin_explanation, list_candidates
from reference.releases.versions import Version, VersionError
from reference.worlds.replication.state import Cluster

__all__ = ["CONFORMS", "REJECTED", "TraceError", "TraceVerdict", "check_recording", "check_trace"]

CONFORMS, REJECTED = "conforms", "rejected"

BY_PLAN = "plan"
"""By least steps that a look at the whole recording has planned."""

Progress: TypeAlias = Callable[[int, int], None] | None
"""Is told how many observations are explained, and of how many."""

PROGRESS_STEP = 1000
"""After so many observations the progress is told."""

JSON_FIELDS = (
    "file",
    "verdict",
    "events",
    "explained",
    "ignored",
    "fields_checked",
    "first_unexplained_seq",
    "reason",
    "rocketmq_version",
    "explained_by",
)
"""What other programs read of a verdict, in this order."""


@frozen
class TraceVerdict:
    """What the checker has to say about one recording."""

    file: str
    """The recording, as it was named."""
    verdict: str
    """CONFORMS or REJECTED."""
    events: int
    """How many events it has, the configuration not counted."""
    explained: int
    """How many of them the model's rules explain, up to the first that they do not."""
    ignored: int
    """How many of them only look, or set what the model leaves open, up to the same place."""
    fields_checked: int
    """How many observed values were compared with the model's state or with the clock."""
    first_unexplained_seq: int | None = None
    """``seq`` of the first event that no rule explains; None for a recording that conforms."""
    reason: str = ""
    """Why that event cannot be explained, in one sentence."""
    rocketmq_version: str = Version().name
    """What the brokers were taken to be."""
    explained_by: str = BY_PLAN
    """Which way has found this: BY_PLAN, or the search of `judging`."""
    blocked_event: Mapping[str, Any] = field(factory=dict)
    """That event as it stands in the file."""
    blocked_instance: str = ""
    """The rule instance that would have been needed; empty when no rule could help."""
    blocked_conditions: tuple[str, ...] = ()
    """Its conditions that do not hold."""
    candidates: Mapping[str, tuple[str, ...]] = field(factory=dict)
    """What could not happen in the state there: failed conditions by rule instance."""
    cluster: Cluster | None = None
    """The state there: the least one that explains everything before, and as much of the blocked
    event as is possible."""

    @property
    def is_conforming(self) -> bool:
        """Every event is explained or ignored."""
        return self.verdict == CONFORMS

    def as_json(self) -> dict[str, Any]:
        """The verdict for other programs."""
        return {name: getattr(self, name) for name in JSON_FIELDS}


def find_version(recording: Recording) -> Version | None:
    """The version that a recording names, 4.4.0 if it names none; None: one that nobody knows.

    In the mode that its first master's settings choose, unless it names one.
    """
    named = recording.config.data.get("rocketmq", Version().name)
    try:
        return find_mode(recording, named) if isinstance(named, str) else None
    except VersionError:
        return None


def check_trace(path: str | Path) -> TraceVerdict:
    """Checks one recording by the rules of the version that it names.

    Raises:
        TraceError: the file is no recording.
    """
    return check_recording(read_recording(path))


def check_recording(
    recording: Recording, progress: Progress = None, version: Version | None = None
) -> TraceVerdict:
    """Explains the events of a recording one after another, each group of brokers by itself.

    ``progress`` is told from time to time how many events are explained. Without a ``version`` it
    is the one that the recording names; 4.4.0 where nobody knows that.
    """
    chosen = version or find_version(recording) or Version()
    try:
        groups = split_groups(recording)
        plans = [make_plan(group, chosen) for group in groups]
    except OutsideTheModel as problem:
        rejected = _reject_group(recording, str(problem))
        return evolve(rejected, rocketmq_version=chosen.name)
    verdicts = [_check_group(plan, progress) for plan in plans]
    united = verdicts[0] if len(verdicts) == 1 else _unite(recording, verdicts)
    return evolve(united, rocketmq_version=chosen.name)


def _check_group(plan: Plan, progress: Progress) -> TraceVerdict:
    """Explains the events of one group."""
    recording = plan.recording
    reversal = find_time_reversal(recording)
    waiting = list(order_observations(recording.events))[::-1]
    total = len(waiting)
    explanation = begin_explanation(plan)
    history: History = deque()
    while waiting:
        event = waiting[-1].event
        try:
            if reversal and waiting[-1].is_whole and event.seq >= reversal.seq:
                event = reversal
                raise Blocked(f"t_ms goes back to {event.t_ms}")
            explanation = explain_next(history, explanation, waiting)
        except Blocked as blocked:
            return _reject(recording, explanation, event, blocked)
        forget_old(history, explanation.now_ms)
        if progress and (total - len(waiting)) % PROGRESS_STEP == 0:
            progress(total - len(waiting), total)
    return _count(CONFORMS, recording, None, explanation)


def _unite(recording: Recording, verdicts: Sequence[TraceVerdict]) -> TraceVerdict:
    """One verdict for several groups: that of the first event that cannot be explained."""
    rejected = [v for v in verdicts if not v.is_conforming]
    chosen = min(rejected, key=lambda v: v.first_unexplained_seq or 0, default=verdicts[0])
    return evolve(
        chosen,
        events=len(recording.events),
        explained=sum(v.explained for v in verdicts),
        ignored=sum(v.ignored for v in verdicts),
        fields_checked=sum(v.fields_checked for v in verdicts),
    )


def find_time_reversal(recording: Recording) -> Event | None:
    """The first event that was noted before its predecessor."""
    for before, event in itertools.pairwise((recording.config, *recording.events)):
        if event.t_ms < before.t_ms:
            return event
    return None


def _reject_group(recording: Recording, reason: str) -> TraceVerdict:
    return TraceVerdict(
        file=recording.file,
        verdict=REJECTED,
        events=len(recording.events),
        explained=0,
        ignored=0,
        fields_checked=0,
        first_unexplained_seq=recording.config.seq,
        reason=reason,
        blocked_event=recording.config.data,
    )


def _reject(
    recording: Recording,
    explanation: Explanation,
    event: Event,
    blocked: Blocked,
) -> TraceVerdict:
    put = explanation.plan.put_by_seq.get(event.seq)
    slot = find_slot(explanation, put) if put else None
    needed = {blocked.instance: blocked.failed} if blocked.failed else {}
    cluster = blocked.cluster or explanation.cluster
    return evolve(
        _count(REJECTED, recording, event, explanation),
        first_unexplained_seq=event.seq,
        reason=blocked.reason,
        blocked_event=event.data,
        blocked_instance=blocked.instance,
        blocked_conditions=blocked.failed,
        candidates={**needed, **list_candidates(cluster, slot)},
        cluster=cluster,
    )


def _count(
    verdict: str, recording: Recording, blocked: Event | None, explanation: Explanation
) -> TraceVerdict:
    """A verdict with its numbers: those of the events before the one that cannot be explained."""
    before = [e for e in recording.events if blocked is None or e.seq < blocked.seq]
    ignored = sum(event.kind in IGNORED_KINDS for event in before)
    return TraceVerdict(
        file=recording.file,
        verdict=verdict,
        events=len(recording.events),
        explained=len(before) - ignored,
        ignored=ignored,
        fields_checked=explanation.fields_checked,
        cluster=explanation.cluster,
    )
