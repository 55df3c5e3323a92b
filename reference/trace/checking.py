"""The trace checker tells whether a recording of real brokers follows the rules of the model.

Every event is explained by steps of the reference machine, least first (see `state`). A
recording conforms when all of them are; else the verdict names the first event that is not, and
the conditions that stand in its way.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from reference.state import Cluster
from reference.trace.order import Step, explain_next, order_observations
from reference.trace.plan import OutsideTheModel, make_plan
from reference.trace.reading import (
    IGNORED_KINDS,
    Event,
    Recording,
    TraceError,
    read_recording,
)
from reference.trace.state import Blocked, Explanation, begin_explanation, list_candidates

__all__ = ["CONFORMS", "REJECTED", "TraceError", "TraceVerdict", "check_recording", "check_trace"]

CONFORMS, REJECTED = "conforms", "rejected"

JSON_FIELDS = (
    "file",
    "verdict",
    "events",
    "explained",
    "ignored",
    "fields_checked",
    "first_unexplained_seq",
    "reason",
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


def check_trace(path: str | Path) -> TraceVerdict:
    """Checks one recording.

    Raises:
        TraceError: the file is no recording.
    """
    return check_recording(read_recording(path))


def check_recording(recording: Recording) -> TraceVerdict:
    """Explains the events of a recording one after another."""
    try:
        explanation = begin_explanation(make_plan(recording))
    except OutsideTheModel as problem:
        return _reject_group(recording, str(problem))
    reversal = find_time_reversal(recording)
    waiting = order_observations(recording, without=IGNORED_KINDS)[::-1]
    history: list[Step] = []
    while waiting:
        event = waiting[-1].event
        try:
            if reversal and waiting[-1].is_whole and event.seq >= reversal.seq:
                event = reversal
                raise Blocked(f"t_ms goes back to {event.t_ms}")
            explanation = explain_next(history, explanation, waiting)
        except Blocked as blocked:
            return _reject(recording, history, explanation, event, blocked)
    ignored = sum(event.kind in IGNORED_KINDS for event in recording.events)
    return _count(CONFORMS, recording, history, ignored, explanation)


def find_time_reversal(recording: Recording) -> Event | None:
    """The first event that was noted before its predecessor."""
    times = itertools.pairwise((recording.config, *recording.events))
    return next((event for before, event in times if event.t_ms < before.t_ms), None)


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
    history: list[Step],
    explanation: Explanation,
    event: Event,
    blocked: Blocked,
) -> TraceVerdict:
    put = explanation.plan.put_by_seq.get(event.seq)
    needed = {blocked.instance: blocked.failed} if blocked.failed else {}
    cluster = blocked.cluster or explanation.cluster
    before = [each for each in recording.events if each.seq < event.seq]
    ignored = sum(each.kind in IGNORED_KINDS for each in before)
    return evolve(
        _count(REJECTED, recording, history, ignored, explanation),
        first_unexplained_seq=event.seq,
        reason=blocked.reason,
        blocked_event=event.data,
        blocked_instance=blocked.instance,
        blocked_conditions=blocked.failed,
        candidates={**needed, **list_candidates(cluster, put.number if put else None)},
        cluster=cluster,
    )


def _count(
    verdict: str,
    recording: Recording,
    history: list[Step],
    ignored: int,
    explanation: Explanation,
) -> TraceVerdict:
    return TraceVerdict(
        file=recording.file,
        verdict=verdict,
        events=len(recording.events),
        explained=sum(observation.is_whole for _, observation in history),
        ignored=ignored,
        fields_checked=explanation.fields_checked,
        cluster=explanation.cluster,
    )
