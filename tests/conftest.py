"""Hypothesis profiles: dev (default), ci, nightly; chosen by HYPOTHESIS_PROFILE or CI.

And what tests of Spark and of kernels share, so that each is started and compiled once.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings

KERNELS = "kernels"
"""The group of the tests that compile."""
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

# A JVM that lives for some seconds is faster without its second compiler.
os.environ.setdefault("SPARK_SUBMIT_OPTS", "-XX:TieredStopAtLevel=1")
os.environ.setdefault("SPARK_DAEMON_JAVA_OPTS", "-XX:TieredStopAtLevel=1")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None]:
    """The tests of one file run one after another; so do all that compile kernels.

    Two processes would compile the same kernels, and start Spark, twice. That group takes longest
    and so begins first. Tests of several files that compute the same may name a group of their own.
    """
    for item in items:
        if item.get_closest_marker("xdist_group"):
            continue
        is_compiling = "spark_fuzz" in item.path.parts or item.get_closest_marker("spark")
        item.add_marker(
            pytest.mark.xdist_group(KERNELS if is_compiling else item.nodeid.partition("::")[0])
        )
    items.sort(key=lambda item: next(item.iter_markers("xdist_group")).args[0] != KERNELS)
    yield
    for item in items:
        keep_group(item)


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
