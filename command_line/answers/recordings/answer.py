"""What is said of one recording: the verdict, what was looked at, the steps at an event."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import click
from attrs import define, evolve, field

from brokers.explaining.told.excerpts import Excerpt, find_stop, tell_event
from brokers.explaining.told.verdict import REJECTED
from brokers.recordings.inspection.looks import Looks
from brokers.recordings.judging import TraceVerdict, check_recording, find_version
from brokers.recordings.reading import Recording
from command_line.answers.recordings.lines import (
    describe_end,
    describe_others,
    print_verdict,
)
from command_line.answers.recordings.looked import Looked, describe_looked, find_looked
from command_line.answers.recordings.schedules import ScheduleFolder
from command_line.answers.recordings.steps import draw_excerpt
from command_line.output.progress import ProgressLine
from reference.releases.versions import Version

END = "end"
"""In the place of a number: where the recording ends, or stops to be explained."""


@define
class TraceAnswer:
    """All that is said of one recording."""

    verdict: TraceVerdict
    """Whether it conforms; without the states, which are large."""
    looked: Looked
    model: str
    """Whose rules explain it, in words."""
    excerpt: Excerpt | None = None
    """The steps at the event that was asked for."""
    is_explained: bool = False
    """The schedules are told too."""

    @property
    def is_rejected(self) -> bool:
        """It does not conform, and that is certain."""
        return self.verdict.verdict == REJECTED

    def as_json(self) -> dict[str, Any]:
        """The answer for other programs."""
        told: dict[str, Any] = {**self.verdict.as_json(), "looked_at": self.looked.as_json()}
        if self.is_explained:
            told["groups"] = [each.as_json() for each in self.verdict.groups]
        if self.excerpt is not None:
            told["steps"] = self.excerpt.as_json()
        return told


@define
class Checker:
    """Explains recordings one after another; prints what it finds unless JSON follows."""

    place: int | str | None
    """The event whose explanation is drawn, END, or None for neither."""
    folder: ScheduleFolder | None
    """Where the schedules are written."""
    is_shown: bool
    is_counted: bool
    version: Version | None = None
    """By whose rules; None: by those that each recording names."""
    named: str = field(default="", init=False)
    """The model that was named last."""

    def check(self, recording: Recording, progress: ProgressLine) -> TraceAnswer:
        """Explain a recording, and tell what is found."""
        answer = self.explain(recording, progress)
        if self.is_shown:
            self.show(answer)
        self.write(answer)
        return evolve(answer, verdict=drop_states(answer.verdict))

    def explain(self, recording: Recording, progress: ProgressLine) -> TraceAnswer:
        """Explain a recording."""

        def report(done: int, total: int) -> None:
            progress.advance(done, total, f"{recording.file}: {done} of {total} events")

        looks = Looks()
        watched = looks.watch(recording)
        version = self.version or choose_version(recording)
        is_kept = self.folder is not None or self.place is not None
        verdict = check_recording(watched, report, version, is_schedule_kept=is_kept)
        return TraceAnswer(
            verdict,
            find_looked(recording, looks),
            version.describe(),
            find_excerpt(verdict, self.place),
            is_explained=self.place is not None,
        )

    def show(self, answer: TraceAnswer) -> None:
        """Print what is said of a recording."""
        if answer.model != self.named:
            self.named = answer.model
            click.echo(f"Model of {answer.model}.")
        print_verdict(answer.verdict, is_explained=self.place is not None)
        is_whole, is_short = self.is_counted, not answer.verdict.is_conforming
        lines = list(describe_looked(answer.looked, is_whole=is_whole, is_short=is_short))
        if self.place is not None:
            lines += draw_place(answer, self.place)
        if lines:
            click.echo("\n".join(lines))

    def tell(self, answer: TraceAnswer) -> None:
        """Print how far a recording that goes on is explained."""
        verdict = answer.verdict
        if not self.is_shown:
            click.echo(json.dumps(answer.as_json()))
            return
        done, events = verdict.explained + verdict.ignored, verdict.events
        click.echo(f"{verdict.file}: {done} of {events} events are explained so far")

    def write(self, answer: TraceAnswer) -> None:
        """Write the schedules, if somebody wants them."""
        if self.folder is not None:
            written = list(self.folder.write(answer.verdict))
            if self.is_shown:
                click.echo("\n".join(written))


def drop_states(verdict: TraceVerdict) -> TraceVerdict:
    """The verdict with schedules only: a batch keeps all its verdicts to the end."""
    kept = (evolve(each, cluster=None, tell=None) for each in verdict.groups)
    return evolve(verdict, groups=tuple(kept))


def find_excerpt(verdict: TraceVerdict, place: int | str | None) -> Excerpt | None:
    """The steps at an event, or where it is refused if that is before it."""
    stop = find_stop(verdict.groups)
    if place is None or (place == END and stop is None):
        return None
    seq = int(place) if place != END else stop
    found = None if seq is None else tell_event(verdict.groups, seq)
    return tell_event(verdict.groups, stop) if found is None and stop is not None else found


def draw_place(answer: TraceAnswer, place: int | str) -> Iterator[str]:
    """The lines about an event: what is nearest goes first, and the other rules are counted."""
    excerpt, verdict = answer.excerpt, answer.verdict
    if place == END and verdict.is_conforming:
        yield from describe_end(verdict)
    if excerpt is None:
        yield from [] if place == END else [f"  nothing is explained at seq {place}"]
        return
    if place not in (END, excerpt.seq):
        yield f"  the explanation has not come to seq {place}, or nothing is explained there"
    yield from draw_excerpt(excerpt)
    if excerpt.stop is not None:
        nearest = excerpt.stop.nearest
        named = [] if nearest is None else [nearest.instance]
        yield from describe_others(verdict, named, is_whole=place == END)


def choose_version(recording: Recording) -> Version:
    """The version that a recording names; for an unknown one 4.4.0, with a note."""
    version = find_version(recording)
    if version is None:
        named = recording.config.data["rocketmq"]
        click.echo(
            f"note: {recording.file} names RocketMQ {named}, which the model does not know; it is "
            f"held against {Version().name}, --rocketmq-version chooses another",
            err=True,
        )
    return version or Version()
