"""A campaign on a standalone Spark cluster, which may lose a worker: the files are the same."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark_fuzz.campaign.job import resume_campaign
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.campaign.session import open_session
from spark_fuzz.campaign.store import Manifest, create_campaign, find_missing_units
from tests.command_line.run import ROOT
from tests.spark_fuzz.cluster import kill_group, start_cluster
from tests.spark_fuzz.disturbance import (
    DRIVER_ENVIRONMENT,
    MANIFEST,
    read_files,
    start_driver,
    wait_for_units,
)

pytestmark = pytest.mark.spark
SMALL = Manifest(CampaignOptions(campaign_seed=3), 400, 100)

DRIVER = """
import sys
import tempfile
from pathlib import Path
from spark_fuzz.campaign.job import resume_campaign
from spark_fuzz.campaign.session import open_session
with open_session(sys.argv[1]) as spark:
    resume_campaign(spark, Path(sys.argv[2]))
"""
"""What writes the rows, without the report that the command line adds."""


@pytest.mark.nightly
def test_a_cluster_writes_the_same_files(spark: SparkSession, tmp_path: Path) -> None:
    """As two cores of one machine do."""
    distributed, local = tmp_path / "distributed", tmp_path / "local"
    create_campaign(distributed, SMALL)
    create_campaign(local, SMALL)
    with start_cluster(tmp_path, PYTHONPATH=str(ROOT)) as (master, _):
        words = [sys.executable, "-c", DRIVER, master, str(distributed)]
        driver = subprocess.run(
            words, cwd=ROOT, env=DRIVER_ENVIRONMENT, capture_output=True, text=True, check=False
        )
    assert 0 == driver.returncode, driver.stderr
    resume_campaign(spark, local)
    assert read_files(local) == read_files(distributed)
    assert SMALL.units == len(read_files(local))


@pytest.mark.nightly
def test_a_lost_worker(tmp_path: Path) -> None:
    """Its tasks run again on the other worker; nothing is lost, nothing is there twice."""
    undisturbed = tmp_path / "undisturbed"
    create_campaign(undisturbed, MANIFEST)
    missing: list[int] = []
    while not missing:
        disturbed = Path(tempfile.mkdtemp(dir=tmp_path)) / "campaign"
        create_campaign(disturbed, MANIFEST)
        with (
            start_cluster(tmp_path, PYTHONPATH=str(ROOT)) as (master, workers),
            start_driver(disturbed, master) as driver,
        ):
            wait_for_units(driver, disturbed, random.Random(14).randint(2, 9))
            kill_group(workers[0])
            missing = find_missing_units(disturbed, MANIFEST)
            _, errors = driver.communicate()
            assert 0 == driver.returncode, errors
    assert "Asked to launch executor" in (tmp_path / "worker0.log").read_text()
    with open_session("local[2]") as spark:
        resume_campaign(spark, undisturbed)
    assert read_files(undisturbed) == read_files(disturbed)
