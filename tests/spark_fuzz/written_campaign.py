"""A campaign, written as every campaign is, and its rows."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from spark_fuzz.campaign.job import write_campaign
from spark_fuzz.campaign.row_reading import read_rows
from spark_fuzz.campaign.schedule import CampaignOptions


def make_rows(
    spark: SparkSession, folder: Path, options: CampaignOptions, schedules: int
) -> DataFrame:
    """The rows of a new campaign in this folder."""
    write_campaign(spark, options, schedules, folder)
    return read_rows(spark, folder)
