"""Consumers in ``rmqspec check --all``: where they read, and what can happen there."""

from __future__ import annotations

from collections.abc import Iterable

from rich import box
from rich.console import Console
from rich.table import Table

from command_line.answers.long.tables import fit_table, print_world
from command_line.output.width import echo
from properties.scenarios.analysis.reading import ReadingAnalysis, explain_ratio
from properties.scenarios.reading_claims import READING_CLAIMS


def print_readings(console: Console, analyses: Iterable[ReadingAnalysis]) -> None:
    """Every kind of consumers; a table that was printed before is not repeated."""
    told: set[str] = set()
    for analysis in analyses:
        print_reading(console, analysis)
        world = analysis.from_last
        if world is None:
            echo("  No table holds for slow consumers at the master and others at a slave.")
        elif world.structure.name in told:
            echo("  While such a consumer reads, the table above holds.")
        else:
            print_world(console, world)
            print_from_first(analysis)
            told.add(world.structure.name)


def print_from_first(analysis: ReadingAnalysis) -> None:
    """The verdicts that differ for groups that begin at the first message."""
    last, first = analysis.from_last, analysis.from_first
    assert last is not None
    assert first is not None
    differing: dict[tuple[str, str], list[str]] = {}
    for one, other in zip(last.verdicts, first.verdicts, strict=True):
        if one.word is not other.word:
            differing.setdefault((other.guarantee, other.word.value), []).append(other.fault)
    for (guarantee, word), columns in differing.items():
        told = f"{guarantee} is {word} under {', '.join(columns)}"
        echo(f"  With CONSUME_FROM_FIRST_OFFSET {told}.")


def print_reading(console: Console, analysis: ReadingAnalysis) -> None:
    """Where pulls go, by the claims about reading and by each broker's file."""
    echo(f"\n{describe_consumers(analysis)}")
    if not analysis.consumers.options.is_consume_enabled:
        echo("  consumeEnable=false: every pull is refused (NO_PERMISSION) until it is true.")
    for name, run in analysis.claims.items():
        sentence = READING_CLAIMS[name].sentence.replace("``", "")
        told = "yes" if run is None else f"no, pulls go {', then '.join(map(str, run))}"
        echo(f"  {sentence} ({told})")
    table = make_broker_table(analysis)
    fit_table(table, console.width)
    console.print(table)
    print_memory(analysis)


def describe_consumers(analysis: ReadingAnalysis) -> str:
    """Of which groups, with which options, and where they find brokers."""
    names, options = analysis.consumers.names, analysis.consumers.options
    groups = ", ".join(names) if names else "a subscription group"
    route = ", ".join(map(str, analysis.deployment.route))
    return (
        f"Consumers of {groups} with brokerId={options.broker_id}, "
        f"whichBrokerWhenConsumeSlowly={options.slow_broker_id}; brokers {route}:"
    )


def make_broker_table(analysis: ReadingAnalysis) -> Table:
    """Where each broker sends consumers, by its own file."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 0), pad_edge=False)
    for head in (
        "pull at the",
        "slaveReadEnable",
        "next pull goes to",
        "if further back than",
        "to",
        "an offset it does not have",
    ):
        table.add_column(head)
    for each in analysis.brokers:
        table.add_row(
            each.name,
            str(each.is_open).lower(),
            f"broker {each.near_broker}",
            f"{each.memory_bytes:,} bytes ({each.ratio} %)",
            f"broker {each.slow_broker}",
            "is moved" if each.is_offset_moved else "stays, and is asked for again at once",
        )
    return table


def print_memory(analysis: ReadingAnalysis) -> None:
    """The assumed or given memory, and the meaning of unusual ratios."""
    question = analysis.question
    is_assumed = question.total_memory_bytes is None
    source = "assumed; --total-memory-bytes tells it" if is_assumed else "as told"
    echo(
        f"  % is accessMessageInMemoryMaxRatio, of a memory of {question.memory_bytes:,} bytes "
        f"({source}), and counts from the log's end to the last message looked at."
    )
    for ratio in dict.fromkeys(each.ratio for each in analysis.brokers):
        meaning = explain_ratio(ratio)
        if meaning is not None:
            echo(f"  {ratio} %: {meaning}.")
