"""A standalone Spark master with two workers, each a process of its own on loopback."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pyspark

SPARK_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"

CLEAN_ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
    "SPARK_LOCAL_IP": "127.0.0.1",
}
"""In which this project is not found unless it is installed."""


@contextmanager
def start_spark(
    role: str, *options: object, log: Path, environment: dict[str, str]
) -> Iterator[subprocess.Popen[bytes]]:
    """A master or worker in a process group of its own, which is killed at the end."""
    name = f"org.apache.spark.deploy.{role.lower()}.{role}"
    words = [SPARK_CLASS, name, "--host", "127.0.0.1", "--webui-port", 0, *options]
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


@contextmanager
def start_cluster(
    folder: Path, **variables: str
) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """The master's URL and two workers, with these environment variables besides the clean ones.

    Logs and working folders lie in ``folder``.
    """
    environment = {**CLEAN_ENVIRONMENT, **variables}
    port = find_free_port()
    url = f"spark://127.0.0.1:{port}"
    with ExitStack() as stack:
        log = folder / "master.log"
        stack.enter_context(start_spark("Master", "--port", port, log=log, environment=environment))
        workers = []
        for i in range(2):
            options = ["--cores", 1, "--memory", "2g", "--work-dir", folder / f"work{i}", url]
            log = folder / f"worker{i}.log"
            worker = start_spark("Worker", *options, log=log, environment=environment)
            workers.append(stack.enter_context(worker))
        yield url, workers
