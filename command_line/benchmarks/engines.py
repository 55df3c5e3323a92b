"""Measurements of ``rmqspec bench``: each engine with the same options."""

from __future__ import annotations

import multiprocessing
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
from attrs import frozen

from properties.language.world import ClaimedStructure
from reference.language.compiled import compile_predicate, compute_compiled_machine
from reference.language.dependencies import compute_dependencies
from reference.language.machine import Action, compute_machine
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.campaign.schedule_replay import replay_schedule
from spark_fuzz.campaign.store import SCHEDULES_PER_UNIT
from spark_fuzz.kernel.kernel import BatchResults, compile_kernel
from spark_fuzz.search.breadth_first import BreadthFirstSearch

REFERENCE_SCHEDULES = 40
STATES = 3_000_000
"""How many distinct states are searched."""


@frozen
class CampaignMeasure:
    """One campaign from the start of its job to its last unit, on a running Spark."""

    schedules: int
    steps: int
    seconds: float
    first_progress_seconds: float
    """Until the first unit was in place."""
    workers_mib: tuple[int, int]
    """Resident memory of all worker processes, in the middle and at the end."""

    @property
    def steps_per_second(self) -> float:
        """Judged steps, healing among them, all cores together."""
        return self.steps / self.seconds


def measure_reference(options: CampaignOptions, seed: int) -> float:
    """Judged steps per second of the reference, enabled sets computed."""
    seeded = attrs.evolve(options, campaign_seed=seed)
    started = time.perf_counter()
    steps = sum(len(replay_schedule(seeded, n)) - 1 for n in range(REFERENCE_SCHEDULES))
    return steps / (time.perf_counter() - started)


def measure_replay(options: CampaignOptions, seed: int) -> float:
    """Given steps per second of the reference, nothing enumerated or judged."""
    machine = compute_machine(options.structure)
    schedules = list_schedules(attrs.evolve(options, campaign_seed=seed))
    started = time.perf_counter()
    for schedule in schedules:
        cluster = options.structure.make_initial(options.parameters)
        for action in schedule:
            cluster = machine.step(cluster, action).cluster
    return sum(map(len, schedules)) / (time.perf_counter() - started)


def measure_compiled(options: CampaignOptions, seed: int) -> float:
    """Judged steps per second of the rules compiled to Python, enabled sets computed."""
    structure, machine = options.structure, compute_compiled_machine(options.structure)
    predicates = {name: claim.predicate for name, claim in structure.world.judged.items()}
    holds = {name: compile_predicate(structure, each) for name, each in predicates.items()}
    touched = compute_dependencies(structure).list_touched(predicates)
    schedules = list_schedules(attrs.evolve(options, campaign_seed=seed))
    machine.compile()
    started = time.perf_counter()
    for schedule in schedules:
        state = machine.encode(structure.make_initial(options.parameters))
        enabled = machine.list_enabled(state)
        for action in schedule:
            state = machine.take(state, action) or state
            machine.update_enabled(enabled, action.instance, state)
            for name in touched[action.instance]:
                holds[name](state)
    return sum(map(len, schedules)) / (time.perf_counter() - started)


def measure_compiled_replay(options: CampaignOptions, seed: int) -> float:
    """Given steps per second of the rules compiled to Python, nothing enumerated or judged."""
    machine = compute_compiled_machine(options.structure)
    schedules = list_schedules(attrs.evolve(options, campaign_seed=seed))
    machine.compile()
    started = time.perf_counter()
    for schedule in schedules:
        state = machine.encode(options.structure.make_initial(options.parameters))
        for action in schedule:
            state = machine.take(state, action) or state
    return sum(map(len, schedules)) / (time.perf_counter() - started)


def list_schedules(options: CampaignOptions) -> list[list[Action]]:
    """The steps of the first schedules of a campaign."""
    return [
        [s.action for s in replay_schedule(options, n) if s.action]
        for n in range(REFERENCE_SCHEDULES)
    ]


def count_steps(batch: BatchResults) -> int:
    """Judged steps of a batch, healing among them."""
    return int(batch.steps.sum() + batch.healing_steps.sum())


def measure_kernel(options: CampaignOptions, seed: int, schedules: int) -> float:
    """Judged steps per second of the compiled kernel, which is compiled before."""
    kernel = compile_kernel(options.structure)
    seeded = attrs.evolve(options, campaign_seed=seed)
    kernel.run(seeded, 0, 100)
    started = time.perf_counter()
    batch = kernel.run(seeded, 0, schedules)
    return count_steps(batch) / (time.perf_counter() - started)


def measure_two_kernels(options: CampaignOptions, seed: int, schedules: int) -> float:
    """The kernel's rate in two processes at once, added up: two cores without Spark."""
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        jobs = [(options, 2 * seed + i, schedules) for i in range(2)]
        return sum(pool.starmap(measure_kernel, jobs))


def measure_campaign(options: CampaignOptions, schedules: int) -> CampaignMeasure:
    """One campaign on two local cores, into a folder that is removed afterwards.

    A small one goes before it, with a unit for each worker.
    """
    from spark_fuzz.campaign.job import write_campaign  # noqa: PLC0415
    from spark_fuzz.campaign.row_reading import read_rows  # noqa: PLC0415
    from spark_fuzz.campaign.session import open_session  # noqa: PLC0415

    compile_kernel(options.structure).run(options, 0, 0)
    with tempfile.TemporaryDirectory() as parent, open_session("local[2]") as spark:
        warm, folder = Path(parent) / "warm", Path(parent) / "measured"
        write_campaign(spark, options, 2 * SCHEDULES_PER_UNIT, warm)
        firsts: list[float] = []
        started = time.perf_counter()

        def note(progress: Any) -> None:
            if progress.done:
                firsts.append(time.perf_counter() - started)

        with watched_memory() as samples:
            write_campaign(spark, options, schedules, folder, note)
            seconds = time.perf_counter() - started
        (steps,) = read_rows(spark, folder).selectExpr("sum(steps + healing_steps)").first()
    return CampaignMeasure(
        schedules,
        steps,
        seconds,
        firsts[0] if firsts else seconds,
        (samples[len(samples) // 2], samples[-1]),
    )


@contextmanager
def watched_memory() -> Iterator[list[int]]:
    """The resident memory of Spark's Python workers in MiB, once a second; 0 off Linux."""
    samples = [count_workers_mib()]
    is_done = threading.Event()

    def poll() -> None:
        while not is_done.wait(1.0):
            samples.append(count_workers_mib())

    thread = threading.Thread(target=poll, daemon=True)
    thread.start()
    try:
        yield samples
    finally:
        is_done.set()
        thread.join()


def count_workers_mib() -> int:
    """What all ``pyspark.daemon`` processes hold now."""
    total = 0
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            if b"pyspark.daemon" in (status.parent / "cmdline").read_bytes():
                lines = status.read_text().splitlines()
                total += sum(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))
        except OSError:
            continue
    return total // 1024


def measure_search(structure: ClaimedStructure) -> float:
    """Distinct states per second of breadth-first search under every fault, one core."""
    search = BreadthFirstSearch(structure, structure.world.every_fault)
    search.search(1000)
    started = time.perf_counter()
    states = search.search(STATES).states
    return states / (time.perf_counter() - started)
