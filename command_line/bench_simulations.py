"""The second half of ``rmqspec bench --peers``: random schedules in TLC's simulator and here."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from typing import Any

import attrs
import click
from attrs import frozen

from properties.exports.tla import write_module
from properties.exports.tlc import measure_start, simulate
from properties.subject import get_every_fault, get_search_parameters, get_small_parameters
from properties.worlds import KNOWN_STRUCTURES
from reference.world import make_initial

SIMULATED = "SYNC_MASTER/ASYNC_FLUSH/1 slave"
SCHEDULE_STEPS, TLC_SCHEDULES, OUR_SCHEDULES = 64, 20_000, 500_000


@frozen
class SimulationMeasure:
    """Random schedules of one structure in one engine."""

    engine: str
    steps: int
    seconds: float

    @property
    def steps_per_second(self) -> float:
        """Steps taken."""
        return self.steps / self.seconds


def measure_simulations(line: Callable[[str], None]) -> list[SimulationMeasure]:
    """Schedules of 64 steps of the stock pair under every fault, in TLC's simulator and here."""
    structure = KNOWN_STRUCTURES[SIMULATED]
    column = get_every_fault(structure)
    module = write_module(structure, column, get_small_parameters(structure))
    line("random schedules: TLC")
    states, seconds = simulate(module, TLC_SCHEDULES, SCHEDULE_STEPS)
    theirs = SimulationMeasure("TLC -simulate", states, seconds - measure_start(module))
    line("random schedules: kernel")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return [pool.apply(simulate_here), theirs]


def simulate_here() -> SimulationMeasure:
    """The kernel's schedules in this process, all guarantees judged at every step."""
    from spark_fuzz.kernel import compile_kernel  # noqa: PLC0415
    from spark_fuzz.schedule import CampaignOptions  # noqa: PLC0415

    structure = KNOWN_STRUCTURES[SIMULATED]
    begin = make_initial(structure, get_search_parameters(structure, get_every_fault(structure)))
    options = CampaignOptions(structure, steps=SCHEDULE_STEPS)
    kernel = compile_kernel(structure)
    kernel.run(options, 0, 100, begin=begin)
    started = time.perf_counter()
    batch = kernel.run(options, 0, OUR_SCHEDULES, begin=begin)
    seconds = time.perf_counter() - started
    return SimulationMeasure("rmqspec kernel", int(batch.steps.sum()), seconds)


def print_simulations(measures: list[SimulationMeasure]) -> None:
    """One line for each engine."""
    click.echo(
        f"\nRandom schedules of {SIMULATED}, every fault, {SCHEDULE_STEPS} steps each, one core"
    )
    click.echo("Only the kernel judges the guarantees, at every step.")
    for m in measures:
        click.echo(f"  {m.engine:16}{m.steps:13,} steps{m.steps_per_second:13,.0f} steps/s")


def simulations_as_json(measures: list[SimulationMeasure]) -> list[dict[str, Any]]:
    """The figures for programs."""
    return [{**attrs.asdict(m), "steps_per_second": m.steps_per_second} for m in measures]
