"""``rmqspec trace``: recordings of real brokers, explained by the model or refused."""

from __future__ import annotations

import json

import click

from command_line import exit_codes
from reference import ROCKETMQ_VERSION
from reference.trace.checking import TraceVerdict, check_recording
from reference.trace.reading import read_recording

CANDIDATES_MAX = 6
"""How many rules a rejection lists beside the one that is in the way."""

EPILOG = """\b
Examples:
  rmqspec trace tests/data/traces/a_sync_healthy.jsonl
  rmqspec trace recordings/*.jsonl --json
\b
Exit codes: 0 all conform, 1 one is rejected, 3 not a trace.
"""


@click.command(name="trace", epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--json", "is_json", is_flag=True, help="Print JSON for programs.")
def command(files: tuple[str, ...], is_json: bool) -> int:
    """Explain every event of a recording by the model's rules, or say which one cannot be."""
    recordings = [read_recording(file) for file in files]
    for recording in recordings:
        version = recording.config.data.get("rocketmq", ROCKETMQ_VERSION)
        if version != ROCKETMQ_VERSION:
            click.echo(f"note: {recording.file} is a recording of RocketMQ {version}", err=True)
    verdicts = [check_recording(recording) for recording in recordings]
    if is_json:
        click.echo(json.dumps([v.as_json() for v in verdicts], indent=1))
    else:
        click.echo(f"Model of RocketMQ {ROCKETMQ_VERSION}.")
        for verdict in verdicts:
            print_verdict(verdict)
    is_rejected = any(v.verdict == "rejected" for v in verdicts)
    return exit_codes.REFUTED if is_rejected else exit_codes.ANALYSED


def print_verdict(verdict: TraceVerdict) -> None:
    """One line for a trace that conforms, a few for one that does not."""
    click.echo(
        f"{verdict.file}: {verdict.verdict}; {verdict.explained} of {verdict.events} events "
        f"explained, {verdict.ignored} ignored, {verdict.fields_checked} fields checked"
    )
    if verdict.verdict == "rejected":
        click.echo(f"  seq {verdict.first_unexplained_seq}: {verdict.reason}")
        for name, failed in choose_candidates(verdict):
            click.echo(f"  {name}: {', '.join(failed)} does not hold")


def choose_candidates(verdict: TraceVerdict) -> list[tuple[str, tuple[str, ...]]]:
    """The other rules for the same message or slave: what else could have explained the event."""
    _, bracket, index = verdict.blocked_instance.partition("[")
    is_alike = [
        (name, failed)
        for name, failed in verdict.candidates.items()
        if bracket and name.endswith(bracket + index) and name != verdict.blocked_instance
    ]
    return is_alike[:CANDIDATES_MAX]
