"""``rmqspec trace``: recordings of real brokers, explained by the model or refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial

import click
from attrs import define

from command_line.options.version_option import add_version_option
from command_line.output import exit_codes
from command_line.output.batch import Batch
from command_line.output.progress import ProgressLine, show_progress
from reference.recordings.checking import TraceVerdict, find_version
from reference.recordings.groups import OutsideTheModel
from reference.recordings.joined.explain import REFUSED, JoinedVerdict, explain
from reference.recordings.log.explain import LogVerdict
from reference.recordings.log.judging import BY_SEARCH, judge_recording, search_recording
from reference.recordings.reading import Recording, read_recording
from reference.releases.versions import Version
from reference.worlds.replication.state import STATUS_NAMES, Cluster, CommitLog

CANDIDATES_MAX = 6
"""How many rules a rejection lists beside the one that is in the way, unless all are asked for."""

EPILOG = """\b
Examples:
  rmqspec trace tests/data/traces/a_sync_healthy.jsonl
  rmqspec trace recordings/*.jsonl --json
  rmqspec trace suspicious.jsonl --explain
  rmqspec trace recordings/*.jsonl --rocketmq-version 4.9.8
  rmqspec trace tests/data/traces/a_sync_healthy.jsonl --joined
  rmqspec trace tests/data/traces/a_sync_healthy.jsonl --search

Exit codes: 0 all conform, 1 one is rejected (also a group of a shape that no structure has), 3 a
file is no recording, or the model does not know the version. Every bad file is reported, and the
others are explained. Without --rocketmq-version the rules are those of the version that a recording
names, or of 4.4.0 if it names none.
"""


@click.command(name="trace", epilog=EPILOG)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--json", "is_json", is_flag=True, help="Print JSON for programs.")
@click.option(
    "--explain",
    "is_explained",
    is_flag=True,
    help="Print the state at the end, or where a recording is rejected, and every rule that could "
    "not help there, with the conditions that fail.",
)
@click.option(
    "--joined",
    "is_joined",
    is_flag=True,
    help="Explain whole brokers of 4.4.0 in the joined system too: log, queue and progress by one "
    "schedule.",
)
@click.option(
    "--search",
    "is_searched",
    is_flag=True,
    help="Explain a master's log and its slaves by search too. Without this option that is done "
    "only for a recording that would be rejected otherwise.",
)
@add_version_option(default=None)
def command(  # noqa: PLR0913, PLR0917
    files: tuple[str, ...],
    is_json: bool,
    is_explained: bool,
    is_joined: bool,
    is_searched: bool,
    version: Version | None,
) -> int:
    """Explain every event of a recording by the model's rules, or report the first that it cannot.

    Files that are no recordings are reported after the others have been explained.
    """
    batch = Batch()
    verdicts: list[TraceVerdict] = []
    joined: list[JoinedVerdict] = []
    checker = Checker(is_explained=is_explained, is_shown=not is_json)
    with show_progress() as progress:
        for number, file in enumerate(files):
            progress.advance(number, len(files), file)
            recording = batch.attempt(partial(read_recording, file))
            if recording is None:
                continue
            verdicts.append(
                checker.check(recording, version or choose_version(recording), progress)
            )
            if is_joined:
                joined.append(checker.join(recording))
            if is_searched and not is_json:
                checker.search(recording, verdicts[-1].rocketmq_version)
    if is_json and (verdicts or not batch.problems):
        print_json(verdicts, joined)
    batch.finish()
    is_rejected = any(v.verdict == "rejected" for v in verdicts)
    is_rejected |= any(v.word == REFUSED for v in joined)
    return exit_codes.REFUTED if is_rejected else exit_codes.ANALYSED


@define
class Checker:
    """Explains recordings one after another; prints what it finds unless JSON follows."""

    is_explained: bool
    is_shown: bool
    named: str = ""
    """The version whose rules were named last."""

    def check(self, recording: Recording, version: Version, progress: ProgressLine) -> TraceVerdict:
        """Explain a recording by the rules of a version."""
        if self.is_shown and version.describe() != self.named:
            self.named = version.describe()
            click.echo(f"Model of {self.named}.")

        def report(done: int, total: int) -> None:
            progress.advance(done, total, f"{recording.file}: {done} of {total} events")

        verdict = judge_recording(recording, report, version)
        if self.is_shown:
            print_verdict(verdict, is_explained=self.is_explained)
        return verdict

    def join(self, recording: Recording) -> JoinedVerdict:
        """Explain a recording in the joined system."""
        verdict = explain(recording)
        if self.is_shown:
            click.echo(f"  {describe_joined(verdict)}")
        return verdict

    def search(self, recording: Recording, version: str) -> None:
        """Explain the log of each group of a recording by search, and print that."""
        try:
            found = [describe_search(each) for each in search_recording(recording, version)]
        except OutsideTheModel as problem:
            found = [f"by search: outside the model; {problem}"]
        click.echo("\n".join(f"  {line}" for line in found))


def describe_search(verdict: LogVerdict) -> str:
    """What the search says of a group's log."""
    told = f"by search: {verdict.word}; {verdict.explained} observations explained by a schedule "
    told += f"of {len(verdict.schedule)} steps, {sum(verdict.ignored.values())} not looked at"
    return told if verdict.seq is None else f"{told}\n  seq {verdict.seq}: {verdict.reason}"


def print_json(verdicts: list[TraceVerdict], joined: list[JoinedVerdict]) -> None:
    """A list of an object for each recording, with the joined system's answer as ``joined``."""
    told = [verdict.as_json() for verdict in verdicts]
    for each, system in zip(told, joined, strict=False):
        each["joined"] = system.as_json()
    click.echo(json.dumps(told, indent=1))


def describe_joined(verdict: JoinedVerdict) -> str:
    """The joined system's answer about a recording, in one line."""
    if verdict.choice is None:
        return f"joined system: {verdict.word}; {verdict.reason}"
    look = f"queue {verdict.choice.queue}, followed message {verdict.choice.message}"
    look += f", group {verdict.choice.group}" if verdict.choice.group else ""
    told = f"joined system: {verdict.word}; {verdict.explained} events explained by a schedule of "
    told += f"{len(verdict.schedule)} steps, {verdict.values} values compared; {look}"
    if verdict.seq is None:
        return told
    blocked = f"; {verdict.rule}: {', '.join(verdict.conditions)} does not hold"
    return f"{told}\n  seq {verdict.seq}: {verdict.reason}{blocked if verdict.conditions else ''}"


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


def print_verdict(verdict: TraceVerdict, *, is_explained: bool = False) -> None:
    """One line for a trace that conforms, a few for one that does not."""
    by = " by search" if verdict.explained_by == BY_SEARCH else ""
    click.echo(
        f"{verdict.file}: {verdict.verdict}; {verdict.explained} of {verdict.events} events "
        f"explained{by}, {verdict.ignored} ignored, {verdict.fields_checked} fields checked"
    )
    if verdict.verdict == "rejected":
        click.echo(f"  seq {verdict.first_unexplained_seq}: {verdict.reason}")
    if is_explained:
        print_explanation(verdict)
    elif verdict.verdict == "rejected":
        for name, failed in choose_candidates(verdict):
            click.echo(f"  {name}: {', '.join(failed)} does not hold")


def print_explanation(verdict: TraceVerdict) -> None:
    """The state at the end of what is explained, and the rules that could not fire there."""
    if verdict.cluster is not None:
        click.echo("  state there:")
        for line in describe_cluster(verdict.cluster):
            click.echo(f"    {line}")
    if verdict.candidates:
        click.echo("  what could not happen there:")
    for name, failed in verdict.candidates.items():
        click.echo(f"    {name}: {', '.join(failed)} does not hold")


def choose_candidates(verdict: TraceVerdict) -> list[tuple[str, tuple[str, ...]]]:
    """The other rules for the same message or slave: what else could have explained the event."""
    if verdict.cluster is None:
        return []
    rules = verdict.cluster.structure.rules
    rule, bracket, index = verdict.blocked_instance.partition("[")
    indexes = rules[rule].indexes if rule in rules else None
    is_alike = [
        (name, failed)
        for name, failed in verdict.candidates.items()
        if bracket
        and name.endswith(bracket + index)
        and name != verdict.blocked_instance
        and rules[name.partition("[")[0]].indexes == indexes
    ]
    return is_alike[:CANDIDATES_MAX]


def describe_cluster(cluster: Cluster) -> Iterator[str]:
    """A state in a few lines: the brokers, their connections, the puts that wait."""
    master = cluster.master
    role = "SYNC_MASTER" if master.is_sync else "ASYNC_MASTER"
    yield (
        f"master: {role}, {_describe_process(master.is_up, master.is_stopping)}, "
        f"{describe_log(master.log)}; push2_slave_max_offset {master.push2_slave_max_offset}, "
        f"connection_count {master.connection_count}"
    )
    for number, (slave, link) in enumerate(zip(cluster.slaves, cluster.links, strict=True)):
        yield (
            f"slave {number}: {_describe_process(slave.is_up, slave.is_stopping)}, "
            f"{describe_log(slave.log)}"
        )
        if link.is_open:
            yield (
                f"link {number}: reported {link.reported_offset}, "
                f"request {link.slave_request_offset}, ack {link.slave_ack_offset}, "
                f"next transfer {link.next_transfer_offset}, next frame {link.arrived_offset}"
            )
    for number, message in enumerate(cluster.messages):
        if message.phase:
            yield (
                f"put {number}: {message.start_offset} to {message.end_offset}, "
                f"{STATUS_NAMES[message.status]} so far, {message.wake_ups} wake-ups"
            )


def describe_log(log: CommitLog) -> str:
    """A log in a few words."""
    if not log.has_file:
        return "no file"
    return (
        f"log {log.start_offset} to {log.max_offset}, flushed to {log.flushed_offset}, "
        f"dispatched to {log.dispatched_offset}, lives end at {', '.join(map(str, log.ends))}"
    )


def _describe_process(is_up: bool, is_stopping: bool) -> str:
    if not is_up:
        return "down"
    return "stopping" if is_stopping else "up"
