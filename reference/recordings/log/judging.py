"""The verdict on a recording: it conforms if one of two ways finds steps that explain it.

The first way plans the whole recording in advance and takes the least steps (`checking`); it also
knows the tables and reads of whole brokers. The second searches the rules (`log`), and explains
orders that no plan foresees. What either finds is a schedule of the rules.
"""

from __future__ import annotations

from attrs import frozen

from reference.recordings.checking import (
    CONFORMS,
    Progress,
    TraceVerdict,
    check_recording,
    find_time_reversal,
)
from reference.recordings.groups import OutsideTheModel, split_groups
from reference.recordings.kinds import IGNORED_KINDS
from reference.recordings.log.explain import LogVerdict, explain, find_mode
from reference.recordings.log.observers import OBSERVERS
from reference.recordings.reading import Recording
from reference.releases.versions import Version

BY_SEARCH = "search"
"""The second way has explained a recording that the first has rejected."""


@frozen
class Judgement:
    """The verdict on a recording, with what the search says of it."""

    verdict: TraceVerdict
    searched: tuple[LogVerdict, ...] = ()
    """Of each group; empty where nothing was searched."""
    is_outside: str = ""
    """Why the search has nothing to say, where it was asked."""


def judge_recording(
    recording: Recording, progress: Progress = None, version: Version | None = None
) -> TraceVerdict:
    """Explains a recording by plan, or else by search.

    ``progress`` and ``version`` are those of `check_recording`.
    """
    return judge(recording, progress, version).verdict


def judge(
    recording: Recording,
    progress: Progress = None,
    version: Version | None = None,
    *,
    is_searched: bool = False,
) -> Judgement:
    """The same, with what the search says; with ``is_searched`` it is asked in any case.

    Nothing is searched twice.
    """
    verdict = check_recording(recording, progress, version)
    is_possible = find_time_reversal(recording) is None and is_searchable(recording)
    is_needed = not verdict.is_conforming and is_possible
    if not (is_needed or is_searched):
        return Judgement(verdict)
    try:
        found = tuple(search_recording(recording, verdict.rocketmq_version))
    except OutsideTheModel as problem:
        return Judgement(verdict, is_outside=str(problem))
    is_found = is_needed and all(each.word == CONFORMS for each in found)
    return Judgement(accept(recording, verdict, found) if is_found else verdict, found)


def accept(
    recording: Recording, verdict: TraceVerdict, found: tuple[LogVerdict, ...]
) -> TraceVerdict:
    """The verdict on a recording that only the search explains."""
    ignored = sum(event.kind in IGNORED_KINDS for event in recording.events)
    return TraceVerdict(
        file=verdict.file,
        verdict=CONFORMS,
        events=verdict.events,
        explained=verdict.events - ignored,
        ignored=ignored,
        fields_checked=sum(each.goals for each in found),
        rocketmq_version=verdict.rocketmq_version,
        explained_by=BY_SEARCH,
    )


def is_searchable(recording: Recording) -> bool:
    """The search looks at every kind of event of a recording."""
    kinds = {event.kind for event in recording.events}
    return kinds <= {*OBSERVERS, *IGNORED_KINDS}


def search_recording(
    recording: Recording, version: str, steps_max: int | None = None
) -> list[LogVerdict]:
    """What the search says of each group, for which no more steps are tried than ``steps_max``.

    Raises OutsideTheModel: no structure has such a group.
    """
    groups = split_groups(recording)
    return [explain(group, find_mode(group, version), steps_max) for group in groups]
