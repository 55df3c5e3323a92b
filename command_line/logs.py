"""``rmqspec logs``: what brokers wrote to their own logs, and what it says in the model's terms."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from brokers.broker_logs.folders import find_brokers
from brokers.broker_logs.reading import LogReport, choose_release, read_logs
from brokers.broker_logs.recording import make_recording
from command_line.answers.recordings.broker_logs import as_json, gather_signs, render
from command_line.options.version_option import add_version_option
from command_line.output import exit_codes
from command_line.output.new_files import tell_problem
from command_line.output.progress import show_progress
from reference.releases.versions import Version

EPILOG = """\b
Examples:
  rmqspec logs master/logs/rocketmqlogs slave/logs/rocketmqlogs
  rmqspec logs collected              # a folder with one of each broker
  rmqspec logs master slave --since "2026-11-22 22:16" --until 2026-11-23
  rmqspec logs master slave --json
  rmqspec logs master slave --recording pair.jsonl

DIR is the folder of a broker's store.log and broker.log, a folder above it (logs/rocketmqlogs), or
one with a folder of each broker. Rotated and compressed files are read as well, also in otherdays.
The times are those of the logs, which stock settings write in GMT+8. A recording has what logs can
make complete: starts, ends, and lines. Of such a one trace says that it conforms, or is undecided.

Exit codes: 0 no sign of trouble, 1 signs of trouble, 2 no line is known, so that nothing can be
said, 3 a folder has no logs of a broker.
"""

TIME = re.compile(r"\d{4}(-\d\d(-\d\d([ T]\d\d(:\d\d(:\d\d(\.\d+)?)?)?)?)?)?")


def parse_time(context: click.Context, parameter: click.Parameter, value: str | None) -> str:
    """The beginning of a time as logs write it."""
    if value is not None and not TIME.fullmatch(value):
        problem = f"{value!r} is not the beginning of a time such as 2026-11-22 22:16:04"
        raise click.BadParameter(problem, context, parameter)
    return (value or "").replace("T", " ")


@click.command(name="logs", epilog=EPILOG)
@click.argument("folders", nargs=-1, required=True, metavar="DIR...")
@click.option("--json", "is_json", is_flag=True, help="Print JSON for programs.")
@click.option(
    "--since",
    callback=parse_time,
    metavar="TIME",
    help="Tell only what is not earlier, for example 2026-11-22 or 2026-11-22 22:16.",
)
@click.option(
    "--until",
    callback=parse_time,
    metavar="TIME",
    help="Read only what is not later; a day or a minute is taken whole.",
)
@click.option(
    "--recording",
    "out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a new file: a recording for trace, as far as logs go.",
)
@add_version_option(default=None)
def command(
    folders: tuple[str, ...],
    *,
    is_json: bool,
    out: Path | None,
    version: Version | None,
    **span: str,
) -> int:
    """Read brokers' own logs: one time line of all, and signs of trouble with their meaning.

    Without --rocketmq-version the release is the one that the logs tell, or else 4.4.0.
    """
    if out is not None and out.exists():
        raise click.BadParameter(f"{out} exists and is left as it is; choose another --recording")
    brokers = find_brokers(folders)
    with show_progress() as progress:
        done = dict.fromkeys((broker.name for broker in brokers), 0)

        def report_lines(name: str, lines: int) -> None:
            done[name] = lines
            progress.advance(sum(done.values()), sum(done.values()), f"{name}: {lines} lines")

        report = read_logs(brokers, report=report_lines, **span)
    if version is not None:
        report = choose_release(report, version.release)
    if out is not None:
        write_recording(report, out)
    click.echo(json.dumps(as_json(report), indent=1) if is_json else "\n".join(render(report)))
    is_trouble = any(not sign.is_note for sign, _ in gather_signs(report))
    if is_trouble:
        return exit_codes.REFUTED
    return exit_codes.ANALYSED if report.known else exit_codes.UNDECIDED


def write_recording(report: LogReport, out: Path) -> None:
    """Write the recording; a line of JSON for each event. Raises click.BadParameter."""
    events = list(make_recording(report))
    if not events:
        raise click.BadParameter(f"{out}: the logs have no whole start of a broker to record")
    with tell_problem(out), out.open("x", encoding="utf-8") as file:
        file.writelines(list_lines(events))


def list_lines(events: list[dict[str, Any]]) -> Iterator[str]:
    """The lines of a recording."""
    for event in events:
        yield json.dumps(event) + "\n"
