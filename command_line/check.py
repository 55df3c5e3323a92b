"""``rmqspec check``: what broker groups can lose, and what to do about it.

A short answer that was proved before is printed from memory. It imports no engine, because imports
take most of the time.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import click

from command_line.answers.asked import GroupQuestions
from command_line.answers.short.formats import render
from command_line.answers.short.groups import ShortAnswer
from command_line.options.broker_options import (
    PATHS,
    SettingChange,
    add_broker_options,
    apply_to_consumers,
    assume_all,
    change_all,
    read,
    repeat_words,
)
from command_line.options.check_options import add_check_options
from command_line.options.reading_options import add_reading_options, repeat_consumers
from command_line.output import exit_codes
from command_line.output.memory import (
    MEBIBYTES_MAX,
    UNUSED_DAYS,
    Memory,
    get_folder,
    tell_remembered,
)
from command_line.output.progress import show_progress
from reference.releases.versions import Version

EPILOG = f"""\b
Examples:
  rmqspec check                         # an embedded synchronous pair
  rmqspec check conf/2m-2s-sync         # a folder of broker files
  rmqspec check broker-a.properties broker-a-s.properties
  rmqspec check broker-a.properties --slaves 1
  rmqspec check - < broker-a.properties
  rmqspec check conf --strict           # refuse values that a broker would ignore
  rmqspec check conf --all              # every table, with reasons and schedules
  rmqspec check conf --rocketmq-version 4.9.8   # brokers of another release
  rmqspec check conf --rocketmq-version 5.3.0 --what-if inSyncReplicas=2
  rmqspec check conf --what-if flushDiskType=SYNC_FLUSH
  rmqspec check conf --what-if slaveReadEnable=true --group brokerId=1
  rmqspec check conf --what-if slave.slaveReadEnable=true
  rmqspec check conf --what-if consumer.consumeFromWhere=CONSUME_FROM_FIRST_OFFSET
  rmqspec check conf --group-file subscriptionGroup.json
  rmqspec check conf --json | jq .
  rmqspec check conf --format sarif > check.sarif
  rmqspec check conf --format html > check.html
  rmqspec check conf --require acknowledged_is_kept_on_some_broker
  rmqspec check conf --require "acknowledgement_is_truthful:master kill"
  rmqspec check conf --require "no_message_is_skipped:master stop"
  rmqspec check conf --require "answered_entry_stays_on_master:stop"
  rmqspec check conf --require "acknowledged_is_consumed_or_to_come:both end"

Answers that were proved are remembered in ~/.cache/rmqspec, or below XDG_CACHE_HOME if that is set.
An answer is used only for the same rules, certificates, solver and Python, and a line on standard
error says so. --recheck proves again. Answers unused for {UNUSED_DAYS} days are removed, and the
oldest beyond {MEBIBYTES_MAX} MiB.

Exit codes: 0 analysed, or what --require names holds; 1 it is refuted; 2 it is undecided, vacuous
or disputed, or nothing is decided about a group; 3 bad input: every bad file is reported.
"""


@click.command(name="check", epilog=EPILOG)
@click.argument("paths", nargs=-1, metavar=PATHS)
@add_broker_options()
@add_check_options
@add_reading_options
def command(  # noqa: PLR0913, PLR0917
    paths: tuple[str, ...],
    version: Version,
    is_all: bool,
    output: str,
    is_json: bool,
    require: list[tuple[str, str]],
    timelines: int | None,
    changes: list[SettingChange],
    slaves: int | None,
    is_recheck: bool,
    is_strict: bool,
    **consumers: Any,
) -> int:
    """Show what each broker group can lose, after which failures, and what to do."""
    output = "json" if is_json else output
    changed = apply_to_consumers(consumers, changes)
    given, warnings = read(paths, version, is_strict=is_strict)
    configured = assume_all(given, slaves)
    deployments = change_all(configured, changes)
    memory = Memory(get_folder(), is_recalling=not is_recheck)
    is_everything = output == "text" and (is_all or timelines is not None)
    with show_progress() as progress:
        asked = GroupQuestions(changed, memory, progress, is_known=slaves is not None)
        answers = asked.gather(deployments)
        if is_everything:
            asked.print_everything(
                configured, deployments, version, warnings, timelines, changes, answers
            )
        elif output == "json":
            click.echo(asked.render_json(deployments, version, warnings, answers))
        else:
            given_before = GroupQuestions(consumers, memory, progress, is_known=slaves is not None)
            before = given_before.gather(configured) if changes else ()
            words = repeat_words(paths, version, changes, slaves) + repeat_consumers(**consumers)
            text = render(output, answers, before, warnings, version, words)
            progress.clear()
            click.echo(text, color=False if "NO_COLOR" in os.environ else None)
        code = asked.judge_required(require, deployments) if require else judge(answers)
        tell_remembered(memory, progress)
    return code


def judge(answers: Sequence[ShortAnswer]) -> int:
    """The exit code where nothing is required."""
    is_decided = all(summary.is_decided for answer in answers for summary in answer.summaries)
    return exit_codes.ANALYSED if is_decided else exit_codes.UNDECIDED
