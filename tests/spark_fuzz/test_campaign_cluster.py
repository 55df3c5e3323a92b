"""A campaign on a standalone Spark cluster that loses a worker: the files are the same."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pyspark
import pytest

from spark_fuzz.campaign_job import resume_campaign
from spark_fuzz.campaign_store import create_campaign, find_units
from spark_fuzz.session import open_session
from tests.command_line.run import ROOT
from tests.spark_fuzz.disturbance import MANIFEST, read_files, start_driver, wait_for_units

pytestmark = [pytest.mark.spark, pytest.mark.nightly]

SPARK_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"


@contextmanager
def start_spark(role: str, *options: object, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A master or worker in a process group of its own, which is killed at the end."""
    name = f"org.apache.spark.deploy.{role.lower()}.{role}"
    words = [SPARK_CLASS, name, "--host", "127.0.0.1", "--webui-port", 0, *options]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SPARK_LOCAL_IP": "127.0.0.1"}
    with (
        log.open("wb") as output,
        subprocess.Popen(
            list(map(str, words)),
            stdout=output,
            stderr=output,
            env=environment,
            start_new_session=True,
        ) as process,
    ):
        try:
            yield process
        finally:
            kill_group(process)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a Spark worker with its executors, as if their machine were switched off."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)


def find_free_port() -> int:
    """A port that nobody listens on."""
    with closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def test_a_lost_worker(tmp_path: Path) -> None:
    """Its tasks run again on the other worker; nothing is lost, nothing is there twice."""
    disturbed, undisturbed = tmp_path / "disturbed", tmp_path / "undisturbed"
    create_campaign(disturbed, MANIFEST)
    create_campaign(undisturbed, MANIFEST)
    port = find_free_port()
    master = f"spark://127.0.0.1:{port}"
    with ExitStack() as stack:
        stack.enter_context(start_spark("Master", "--port", port, log=tmp_path / "master.log"))
        workers = []
        for i in range(2):
            options = ["--cores", 1, "--memory", "2g", "--work-dir", tmp_path / f"work{i}", master]
            log = tmp_path / f"worker{i}.log"
            workers.append(stack.enter_context(start_spark("Worker", *options, log=log)))
        driver = stack.enter_context(start_driver(disturbed, master))
        wait_for_units(driver, disturbed, random.Random(14).randint(2, 9))
        kill_group(workers[0])
        before = len(find_units(disturbed))
        _, errors = driver.communicate()
        assert 0 == driver.returncode, errors
    assert before < MANIFEST.units
    assert "Asked to launch executor" in (tmp_path / "worker0.log").read_text()
    with open_session("local[2]") as spark:
        resume_campaign(spark, undisturbed)
    assert read_files(undisturbed) == read_files(disturbed)
