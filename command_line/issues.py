"""``rmqspec issues``: the catalogue of known issues, each of them drawn, and those of a group."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import click
from rich import box
from rich.console import Console
from rich.table import Table

from command_line.answers.group_issues import (
    IssuesOfGroup,
    gather_issues,
    issues_as_json,
    render_decisions,
    render_issues,
)
from command_line.answers.long.tables import fit_table, measure_table
from command_line.options.broker_options import (
    PATHS,
    SettingChange,
    add_broker_options,
    apply_to_consumers,
    read_changed,
)
from command_line.options.reading_options import add_reading_options
from command_line.output import exit_codes
from command_line.output.progress import show_progress
from command_line.output.width import echo, get_prose_width, get_width, wrap, wrap_command
from properties.checkout import PROGRAM, name_page
from properties.exports.itf import ISSUE_FOLDER, SUFFIX
from properties.scenarios.known_issues.catalogue import (
    Entry,
    Outside,
    find_entries,
    load_catalogue,
    load_outside,
)
from properties.scenarios.known_issues.decisions import Decision
from properties.scenarios.known_issues.scenario import CERTAINTIES, IssueError, Scenario
from properties.scenarios.known_issues.telling import (
    HEADS,
    NOTHING,
    IssueLine,
    as_json,
    describe_case,
    describe_configuration,
    describe_length,
    describe_repairs,
    describe_seen,
    draw,
    join_note,
    list_lines,
    say_sources,
    tell_scenario,
)
from reference.releases.versions import USUAL_VERSION, Version

EPILOG = """\b
Examples:
  rmqspec issues                       # all of them, as a table
  rmqspec issues 6767                  # one by its number, drawn step by step
  rmqspec issues ali#359               # of the tracker of alibaba/rocketmq
  rmqspec issues outrun_by_retention --json
  rmqspec issues conf/2m-2s-sync       # which of them can happen to these groups
  rmqspec issues broker-a.properties --slaves 1
  rmqspec issues conf --what-if flushDiskType=SYNC_FLUSH
  rmqspec issues 6767 conf --rocketmq-version 4.9.8

An issue can happen to a group if its steps are possible under the group's rules and show it there.
It cannot if that is proved.

Exit codes: 0 listed; 2 nothing is decided about a group; 3 bad input (no such issue, or a bad file;
every bad file is reported).
"""

WORDS, LISTS = HEADS[1], HEADS[2:]
"""The column of what happens, and those of names, which are not broken."""
WORDS_WIDTH_MIN = 40
REPAIRS_NOTE = (
    "Repaired by: releases, and changes to the model that this project has tried ({page}), which "
    "are no settings of RocketMQ."
)
TABLE_WIDTH = 170
"""Width of the table in a pipe; more if names need it."""


@click.command(name="issues", epilog=EPILOG)
@click.argument("asked", nargs=-1, metavar=f"[ISSUE] {PATHS}")
@add_broker_options()
@add_reading_options
@click.option("--json", "is_json", is_flag=True, help="Print JSON for programs.")
def command(
    asked: tuple[str, ...],
    slaves: int | None,
    changes: list[SettingChange],
    version: Version,
    is_json: bool,
    **consumers: Any,
) -> int:
    """List known issues, draw one step by step, or say which can happen to your groups.

    Without files the options about groups are about an embedded pair.
    """
    issue, paths = split_asked(asked)
    entries = load_catalogue() if issue is None else find_entries(issue)
    consumers = apply_to_consumers(consumers, changes)
    is_about_groups = bool(paths or changes or slaves is not None or version != USUAL_VERSION)
    if is_about_groups or any(value is not None for value in consumers.values()):
        deployments = read_changed(paths, version, slaves, changes)
        with show_progress():
            found = list(
                gather_issues(entries, deployments, consumers, is_known=slaves is not None)
            )
        return print_groups(entries, found, is_one=issue is not None, is_json=is_json)
    if is_json:
        click.echo(json.dumps([as_json(entry) for entry in entries], indent=1))
    elif issue is None:
        print_table(entries)
    else:
        echo("\n\n".join(describe(entry) for entry in entries))
        print_sources(entries)
    return exit_codes.ANALYSED


def split_asked(asked: tuple[str, ...]) -> tuple[str | None, tuple[str, ...]]:
    """The issue that is asked for, if one is, and the files.

    The first word is an issue if the catalogue has it, or if no file has this name. Raises
    IssueError.
    """
    if not asked:
        return None, ()
    first, *others = asked
    try:
        find_entries(first)
    except IssueError:
        if first == "-" or "/" in first or "." in first or Path(first).exists():
            return None, asked
        raise
    return first, tuple(others)


def print_groups(
    entries: tuple[Entry, ...], found: list[IssuesOfGroup], *, is_one: bool, is_json: bool
) -> int:
    """Which issues can happen to each group; the exit code."""
    if is_json:
        click.echo(json.dumps([issues_as_json(each) for each in found], indent=1))
    else:
        if is_one:
            echo("\n\n".join(describe(entry) for entry in entries) + "\n")
        click.echo("\n\n".join("\n".join(render_issues(each)) for each in found))
        print_sources(entries)
        decided = "\n".join(render_decisions(() if is_one else entries))
        click.echo(f"\n{decided}" if decided else "", nl=bool(decided))
    is_open = any(each.reasons for each in found)
    return exit_codes.UNDECIDED if is_open else exit_codes.ANALYSED


def print_sources(entries: tuple[Entry, ...]) -> None:
    """A line on the sources that are no threads of a tracker, if there are any."""
    if told := say_sources(entries):
        echo(f"\n{told}")


def print_table(entries: tuple[Entry, ...]) -> None:
    """A row for each scenario or decision, and the issues that are neither.

    Where names have no room beside each other, an issue takes a few lines.
    """
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 0), pad_edge=False)
    for head in HEADS:
        width = WORDS_WIDTH_MIN if head == WORDS else None
        table.add_column(head, no_wrap=head in LISTS, min_width=width)
    lines = list_lines(entries)
    for line in lines:
        cells = zip(HEADS, attrs.astuple(line), strict=True)
        table.add_row(*(c.replace(", ", "\n") if head in LISTS else c for head, c in cells))
    needed, width = measure_table(table), get_width()
    if width is not None and width < needed:
        click.echo("\n\n".join("\n".join(list_cells(line)) for line in lines) + "\n")
    else:
        wide = max(needed, TABLE_WIDTH) if width is None else width
        fit_table(table, wide)
        Console(highlight=False, width=wide).print(table)
    outside = ", ".join(each.sources[0] for each in load_outside())
    page = name_page("known_issues.md")
    echo(f"Outside of the model, each with its reason in {page}: {outside}.")
    echo(REPAIRS_NOTE.format(page=name_page("variants.md")))
    echo(say_sources(entries))


def list_cells(line: IssueLine) -> Iterator[str]:
    """The lines about an issue where the table has no room."""
    width = get_prose_width()
    issue, what, *cells = attrs.astuple(line)
    yield from wrap(f"{issue}: {what}", width, "", "  ")
    for head, cell in zip(LISTS, cells, strict=True):
        if cell != NOTHING:
            yield from wrap(f"{head}: {cell}", width, "  ", "    ")


def describe(entry: Entry) -> str:
    """One issue as text."""
    head = f"{', '.join(entry.sources)}: {entry.title}."
    if isinstance(entry, Outside):
        return f"{head}\nOutside of the model: {entry.why}"
    parts = [head, f"The mechanism is {CERTAINTIES[entry.certainty]}."]
    if isinstance(entry, Scenario):
        parts += describe_scenario(entry)
    else:
        parts += describe_decision(entry)
    if entry.note:
        parts.append(join_note(entry.note))
    if entry.seen:
        parts.append("Seen on: " + ", ".join(describe_seen(entry)))
    return "\n".join(parts)


def describe_scenario(scenario: Scenario) -> list[str]:
    """Where it happens, its timeline and sentences, its repairs, and how to replay it."""
    file = f"issues/{ISSUE_FOLDER}/{scenario.name}{SUFFIX}"
    return [
        f"{describe_configuration(scenario)}.",
        describe_length(scenario),
        "",
        draw(scenario, get_width()),
        "",
        *(str(sentence) for sentence in tell_scenario(scenario)),
        "",
        *describe_repairs(scenario, in_page=name_page("variants.md")),
        "To replay it:",
        *wrap_command(f"{PROGRAM} export itf --out issues --issues", "  "),
        *wrap_command(f"{PROGRAM} replay {file}", "  "),
    ]


def describe_decision(decision: Decision) -> list[str]:
    """The question, the function that decides it, and the cases."""
    return [
        f"{decision.question.sentence} ({decision.question.decided_by})",
        *(f"  {describe_case(case)}" for case in decision.cases),
    ]
