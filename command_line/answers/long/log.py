"""A group's log in ``rmqspec check --all``: tables, reasons, the most telling timelines."""

from __future__ import annotations

from collections.abc import Sequence

import click
from rich.markup import escape

from command_line.answers.long.tables import make_console, print_tables
from command_line.answers.restrictions import print_resting
from command_line.output.width import echo, get_width
from properties.checkout import name_page
from properties.generated_text import count_steps
from properties.language.world import ClaimedStructure
from properties.scenarios.analysis.group import GroupAnalysis
from properties.scenarios.analysis.log import (
    compute_parameters,
    compute_structure,
    describe_configuration,
)
from properties.schedules.judgement import replay
from properties.schedules.telling import draw_steps
from properties.verdicts.analysis import Analysis
from properties.verdicts.expectations import find_expectation
from properties.verdicts.findings.disputes import list_disputing
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds.replication.fault_models import FAULT_MODEL_BY_NAME, FAULT_MODELS, is_losing
from properties.worlds.replication.world import CLAIMS, CONVERGENCE, GUARANTEES
from reference.configuration.broker_group import Deployment
from reference.decisions.outage import compute_outage, describe_outage
from reference.worlds.replication.parameters import SIZE_KEYS, Parameters, clip_sizes

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


def print_logs(deployment: Deployment, alike: Sequence[GroupAnalysis], timelines: int) -> None:
    """The table of groups that behave alike, with its reasons and timelines."""
    groups, analysis = [each.group for each in alike], alike[0].log
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
    if not compute_structure(groups[0]).is_sync_flush:
        echo(f"  {BYTES_AT_RISK}")
    for verdict in choose_telling(analysis, timelines):
        print_timeline(analysis.structure, compute_parameters(groups[0]), verdict)


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


def print_reasons(analysis: Analysis) -> None:
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


def choose_telling(analysis: Analysis, count: int) -> list[Verdict]:
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


def print_timeline(structure: ClaimedStructure, parameters: Parameters, verdict: Verdict) -> None:
    """The schedule of a refuted verdict, drawn."""
    fault_model = FAULT_MODEL_BY_NAME[verdict.fault]
    sizes = clip_sizes(parameters) if verdict.is_scaled else parameters
    names = dict.fromkeys((*GUARANTEES, verdict.guarantee))
    steps = replay(structure, sizes.limit(fault_model.search_limits), verdict.schedule, names)
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
