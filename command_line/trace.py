"""``rmqspec trace``: recordings of real brokers, explained by the model or refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from brokers.explaining.told.verdict import UNDECIDED
from brokers.recordings.inspection.unknown import refuse_unknown
from brokers.recordings.judging import find_version
from brokers.recordings.reading import Recording, read_parts, read_recording, trace_error
from command_line.answers.recordings.answer import END, Checker, TraceAnswer
from command_line.answers.recordings.following import FollowedRecording
from command_line.answers.recordings.schedules import ScheduleFolder
from command_line.options.version_option import add_version_option
from command_line.output import exit_codes
from command_line.output.batch import Batch
from command_line.output.interruption import raised_when_interrupted
from command_line.output.new_files import check_new, tell_problem
from command_line.output.progress import show_progress

EPILOG = """\b
Examples:
  rmqspec trace tests/data/traces/a_sync_healthy.jsonl
  rmqspec trace recordings/*.jsonl --json
  rmqspec trace suspicious.jsonl --explain
  rmqspec trace --explain 27 tests/data/traces/a_sync_healthy.jsonl
  rmqspec trace recordings/*.jsonl --strict --counts
  rmqspec trace recordings/*.jsonl --rocketmq-version 4.9.8
  rmqspec trace --parts long.jsonl long.1.jsonl long.2.jsonl
  rmqspec trace recordings/*.jsonl --out explained
  rmqspec trace --follow --idle 1 links.jsonl

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
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="A new folder for the schedule that explains each group: a trace that `rmqspec replay` "
    "draws, and a vector.",
)
@click.option(
    "--follow",
    "is_followed",
    is_flag=True,
    help="The file is still being written: explain it as it grows, until an event is not "
    "explained, or until you interrupt.",
)
@click.option(
    "--idle",
    "idle_seconds",
    type=click.FloatRange(0.0),
    metavar="SECONDS",
    help="Follow no longer than the file grows, and for so long behind its last line.",
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
    is_followed, idle_seconds = options.pop("is_followed"), options.pop("idle_seconds")
    folder = make_folder(options.pop("out"))
    checker = Checker(place, folder, is_shown=not is_json, **options)
    if is_followed:
        return follow(files, checker, idle_seconds)
    batch = Batch()
    answers: list[TraceAnswer] = []
    with show_progress() as progress:
        recordings = [files] if are_parts else [(file,) for file in files]
        for number, each in enumerate(recordings):
            progress.advance(number, len(recordings), each[0])
            recording = batch.attempt(partial(read, each, place, is_strict=is_strict))
            if recording is not None:
                answers.append(checker.check(recording, progress))
    if is_json and (answers or not batch.problems):
        click.echo(json.dumps([answer.as_json() for answer in answers], indent=1))
    batch.finish()
    return choose_code(answers)


def choose_code(answers: Sequence[TraceAnswer]) -> int:
    """The exit code for some answers."""
    if any(answer.is_rejected for answer in answers):
        return exit_codes.REFUTED
    is_undecided = any(answer.verdict.verdict == UNDECIDED for answer in answers)
    return exit_codes.UNDECIDED if is_undecided else exit_codes.ANALYSED


def follow(files: Sequence[str], checker: Checker, idle_seconds: float | None) -> int:
    """Explain a recording as it grows; the last answer is told as that of a finished one is.

    Raises:
        TraceError: the file is no recording.
    """
    if len(files) > 1:
        raise click.UsageError("--follow follows one recording; its parts are found by their names")
    with show_progress() as progress, raised_when_interrupted():
        followed = FollowedRecording(
            Path(files[0]), partial(checker.explain, progress=progress), checker.tell, idle_seconds
        )
        try:
            followed.run()
        except KeyboardInterrupt:
            progress("")
    if followed.last is None:
        raise trace_error(files[0], 0, "has no line yet", "start its recorder, and follow again")
    if checker.is_shown:
        checker.show(followed.last)
    checker.write(followed.last)
    return choose_code([followed.last])


def make_folder(out: Path | None) -> ScheduleFolder | None:
    """A new folder. Raises click.BadParameter where there is something already."""
    if out is None:
        return None
    check_new(out)
    with tell_problem(out):
        out.mkdir(parents=True)
    return ScheduleFolder(out)


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
