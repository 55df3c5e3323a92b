"""The rows of campaigns on a local Spark: what the reference says, whatever the partitions."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from pyspark.sql import SparkSession
from pyspark.testing import assertDataFrameEqual

from properties.schedules.judgement import find_first_violation
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.replication.world import GUARANTEES
from spark_fuzz.campaign import store as campaign_store
from spark_fuzz.campaign.job import write_campaign
from spark_fuzz.campaign.row_reading import has_fired, read_rows
from spark_fuzz.campaign.rows import ENDS
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.campaign.schedule_replay import replay_schedule, replay_whole
from spark_fuzz.campaign.store import DATA_FOLDER, CampaignError, list_rule_instances
from spark_fuzz.kernel.walk import WORD_BITS
from spark_fuzz.report.fault_counts import list_faults
from tests.command_line.run import ROOT
from tests.spark_fuzz.written_campaign import make_rows, summarise_folder
from tests.spec.test_campaign_page import read_table

pytestmark = pytest.mark.spark

OPTIONS = CampaignOptions(campaign_seed=3, healing_steps=40)
SCHEDULES = 3000


@pytest.fixture(scope="module")
def folder(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small campaign, written once."""
    target = tmp_path_factory.mktemp("campaigns") / "small"
    write_campaign(spark, OPTIONS, SCHEDULES, target)
    return target


def test_rows_do_not_depend_on_units(
    spark: SparkSession, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three units, or one: the same rows."""
    monkeypatch.setattr(campaign_store, "SCHEDULES_PER_UNIT", 1100)
    three = make_rows(spark, tmp_path / "three", OPTIONS, SCHEDULES)
    assert 3 == len(list((tmp_path / "three" / DATA_FOLDER).glob("unit-*")))
    assertDataFrameEqual(read_rows(spark, folder).collect(), three.orderBy("schedule").collect())


def test_every_column_is_explained(spark: SparkSession, folder: Path) -> None:
    """In order, with its type."""
    words = {"bigint": "long", "array": "array of string"}
    types = ((name, text.partition("<")[0]) for name, text in read_rows(spark, folder).dtypes)
    explained = read_table("`read_rows` of")
    assert [*explained.items()] == [(name, words.get(text, text)) for name, text in types]


def test_a_row_is_what_the_reference_says(spark: SparkSession, folder: Path) -> None:
    """Every twentieth row that refutes something, replayed from its number alone."""
    frame = read_rows(spark, folder)
    rows = frame.where("first_violating_step is not null").orderBy("schedule").collect()
    assert len(rows) > 40
    for row in rows[::20]:
        replay = replay_whole(OPTIONS, row["schedule"])
        steps = replay.steps
        assert (replay.healing_begins, len(steps) - 1) == (
            row["steps"],
            row["steps"] + row["healing_steps"],
        )
        assert (ENDS[replay.end], list(replay.stuck)) == (row["end"], row["stuck"])
        assert row["lineage"] is None
        assert {s.action.instance for s in steps if s.action} == set(row["rules_used"])
        first = {g: next((s.index for s in steps if g in s.violated), None) for g in GUARANTEES}
        assert first == row["violating_steps"].asDict()
        words = {g: "refuted" if at else "not_refuted" for g, at in first.items()}
        assert words == row["verdicts"].asDict()
        assert min(at for at in first.values() if at) == row["first_violating_step"]


def test_some_of_several_rules_have_fired(spark: SparkSession, folder: Path) -> None:
    """Rules are marked in several words of bits; a set of them may need more than one word."""
    structure = OPTIONS.structure
    instances = list_rule_instances(structure)
    frame = read_rows(spark, folder)
    used = [row["rules_used"] for row in frame.select("rules_used").collect()]
    rare = [name for name in instances if 0 < sum(name in names for names in used) < 1000]
    several = rare[0], rare[-1]
    assert instances.index(several[0]) < WORD_BITS <= instances.index(several[1])
    expected = sum(not names.isdisjoint(several) for names in map(set, used))
    assert frame.where(has_fired(structure, several)).count() == expected


def test_the_summary_counts_the_rows(spark: SparkSession, folder: Path) -> None:
    """Schedules, steps and violations of the table."""
    summary = summarise_folder(spark, folder)
    rows = read_rows(spark, folder).collect()
    assert SCHEDULES == summary["schedules"] == len(rows)
    assert sum(row["steps"] for row in rows) == summary["steps"]
    for guarantee, found in summary["violations"].items():
        at = [(find_violating_step(row, guarantee), row["schedule"]) for row in rows]
        violating = [pair for pair in at if pair[0] is not None]
        assert len(violating) == found["schedules"]
        assert min(violating) == (found["shortest_steps"], int(found["shortest_lineage"]))
    fired = Counter(rule for row in rows for rule in row["rules_used"])
    assert summary["rules_used"] == fired
    assert {"slaves_reach_the_masters_end", "acknowledgement_is_truthful"} <= set(
        summary["violations"]
    )
    assert summary["ends"] == Counter(row["end"] for row in rows)


def find_violating_step(row: Any, claim: str) -> int | None:
    """After how many steps a row violates a claim."""
    if claim in GUARANTEES:
        step: int | None = row["violating_steps"][claim]
        return step
    return row["steps"] + row["healing_steps"] if claim in row["stuck"] else None


def test_the_query_of_the_page(spark: SparkSession, folder: Path) -> None:
    """Spark SQL over the rows answers what a look at each row does."""
    page = (ROOT / "spec" / "campaigns.md").read_text()
    query = page.partition("```sql\n")[2].partition("```")[0]
    read_rows(spark, folder).createOrReplaceTempView("schedules")
    answer = spark.sql(query).collect()
    fired: Counter[str] = Counter()
    violating: Counter[str] = Counter()
    for row in read_rows(spark, folder).collect():
        fired.update(row["rules_used"])
        if row["violating_steps"]["acknowledgement_is_truthful"] is not None:
            violating.update(row["rules_used"])
    worst = sorted(fired, key=lambda rule: (-violating[rule] / fired[rule], rule))[:5]
    assert [(rule, violating[rule], fired[rule]) for rule in worst] == [tuple(r) for r in answer]
    assert "answer_slave_wait[0]" == answer[0]["rule"]
    faults = {instance for instance, _ in list_faults(OPTIONS.structure)}
    assert faults & {*worst}


@pytest.mark.nightly
def test_campaigns_of_consumers(spark: SparkSession, tmp_path: Path) -> None:
    """The columns are that world's guarantees, and a row is what the reference says."""
    structure = STRUCTURES["reading/open slow/no offset check/last"]
    options = CampaignOptions(structure, campaign_seed=5)
    write_campaign(spark, options, 400, tmp_path / "consumers")
    found = summarise_folder(spark, tmp_path / "consumers")["violations"]
    assert "no_message_is_consumed_twice" in found
    for name, violation in found.items():
        steps = replay_schedule(options, int(violation["shortest_lineage"]))
        assert violation["shortest_steps"] == find_first_violation(steps, name)


def test_an_existing_folder_is_left_as_it_is(spark: SparkSession, folder: Path) -> None:
    """Nothing is overwritten."""
    before = sorted(p.name for p in folder.rglob("*"))
    with pytest.raises(CampaignError, match="exists"):
        write_campaign(spark, evolve(OPTIONS, campaign_seed=4), 10, folder)
    assert before == sorted(p.name for p in folder.rglob("*"))
