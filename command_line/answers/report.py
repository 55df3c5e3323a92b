"""The long answer of ``rmqspec check`` for people: tables, reasons, the most telling timelines.

With ``--what-if`` it lists the verdicts that change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import click
from attrs import frozen
from rich.console import Console
from rich.markup import escape

from command_line.answers.reading_report import print_readings
from command_line.answers.restrictions import print_resting
from command_line.answers.world_report import print_tables, print_world
from command_line.output.width import echo, get_width
from properties.checkout import name_page
from properties.generated_text import count_steps
from properties.scenarios.reading_analysis import ReadingQuestion, analyse_readings
from properties.schedules.judgement import replay
from properties.schedules.telling import draw_steps
from properties.verdicts.analysis import MODEL_LIMITS, GroupAnalysis, describe_configuration
from properties.verdicts.certified_cells import describe
from properties.verdicts.expectations import find_expectation
from properties.verdicts.findings.disputes import list_disputing
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.verdicts.world_analysis import WorldAnalysis, list_differing
from properties.worlds.replication.fault_models import FAULT_MODEL_BY_NAME, FAULT_MODELS, is_losing
from properties.worlds.replication.world import CLAIMS, CONVERGENCE, GUARANTEES
from reference.configuration.broker_group import BrokerGroup, ConfigurationWarning, Deployment
from reference.decisions.outage import compute_outage, describe_outage
from reference.releases.versions import USUAL_VERSION, Version
from reference.worlds.replication.parameters import SIZE_KEYS, clip_sizes


@frozen
class TurnedCells:
    """A guarantee whose verdict changes under some fault models."""

    guarantee: str
    before: str
    """A verdict's word."""
    after: str
    faults: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.guarantee}: {self.before} -> {self.after} under {', '.join(self.faults)}"


def list_turns(before: GroupAnalysis, after: GroupAnalysis) -> Iterator[TurnedCells]:
    """Every change of a verdict's word; another number of steps does not count."""
    turned: dict[tuple[str, str, str], list[str]] = {}
    known = {(v.guarantee, v.fault): name_word(v) for v in before.verdicts}
    for verdict in after.verdicts:
        was, word = known.get((verdict.guarantee, verdict.fault)), name_word(verdict)
        if was is not None and was != word:
            turned.setdefault((verdict.guarantee, was, word), []).append(verdict.fault)
    for (guarantee, was, word), faults in turned.items():
        yield TurnedCells(guarantee, was, word, tuple(faults))


def name_word(verdict: Verdict) -> str:
    """The word of a verdict, marked if it is vacuous."""
    if verdict.disputed:
        return verdict.dispute
    return verdict.word.value + (" (vacuous)" if verdict.is_vacuous else "")


def tell_changes(what: str, pairs: Iterable[tuple[GroupAnalysis, GroupAnalysis]]) -> Iterator[str]:
    """The lines about what another setting changes, for groups before and after."""
    turns = list(dict.fromkeys(t for before, after in pairs for t in list_turns(before, after)))
    if not turns:
        yield f"What {what} changes in the tables of the log: no verdict."
        return
    yield f"What {what} changes in the tables of the log:"
    yield from (f"  {turn}" for turn in turns)


TABLE_WIDTH = 132
"""Width of the tables in a pipe, where every column of the stock pair has room."""

LEGEND = (
    "proved: for all offsets and sizes; refuted: by the shortest schedule, searched in a log of a "
    "few bytes with each fault at most twice, and replayed with your sizes where one file is "
    "enough; not promised here: "
    "RocketMQ's documentation does not promise it for these settings."
)


TABLES = (
    ("while nothing is lost", tuple(c for c in FAULT_MODELS if not is_losing(c))),
    ("when power, disk or writes fail", tuple(c for c in FAULT_MODELS if is_losing(c))),
)
"""The columns of each of the two tables of a group."""

BYTES_AT_RISK = (
    "Bytes at risk when the master loses power (derived from 4.4.0's flush timers, K-08, not "
    "proved): at rest less than 20,480 bytes, for at most about 10.5 s; under load, besides, what "
    "is appended while one force runs. On a slave with ASYNC_FLUSH 500 ms of traffic more."
)

READING_NOTE = (
    "Single pulls, consumers and delayed messages are those of 4.4.0; "
    f"{name_page('versions.md')} lists what later releases change there."
)

TELLING_ORDER = (
    "acknowledgement_is_truthful",
    "acknowledged_is_kept_on_some_broker",
    "equal_offsets_mean_equal_bytes",
    "acknowledged_is_held_twice",
    "acknowledged_is_kept_on_master",
    "slave_is_prefix_of_master",
    "dispatch_reaches_the_end",
    "slaves_reach_the_masters_end",
    "slaves_come_to_hold_everything",
    "read_is_kept_on_some_broker",
    "read_is_kept_on_master",
    "flush_reaches_the_end",
)
"""Which refuted guarantee says most to an operator; broken promises come before other losses."""


def make_console() -> Console:
    """Standard output, as wide as the terminal; colours only there."""
    return Console(highlight=False, width=get_width() or TABLE_WIDTH)


def print_head(version: Version, warnings: tuple[ConfigurationWarning, ...]) -> None:
    """The modelled RocketMQ, and warnings about the files."""
    echo(f"Model of {version.describe()}; master/slave replication.")
    if version != USUAL_VERSION:
        echo(READING_NOTE)
    for warning in warnings:
        click.echo(f"warning: {warning}", err=True)


def print_limits() -> None:
    """How to read the table, and what the answers do not cover."""
    echo(f"\nHow to read it: {LEGEND}")
    echo("\nLimits of these answers:")
    for limit in MODEL_LIMITS:
        echo(f"  - {limit}")


def print_pairs(pairs: Sequence[WorldAnalysis]) -> None:
    """What holds for every master with a slave, whatever is configured.

    A table that differs from the previous one in a few verdicts is printed as these.
    """
    before: WorldAnalysis | None = None
    for pair in pairs:
        echo(f"\nWhatever is configured, {pair.title}:")
        differing = None if before is None else list_differing(before, pair)
        if before is None or differing is None:
            print_world(make_console(), pair)
        else:
            echo(f"  The same as {before.title}, but for these:")
            for v in differing:
                echo(f"  {v.guarantee}, {v.fault}: {describe(v)}. {pair.get_reason(v)}")
        before = pair


def print_deployment(
    deployment: Deployment,
    analyses: dict[Any, GroupAnalysis],
    timelines: int,
    question: ReadingQuestion,
) -> None:
    """Every group of a deployment, identical ones once."""
    alike: dict[Any, list[BrokerGroup]] = {}
    for group in deployment.groups:
        alike.setdefault(group.same_behaviour_key(), []).append(group)
    for key, groups in alike.items():
        print_group(deployment, groups, analyses[key], timelines)
        print_readings(make_console(), analyse_readings(groups, question), question)


def print_group(
    deployment: Deployment, groups: list[BrokerGroup], analysis: GroupAnalysis, timelines: int
) -> None:
    """The table of one behaviour, with its reasons and timelines."""
    names = ", ".join(f"{g.cluster}/{g.broker_name}" for g in groups)
    configuration = describe_configuration(groups[0])
    sizes = ", ".join(f"{key} {configuration[key]}" for key in SIZE_KEYS.values())
    console = make_console()
    is_pipe = get_width() is None
    console.print(f"\n[bold]{escape(deployment.name)}[/bold]: {escape(names)}", soft_wrap=is_pipe)
    echo(f"{analysis.structure.name}; {sizes}")
    for group in groups:
        echo(describe_outage(compute_outage(deployment, group)))
    for reason in analysis.outside_the_model:
        told = f"outside the model: {escape(reason)}"
        console.print(told, style="yellow", soft_wrap=is_pipe)
    if analysis.outside_the_model:
        console.print("undecided: every guarantee, under every fault model")
        return
    for title, fault_models in TABLES:
        print_tables(console, analysis, title, fault_models, GUARANTEES, CONVERGENCE)
    print_disputes(analysis.verdicts)
    print_resting(analysis.structure, analysis.verdicts)
    print_reasons(analysis)
    print_bytes_at_risk(analysis)
    for verdict in choose_telling(analysis, timelines):
        print_timeline(analysis, verdict)


def print_disputes(verdicts: Sequence[Verdict]) -> None:
    """What real brokers do that the rules leave out, if it disputes one of these verdicts."""
    findings = list_disputing(verdicts)
    if not findings:
        return
    count = sum(bool(v.disputed) for v in verdicts)
    echo(f"  {count} of {len(verdicts)} verdicts are disputed. They follow from the rules, but")
    page = name_page("disputed.md")
    echo(f"  real brokers do what the rules leave out ({page} has the evidence):")
    for finding in findings:
        echo(f"  {finding.id}: {finding.says}")


def print_bytes_at_risk(analysis: GroupAnalysis) -> None:
    """How much an ASYNC_FLUSH master may lose with its power: derived, not proved."""
    if not analysis.structure.is_sync_flush:
        echo(f"  {BYTES_AT_RISK}")


def print_reasons(analysis: GroupAnalysis) -> None:
    """One line per refuted or vacuous guarantee and reason."""
    told: set[tuple[str, str]] = set()
    for verdict in analysis.verdicts:
        if verdict.word is not VerdictWord.REFUTED and not verdict.is_vacuous:
            continue
        expected = find_expectation(verdict.guarantee, analysis.structure, verdict.fault)
        is_new = (verdict.guarantee, expected.reason) not in told
        if is_new and verdict.word is expected.verdict:
            told.add((verdict.guarantee, expected.reason))
            promise = "" if expected.is_claimed else " (not promised here)"
            echo(f"  {verdict.guarantee}{promise}: {expected.reason}")


def choose_telling(analysis: GroupAnalysis, count: int) -> list[Verdict]:
    """The refutations worth drawing: one per guarantee, broken promises first, few faults first."""
    chosen: list[Verdict] = []
    for is_claimed in (True, False):
        for name in TELLING_ORDER:
            refuted = [
                v
                for v in analysis.verdicts
                if v.guarantee == name
                and v.word is VerdictWord.REFUTED
                and find_expectation(name, analysis.structure, v.fault).is_claimed is is_claimed
            ]
            if refuted and all(c.guarantee != name for c in chosen):
                chosen.append(
                    min(refuted, key=lambda v: len(FAULT_MODEL_BY_NAME[v.fault].admitted))
                )
    return chosen[:count]


def print_timeline(analysis: GroupAnalysis, verdict: Verdict) -> None:
    """The schedule of a refuted verdict, drawn."""
    fault_model = FAULT_MODEL_BY_NAME[verdict.fault]
    sizes = clip_sizes(analysis.parameters) if verdict.is_scaled else analysis.parameters
    parameters = sizes.limit(fault_model.search_limits)
    names = dict.fromkeys((*GUARANTEES, verdict.guarantee))
    steps = replay(analysis.structure, parameters, verdict.schedule, names)
    faults = "no fault" if not fault_model.admitted else verdict.fault
    echo(f"\n{verdict.guarantee} fails after {count_steps(len(verdict.schedule))} ({faults}):")
    echo(f"  {CLAIMS[verdict.guarantee].sentence}")
    if verdict.is_scaled:
        echo(
            "  It takes more than one file, so it was not replayed with your sizes: "
            f"files of {sizes.mapped_file_size_bytes} bytes, "
            f"haSlaveFallbehindMax {sizes.ha_slave_fallbehind_max_bytes}."
        )
    click.echo(draw_steps(steps, get_width()))
