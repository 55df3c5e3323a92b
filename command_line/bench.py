"""``rmqspec bench``: reference and kernel measured in one run, with spread."""

from __future__ import annotations

import json
import os
import platform
import statistics
import time
from importlib.metadata import version
from typing import Any

import attrs
import click

from reference import ROCKETMQ_VERSION
from reference.machine import compute_machine
from reference.structure import Structure
from reference.world import make_initial
from spark_fuzz.kernel import compile_kernel
from spark_fuzz.schedule import CampaignOptions
from spark_fuzz.schedule_replay import replay_schedule

PACKAGES = ("attrs", "numba", "numpy", "z3-solver", "hypothesis", "pyspark")

EPILOG = """\b
Examples:
  rmqspec bench
  rmqspec bench --slaves 2 --repeat 9 --json
"""


@click.command(name="bench", epilog=EPILOG)
@click.option("--slaves", default=1, show_default=True, type=click.IntRange(0, 2))
@click.option("--repeat", default=5, show_default=True, type=click.IntRange(2, 100))
@click.option("--json", "is_json", is_flag=True, help="Print JSON for programs.")
def command(slaves: int, repeat: int, is_json: bool) -> None:
    """Measure judged steps per second of the reference and of the kernel."""
    options = CampaignOptions(Structure(slaves=slaves))
    rates = {
        "reference": [measure_reference(options, seed) for seed in range(repeat)],
        "reference, replaying": [measure_replay(options, seed) for seed in range(repeat)],
        "kernel": measure_kernel(options, repeat),
    }
    if is_json:
        click.echo(json.dumps({**describe_machine(), "steps_per_second": rates}, indent=1))
        return
    click.echo(f"Model of RocketMQ {ROCKETMQ_VERSION}: {options.structure.name}.")
    for key, value in describe_machine().items():
        click.echo(f"  {key}: {value}")
    click.echo(
        "Steps per second, one core. Reference and kernel compute the enabled set and judge all "
        "guarantees at every step; replaying takes given steps and judges nothing:"
    )
    for name, measured in rates.items():
        low, high = min(measured), max(measured)
        middle = statistics.median(measured)
        click.echo(
            f"  {name:20} median {middle:14,.0f}   lowest {low:14,.0f}   highest {high:14,.0f}"
        )


def measure_reference(options: CampaignOptions, seed: int) -> float:
    """Judged steps per second of the reference: 40 schedules, enabled sets computed."""
    seeded = attrs.evolve(options, campaign_seed=seed)
    started = time.perf_counter()
    steps = sum(len(replay_schedule(seeded, number)) - 1 for number in range(40))
    return steps / (time.perf_counter() - started)


def measure_replay(options: CampaignOptions, seed: int) -> float:
    """Given steps per second of the reference: 40 schedules, nothing enumerated or judged."""
    seeded = attrs.evolve(options, campaign_seed=seed)
    machine = compute_machine(options.structure)
    schedules = [[s.action for s in replay_schedule(seeded, n) if s.action] for n in range(40)]
    started = time.perf_counter()
    for schedule in schedules:
        cluster = make_initial(options.structure, options.parameters)
        for action in schedule:
            cluster = machine.step(cluster, action).cluster
    return sum(map(len, schedules)) / (time.perf_counter() - started)


def measure_kernel(options: CampaignOptions, repeat: int) -> list[float]:
    """Judged steps per second of the compiled kernel: 50,000 schedules each, already compiled."""
    kernel = compile_kernel(options.structure)
    kernel.run(options, 0, 100)
    rates = []
    for seed in range(repeat):
        seeded = attrs.evolve(options, campaign_seed=seed)
        started = time.perf_counter()
        batch = kernel.run(seeded, 0, 50_000)
        rates.append(float(batch.steps.sum()) / (time.perf_counter() - started))
    return rates


def describe_machine() -> dict[str, Any]:
    """What the figures were measured on."""
    return {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}",
        "python": platform.python_version(),
        "packages": ", ".join(f"{p} {version(p)}" for p in PACKAGES),
    }
