"""What a campaign has met of the known ways to fail, against the schedules replayed one by one."""

from __future__ import annotations

from pathlib import Path

import pytest
from attrs import evolve
from pyspark.sql import SparkSession

from properties.language.fault_model import get_fault_count_name
from properties.schedules.judgement import find_first_violation
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.replication.world import ClaimedGroup
from reference.language.machine import record_machine
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.campaign.schedule_replay import replay_schedule
from spark_fuzz.report.known_failures import count_known_failures, list_known_failures
from tests.spark_fuzz.written_campaign import count_faults_of_new

pytestmark = pytest.mark.spark

DELAY = STRUCTURES["delay/4.4.0"]
SWARM = CampaignOptions(DELAY, steps=24, campaign_seed=5, is_swarm=True)
SCHEDULES = 300


def test_the_rows_say_what_replays_say(spark: SparkSession, tmp_path: Path) -> None:
    """How many schedules have met each way to fail, and how quickly."""
    struck_by = {r.instance.name: get_fault_count_name(r) for r in record_machine(DELAY)}
    met: dict[tuple[str, frozenset[str]], list[int]] = {}
    for number in range(SCHEDULES):
        steps = replay_schedule(SWARM, number)
        struck = {struck_by[s.action.instance] for s in steps if s.action} - {None}
        for failure in list_known_failures(DELAY):
            at = find_first_violation(steps, failure.guarantee)
            if at is not None and struck <= failure.faults:
                met.setdefault((failure.guarantee, failure.faults), []).append(at)
    found = count_known_failures(
        count_faults_of_new(spark, tmp_path / "SWARM", SWARM, SCHEDULES), DELAY, SWARM.limits
    )
    assert found
    for failure in found:
        at_steps = met.get((failure.guarantee, failure.faults), [])
        assert len(at_steps) == failure.schedules, str(failure)
        assert min(at_steps, default=None) == failure.shortest_steps
        assert failure.shortest_steps is None or failure.shortest_steps >= failure.steps


def test_a_swarm_meets_every_way_of_a_small_world(spark: SparkSession, tmp_path: Path) -> None:
    """And where nothing strikes only those are asked for that take nothing."""
    found = count_known_failures(
        count_faults_of_new(spark, tmp_path / "SWARM", SWARM, 4000), DELAY, SWARM.limits
    )
    assert all(failure.schedules for failure in found), [str(f) for f in found if not f.schedules]
    quiet = evolve(SWARM, limits=type(SWARM.limits)())
    left = count_known_failures(
        count_faults_of_new(spark, tmp_path / "quiet", quiet, 400), DELAY, quiet.limits
    )
    assert [frozenset()] == [failure.faults for failure in left]


def test_of_large_groups_nothing_is_known(spark: SparkSession) -> None:
    """Fault sets are decided for one slave at most."""
    large = CampaignOptions(ClaimedGroup(slaves=2))
    assert () == list_known_failures(large.structure)
    assert [] == count_known_failures(spark.range(1).toDF("x"), large.structure, large.limits)
