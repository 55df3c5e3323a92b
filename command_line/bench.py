"""``rmqspec bench``: speed of reference, kernel, campaign and search, with its spread."""

from __future__ import annotations

import json
import os
import platform
import statistics
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

import attrs
import click

from command_line.benchmarks.against import comparison_as_json, measure_against, print_comparison
from command_line.benchmarks.engines import (
    CampaignMeasure,
    count_steps,
    measure_campaign,
    measure_compiled,
    measure_compiled_replay,
    measure_kernel,
    measure_reference,
    measure_replay,
    measure_search,
    measure_two_kernels,
)
from command_line.benchmarks.floor import (
    RECORD,
    SHARE,
    format_record,
    judge_paces,
    measure_paces,
    measure_until_enough,
    paces_as_json,
    print_paces,
    read_record,
)
from command_line.options.shared_options import describe_model
from command_line.output import exit_codes
from command_line.output.checkout import check_is_checkout
from command_line.output.progress import ProgressLine, show_progress
from properties.worlds.replication.world import ClaimedGroup
from spark_fuzz.campaign.schedule import STEPS_MAX, CampaignOptions
from spark_fuzz.kernel.kernel import compile_kernel

PACKAGES = ("attrs", "numpy", "z3-solver", "hypothesis", "pyspark", "pyarrow")
KERNEL_SCHEDULES = 50_000

EPILOG = """\b
Examples:
  rmqspec bench
  rmqspec bench --slaves 2 --repeat 2 --json
  rmqspec bench --campaign-seconds 10        # also a campaign, against two kernels at once
  rmqspec bench --against HEAD~1             # this commit and another one, in turns
  rmqspec bench --floor                      # is it as fast as recorded, whatever the machine
  rmqspec bench --record-floor               # after a change that is worth its price

Exit codes: 0 measured; 1 with --floor if an engine has become too slow; 3 there is no other commit
to compare with, or no record.
"""


@click.command(name="bench", epilog=EPILOG)
@click.option(
    "--slaves",
    default=1,
    show_default=True,
    type=click.IntRange(0, 2),
    help="How many slaves the measured group has.",
)
@click.option(
    "--repeat",
    default=5,
    show_default=True,
    type=click.IntRange(2, 100),
    help="How often each engine is measured.",
)
@click.option(
    "--steps",
    default=64,
    show_default=True,
    type=click.IntRange(1, STEPS_MAX),
    help="Steps of a schedule in which faults may happen.",
)
@click.option(
    "--healing-steps",
    default=0,
    show_default=True,
    type=click.IntRange(0, STEPS_MAX),
    help="Steps of a schedule after its last fault.",
)
@click.option("--swarm/--alike", "is_swarm", default=False, help="As in `rmqspec fuzz`.")
@click.option(
    "--campaign-seconds",
    default=0,
    show_default=True,
    type=click.IntRange(0, 86_400),
    help="Measure a campaign of about so many seconds; needs Java; 0: none.",
)
@click.option(
    "--against",
    "commit",
    metavar="COMMIT",
    help="Measure only kernel and reference, of this commit and another one in turns.",
)
@click.option(
    "--floor",
    "is_floor",
    is_flag=True,
    help=f"Check only that kernel and reference have {SHARE:.0%} of their recorded speed.",
)
@click.option(
    "--record-floor", "is_recording", is_flag=True, help="Record the speed that --floor expects."
)
@click.option("--json", "is_json", is_flag=True, help="Print JSON for programs.")
def command(  # noqa: PLR0913, PLR0917
    slaves: int,
    repeat: int,
    steps: int,
    healing_steps: int,
    is_swarm: bool,
    campaign_seconds: int,
    commit: str | None,
    is_floor: bool,
    is_recording: bool,
    is_json: bool,
) -> int:
    """Measure steps per second of reference, kernel and campaign, states per second of search."""
    if sum((commit is not None, is_floor, is_recording)) > 1:
        raise click.UsageError("--against, --floor and --record-floor exclude each other")
    if is_recording:
        check_is_checkout("bench --record-floor")
    if is_floor or is_recording:
        return show_floor(is_json) if is_floor else record_floor()
    walks: dict[str, Any] = {"steps": steps, "healing_steps": healing_steps, "is_swarm": is_swarm}
    if commit is not None:
        check_is_checkout("bench --against")
        return show_against(commit, {"slaves": slaves, **walks}, repeat, is_json)
    options = CampaignOptions(ClaimedGroup(slaves=slaves), **walks)
    with show_progress() as line:
        rates = measure_rates(options, repeat, line)
        campaign = None
        if campaign_seconds:
            line("campaign")
            pace = statistics.median(rates["two kernels at once"])
            campaign = measure_campaign(options, plan_schedules(options, pace * campaign_seconds))
    if is_json:
        click.echo(json.dumps(as_json(options, rates, campaign), indent=1))
        return exit_codes.ANALYSED
    print_rates(options, rates)
    if campaign:
        print_campaign(campaign, rates)
    return exit_codes.ANALYSED


def show_against(commit: str, given: Mapping[str, Any], rounds: int, is_json: bool) -> int:
    """Measure another commit and this one, and print both."""
    with show_progress() as line:
        names, comparisons = measure_against(commit, given, rounds, line)
    if is_json:
        answer: dict[str, Any] = {**describe_machine(), "options": dict(given)}
        answer |= {"commits": list(names)}
        answer |= {"engines": [comparison_as_json(c) for c in comparisons]}
        click.echo(json.dumps(answer, indent=1))
        return exit_codes.ANALYSED
    print_machine()
    click.echo(
        f"Judged steps per second of processor time; {rounds} rounds, a process of each commit in "
        "each."
    )
    for comparison in comparisons:
        print_comparison(comparison, names)
    return exit_codes.ANALYSED


def show_floor(is_json: bool) -> int:
    """Measure what has a record; print the speed and whether it is enough."""
    recorded = read_record()
    with show_progress() as line:
        paces = measure_until_enough(recorded, line)
    if is_json:
        answer = {**describe_machine(), "engines": paces_as_json(paces, recorded)}
        click.echo(json.dumps(answer, indent=1))
    else:
        print_paces(paces, recorded)
    return judge_paces(paces, recorded)


def record_floor() -> int:
    """Measure what has a record, and record it."""
    with show_progress() as line:
        paces = measure_paces(line)
    RECORD.write_text(format_record(paces, describe_machine()), encoding="utf-8")
    click.echo(f"{RECORD}: {', '.join(f'{p.engine} {p.ratio:.4g}' for p in paces)}")
    return exit_codes.ANALYSED


def measure_rates(
    options: CampaignOptions, repeat: int, line: ProgressLine
) -> dict[str, list[float]]:
    """Each engine so often; steps per second, or states."""
    engines: dict[str, Callable[[int], float]] = {
        "reference": lambda seed: measure_reference(options, seed),
        "reference, replaying": lambda seed: measure_replay(options, seed),
        "compiled rules": lambda seed: measure_compiled(options, seed),
        "compiled, replaying": lambda seed: measure_compiled_replay(options, seed),
        "kernel": lambda seed: measure_kernel(options, seed, KERNEL_SCHEDULES),
        "two kernels at once": lambda seed: measure_two_kernels(options, seed, KERNEL_SCHEDULES),
        "breadth-first search": lambda seed: measure_search(options.structure),
    }
    rates = {}
    for number, (name, measure) in enumerate(engines.items()):
        line.advance(number, len(engines), name)
        rates[name] = [measure(seed) for seed in range(repeat)]
    return rates


def plan_schedules(options: CampaignOptions, steps: float) -> int:
    """How many schedules take about so many steps."""
    sample = compile_kernel(options.structure).run(options, 0, 1000)
    return max(1000, int(steps * 1000 / count_steps(sample)))


def as_json(
    options: CampaignOptions, rates: dict[str, list[float]], campaign: CampaignMeasure | None
) -> dict[str, Any]:
    """The figures for programs."""
    searched = rates["breadth-first search"]
    return {
        **describe_machine(),
        "options": options.format_identifier(0),
        "steps_per_second": {n: r for n, r in rates.items() if r is not searched},
        "states_per_second": searched,
        "campaign": campaign
        and {**attrs.asdict(campaign), "steps_per_second": campaign.steps_per_second},
    }


def print_rates(options: CampaignOptions, rates: dict[str, list[float]]) -> None:
    """A line for each engine."""
    click.echo(f"{describe_model(options.structure)}.")
    print_machine()
    click.echo(
        "Steps per second. Reference, compiled rules and kernel compute the enabled set and judge\n"
        "all guarantees at every step; replaying takes given steps and judges nothing; search,\n"
        "under every fault, finds distinct states per second and judges each:"
    )
    for name, measured in rates.items():
        low, high = min(measured), max(measured)
        middle = statistics.median(measured)
        click.echo(
            f"  {name:20} median {middle:14,.0f}   lowest {low:14,.0f}   highest {high:14,.0f}"
        )
    ratio = statistics.median(rates["kernel"]) / statistics.median(rates["reference"])
    engine = compile_kernel(options.structure).describe_engine()
    click.echo(f"The kernel ({engine}) is {ratio:,.0f} times as fast as the reference.")


def print_campaign(campaign: CampaignMeasure, rates: dict[str, list[float]]) -> None:
    """The cost of Spark and of the files."""
    share = campaign.steps_per_second / statistics.median(rates["two kernels at once"])
    half, end = campaign.workers_mib
    click.echo(
        f"Campaign of {campaign.schedules:,} schedules on two local cores: {campaign.steps:,} "
        f"steps in {campaign.seconds:.1f} s,\n"
        f"  {campaign.steps_per_second:,.0f} steps per second, {share:.0%} of two kernels at once; "
        f"first unit after {campaign.first_progress_seconds:.1f} s;\n"
        f"  workers hold {half} MiB half-way and {end} MiB at the end."
    )


def print_machine() -> None:
    """The machine and the packages, a line each."""
    for key, value in describe_machine().items():
        click.echo(f"  {key}: {value}")


def describe_machine() -> dict[str, Any]:
    """The machine and the packages of the measurement."""
    return {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}",
        "python": platform.python_version(),
        "packages": ", ".join(f"{p} {version(p)}" for p in PACKAGES),
    }
