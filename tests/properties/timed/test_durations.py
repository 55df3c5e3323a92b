"""How long puts wait under the clocks of their brokers."""

from __future__ import annotations

import pytest

from properties.scenarios.analysis.log import compute_structure
from properties.timed.durations import (
    CALM_PAIR,
    CAUGHT_UP,
    FIRST_REPORT,
    STRUCK_PAIR,
    Waits,
    measure,
    summarise,
)
from reference.configuration.deployments import change_master, change_slaves, sample_group
from reference.releases.versions import parse_version


def test_a_few_waits_are_summarised() -> None:
    """The middle, what nineteen of twenty do not exceed, and the longest."""
    assert summarise([7]) == Waits(1, 7, 7, 7)
    assert summarise(list(range(100, 0, -1))) == Waits(100, 50, 96, 100)


@pytest.mark.parametrize(
    ("version", "key", "wait_ms", "longest_ms"),
    [
        ("4.4.0", "syncFlushTimeout", 6_000, 6_100),
        ("4.8.0", "syncFlushTimeout", 6_000, 3 * 7_100),
        ("4.9.8", "slaveTimeout", 6_000, 7_100),
        ("5.3.3-quorum", "slaveTimeout", 6_000, 6_100),
    ],
)
def test_no_put_waits_longer_than_its_release_lets_it(
    version: str, key: str, wait_ms: int, longest_ms: int
) -> None:
    """Its own time, with the second in which the master looks; in a line of three each has it."""
    group = change_master(sample_group(parse_version(version)), key, str(wait_ms))
    waits = measure(group, compute_structure(group), runs=15)
    assert wait_ms <= waits["FLUSH_SLAVE_TIMEOUT"].longest_ms <= longest_ms
    assert waits["PUT_OK"].longest_ms <= longest_ms
    assert sum(each.count for name, each in waits.items() if name.isupper()) <= 45


@pytest.mark.parametrize(("interval_ms", "latest_ms"), [(1_000, 3_000), (9_000, 11_000)])
def test_a_slave_reports_after_its_own_interval(interval_ms: int, latest_ms: int) -> None:
    """And the logs are equal soon after, where nothing fails."""
    group = change_slaves(sample_group(), "haSendHeartbeatInterval", str(interval_ms))
    measured = measure(group, compute_structure(group), CALM_PAIR, runs=10)
    assert measured[FIRST_REPORT].count == 10
    assert interval_ms < measured[FIRST_REPORT].median_ms <= latest_ms
    assert measured[FIRST_REPORT].median_ms <= measured[CAUGHT_UP].longest_ms


def test_most_puts_of_a_calm_pair_are_answered_at_once() -> None:
    """But for those before the slave's first report; where all fails most puts time out."""
    group = sample_group()
    calm, struck = (
        measure(group, compute_structure(group), each, runs=10) for each in (CALM_PAIR, STRUCK_PAIR)
    )
    assert calm["PUT_OK"].median_ms < 100
    assert calm["PUT_OK"].count > calm["FLUSH_SLAVE_TIMEOUT"].count
    assert struck["PUT_OK"].count < struck["FLUSH_SLAVE_TIMEOUT"].count
