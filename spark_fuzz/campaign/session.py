"""The Spark session of the command line: quiet, on loopback or as spark-submit configures it."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

from pyspark.sql import SparkSession

from spark_fuzz.campaign.java import find_java

QUIET_LOGGING = Path(__file__).parent / "log4j2.properties"


def is_submitted() -> bool:
    """Whether spark-submit started this process; PySpark itself checks the same variable."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


def choose_cluster(master: str) -> Any:
    """A session builder for this master, whose workers have the driver's own interpreter."""
    os.environ["JAVA_HOME"] = str(find_java().home)
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(master)
    if not master.startswith("local"):
        return builder
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    return builder.config("spark.driver.bindAddress", "127.0.0.1").config(
        "spark.driver.host", "127.0.0.1"
    )


@contextmanager
def open_session(master: str = "local[*]") -> Iterator[SparkSession]:
    """A session that is stopped at the end. Raises MissingPrerequisiteError without Java.

    An existing session of the process is used, and not stopped. In a process started by
    spark-submit, its master and its interpreter for the workers are used, not ``master``.
    """
    if (running := SparkSession.getActiveSession()) is not None:
        yield running
        return
    builder = SparkSession.builder if is_submitted() else choose_cluster(master)
    with TemporaryDirectory(prefix="rmqspec-spark-", ignore_cleanup_errors=True) as warehouse:
        # Spark makes a folder for tables, of which there are none, and by default where it is run.
        yield from start_session(builder.config("spark.sql.warehouse.dir", warehouse))


def start_session(builder: Any) -> Iterator[SparkSession]:
    """The session of this builder, which is stopped at the end."""
    builder = (
        builder.appName("rmqspec fuzz")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "20000")
        .config("spark.driver.extraJavaOptions", f"-Dlog4j2.configurationFile={QUIET_LOGGING}")
    )
    # Failures reach the caller as exceptions; py4j would log them a second time.
    logging.disable(logging.CRITICAL)
    session = builder.getOrCreate()
    # PySpark's own handler calls the JVM in the middle of another call to it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield session
    finally:
        # After an interrupt during a call this may fail; the JVM ends with this process.
        with suppress(Exception):
            session.stop()
        logging.disable(logging.NOTSET)


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
