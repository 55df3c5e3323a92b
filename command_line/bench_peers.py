"""``rmqspec bench --peers``: SPIN, TLC and our search on the same instances, whole states.

Each engine runs in a process of its own, and is told how many states there will be, so that neither
table is too large or too small. What it takes to make the programs is told apart from the search.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator
from typing import Any

import attrs
import click
from attrs import frozen

from properties.exports.instances import JUDGED_INSTANCES, JudgedInstance, load_spin_counts
from properties.exports.promela import PromelaModel
from properties.exports.spin import SpinOptions, find_spin, run_spin
from properties.exports.tlc import MissingTlcError, find_tlc, measure_start, run_tlc
from properties.exports.tlc_counts import export, is_counted
from properties.measured_process import read_peak_bytes
from properties.verdict import InternalDisagreementError

MIB = 1 << 20

BENCHED = (
    "tables/groups/4.4.0, kill, 3 contents",
    "consumer/slave read/no offset check, master stop, queue of 2 messages",
    "SYNC_MASTER/SYNC_FLUSH/0 slaves, none, log of 12 bytes",
    "SYNC_MASTER/ASYNC_FLUSH/1 slave, every fault, log of 4 bytes, 8 steps",
    "ASYNC_MASTER/ASYNC_FLUSH/1 slave, none, log of 4 bytes, 2 connections counted",
)
"""The judged instances that are large enough to be measured."""

OURS, SPINS, COLLAPSED, TLC = "rmqspec", "SPIN", "SPIN -DCOLLAPSE", "TLC"


@frozen
class PeerMeasure:
    """One engine on one instance."""

    instance: str
    engine: str
    states: int
    seconds: float
    """Of the search alone."""
    preparation_seconds: float
    """Until the search could begin: SPIN and the C compiler, or the kernel from its cache."""
    memory_bytes: int
    """The most that the process held, its program included."""

    @property
    def states_per_second(self) -> float:
        """Distinct states."""
        return self.states / self.seconds


def measure_peers(line: Callable[[str], None]) -> list[PeerMeasure]:
    """Every instance with every engine.

    Raises MissingSpinError, and InternalDisagreementError when engines count differently.
    """
    find_spin()
    judged = {j.name: j for j in JUDGED_INSTANCES}
    return [m for name in BENCHED for m in measure_instance(judged[name], line)]


def measure_instance(judged: JudgedInstance, line: Callable[[str], None]) -> list[PeerMeasure]:
    """Our search, then SPIN's."""
    measures: list[PeerMeasure] = []
    for measure in list_measures(judged):
        line(f"{judged.name}, search {len(measures) + 1}")
        measures.append(measure())
    if len({m.states for m in measures}) > 1:
        counts = ", ".join(f"{m.engine} {m.states}" for m in measures)
        raise InternalDisagreementError(f"{judged.name}: different numbers of states: {counts}")
    return measures


def list_measures(judged: JudgedInstance) -> Iterator[Callable[[], PeerMeasure]]:
    """What measures each engine."""
    states = load_spin_counts()[judged.name]["states"]
    yield lambda: measure_in_process(judged, 2 * states)
    yield lambda: measure_spin(judged, SPINS, (), states.bit_length())
    yield lambda: measure_spin(judged, COLLAPSED, ("-DCOLLAPSE",), states.bit_length())
    if is_counted(judged) and has_tlc():
        yield lambda: measure_tlc(judged)


def measure_in_process(judged: JudgedInstance, states_max: int) -> PeerMeasure:
    """Our search in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measure_here, (judged, states_max))


def measure_here(judged: JudgedInstance, states_max: int) -> PeerMeasure:
    """Our search in this process."""
    started = time.perf_counter()
    from spark_fuzz.peers import make_search  # noqa: PLC0415

    search = make_search(judged)
    search.search(1000, judged.depth_max)
    prepared = time.perf_counter()
    result = search.search(states_max, judged.depth_max)
    finished = time.perf_counter()
    peak = read_peak_bytes("self")
    return PeerMeasure(
        judged.name, OURS, result.states, finished - prepared, prepared - started, peak
    )


def measure_spin(
    judged: JudgedInstance, engine: str, defines: tuple[str, ...], hash_bits: int
) -> PeerMeasure:
    """SPIN's search; breadth first where ours ends at a depth, else depth first."""
    started = time.perf_counter()
    text = PromelaModel(judged.small).write()
    exported = time.perf_counter()
    options = SpinOptions(
        defines=defines,
        is_breadth_first=judged.depth_max is not None,
        depth_max=judged.depth_max,
        optimisation="-O2",
        hash_bits=hash_bits,
    )
    result = run_spin(text, options)
    preparation = exported - started + result.translation_seconds
    return PeerMeasure(
        judged.name, engine, result.states, result.seconds, preparation, result.memory_bytes
    )


def has_tlc() -> bool:
    """TLC can be run here."""
    try:
        find_tlc()
    except MissingTlcError:
        return False
    return True


def measure_tlc(judged: JudgedInstance) -> PeerMeasure:
    """TLC's search with one worker, judging no claim; Java's start is told apart."""
    module = export(judged)
    start = measure_start(module)
    result = run_tlc(module, ())
    return PeerMeasure(
        judged.name, TLC, result.states, result.seconds - start, start, result.memory_bytes
    )


def print_peers(measures: list[PeerMeasure]) -> None:
    """One table."""
    click.echo("Whole state against whole state: equal numbers of distinct states, exact storage.")
    click.echo("SPIN: -O2 -DSAFETY -DNOREDUCE, depth first; breadth first where steps are limited.")
    click.echo("Only rmqspec judges the guarantees at every state, and it keeps a way to each one.")
    head = ("engine", "states", "states/s", "search s", "prepared s", "peak MiB", "bytes/state")
    for name in dict.fromkeys(m.instance for m in measures):
        click.echo(f"\n{name}")
        click.echo("  " + f"{head[0]:16}" + "".join(f"{title:>13}" for title in head[1:]))
        for m in (m for m in measures if m.instance == name):
            click.echo(
                f"  {m.engine:16}{m.states:13,}{m.states_per_second:13,.0f}{m.seconds:13.2f}"
                f"{m.preparation_seconds:13.1f}{m.memory_bytes / MIB:13,.0f}"
                f"{m.memory_bytes / m.states:13,.0f}"
            )


def peers_as_json(measures: list[PeerMeasure]) -> list[dict[str, Any]]:
    """The figures for programs."""
    return [{**attrs.asdict(m), "states_per_second": m.states_per_second} for m in measures]
