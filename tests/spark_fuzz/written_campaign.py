"""A campaign, written as every campaign is, and its rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from spark_fuzz.campaign.job import write_campaign
from spark_fuzz.campaign.row_reading import read_rows
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.report.campaign_summary import summarise
from spark_fuzz.report.fault_counts import count_by_faults, counted_by_faults


def make_rows(
    spark: SparkSession, folder: Path, options: CampaignOptions, schedules: int
) -> DataFrame:
    """The rows of a new campaign in this folder."""
    write_campaign(spark, options, schedules, folder)
    return read_rows(spark, folder)


def count_faults_of_new(
    spark: SparkSession, folder: Path, options: CampaignOptions, schedules: int
) -> DataFrame:
    """The counts of a new campaign in this folder."""
    return count_by_faults(make_rows(spark, folder, options, schedules), options.structure)


def summarise_folder(spark: SparkSession, folder: Path) -> dict[str, Any]:
    """The summary of a campaign."""
    with counted_by_faults(spark, folder) as counted:
        return summarise(counted, folder)
