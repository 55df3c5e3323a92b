"""``rmqspec trace``: recordings of real brokers, explained by the model or refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import click
from attrs import define, evolve, field

from brokers.explaining.excerpts import Excerpt, find_stop, tell_event
from brokers.explaining.verdict import REJECTED, UNDECIDED
from brokers.recordings.inspection.looks import Looks
from brokers.recordings.inspection.unknown import refuse_unknown
from brokers.recordings.judging import TraceVerdict, check_recording, find_version
from brokers.recordings.reading import Recording, read_parts, read_recording, trace_error
from command_line.answers.recordings.lines import (
    describe_end,
    describe_others,
    print_verdict,
)
from command_line.answers.recordings.looked import Looked, describe_looked, find_looked
from command_line.answers.recordings.steps import draw_excerpt
from command_line.options.version_option import add_version_option
from command_line.output import exit_codes
from command_line.output.batch import Batch
from command_line.output.progress import ProgressLine, show_progress
from reference.releases.versions import Version

END = "end"
"""In the place of a number: where the recording ends, or stops to be explained."""

EPILOG = """\b
Examples:
  rmqspec trace tests/data/traces/a_sync_healthy.jsonl
  rmqspec trace recordings/*.jsonl --json
  rmqspec trace suspicious.jsonl --explain
  rmqspec trace --explain 27 tests/data/traces/a_sync_healthy.jsonl
  rmqspec trace recordings/*.jsonl --strict --counts
  rmqspec trace recordings/*.jsonl --rocketmq-version 4.9.8
  rmqspec trace --parts long.jsonl long.1.jsonl long.2.jsonl

Exit codes: 0 all conform, 1 one is rejected (also a group of a shape that no structure has), 2 none
is rejected, but one leaves something out that might explain it, 3 a file is no recording, or has no
event of the number to explain, or the model does not know the version, or --strict refuses one.
Every bad file is reported, and the others are explained. The rules are those of the version that a
recording names, or of 4.4.0 if it names none, or one that nobody knows, unless --rocketmq-version
chooses others.
"""


@click.command(name="trace", epilog=EPILOG)
@click.argument("files", nargs=-1, metavar="FILE...")
@click.option("--json", "is_json", is_flag=True, help="Print JSON for programs.")
@click.option(
    "--explain",
    "explained",
    is_flag=False,
    flag_value=END,
    default=None,
    metavar="[SEQ]",
    help="Draw the steps that are put at the event of this number, or where it stops, with "
    "the nearest rules there. Without a number: the state at the end, or where a recording is "
    "rejected, and behind the nearest rules every other one that could not help.",
)
@click.option(
    "--counts",
    "is_counted",
    is_flag=True,
    help="Print how many events of each kind there are, and how many values of each field were "
    "looked at, and were not.",
)
@click.option(
    "--strict",
    "is_strict",
    is_flag=True,
    help="Refuse a recording with kinds of events or fields that the format does not have, or of a "
    "version that the model does not know.",
)
@click.option(
    "--parts",
    "are_parts",
    is_flag=True,
    help="The files are the parts of one recording, the first one first.",
)
@add_version_option(default=None)
def command(
    files: tuple[str, ...],
    *,
    is_json: bool,
    is_strict: bool,
    are_parts: bool,
    explained: str | None,
    **options: Any,
) -> int:
    """Explain every event of a recording by the model's rules, or report the first that it cannot.

    Files that are no recordings are reported after the others have been explained.
    """
    files, place = split_place(files, explained)
    version: Version | None = options.pop("version")
    batch, checker = Batch(), Checker(place=place, is_shown=not is_json, **options)
    answers: list[TraceAnswer] = []
    with show_progress() as progress:
        recordings = [files] if are_parts else [(file,) for file in files]
        for number, each in enumerate(recordings):
            progress.advance(number, len(recordings), each[0])
            recording = batch.attempt(partial(read, each, place, is_strict=is_strict))
            if recording is not None:
                chosen = version or choose_version(recording)
                answers.append(checker.check(recording, chosen, progress))
    if is_json and (answers or not batch.problems):
        click.echo(json.dumps([answer.as_json() for answer in answers], indent=1))
    batch.finish()
    if any(answer.is_rejected for answer in answers):
        return exit_codes.REFUTED
    is_undecided = any(answer.verdict.verdict == UNDECIDED for answer in answers)
    return exit_codes.UNDECIDED if is_undecided else exit_codes.ANALYSED


def split_place(
    files: tuple[str, ...], explained: str | None
) -> tuple[tuple[str, ...], int | str | None]:
    """The files, and what is to be explained: a file may stand where a number could."""
    place: int | str | None = explained
    if explained is not None and explained.isdecimal():
        place = int(explained)
    elif explained not in (None, END):
        files, place = (str(explained), *files), END
    if not files:
        raise click.UsageError("Missing argument 'FILE...'.")
    return files, place


def read(files: tuple[str, ...], place: int | str | None, *, is_strict: bool) -> Recording:
    """Reads a recording. Raises TraceError: it is none, or not one for the options."""
    file = files[0]
    recording = read_recording(file) if len(files) == 1 else read_parts(files)
    if isinstance(place, int):
        check_has_event(recording, place)
    if is_strict:
        refuse_unknown(recording)
        if find_version(recording) is None:
            problem = f"names RocketMQ {recording.config.data['rocketmq']}, which is not known"
            raise trace_error(file, recording.config.line, problem, "leave out --strict")
    return recording


def check_has_event(recording: Recording, seq: int) -> None:
    """Raises TraceError for a number that no event of a recording has."""
    seqs = [event.seq for event in (recording.config, *recording.events, *recording.unknown)]
    if seq not in seqs:
        advice = f"explain one from {min(seqs)} to {max(seqs)}"
        raise trace_error(recording.file, 0, f"has no event of seq {seq}", advice)


@define
class TraceAnswer:
    """All that is said of one recording."""

    verdict: TraceVerdict
    """Whether it conforms; without the states, which are large."""
    looked: Looked
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
    is_shown: bool
    is_counted: bool
    named: str = field(default="", init=False)
    """The version whose rules were named last."""

    def check(self, recording: Recording, version: Version, progress: ProgressLine) -> TraceAnswer:
        """Explain a recording by the rules of a version."""

        def report(done: int, total: int) -> None:
            progress.advance(done, total, f"{recording.file}: {done} of {total} events")

        looks = Looks()
        watched = looks.watch(recording)
        verdict = check_recording(watched, report, version)
        excerpt = find_excerpt(verdict, self.place)
        is_explained, looked = self.place is not None, find_looked(recording, looks)
        answer = TraceAnswer(drop_states(verdict), looked, excerpt, is_explained=is_explained)
        if self.is_shown:
            self.show(answer, version)
        return answer

    def show(self, answer: TraceAnswer, version: Version) -> None:
        """Print what is said of a recording."""
        if version.describe() != self.named:
            self.named = version.describe()
            click.echo(f"Model of {self.named}.")
        print_verdict(answer.verdict, is_explained=self.place is not None)
        is_whole, is_short = self.is_counted, not answer.verdict.is_conforming
        lines = list(describe_looked(answer.looked, is_whole=is_whole, is_short=is_short))
        if self.place is not None:
            lines += draw_place(answer, self.place)
        if lines:
            click.echo("\n".join(lines))


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
