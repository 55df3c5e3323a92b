"""A search by levels on a standalone Spark cluster that loses a worker: the same result."""

from __future__ import annotations

import subprocess
import sys
import tempfile
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
    here = tmp_path / "here"
    expected = run(*ASKED, "--levels", here)
    assert 0 == expected.returncode, expected.stderr
    is_in_time = False
    while not is_in_time:
        there = Path(tempfile.mkdtemp(dir=tmp_path)) / "there"
        with start_cluster(tmp_path, PYTHONPATH=str(ROOT)) as (master, workers):
            words = [sys.executable, "-m", "command_line", *ASKED]
            words += ["--levels", str(there), "--master", master]
            with start(words) as driver:
                while driver.poll() is None and not [*there.rglob("level-0010/candidates-*")]:
                    time.sleep(0.02)
                kill_group(workers[0])
                is_in_time = count_levels(there) < count_levels(here)
                output, errors = driver.communicate()
        assert 0 == driver.returncode, errors
        assert expected.stdout == output
        assert read_levels(here) == read_levels(there)
    assert "Asked to launch executor" in (tmp_path / "worker0.log").read_text()


def start(words: list[str]) -> subprocess.Popen[str]:
    """A driver as a process of its own."""
    return subprocess.Popen(
        words,
        cwd=ROOT,
        env=DRIVER_ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def count_levels(folder: Path) -> int:
    """How many have been begun."""
    return len([*folder.rglob("level-*")])


def read_levels(folder: Path) -> dict[str, bytes]:
    """All levels, byte for byte. Candidates of a task that ran twice may have come too late."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("level-*/*")}
