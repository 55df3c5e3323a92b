"""A campaign on workers that know nothing of this project but the archive that is sent to them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from spark_fuzz.campaign.job import resume_campaign
from spark_fuzz.campaign.session import open_session
from spark_fuzz.campaign.store import create_campaign, read_manifest
from tests.command_line.run import ROOT
from tests.spark_fuzz.cluster import CLEAN_ENVIRONMENT, start_cluster
from tests.spark_fuzz.disturbance import read_files

pytestmark = [pytest.mark.spark, pytest.mark.nightly]


def read_commands(values: Mapping[str, object]) -> str:
    """What the page on campaigns tells to type, with these values for its examples."""
    page = (ROOT / "spec" / "campaigns.md").read_text()
    commands = page.partition("\n**Packed.**")[2].split("\n```")[1]
    for example, value in values.items():
        assert example in commands
        commands = commands.replace(example, str(value))
    return commands


def copy_sources(folder: Path) -> Path:
    """What a user has: the sources, without what lies beside them here."""
    ignored = shutil.ignore_patterns(".*", "__pycache__", "build", "campaigns", "environment*")
    return Path(shutil.copytree(ROOT, folder, ignore=ignored))


def test_a_packed_environment(tmp_path: Path) -> None:
    """Its workers write the same files as one core with this environment does."""
    shared, alone = tmp_path / "shared", tmp_path / "alone"
    shared.mkdir()
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with start_cluster(tmp_path) as (master, _):
        values = {
            # Each worker then compiles beside the code that it runs, which tells whose it is.
            "--conf spark.executorEnv.RMQSPEC_CACHE=/shared/kernels": "",
            "spark://spark.example:7077": master,
            "/shared": shared,
            "10000000": 60_000,
        }
        done = subprocess.run(
            ["sh", "-euc", read_commands(values)],
            cwd=copy_sources(tmp_path / "sources"),
            env={**CLEAN_ENVIRONMENT, "PATH": programs},
            capture_output=True,
            text=True,
            check=False,
        )
        assert 0 == done.returncode, done.stderr
    for worker in ("work0", "work1"):
        unpacked = (tmp_path / worker).glob("*/*/environment")
        assert any(any(folder.rglob(".rmqspec/kernels/kernel_*.py")) for folder in unpacked)
    create_campaign(alone, read_manifest(shared / "seven"))
    with open_session("local[1]") as spark:
        resume_campaign(spark, alone)
    assert read_files(alone) == read_files(shared / "seven")
