"""The verdict on a recording: it conforms if the rules can take the steps that explain it.

What each event shows is a goal, and the rules themselves are searched for the hidden steps that
meet it (`log`). A recording is rejected at the first event that no step explains; the verdict names
what is not met there, and the rule that would help most directly.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from brokers.explaining.forwards import (
    cut_before,
    explain_forwards,
    is_explained_forwards,
)
from brokers.explaining.links_alone.links import UNSEEN, explain_links, is_of_links_alone
from brokers.recordings.groups import OutsideTheModel, split_groups
from brokers.recordings.hidden.nearest import Missing, list_nearest
from brokers.recordings.hidden.timeline import Progress
from brokers.recordings.kinds import IGNORED_KINDS, LATE
from brokers.recordings.log.explain import (
    CONFORMS,
    REJECTED,
    UNDECIDED,
    LogVerdict,
    explain,
)
from brokers.recordings.reading import Event, Recording, TraceError, read_recording
from brokers.recordings.roles.places import take_places
from brokers.recordings.settings import find_mode, refuse_settings
from reference.language.machine import compute_machine, probe
from reference.releases.releases import CONTROLLER
from reference.releases.versions import Version, VersionError
from reference.worlds.replication.state import Cluster

__all__ = [
    "CONFORMS",
    "REJECTED",
    "UNDECIDED",
    "TraceError",
    "TraceVerdict",
    "check_recording",
    "check_trace",
    "find_version",
]

WITHOUT_PUTS, WITHOUT_STARTS = UNSEEN

WITHOUT_PUTS_REASON = "the recording has no puts, which might explain it"

WITHOUT_STARTS_REASON = "the recording begins when brokers had logs, which might explain it"

WITHOUT_SETTINGS_REASON = "the settings of a broker are not told, which might explain it"

LATE_REASON = "lines came late, and where they belong might explain it"

WITHOUT_EPOCHS_REASON = "a start does not show its epochs, which might explain it"

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
)
"""What other programs read of a verdict, in this order."""


@frozen
class TraceVerdict:
    """All that is to be said about one recording."""

    file: str
    """The recording, as it was named."""
    verdict: str
    """CONFORMS, REJECTED, or UNDECIDED: the search spent its budget before it found an explanation.
    """
    events: int
    """How many events it has, the configuration not counted."""
    explained: int
    """How many of them the model's rules explain, up to the first that they do not."""
    ignored: int
    """How many of them only look, or set what the model leaves open, up to the same place."""
    fields_checked: int
    """How many observed values and conditions were held against the state or the clock."""
    first_unexplained_seq: int | None = None
    """``seq`` of the first event that no rule explains; None for a recording that conforms."""
    reason: str = ""
    """Why that event cannot be explained, in one sentence."""
    rocketmq_version: str = Version().name
    """What the brokers were taken to be."""
    blocked_event: Mapping[str, Any] = field(factory=dict)
    """That event as it stands in the file."""
    blocked_instance: str = ""
    """The rule instance that would help most directly; empty when no rule could."""
    blocked_conditions: tuple[str, ...] = ()
    """Its conditions that do not hold."""
    candidates: Mapping[str, tuple[str, ...]] = field(factory=dict)
    """What could not happen in the state there: failed conditions by rule instance."""
    cluster: Cluster | None = None
    """The state there: of those that explain everything before, the one that comes nearest."""
    searched: tuple[LogVerdict, ...] = field(default=(), eq=False, repr=False)
    """What the search says of each group of brokers."""

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
    """The verdict on one recording by the rules of the version that it names.

    Raises:
        TraceError: the file is no recording.
    """
    return check_recording(read_recording(path))


def check_recording(
    recording: Recording,
    progress: Progress = None,
    version: Version | None = None,
    steps_max: int | None = None,
    *,
    by_search: bool = False,
) -> TraceVerdict:
    """Explains the events of a recording one after another, each group of brokers by itself.

    ``progress`` is told from time to time how many observations are explained. Without a
    ``version`` it is the one that the recording names, 4.4.0 where nobody knows that; with
    ``steps_max`` no more steps are tried for a group. ``by_search``: nothing is explained forwards;
    so it is under another version than the named one, which clocks alone may tell apart.
    """
    named = find_version(recording)
    chosen = version or named or Version()
    by_search = by_search or (version is not None and version != named)
    reversal = find_time_reversal(recording)
    seen = recording if reversal is None else cut_before(recording, reversal)
    try:
        groups = split_groups(take_places(seen))
        searched: list[LogVerdict] = []
        for group in groups:
            mode = find_mode(group, chosen.name)
            refuse_settings(group, mode)
            if is_explained_forwards(group):
                searched.append(explain_forwards(group, mode, progress, is_clock_exact=by_search))
            else:
                searched.append(judge_group(group, mode, steps_max, progress))
    except OutsideTheModel as problem:
        verdict = reject_group(recording, str(problem))
        if is_of_links_alone(recording, chosen):
            verdict = evolve(verdict, verdict=UNDECIDED)
    else:
        verdict = make_verdict(recording, searched, reversal)
    return leave_open(recording, evolve(verdict, rocketmq_version=chosen.name), chosen)


def search_recording(
    recording: Recording, version: Version | None = None, steps_max: int | None = None
) -> TraceVerdict:
    """The verdict of the search alone, which knows how long brokers wait.

    It is for recordings whose clock is exact: of cases that are played, and of simulated brokers.
    """
    return check_recording(recording, None, version, steps_max, by_search=True)


def judge_group(
    group: Recording, version: Version, steps_max: int | None, progress: Progress
) -> LogVerdict:
    """The verdict on one group of brokers. Raises OutsideTheModel."""
    if is_of_links_alone(group, version):
        return explain_links(group, version)
    return explain(group, version, steps_max, progress)


def leave_open(recording: Recording, verdict: TraceVerdict, version: Version) -> TraceVerdict:
    """The verdict, undecided for rejected if the recording says that it leaves something out.

    Without puts, what a message does to a log, a queue or a file would have to be guessed, and the
    search takes no guess that the recording of a put would forbid. Without starts the search would
    have to guess the logs, which it takes to be empty. Both are chosen where only links are seen,
    which settings that nobody told leave open. Without the epochs that a start shows nobody knows
    in which one a controller has let it start. A line that came late is not where it belongs.
    """
    reasons = {WITHOUT_PUTS: WITHOUT_PUTS_REASON, WITHOUT_STARTS: WITHOUT_STARTS_REASON}
    said = [reason for name, reason in reasons.items() if recording.config.data.get(name) is True]
    if is_of_links_alone(recording, version):
        nodes = recording.config["nodes"].values()
        said = [] if all(node["store_config"] for node in nodes) else [WITHOUT_SETTINGS_REASON]
    if version.mode == CONTROLLER and any(e.kind == "process_started" for e in recording.events):
        said.append(WITHOUT_EPOCHS_REASON)
    if any(LATE in event.data for event in recording.events):
        said.append(LATE_REASON)
    if verdict.verdict != REJECTED or not said:
        return verdict
    return evolve(verdict, verdict=UNDECIDED, reason="; ".join((verdict.reason, *said)))


def find_time_reversal(recording: Recording) -> Event | None:
    """The first event that was noted before its predecessor."""
    for before, event in itertools.pairwise((recording.config, *recording.events)):
        if event.t_ms < before.t_ms:
            return event
    return None


def make_verdict(
    recording: Recording, searched: Sequence[LogVerdict], reversal: Event | None
) -> TraceVerdict:
    """One verdict for all groups: that of the first event that is refused, or else undecided."""
    stopped = sorted(
        (each for each in searched if each.seq is not None),
        key=lambda each: (each.word != REJECTED, each.seq),
    )
    if stopped:
        verdict = tell_stop(recording, stopped[0])
    elif reversal is not None:
        reason = f"t_ms goes back to {reversal.t_ms}"
        verdict = count(recording, REJECTED, reversal)
        verdict = evolve(verdict, reason=reason, cluster=searched[0].cluster)
    else:
        verdict = evolve(count(recording, CONFORMS, None), cluster=searched[0].cluster)
    goals = sum(each.goals for each in searched)
    return evolve(verdict, fields_checked=goals, searched=tuple(searched))


def tell_stop(recording: Recording, stopped: LogVerdict) -> TraceVerdict:
    """The verdict on a recording at an event of which the search finds no explanation."""
    event = next(each for each in recording.events if each.seq == stopped.seq)
    instance, failed = find_nearest(stopped)
    reason = stopped.reason
    if failed:
        reason += f"; {instance} would help, but {' and '.join(failed)} does not hold"
    needed = {instance: failed} if failed else {}
    return evolve(
        count(recording, stopped.word, event),
        reason=reason,
        blocked_instance=instance,
        blocked_conditions=failed,
        candidates={**needed, **list_candidates(stopped)},
        cluster=stopped.cluster,
    )


def find_nearest(stopped: LogVerdict) -> Missing:
    """The rule instance that would help most directly, and its conditions that fail."""
    stuck, timeline = stopped.stuck, stopped.timeline
    if stuck is None or timeline is None:
        return "", ()
    permits, may = stuck.asked.permits, partial(timeline.guide.may, stuck.nearest)
    nearest = list_nearest(timeline.guide.machine, stuck, lambda n: n in permits or may(n))
    return next(iter(nearest), ("", ()))


def list_candidates(stopped: LogVerdict) -> dict[str, tuple[str, ...]]:
    """What cannot happen where the search has stopped: failed conditions by rule instance.

    Of the rules about a message only those of the message that the event is about.
    """
    cluster, message = stopped.cluster, stopped.message
    if cluster is None:
        return {}
    failed = {
        name: tuple(probe(instance, cluster)[0])
        for name, instance in compute_machine(cluster.structure).instances.items()
        if "message" not in instance.rule.indexes or message in instance.indexes
    }
    return {name: conditions for name, conditions in failed.items() if conditions}


def count(recording: Recording, word: str, blocked: Event | None) -> TraceVerdict:
    """A verdict with the numbers of the events before the one that cannot be explained."""
    before = [e for e in recording.events if blocked is None or e.seq < blocked.seq]
    ignored = sum(event.kind in IGNORED_KINDS for event in before)
    return TraceVerdict(
        file=recording.file,
        verdict=word,
        events=len(recording.events),
        explained=len(before) - ignored,
        ignored=ignored,
        fields_checked=0,
        first_unexplained_seq=None if blocked is None else blocked.seq,
        blocked_event={} if blocked is None else blocked.data,
    )


def reject_group(recording: Recording, reason: str) -> TraceVerdict:
    """No structure of the model has such a group of brokers."""
    config = recording.config
    verdict = evolve(count(recording, REJECTED, config), explained=0, ignored=0)
    return evolve(verdict, reason=reason)
