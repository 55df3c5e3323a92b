"""Guided rounds: they depend on the manifest alone, and go on from what few schedules reached."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from properties.worlds.catalogue import STRUCTURES
from spark_fuzz.campaign.guidance import get_parents_path, read_parents
from spark_fuzz.campaign.job import resume_campaign
from spark_fuzz.campaign.row_reading import read_rows
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.campaign.store import (
    COVERAGE_FOLDER,
    CampaignError,
    Manifest,
    create_campaign,
    get_unit_path,
)
from spark_fuzz.kernel.agreement import describe_replay
from spark_fuzz.kernel.ancestry import find_lineage, parse_lineage
from spark_fuzz.report.campaign_summary import summarise_coverage

pytestmark = pytest.mark.spark

OPTIONS = CampaignOptions(STRUCTURES["delay/4.4.0"], steps=24, campaign_seed=5, is_swarm=True)
MANIFEST = Manifest(OPTIONS, 300, 100, guided_rounds=2)


@pytest.fixture(scope="module")
def folder(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A guided campaign, whole."""
    target = tmp_path_factory.mktemp("campaigns") / "guided"
    create_campaign(target, MANIFEST)
    assert 900 == resume_campaign(spark, target).done
    return target


def test_a_guided_campaign_is_the_same_again(
    spark: SparkSession, folder: Path, tmp_path: Path
) -> None:
    """Also when it is stopped in the middle of a round, and its parents are known already."""
    again = tmp_path / "again"
    create_campaign(again, MANIFEST)
    for unit in (0, 1, 2, 4):
        get_unit_path(again, unit).write_bytes(get_unit_path(folder, unit).read_bytes())
        name = f"{COVERAGE_FOLDER}/{get_unit_path(folder, unit).name}"
        (again / name).write_bytes((folder / name).read_bytes())
    resume_campaign(spark, again)
    files = [p.relative_to(folder) for p in folder.rglob("*") if p.suffix in (".parquet", ".json")]
    assert len(files) > 18
    for name in files:
        if (folder / name).is_file():
            assert (folder / name).read_bytes() == (again / name).read_bytes()


def test_rows_say_what_they_descend_from(spark: SparkSession, folder: Path) -> None:
    """Round 0 from nobody, the others from the parents of their round; the lineage replays."""
    rows = read_rows(spark, folder).orderBy("schedule").collect()
    assert list(range(900)) == [row["schedule"] for row in rows]
    assert all(row["lineage"] is None for row in rows[:300])
    for row in rows[300:]:
        parents = read_parents(folder, row["schedule"] // 300)
        assert row["lineage"] == str(find_lineage(5, parents, row["schedule"]))
    assert {2, 3} == {row["lineage"].count("~") + 1 for row in rows[300:]}
    for row in rows[310::97]:
        account = describe_replay(OPTIONS, parse_lineage(row["lineage"]))
        assert account.steps == row["steps"]
        assert account.used == set(row["rules_used"])


def test_parents_lead_to_what_is_rare(spark: SparkSession, folder: Path) -> None:
    """Each is the first schedule, and the step, at which something was met."""
    for guided_round in (1, 2):
        units = [f"unit-{unit:06}.parquet" for unit in range(3 * guided_round)]
        met = spark.read.parquet(*(str(folder / COVERAGE_FOLDER / name) for name in units))
        places = {(row.first_schedule, row.first_step) for row in met.collect()}
        parents = json.loads(get_parents_path(folder, guided_round).read_text())
        assert len(parents) > 20
        for parent in parents:
            assert (parse_lineage(parent["lineage"]).number, parent["step"]) in places


def test_estimates_rest_on_unguided_schedules(spark: SparkSession, folder: Path) -> None:
    """Curves are over all schedules; what was met once or twice, over the first round."""
    kinds = summarise_coverage(spark, folder, MANIFEST)["kinds"]
    met = spark.read.parquet(str(folder / COVERAGE_FOLDER)).collect()
    for kind, name in zip(kinds, ("pair", "situation", "outcome"), strict=True):
        own = [row for row in met if row.kind == name]
        assert kind["met"] == len({row.name for row in own}) == kind["curve"][-1][1]
        firsts: dict[str, int] = {}
        for row in own:
            firsts[row.name] = min(row.first_schedule, firsts.get(row.name, 900))
        points = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900]
        assert [[n, sum(f < n for f in firsts.values())] for n in points] == kind["curve"]
        unguided: dict[str, int] = {}
        for row in own:
            if row.first_schedule < 300:
                unguided[row.name] = unguided.get(row.name, 0) + row.schedules
        assert kind["met_once"] == sum(n == 1 for n in unguided.values())
        assert kind["met_twice"] == sum(n == 2 for n in unguided.values())
    pairs, _, outcomes = kinds
    assert pairs["met_once"] / 300 == pairs["expected_new_per_schedule"]
    assert outcomes["met_once"] / 19 == outcomes["expected_new_per_schedule"]
    assert outcomes["possible"] == outcomes["met"] + len(outcomes["never_met"])


def test_parents_that_cannot_be_read(folder: Path, tmp_path: Path) -> None:
    """One line, with the file."""
    with pytest.raises(CampaignError, match=r"parents-01\.json"):
        read_parents(tmp_path, 1)
