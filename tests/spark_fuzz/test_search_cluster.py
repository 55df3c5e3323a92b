"""A search by levels on a standalone Spark cluster that loses a worker: the same result."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.command_line.run import ROOT, run
from tests.spark_fuzz.cluster import kill_group, start_cluster
from tests.spark_fuzz.disturbance import DRIVER_ENVIRONMENT

ASKED = (
    *("prove", "--cross-check", "400000", "--fault", "link cut"),
    *("--structure", "SYNC_MASTER/ASYNC_FLUSH/2 slaves"),
)


@pytest.mark.nightly
@pytest.mark.spark
def test_a_lost_worker(tmp_path: Path) -> None:
    """Its tasks run again on the other one; states, verdicts and files are those without Spark."""
    here, there = tmp_path / "here", tmp_path / "there"
    expected = run(*ASKED, "--levels", here)
    assert 0 == expected.returncode, expected.stderr
    with start_cluster(tmp_path, PYTHONPATH=str(ROOT)) as (master, workers):
        words = [
            sys.executable,
            "-m",
            "command_line",
            *ASKED,
            "--levels",
            str(there),
            "--master",
            master,
        ]
        with subprocess.Popen(
            words, cwd=ROOT, env=DRIVER_ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as driver:
            while driver.poll() is None and not [*there.rglob("level-0010/candidates-*")]:
                time.sleep(0.02)
            assert driver.poll() is None
            kill_group(workers[0])
            output, errors = driver.communicate()
    assert 0 == driver.returncode, errors.decode()
    assert expected.stdout == output.decode()
    assert read_levels(here) == read_levels(there)
    assert "Asked to launch executor" in (tmp_path / "worker0.log").read_text()


def read_levels(folder: Path) -> dict[str, bytes]:
    """All levels, byte for byte. Candidates of a task that ran twice may have come too late."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("level-*/*")}
