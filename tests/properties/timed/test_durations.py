"""How long puts wait under the clocks of their brokers."""

from __future__ import annotations

import pytest

from properties.scenarios.analysis.log import compute_structure
from properties.timed.durations import Waits, measure_waits, summarise
from reference.configuration.deployments import change_master, sample_group
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
    waits = measure_waits(group, compute_structure(group), runs=15)
    assert wait_ms <= waits["FLUSH_SLAVE_TIMEOUT"].longest_ms <= longest_ms
    assert waits["PUT_OK"].longest_ms <= longest_ms
    assert sum(each.count for each in waits.values()) <= 45
