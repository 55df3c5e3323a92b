"""The sample that every campaign holds against the reference: a difference is loud."""

from __future__ import annotations

from pathlib import Path

import attrs
import numpy as np
import pytest
from pyspark.errors import PySparkRuntimeError
from pyspark.sql import SparkSession

from properties.verdicts.verdict import InternalDisagreementError
from spark_fuzz.campaign.job import compute_units, translated
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.campaign.store import CampaignError, create_campaign, plan_campaign
from spark_fuzz.kernel.agreement import check_agreement
from spark_fuzz.kernel.ancestry import Lineage
from spark_fuzz.kernel.kernel import BatchResults, NumberOverflowError, compile_kernel
from spark_fuzz.kernel.walk import NUMBER_MAX
from tests.structures import SYNCHRONOUS_PAIR

OPTIONS = CampaignOptions(is_swarm=True, healing_steps=30)


@pytest.mark.parametrize("name", [f.name for f in attrs.fields(BatchResults)[1:]])
def test_every_difference_is_found(name: str) -> None:
    """One wrong number of one schedule, whatever it tells."""
    kernel = compile_kernel(SYNCHRONOUS_PAIR)
    batch = kernel.run(OPTIONS, 5, 3)
    for row in range(3):
        check_agreement(kernel, OPTIONS, batch, row, Lineage((5 + row,)))
    wrong = np.array(getattr(batch, name))
    wrong[1] = np.where(wrong[1] < 0, 0, wrong[1] ^ 1)
    bad = attrs.evolve(batch, **{name: wrong})
    check_agreement(kernel, OPTIONS, bad, 0, Lineage((5,)))
    with pytest.raises(InternalDisagreementError) as problem:
        check_agreement(kernel, OPTIONS, bad, 1, Lineage((6,)))
    assert f"disagree about {OPTIONS.format_identifier(6)}: " in str(problem.value)
    assert "\n" not in str(problem.value)


def test_numbers_that_grow_too_large_are_refused() -> None:
    """Long before they would wrap around."""
    parameters = attrs.evolve(
        OPTIONS.parameters,
        mapped_file_size_bytes=NUMBER_MAX,
        ghost_log_size_max_bytes=4 * NUMBER_MAX,
    )
    begin = SYNCHRONOUS_PAIR.make_initial(parameters)
    with pytest.raises(NumberOverflowError, match="outgrew"):
        compile_kernel(SYNCHRONOUS_PAIR).run(CampaignOptions(), 0, 20, begin=begin)


@pytest.mark.spark
def test_what_a_worker_finds_reaches_the_driver(spark: SparkSession, tmp_path: Path) -> None:
    """As what it is, in one line; what else goes wrong tells how to go on."""

    def disagree(unit: int) -> None:
        raise InternalDisagreementError("kernel and reference disagree about 7: steps: 1 and 2")

    with (
        pytest.raises(InternalDisagreementError, match=r"about 7: steps: 1 and 2$"),
        translated(tmp_path),
    ):
        spark.sparkContext.parallelize([1]).foreach(disagree)
    manifest = plan_campaign(CampaignOptions(), 10)
    folder = tmp_path / "begun"
    create_campaign(folder, manifest)
    (folder / "coverage.parquet").rmdir()
    with pytest.raises(CampaignError) as problem, translated(folder):
        compute_units(spark, manifest, folder, [0])
    assert "FileNotFoundError" in str(problem.value)
    assert f"rmqspec fuzz --resume {folder}" in str(problem.value)
    assert "\n" not in str(problem.value)
    with pytest.raises(CampaignError, match="no space left"), translated(folder):
        raise PySparkRuntimeError("IOException: no space left")
