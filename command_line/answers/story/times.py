"""How long things take in a group with these timers, as its simulation measures it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from properties.scenarios.analysis.log import compute_structure
from properties.timed.clocks import Clocks, compute_clocks
from properties.timed.durations import CALM_PAIR, RUNS, STRUCK_PAIR, Waits, measure
from properties.timed.machine import Surroundings
from reference.configuration.broker_group import BrokerGroup

SCENES: Mapping[str, Surroundings] = {
    "While nothing fails, from the first start of both on": CALM_PAIR,
    "While brokers and their connection fail every few seconds": STRUCK_PAIR,
}
"""What happens in the runs."""
NAME_WIDTH = 36


def tell_times(groups: Iterable[BrokerGroup]) -> Iterator[str]:
    """A table for each group with other timers or other rules."""
    told = set()
    for group in groups:
        yield ""
        if len(group.slaves) != 1 or group.is_controlled:
            count = f"{len(group.slaves)} slaves; try --slaves 1"
            why = "a controller" if group.is_controlled else count
            yield f"How long it takes in {group.broker_name}: not simulated with {why}."
            continue
        clocks, structure = compute_clocks(group), compute_structure(group)
        if (clocks, structure) in told:
            continue
        told.add((clocks, structure))
        yield f"How long it takes in {group.broker_name}, in {RUNS} simulated runs each:"
        yield from describe_clocks(clocks)
        for scene, surroundings in SCENES.items():
            yield from tell_scene(scene, measure(group, structure, surroundings))


def describe_clocks(clocks: Clocks) -> Iterator[str]:
    """The timers that decide, as the group's files and release set them."""
    wait = say_seconds(clocks.slave_wait_ms) + " from its turn" * clocks.is_wait_timed_by_turn
    yield f"  A put waits for a slave {wait}; a slave's first report comes after"
    yield (
        f"  {say_seconds(clocks.first_report_ms)}, and a silent connection is closed after "
        f"{say_seconds(clocks.housekeeping_ms)}."
    )


def tell_scene(scene: str, measured: Mapping[str, Waits]) -> Iterator[str]:
    """Counts and times of one kind of runs."""
    yield f"  {scene}:"
    yield f"    {'':{NAME_WIDTH}}{'times':>6}{'median':>9}{'19 of 20':>10}{'longest':>9}"
    for name, waits in measured.items():
        times = (waits.median_ms, waits.late_ms, waits.longest_ms)
        median, late, longest = map(say_seconds, times)
        label = f"a put until {name}" if name.isupper() else name
        yield f"    {label:{NAME_WIDTH}}{waits.count:>6}{median:>9}{late:>10}{longest:>9}"


def say_seconds(ms: int) -> str:
    """``5.0 s``; below a tenth of a second in milliseconds."""
    return f"{ms} ms" if ms < 100 else f"{ms / 1000:.1f} s"
