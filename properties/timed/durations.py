"""How long puts wait under a group's own clocks, over many simulated runs."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping

from attrs import frozen

from properties.timed.machine import TimedStep
from properties.timed.refinement import simulate
from properties.worlds.replication.world import ClaimedGroup
from reference.configuration.broker_group import BrokerGroup
from reference.worlds.replication.state import ANSWERED, NOT_SENT, STATUS_NAMES

RUNS, STEPS_MAX = 40, 1_000
"""How many runs are measured, and how long each is at most; a run ends with its last put."""


@frozen
class Waits:
    """How long puts with one answer waited."""

    count: int
    median_ms: int
    late_ms: int
    """Nineteen of twenty waited no longer."""
    longest_ms: int


def measure_waits(
    group: BrokerGroup, structure: ClaimedGroup, *, runs: int = RUNS, left_out: Iterable[str] = ()
) -> Mapping[str, Waits]:
    """The time from append to answer of all puts, by the status of the answer."""
    found: dict[str, list[int]] = {}
    for seed in range(runs):
        steps = simulate(group, structure, seed=seed, steps_max=STEPS_MAX, left_out=left_out)
        for status, waited_ms in list_waits(steps):
            found.setdefault(status, []).append(waited_ms)
    return {status: summarise(waits) for status, waits in sorted(found.items())}


def list_waits(steps: Iterable[TimedStep]) -> Iterable[tuple[str, int]]:
    """Each answer of a run, with the time since the append."""
    begun: dict[int, int] = {}
    for step in steps:
        pairs = zip(step.before.messages, step.after.messages, strict=True)
        for number, (before, after) in enumerate(pairs):
            if before.phase == NOT_SENT != after.phase:
                begun[number] = step.at_ms
            if before.phase != ANSWERED == after.phase:
                yield STATUS_NAMES[after.status], step.at_ms - begun[number]


def summarise(waits_ms: list[int]) -> Waits:
    """The distribution of some waits; at least one."""
    ordered = sorted(waits_ms)
    late = ordered[min(len(ordered) - 1, len(ordered) * 19 // 20)]
    return Waits(len(ordered), round(statistics.median(ordered)), late, ordered[-1])
