"""Under its own clocks a pair does only what the rules allow by which it is judged."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from random import Random

import pytest
from attrs import evolve

from properties.scenarios.analysis.log import compute_structure
from properties.timed.machine import FAILURES, STRUCK, TimedStep
from properties.timed.refinement import Contradiction, find_contradiction, simulate
from properties.worlds.replication.world import ClaimedGroup
from reference.configuration.broker_group import BrokerGroup
from reference.configuration.deployments import change_master, change_slaves, sample_group
from reference.releases.releases import CONTROLLER
from reference.releases.versions import list_versions, parse_version

STEPS_MAX = 1_000
"""Enough for a run, which ends with its last put."""

VERSIONS = tuple(v.name for v in list_versions() if v.mode != CONTROLLER)
INTERVALS_MS = (1, 500, 1_000, 2_999, 3_000, 4_000, 4_999, 5_000, 5_001, 8_000, 19_000, 30_000)
"""Values on both sides of every border of the stock intervals."""

DAY, NIGHT = 40, 1_000
"""How many groups with settings of their own are drawn."""


def find_first(group: BrokerGroup, judge: ClaimedGroup, seeds: int) -> Contradiction | None:
    """The first contradiction in these many runs."""
    structure = compute_structure(group)
    for seed in range(seeds):
        steps = simulate(group, structure, seed=seed, steps_max=STEPS_MAX)
        if found := find_contradiction(judge, steps):
            return found
    return None


def draw_group(draw: Random) -> BrokerGroup:
    """A pair of some release with intervals of its own."""
    group = sample_group(parse_version(draw.choice(VERSIONS)))
    wait = "slaveTimeout" if group.master.version.release >= "4.9.3" else "syncFlushTimeout"
    group = change_master(group, wait, str(draw.choice(INTERVALS_MS)))
    group = change_slaves(group, "haSendHeartbeatInterval", str(draw.choice(INTERVALS_MS)))
    return change_master(group, "haHousekeepingInterval", str(draw.choice(INTERVALS_MS)))


@pytest.mark.parametrize("version", VERSIONS)
def test_a_stock_pair_does_what_its_rules_allow(version: str) -> None:
    """In each release and mode without a controller."""
    group = sample_group(parse_version(version))
    assert find_first(group, compute_structure(group), 3) is None


@pytest.mark.parametrize(
    "groups", [DAY, pytest.param(NIGHT, marks=pytest.mark.nightly)], ids=["day", "night"]
)
def test_so_does_a_pair_with_intervals_of_its_own(groups: int) -> None:
    """Whatever they are; each group for one run."""
    for seed in range(groups):
        group = draw_group(Random(seed))
        structure = compute_structure(group)
        steps = simulate(group, structure, seed=seed, steps_max=STEPS_MAX)
        assert find_contradiction(structure, steps) is None, (seed, group.version.name)


def test_rules_for_other_intervals_are_contradicted() -> None:
    """A slave that reports after a second is not one of the stock rules."""
    short = change_slaves(sample_group(), "haSendHeartbeatInterval", "1000")
    found = find_first(short, compute_structure(sample_group()), 5)
    assert found is not None
    assert str(found).endswith("ms report_offset_to_earlier_put[0]: is_within_limit")


@pytest.mark.parametrize("release", ["4.7.1", "4.8.0"])
def test_rules_without_waits_in_turn_are_contradicted(release: str) -> None:
    """Those of 4.7.0, where a late report times out, lack the step that puts in line allow."""
    group = sample_group(parse_version(release))
    judge = evolve(compute_structure(group), variants=("4.7.0",))
    found = find_first(group, judge, 5)
    assert found is not None
    assert found.step.action.rule_name == "report_offset_to_earlier_put"


def list_reports(group: BrokerGroup, minutes: int) -> Iterator[TimedStep]:
    """The first reports within these many minutes, of a slave that nothing strikes."""
    calm = ("append_message", "append_other_message", *FAILURES)
    steps = simulate(
        group,
        compute_structure(group),
        seed=1,
        steps_max=20 * STEPS_MAX,
        surroundings=STRUCK.leave_out(*calm),
    )
    within = itertools.takewhile(lambda s: s.at_ms < minutes * 60_000, steps)
    return (s for s in within if s.action.rule_name.startswith("report_offset"))


@pytest.mark.parametrize(
    ("version", "interval", "is_reporting"),
    [
        ("4.4.0", 5_000, True),
        ("4.4.0", 22_000, False),
        ("4.9.8", 22_000, False),
        ("5.0.0", 22_000, True),
    ],
)
def test_housekeeping_may_forestall_every_first_report(
    version: str, interval: int, is_reporting: bool
) -> None:
    """Until 5.0.0, where the interval counts from the slave's start (find_change agrees)."""
    group = sample_group(parse_version(version))
    group = change_slaves(group, "haSendHeartbeatInterval", str(interval))
    assert any(list_reports(group, 10)) is is_reporting
    names = compute_structure(group).variants
    assert ("closed_before_first_report" in names) is (not is_reporting)
