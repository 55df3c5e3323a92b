"""The Spark session of the command line: quiet, on loopback or as spark-submit configures it."""

from __future__ import annotations

import logging
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any
from uuid import uuid4

from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from spark_fuzz.campaign.java import find_java

QUIET_LOGGING = Path(__file__).parent / "log4j2.properties"


def is_submitted() -> bool:
    """Whether spark-submit started this process; PySpark itself checks the same variable."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


OPTIONS = {
    "spark.app.name": "rmqspec fuzz",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "20000",
}


def choose_cluster(master: str) -> dict[str, str]:
    """Spark's options for this master, whose workers have the driver's own interpreter."""
    os.environ["JAVA_HOME"] = str(find_java().home)
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    if not master.startswith("local"):
        return {"spark.master": master}
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    return {
        "spark.master": master,
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
    }


@cache
def make_temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Where Spark's driver keeps what it needs while it runs; removed when this process ends.

    Java itself would leave its files behind when it is killed.
    """
    return tempfile.TemporaryDirectory(prefix="rmqspec-spark-", ignore_cleanup_errors=True)


@contextmanager
def open_session(master: str = "local[*]") -> Iterator[SparkSession]:
    """A session that is stopped at the end. Raises MissingPrerequisiteError without Java.

    An existing session of the process is used, and not stopped. In a process started by
    spark-submit, its master and its interpreter for the workers are used, not ``master``.
    """
    if (running := SparkSession.getActiveSession()) is not None:
        yield running
        return
    chosen = {} if is_submitted() else choose_cluster(master)
    # Failures reach the caller as exceptions; py4j would log them a second time.
    logging.disable(logging.CRITICAL)
    session = start_session({**OPTIONS, **chosen})
    try:
        yield session
    finally:
        with suppress(Exception):
            session.stop()
        logging.disable(logging.NOTSET)


def start_session(options: Mapping[str, str]) -> SparkSession:
    """A session with these options, whose files are in the temporary folder."""
    folder = make_temporary_folder().name
    java = f'"-Djava.io.tmpdir={folder}" "-Dlog4j2.configurationFile={QUIET_LOGGING}"'
    # Spark makes a folder for tables, of which there are none, and by default where it is run.
    folders = {"spark.sql.warehouse.dir": folder, "spark.driver.extraJavaOptions": java}
    conf = SparkConf().setAll([*options.items(), *folders.items()])
    if SparkContext._gateway is None:
        SparkContext._ensure_initialized(gateway=launch_java(conf, folder), conf=conf)
    with ThreadPoolExecutor(1) as pool:
        # In the main thread PySpark would take over Ctrl-C, and lose it in a call to Java.
        pool.submit(SparkContext.getOrCreate, conf).result()
    return SparkSession.builder.getOrCreate()


def launch_java(conf: SparkConf, folder: str) -> Any:
    """Java outside this process's group: Ctrl-C in a terminal ends this process, not its tools."""
    usual, tempfile.tempdir = tempfile.tempdir, folder
    try:
        return launch_gateway(conf, {"start_new_session": True})
    finally:
        tempfile.tempdir = usual


@contextmanager
def cancelled_when_interrupted(spark: SparkSession) -> Iterator[None]:
    """Jobs started in this context are cancelled when an exception leaves it, also Ctrl-C."""
    context, tag = spark.sparkContext, f"rmqspec-{uuid4().hex}"
    context.addJobTag(tag)
    try:
        yield
    except BaseException:
        # An interrupt may have cut a call to the JVM: later calls may fail, too.
        with suppress(Exception):
            context.cancelJobsWithTag(tag)
        raise
    finally:
        with suppress(Exception):
            context.removeJobTag(tag)


def run_tasks(spark: SparkSession, task: Callable[[int], Any], numbers: Sequence[int]) -> list[Any]:
    """The results of a job with a task for each number, in their order; cancelled with it."""
    with cancelled_when_interrupted(spark):
        return list(spark.sparkContext.parallelize(numbers, len(numbers)).map(task).collect())
