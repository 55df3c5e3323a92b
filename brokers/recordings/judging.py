"""The verdict on a recording: it conforms if the rules can take the steps that explain it.

Its moments are explained one after another (`explaining`), and hidden steps are taken in between. A
recording is rejected at the first event that no step explains; the verdict names what is not met
there, and the rule that would help most directly.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from brokers.explaining.explanation import Progress
from brokers.explaining.forwards import cut_before, explain_forwards
from brokers.explaining.links_alone.links import UNSEEN, explain_links, is_of_links_alone
from brokers.explaining.told.verdict import CONFORMS, REJECTED, UNDECIDED, GroupVerdict
from brokers.recordings.groups import OutsideTheModel, split_groups
from brokers.recordings.kinds import IGNORED_KINDS, LATE
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
    "acknowledged",
)
"""What other programs read of a verdict, in this order."""


@frozen
class TraceVerdict:
    """All that is to be said about one recording."""

    file: str
    """The recording, as it was named."""
    verdict: str
    """CONFORMS, REJECTED, or UNDECIDED: what the recording leaves out might explain it."""
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
    end_ms: float = 0.0
    """When the recording ended."""
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
    """The state there."""
    groups: tuple[GroupVerdict, ...] = field(default=(), eq=False, repr=False)
    """The verdict on each group of brokers."""

    @property
    def acknowledged(self) -> list[dict[str, Any]]:
        """What became of the acknowledged puts of each group whose puts are recorded."""
        told = (group.acknowledged for group in self.groups)
        return [each.as_json() for each in told if each is not None]

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
    *,
    is_clock_exact: bool = False,
    is_schedule_kept: bool = False,
) -> TraceVerdict:
    """Explains the events of a recording one after another, each group of brokers by itself.

    ``progress`` is told from time to time how many moments are explained. Without a ``version`` it
    is the one that the recording names, 4.4.0 where nobody knows that. ``is_clock_exact``: no stamp
    is late, so what takes too long is refused as well; so it is under another version than the
    named one, which clocks alone may tell apart. ``is_schedule_kept``: all steps are kept, for who
    wants them.
    """
    named = find_version(recording)
    chosen = version or named or Version()
    is_clock_exact = is_clock_exact or (version is not None and version != named)
    reversal = find_time_reversal(recording)
    seen = recording if reversal is None else cut_before(recording, reversal)
    try:
        verdicts: list[GroupVerdict] = []
        for group in split_groups(take_places(seen)):
            mode = find_mode(group, chosen.name)
            refuse_settings(group, mode)
            if is_of_links_alone(group, mode):
                verdicts.append(explain_links(group, mode, is_schedule_kept=is_schedule_kept))
            else:
                verdicts.append(
                    explain_forwards(
                        group,
                        mode,
                        progress,
                        is_clock_exact=is_clock_exact,
                        is_schedule_kept=is_schedule_kept,
                    )
                )
    except OutsideTheModel as problem:
        verdict = reject_group(recording, str(problem))
        if is_of_links_alone(recording, chosen):
            verdict = evolve(verdict, verdict=UNDECIDED)
    else:
        verdict = make_verdict(recording, verdicts, reversal)
    return leave_open(recording, evolve(verdict, rocketmq_version=chosen.name), chosen)


def check_exactly(recording: Recording, version: Version | None = None) -> TraceVerdict:
    """The verdict by a clock that is exact: of cases that are played, and of simulated brokers."""
    return check_recording(recording, None, version, is_clock_exact=True)


def leave_open(recording: Recording, verdict: TraceVerdict, version: Version) -> TraceVerdict:
    """The verdict, undecided for rejected if the recording says that it leaves something out.

    Without puts, what a message does to a log, a queue or a file would have to be guessed, and no
    guess is taken that the recording of a put would forbid. Without starts the logs would have to
    be guessed, which are taken to be empty. Both are chosen where only links are seen,
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
    recording: Recording, verdicts: Sequence[GroupVerdict], reversal: Event | None
) -> TraceVerdict:
    """One verdict for all groups: that of the first event that is refused, or else undecided."""
    stopped = sorted(
        (each for each in verdicts if each.seq is not None),
        key=lambda each: (each.word != REJECTED, each.seq),
    )
    if stopped:
        verdict = tell_stop(recording, stopped[0])
    elif reversal is not None:
        reason = f"t_ms goes back to {reversal.t_ms}"
        verdict = count(recording, REJECTED, reversal)
        verdict = evolve(verdict, reason=reason, cluster=verdicts[0].cluster)
    else:
        verdict = evolve(count(recording, CONFORMS, None), cluster=verdicts[0].cluster)
    goals = sum(each.goals for each in verdicts)
    return evolve(verdict, fields_checked=goals, groups=tuple(verdicts))


def tell_stop(recording: Recording, stopped: GroupVerdict) -> TraceVerdict:
    """The verdict on a recording at an event that is not explained."""
    event = next(each for each in recording.events if each.seq == stopped.seq)
    nearest, reason = stopped.nearest, stopped.reason
    needed: Mapping[str, tuple[str, ...]] = {}
    if nearest is not None:
        reason, needed = f"{reason}; {nearest}", {nearest.instance: nearest.conditions}
    return evolve(
        count(recording, stopped.word, event),
        reason=reason,
        blocked_instance="" if nearest is None else nearest.instance,
        blocked_conditions=() if nearest is None else nearest.conditions,
        candidates={**needed, **list_candidates(stopped)},
        cluster=stopped.cluster,
    )


def list_candidates(stopped: GroupVerdict) -> dict[str, tuple[str, ...]]:
    """What cannot happen where nothing is explained any more: failed conditions by rule instance.

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
        end_ms=recording.end_ms,
        first_unexplained_seq=None if blocked is None else blocked.seq,
        blocked_event={} if blocked is None else blocked.data,
    )


def reject_group(recording: Recording, reason: str) -> TraceVerdict:
    """No structure of the model has such a group of brokers."""
    config = recording.config
    verdict = evolve(count(recording, REJECTED, config), explained=0, ignored=0)
    return evolve(verdict, reason=reason)
