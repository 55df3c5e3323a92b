"""The verdict on a recording in lines: what is not explained, the rules in the way, the state."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import click

from brokers.recordings.judging import TraceVerdict
from command_line.answers.recordings.acknowledged import describe_acknowledged
from reference.worlds.replication.state import STATUS_NAMES, Cluster, CommitLog

CANDIDATES_MAX = 6
"""How many rules a rejection lists beside the one that is in the way, unless all are asked for."""


def print_verdict(verdict: TraceVerdict, *, is_explained: bool = False) -> None:
    """One line for a trace that conforms, a few for one that does not.

    With ``is_explained`` the rules in the way are told elsewhere.
    """
    click.echo(
        f"{verdict.file}: {verdict.verdict}; {verdict.explained} of {verdict.events} events "
        f"explained, {verdict.ignored} ignored, {verdict.fields_checked} fields checked"
    )
    for group in verdict.groups:
        for line in describe_acknowledged(group.acknowledged):
            click.echo(line)
    if verdict.is_conforming:
        return
    click.echo(f"  seq {verdict.first_unexplained_seq}: {verdict.reason}")
    for name, failed in [] if is_explained else choose_candidates(verdict):
        click.echo(f"  {name}: {', '.join(failed)} does not hold")


def describe_end(verdict: TraceVerdict) -> Iterator[str]:
    """The state at the end of a recording that conforms."""
    if verdict.cluster is not None:
        yield "  state there:"
        yield from (f"    {line}" for line in describe_cluster(verdict.cluster))


def describe_others(
    verdict: TraceVerdict, named: Collection[str], *, is_whole: bool
) -> Iterator[str]:
    """The rules that could not happen at the stop, beside those ``named``: counted, or listed."""
    others = {name: failed for name, failed in verdict.candidates.items() if name not in named}
    if not others:
        return
    told = f"  {len(others)} other rules could not happen there"
    yield f"{told}:" if is_whole else f"{told}; --explain without a number lists them"
    if is_whole:
        yield from (f"    {name}: {', '.join(c)} does not hold" for name, c in others.items())


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
