"""Hypothesis profiles: dev (default), ci, nightly; chosen by HYPOTHESIS_PROFILE or CI.

And what tests of Spark and of kernels share, so that each is started and compiled once.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings

KERNELS = "kernels"
"""The group of the tests that compile."""
CERTIFICATES = "certificates"
"""The group of the tests that read or prove the same certificates again."""
PROVING = {
    "test_check.py",
    "test_check_pairs.py",
    "test_check_reading.py",
    "test_controller_mode.py",
    "test_convergence.py",
    "test_disputes.py",
    "test_examples.py",
    "test_itf_export.py",
    "test_matrix.py",
    "test_prove_reading.py",
    "test_releases.py",
    "test_restrictions.py",
    "test_store_pool.py",
    "test_upgrade.py",
    "test_variants.py",
    "test_verdicts.py",
}
"""The files of that group, besides those of the proofs themselves."""
pytest_plugins = ["tests.nightly.plugin"]
QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]

settings.register_profile("dev", deadline=None, max_examples=50, suppress_health_check=QUIET)
settings.register_profile(
    "ci",
    deadline=None,
    max_examples=50,
    derandomize=True,
    database=None,
    print_blob=True,
    suppress_health_check=QUIET,
)
settings.register_profile(
    "nightly",
    deadline=None,
    max_examples=2000,
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.target, Phase.shrink],
    suppress_health_check=QUIET,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if os.environ.get("CI") else "dev"))

# A JVM that lives for some seconds is faster without its second compiler: drivers with their
# executors, and a cluster's own processes.
BRIEF = "-XX:TieredStopAtLevel=1"
os.environ.setdefault("SPARK_SUBMIT_OPTS", f"{BRIEF} -Dspark.executor.extraJavaOptions={BRIEF}")
os.environ.setdefault("SPARK_DAEMON_JAVA_OPTS", BRIEF)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None]:
    """The tests of one file run one after another; so do all that compile kernels.

    Two processes would compile the same kernels, and start Spark, twice, or prove the same
    certificates. These groups take longest and so begin first. Tests of several files that compute
    the same may name a group of their own.
    """
    for item in items:
        if not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(choose_group(item)))
    groups = {KERNELS: 0, CERTIFICATES: 1}
    items.sort(key=lambda item: groups.get(next(item.iter_markers("xdist_group")).args[0], 2))
    yield
    for item in items:
        keep_group(item)


def choose_group(item: pytest.Item) -> str:
    """The group of a test that names none."""
    if "spark_fuzz" in item.path.parts or item.get_closest_marker("spark"):
        return KERNELS
    is_proving = item.path.name in PROVING or item.path.parent.name == "z3"
    return CERTIFICATES if is_proving else item.nodeid.partition("::")[0]


def pytest_collection_finish() -> None:
    """What is imported by now lives to the end: the collector of garbage need not look at it."""
    gc.collect()
    gc.freeze()


def keep_group(item: pytest.Item) -> None:
    """Put the group where pytest 9.2 looks for it; pytest-xdist 3.8.0 writes it elsewhere.

    Without this every test is a group of its own (pytest-dev/pytest-xdist#1386).
    """
    grouped = vars(item).get("_nodeid")
    if grouped is not None:
        item._id = type(item.id).parse(grouped)


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """One session on two cores; the usual kernel is compiled here rather than by each worker."""
    from spark_fuzz.campaign.schedule import CampaignOptions  # noqa: PLC0415
    from spark_fuzz.campaign.session import open_session  # noqa: PLC0415
    from spark_fuzz.kernel.kernel import compile_kernel  # noqa: PLC0415

    options = CampaignOptions()
    compile_kernel(options.structure).run(options, 0, 0)
    with open_session("local[2]") as session:
        yield session
