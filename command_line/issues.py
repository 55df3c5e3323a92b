"""``rmqspec issues``: the catalogue of known issues, and each of them drawn."""

from __future__ import annotations

import json

import attrs
import click
from rich import box
from rich.console import Console
from rich.table import Table

from command_line.output import exit_codes
from properties.exports.itf import ISSUE_FOLDER, SUFFIX
from properties.scenarios.known_issues.catalogue import (
    Entry,
    Outside,
    find_entries,
    load_catalogue,
    load_outside,
)
from properties.scenarios.known_issues.decisions import Decision
from properties.scenarios.known_issues.scenario import CERTAINTIES, Scenario
from properties.scenarios.known_issues.telling import (
    HEADS,
    as_json,
    describe_case,
    describe_configuration,
    describe_length,
    describe_repairs,
    describe_seen,
    draw,
    join_note,
    list_lines,
    tell_scenario,
)

EPILOG = """\b
Examples:
  rmqspec issues             # all of them, as a table
  rmqspec issues 6767        # one by its number, drawn step by step
  rmqspec issues ali#359     # of the tracker of alibaba/rocketmq
  rmqspec issues outrun_by_retention --json

Exit codes: 0 told, 3 bad input (no such issue).
"""

WORDS, LISTS = HEADS[1], HEADS[2:]
"""What happens; and the columns of names, which are not broken."""
WORDS_WIDTH_MIN = 40
TABLE_WIDTH_MIN = 170


@click.command(name="issues", epilog=EPILOG)
@click.argument("issue", required=False, metavar="[ISSUE]")
@click.option("--json", "is_json", is_flag=True, help="Print JSON for programs.")
def command(issue: str | None, is_json: bool) -> int:
    """List the known issues that the model shows, or tell one of them step by step."""
    entries = load_catalogue() if issue is None else find_entries(issue)
    if is_json:
        click.echo(json.dumps([as_json(entry) for entry in entries], indent=1))
    elif issue is None:
        print_table(entries)
    else:
        click.echo("\n\n".join(describe(entry) for entry in entries))
    return exit_codes.ANALYSED


def print_table(entries: tuple[Entry, ...]) -> None:
    """A row for each issue that is a scenario or a decision, and how many are neither."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 0), pad_edge=False)
    for head in HEADS:
        width = WORDS_WIDTH_MIN if head == WORDS else None
        table.add_column(head, no_wrap=head in LISTS, min_width=width)
    for line in list_lines(entries):
        cells = zip(HEADS, attrs.astuple(line), strict=True)
        table.add_row(*(c.replace(", ", "\n") if head in LISTS else c for head, c in cells))
    Console(highlight=False, width=max(Console().width, TABLE_WIDTH_MIN)).print(table)
    outside = ", ".join(each.sources[0] for each in load_outside())
    click.echo(f"Outside of the model, each with its reason in spec/known_issues.md: {outside}.")


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
    """Where it happens, its timeline and sentences, what repairs it, and how to replay it."""
    file = f"issues/{ISSUE_FOLDER}/{scenario.name}{SUFFIX}"
    return [
        f"{describe_configuration(scenario)}.",
        describe_length(scenario),
        "",
        draw(scenario),
        "",
        *(str(sentence) for sentence in tell_scenario(scenario)),
        "",
        *(f"Under {line}" for line in describe_repairs(scenario)),
        f"To replay it: ./rmqspec export itf --out issues --issues && ./rmqspec replay {file}",
    ]


def describe_decision(decision: Decision) -> list[str]:
    """The question, who decides it, and the cases."""
    return [
        f"{decision.question.sentence} ({decision.question.decided_by})",
        *(f"  {describe_case(case)}" for case in decision.cases),
    ]
