"""Classes of violations: what stands for one refutes, needs all its steps, and is the shortest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from properties.schedules.judgement import is_refuted_by, keep_possible
from properties.verdicts.certificates import decode_schedule
from properties.worlds.catalogue import STRUCTURES
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.kernel.ancestry import parse_lineage
from spark_fuzz.report.fault_counts import count_by_faults
from spark_fuzz.report.known_failures import list_known_failures
from spark_fuzz.report.violation_classes import find_classes, name_rules
from tests.spark_fuzz.written_campaign import count_faults_of_new, make_rows

pytestmark = pytest.mark.spark

DELAY = STRUCTURES["delay/4.4.0"]
SWARM = CampaignOptions(DELAY, steps=24, campaign_seed=5, is_swarm=True)


def test_classes_are_of_minimal_schedules(spark: SparkSession, tmp_path: Path) -> None:
    """Each class once, by a schedule that refutes and of which no step can go."""
    counted = count_faults_of_new(spark, tmp_path / "SWARM", SWARM, 4000)
    rows = find_classes(counted, tmp_path / "SWARM").collect()
    keys = [(row.guarantee, row.rules) for row in rows]
    assert len(set(keys)) == len(keys) > 10
    assert [row.steps for row in rows] == sorted(row.steps for row in rows)
    for row in rows:
        schedule = decode_schedule(json.loads(row.minimal_schedule))
        assert len(schedule) + 1 == len(row.violating_continuations)
        assert row.continuations == row.violating_continuations[-1]
        parameters = SWARM.compute_environment(parse_lineage(row.lineage)).parameters
        assert row.steps == len(schedule)
        assert row.rules == name_rules(schedule)
        assert is_refuted_by(row.guarantee, DELAY, parameters, schedule)
        for index in range(len(schedule)):
            left = [*schedule[:index], *schedule[index + 1 :]]
            trial = keep_possible(DELAY, parameters, left)
            assert not is_refuted_by(row.guarantee, DELAY, parameters, trial)


def test_the_shortest_classes_are_the_known_schedules(spark: SparkSession, tmp_path: Path) -> None:
    """No class is shorter than the certified schedule, and for each guarantee one is as short."""
    counted = count_faults_of_new(spark, tmp_path / "SWARM", SWARM, 4000)
    rows = find_classes(counted, tmp_path / "SWARM").collect()
    known: dict[str, int] = {}
    for failure in list_known_failures(DELAY):
        known[failure.guarantee] = min(failure.steps, known.get(failure.guarantee, failure.steps))
    shortest = {name: min(r.steps for r in rows if r.guarantee == name) for name in known}
    assert known == shortest


def test_a_campaign_without_violations_has_no_class(spark: SparkSession, tmp_path: Path) -> None:
    """An empty table with the same columns."""
    frame = make_rows(spark, tmp_path / "SWARM", SWARM, 400).where("first_violating_step is null")
    classes = find_classes(count_by_faults(frame, DELAY), tmp_path / "SWARM")
    assert [] == classes.collect()
    assert "members" in classes.columns
