"""``rmqspec pull``: a broker's answer to a pull, and where the next pull goes."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

from command_line.options.reading_options import find_group
from reference import ROCKETMQ_VERSION
from reference.decisions.clients.next_pull import NextPull
from reference.decisions.reading.question import (
    NUMBERS,
    PROPERTIES,
    QuestionError,
    Reply,
    ask,
    describe,
)
from reference.roles import Role

EXAMPLES = """\b
Examples:
  rmqspec pull --offset 0 --max-offset 1000 --behind-bytes 50000000000
  rmqspec pull --role SLAVE --offset 2000 --max-offset 1000
  rmqspec pull --offset 2000 --max-offset 1000 --rocketmq-version 4.9.8
  rmqspec pull --role SLAVE --offset 2000 --max-offset 1000 --cached-msgs 32
  rmqspec pull --role SLAVE --unknown-topic --max-offset 9
  rmqspec pull --set slaveReadEnable=true --group brokerId=1 --max-offset 9 --json
  rmqspec pull --group-file subscriptionGroup.json --group my_group --max-offset 9
  rmqspec pull --set slaveReadEnable=true --table --json < rows.jsonl

\b
A row of a table is an object with the same keys, in RocketMQ's spelling, and
with properties. A flag holds for every row that lacks its key:
  {"role": "SLAVE", "offset": 7, "maxOffset": 9, "slaveReadEnable": true,
   "group": "brokerId=1", "brokers": [0, 1, 2], "suspend": true}

\b
Properties that matter:
"""

EXIT_CODES = """

Exit codes: 0 answered, 3 bad input.
"""

PROPERTY_LINES = textwrap.indent(textwrap.fill(", ".join(sorted(PROPERTIES)), 74), "  ")

EPILOG = f"{EXAMPLES}{PROPERTY_LINES}{EXIT_CODES}"

FLAGS = {
    "offset": "Queue offset asked for.",
    "minOffset": "First queue offset of the queue.",
    "maxOffset": "One past the last queue offset of the queue.",
    "maxMsgs": "The most messages asked for.",
    "messageBytes": "Bytes of each message in the log.",
    "behindBytes": "How far the first message asked for is behind the log's end.",
    "totalMemoryBytes": "Memory of the broker's machine.",
    "queue": "Queue asked for.",
    "readQueueNums": "Queues of the topic.",
    "commitOffset": "Progress that comes with the pull.",
    "clientOffset": "Progress that the client has in memory.",
    "cachedMsgs": "Messages right before the offset that the client has and has not consumed.",
    "filteredMsgs": "Messages ahead, from the first on, that the subscription does not take.",
}
"""What each number means, by its key."""

STANDARD_INPUT = "standard input"


def number_flags(command: Any) -> Any:
    """An option for each number of a question, ``--max-msgs`` for ``maxMsgs``."""
    for name, text in reversed(FLAGS.items()):
        default = NUMBERS[name][2]
        words = "".join(f"-{c.lower()}" if c.isupper() else c for c in name)
        shown = "" if default is None else f" Default: {default}."
        flag = click.option(f"--{words}", name, type=int, metavar="N", help=text + shown)
        command = flag(command)
    return command


@click.command(name="pull", epilog=EPILOG)
@click.argument("source", required=False, type=click.Choice(["-"]), metavar="[-]")
@click.option(
    "--table", "is_table", is_flag=True, help="Answer JSON lines from standard input, as - does."
)
@click.option("--role", type=click.Choice(list(Role.__members__)), help="Role of the broker asked.")
@click.option(
    "--set",
    "pairs",
    multiple=True,
    metavar="KEY=VALUE",
    help="A property of the broker; may be repeated.",
)
@click.option("--group", metavar="OPTIONS|NAME", help="brokerId=1,consumeEnable=true or a name.")
@click.option("--group-file", type=click.Path(path_type=Path), help="A subscriptionGroup.json.")
@click.option(
    "--brokers", metavar="ID,ID...", help="Broker ids in the client's route. Default: 0,1."
)
@click.option("--suspend", is_flag=True, default=None, help="The client lets the broker hold it.")
@click.option(
    "--unknown-topic",
    "topicKnown",
    is_flag=True,
    flag_value=False,
    default=None,
    help="The broker does not know the topic, as a slave before its next copy.",
)
@click.option(
    "--unknown-group",
    "groupKnown",
    is_flag=True,
    flag_value=False,
    default=None,
    help="The broker does not know the group.",
)
@click.option(
    "--rocketmq-version",
    "rocketmq",
    metavar="RELEASE",
    help=f"The release of the broker, up to 4.9.8. Default: {ROCKETMQ_VERSION}.",
)
@number_flags
@click.option("--json", "is_json", is_flag=True, help="Print JSON for programs.")
def command(source: str | None, is_table: bool, is_json: bool, **given: Any) -> None:
    """Answer a pull by the rules of the read path, and name the deciding conditions."""
    common = gather_flags(given)
    if is_table or source:
        replies = answer_rows(common, sys.stdin.buffer)
        click.echo("\n".join(map(show_json if is_json else show_row, replies)))
        return
    reply = ask(common)
    release = common.get("rocketmq", ROCKETMQ_VERSION)
    click.echo(json.dumps(describe(reply), indent=1) if is_json else show_reply(reply, release))


def gather_flags(given: dict[str, Any]) -> dict[str, Any]:
    """The flags as keys of a question; those that were not given are left out."""
    pairs, file = given.pop("pairs"), given.pop("group_file")
    common = {name: value for name, value in given.items() if value is not None}
    common.update(dict(map(split_pair, pairs)))
    if "brokers" in common:
        common["brokers"] = split_brokers(common["brokers"])
    if file is not None:
        common["group"] = find_group(common.get("group"), file)
    return common


def split_pair(pair: str) -> tuple[str, str]:
    """A property and its value."""
    name, found, value = pair.partition("=")
    if not found:
        raise QuestionError(f"--set {pair}: write KEY=VALUE")
    if name not in PROPERTIES:
        known = ", ".join(sorted(PROPERTIES))
        raise QuestionError(f"--set {pair}: no property that has a say; these have: {known}")
    return name, value


def split_brokers(text: str) -> list[int]:
    """Broker ids, separated by commas."""
    try:
        return [int(each) for each in text.split(",")]
    except ValueError as problem:
        raise QuestionError(f"--brokers {text}: write ids like 0,1") from problem


def answer_rows(common: dict[str, Any], lines: Iterable[bytes]) -> Iterator[Reply]:
    """The reply to each row; an error names the line of a bad one."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            if not isinstance(row, dict):
                raise QuestionError("not a JSON object")
            yield ask({**common, **row})
        except QuestionError as problem:
            raise QuestionError(f"{STANDARD_INPUT}:{number}: {problem}") from problem
        except (ValueError, RecursionError) as problem:
            raise QuestionError(f"{STANDARD_INPUT}:{number}: not JSON in UTF-8") from problem


def show_json(reply: Reply) -> str:
    """One line for programs."""
    return json.dumps(describe(reply))


def show_row(reply: Reply) -> str:
    """One line for people."""
    answer, result = reply.answer, reply.answer.result
    given_up = "; the queue is given up" if reply.next_pull.is_queue_given_up else ""
    read = f"{result.status.name}, next {result.next_begin_offset}" if result else "not read"
    return (
        f"{read}; {answer.code} {answer.code.name} by {answer.code_decided_by}; "
        f"suggests {answer.suggested_broker_id} by {answer.suggestion_decided_by or 'nothing'}; "
        f"next pull from {reply.target.broker_id}{show_pause(reply.next_pull)}"
        f" by {reply.target.decided_by}{given_up}"
    )


def show_pause(pull: NextPull) -> str:
    """When the next pull is sent, unless it is at once."""
    if not pull.most_ms:
        return ""
    span = f"{pull.least_ms} to " if pull.least_ms < pull.most_ms else ""
    return f" after {span}{pull.most_ms} ms"


def show_reply(reply: Reply, release: str) -> str:
    """The answer in full, each line with the condition that decided it."""
    answer, result = reply.answer, reply.answer.result
    lines = [("", f"Model of RocketMQ {release}.", "")]
    if result:
        lines.append(("status", result.status.name, result.status_decided_by))
        lines.append(("next offset", str(result.next_begin_offset), ""))
        if result.ended_by:
            found = f"{result.message_count}, {result.size_bytes} bytes"
            lines.append(("messages", found, result.ended_by))
    lines += [("  overwritten code", e.value.name, e.by) for e in answer.codes_overwritten]
    lines.append(("code", f"{answer.code} {answer.code.name}", answer.code_decided_by))
    lines += [("  overwritten broker", str(e.value), e.by) for e in answer.suggestions_overwritten]
    if answer.suggested_broker_id is not None:
        suggested = str(answer.suggested_broker_id)
        lines.append(("suggested broker", suggested, answer.suggestion_decided_by))
    if answer.held_ms is not None:
        held = f"{answer.held_ms} to {reply.held_most_ms} ms before that answer"
        lines.append(("held", held, "if no message comes"))
    if answer.committed_offset is not None:
        lines.append(("progress stored", str(answer.committed_offset), ""))
    if reply.next_pull.is_queue_given_up:
        lines.append(("queue", "given up, with what is cached", "taken again at a rebalance"))
    target = f"broker {reply.target.broker_id}{show_pause(reply.next_pull)}"
    lines.append(("next pull goes to", target, reply.target.decided_by))
    progress = "none" if reply.next_progress is None else str(reply.next_progress)
    lines.append(("  with progress", progress, ""))
    return "\n".join(
        f"{name:<20} {value:<28} {by}".rstrip() if name else value for name, value, by in lines
    )
