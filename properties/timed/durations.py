"""How long things take under a group's own clocks, over many simulated runs."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Iterator, Mapping

from attrs import evolve, frozen

from properties.timed.machine import FAILURES, SIZES, SOON, Surroundings, TimedStep
from properties.timed.refinement import simulate
from properties.worlds.replication.world import ClaimedGroup
from reference.configuration.broker_group import BrokerGroup
from reference.worlds.replication.state import ANSWERED, NOT_SENT, STATUS_NAMES

RUNS, STEPS_MAX = 40, 1_000
"""How many runs are measured, and how long each is at most; a run ends with its last put."""

BATCH_BYTES = 200
"""A batch holds several messages, as with the default of 32 KiB."""

STRUCK_PAIR = Surroundings(sizes=evolve(SIZES, ha_transfer_batch_size_bytes=BATCH_BYTES)).change(
    append_message=(0, 15_000)
)
"""A pair that fails often. Puts come so seldom that most find a pair that has met."""

CALM_PAIR = STRUCK_PAIR.leave_out(*FAILURES).change(append_to_slave=SOON)
"""Nothing fails, and frames arrive soon."""

FIRST_REPORT, CAUGHT_UP = "a slave's start to its first report", "a slave's start to equal logs"
"""What is measured besides puts."""


@frozen
class Waits:
    """How long something took, each time that it happened."""

    count: int
    median_ms: int
    late_ms: int
    """Nineteen of twenty took no longer."""
    longest_ms: int


def measure(
    group: BrokerGroup,
    structure: ClaimedGroup,
    surroundings: Surroundings = STRUCK_PAIR,
    *,
    runs: int = RUNS,
) -> Mapping[str, Waits]:
    """How long puts wait, by the status of the answer, and how long a slave takes to come back.

    The group has one slave. What did not happen in any run is not there.
    """
    found: dict[str, list[int]] = {}
    for seed in range(runs):
        steps = list(
            simulate(group, structure, seed=seed, steps_max=STEPS_MAX, surroundings=surroundings)
        )
        for name, took_ms in (*list_waits(steps), *list_returns(steps)):
            found.setdefault(name, []).append(took_ms)
    return {name: summarise(took) for name, took in sorted(found.items())}


def list_waits(steps: Iterable[TimedStep]) -> Iterator[tuple[str, int]]:
    """Each answer of a run, with the time since the append."""
    begun: dict[int, int] = {}
    for step in steps:
        pairs = zip(step.before.messages, step.after.messages, strict=True)
        for number, (before, after) in enumerate(pairs):
            if before.phase == NOT_SENT != after.phase:
                begun[number] = step.at_ms
            if before.phase != ANSWERED == after.phase:
                yield STATUS_NAMES[after.status], step.at_ms - begun[number]


def list_returns(steps: Iterable[TimedStep]) -> Iterator[tuple[str, int]]:
    """How long the slave took from each start until it reported, and until the logs were equal.

    Logs that are empty are not equal yet.
    """
    started: dict[str, int] = dict.fromkeys((FIRST_REPORT, CAUGHT_UP), 0)
    for step in steps:
        (before,), (after,) = step.before.slaves, step.after.slaves
        if before.is_up != after.is_up:
            started = dict.fromkeys(started, step.at_ms) if after.is_up else {}
        (link,), end = step.after.links, step.after.master.log.max_offset
        is_so = {
            FIRST_REPORT: link.is_open and link.has_reported,
            CAUGHT_UP: link.is_open and after.log.max_offset == end > 0,
        }
        for name in [each for each in started if is_so[each]]:
            yield name, step.at_ms - started.pop(name)


def summarise(waits_ms: list[int]) -> Waits:
    """The distribution of some waits; at least one."""
    ordered = sorted(waits_ms)
    late = ordered[min(len(ordered) - 1, len(ordered) * 19 // 20)]
    return Waits(len(ordered), round(statistics.median(ordered)), late, ordered[-1])
