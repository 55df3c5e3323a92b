"""The register of assumptions: which groups meet each, and the runs of those that do not."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from properties.restrictions.unmet_assumptions import list_conditions
from properties.worlds.catalogue import STRUCTURES
from reference.assumptions.assumption import Assumption, is_met_by
from reference.assumptions.register import ASSUMPTIONS, list_changes, list_unmet
from reference.configuration.broker_group import BrokerGroup
from reference.configuration.deployments import change_master, change_slaves, sample_group
from reference.releases.releases import RELEASES
from reference.releases.versions import parse_version

RECORDINGS = Path(__file__).parents[2] / "data" / "traces_edge"
SYSTEM = "system/sync master/async flush/closed/no offset check/first"
READING_PAIR = "reading/closed/no offset check/last"
BATCHES = (32768,)
"""Bytes of a whole frame: a slave was sent an offset and these."""
QUEUED = ("4.7.1", "4.8.0", "4.9.0", "4.9.1", "4.9.2")


def list_names(group: BrokerGroup) -> list[str]:
    """The assumptions that a group does not meet."""
    return [each.assumption.name for each in list_unmet(group)]


@pytest.mark.parametrize("release", RELEASES)
def test_a_stock_pair_meets_all_but_while_puts_wait_in_turn(release: str) -> None:
    """With stock settings only 4.7.1 to 4.9.2 are without one."""
    unmet = list_names(sample_group(parse_version(release)))
    assert unmet == (["put_over_before_first_report"] if release in QUEUED else [])


@pytest.mark.parametrize(
    ("release", "of", "key", "met", "unmet"),
    [
        ("4.4.0", "slave", "haSendHeartbeatInterval", 5000, 4999),
        ("4.6.1", "master", "syncFlushTimeout", 5000, 5001),
        ("4.7.0", "master", "syncFlushTimeout", 5000, 5001),
        ("4.9.3", "master", "slaveTimeout", 4000, 4001),
        ("5.1.2-quorum", "master", "slaveTimeout", 4999, 5000),
    ],
)
def test_a_put_is_over_before_a_first_report(
    release: str, of: str, key: str, met: int, unmet: int
) -> None:
    """A millisecond decides, by the timer that the release has."""
    change = change_master if of == "master" else change_slaves
    group = sample_group(parse_version(release))
    assert list_names(change(group, key, str(met))) == []
    found = list_unmet(change(group, key, str(unmet)))
    assert [each.assumption.name for each in found] == ["put_over_before_first_report"]
    assert f"{key}={unmet}" in found[0].describe()


def test_with_a_controller_slaves_report_at_once() -> None:
    """No put can be over before that."""
    group = sample_group(parse_version("5.3.0-controller"))
    assert "put_over_before_first_report" in list_names(group)


@pytest.mark.parametrize("of", ["master", "slave"])
def test_a_first_report_comes_before_housekeeping(of: str) -> None:
    """Either end's housekeeping counts, with the second in which a thread sleeps."""
    change = change_master if of == "master" else change_slaves
    group = sample_group()
    assert list_names(change(group, "haHousekeepingInterval", "6001")) == []
    found = list_names(change(group, "haHousekeepingInterval", "6000"))
    assert found == ["reported_before_housekeeping"]
    assert list_names(change_slaves(group, "haSendHeartbeatInterval", "20000")) == found
    later = sample_group(parse_version("5.0.0"))
    assert list_names(change(later, "haHousekeepingInterval", "1")) == []


def test_rules_are_known_of_some_groups_that_do_not_meet_one() -> None:
    """Of longer waits where puts wait, of late first reports, of files that end elsewhere."""
    short = change_slaves(sample_group(), "haSendHeartbeatInterval", "4999")
    assert list_changes(short) == ("put_outlasts_first_report",)
    assert list_changes(change_master(short, "brokerRole", "ASYNC_MASTER")) == ()
    for version in ("5.3.0", "5.3.0-controller", "4.8.0"):
        later = sample_group(parse_version(version))
        assert list_changes(change_slaves(later, "haSendHeartbeatInterval", "1")) == ()
    late = change_slaves(sample_group(), "haSendHeartbeatInterval", "19000")
    assert list_changes(late) == ("closed_before_first_report",)
    controlled = sample_group(parse_version("5.3.0-controller"))
    assert list_changes(change_slaves(controlled, "haSendHeartbeatInterval", "19000")) == ()
    for size, change in ((2**21, ()), (2**20 + 1, ("frame_beyond_slave_file",))):
        sized = change_master(sample_group(), "mapedFileSizeCommitLog", str(2**20))
        sized = change_slaves(sized, "mapedFileSizeCommitLog", str(size))
        assert list_changes(sized) == change
    assert list_changes(change_master(sample_group(), "mapedFileSizeCommitLog", "0")) == ()


def test_all_brokers_have_files_of_one_size() -> None:
    """A change of the master alone is one as well."""
    group = change_slaves(sample_group(), "mapedFileSizeCommitLog", str(2**29))
    (unmet,) = list_unmet(group)
    assert unmet.assumption.name == "one_file_size"
    assert f"mapedFileSizeCommitLog={2**29} (slave 1)" in unmet.describe()
    assert list_names(change_master(group, "mapedFileSizeCommitLog", str(2**29))) == []


def test_files_are_kept_until_they_are_flushed_and_dispatched() -> None:
    """No time to keep files, or a flush that takes as long, meets neither."""
    found = list_names(change_slaves(sample_group(), "fileReservedTime", "0"))
    assert found == ["file_flushed_before_it_expires", "dispatched_before_it_expires"]
    late = change_master(sample_group(), "flushCommitLogThoroughInterval", str(24 * 3_600_000))
    assert list_names(late) == ["file_flushed_before_it_expires"]


def test_only_a_masters_short_retention_has_rules_of_its_own() -> None:
    """They let every broker delete early, which would blame the master for a slave's setting."""
    assert list_changes(change_slaves(sample_group(), "fileReservedTime", "0")) == ()
    kept = change_master(sample_group(), "flushCommitLogThoroughInterval", str(24 * 3_600_000 - 1))
    late = change_master(sample_group(), "flushCommitLogThoroughInterval", str(24 * 3_600_000))
    assert (list_changes(kept), list_changes(late)) == ((), ("file_expires_unflushed",))


@pytest.mark.parametrize("problem", [KeyError, TypeError, ValueError])
def test_a_setting_that_cannot_be_read_meets_nothing(problem: type[Exception]) -> None:
    """An unreadable value counts as not met."""

    def read(_group: BrokerGroup) -> bool:
        raise problem

    assert not is_met_by(evolve(ASSUMPTIONS["one_file_size"], is_met=read), sample_group())


def test_a_group_without_slaves_waits_for_none() -> None:
    """Without a slave no put waits for one."""
    group = sample_group(parse_version("4.8.0"))
    alone = BrokerGroup(group.cluster, group.broker_name, group.master, ())
    assert list_names(alone) == []


@pytest.mark.parametrize("assumption", ASSUMPTIONS.values(), ids=list(ASSUMPTIONS))
def test_its_runs_are_in_the_recordings(assumption: Assumption) -> None:
    """Each moment is a line, and its figures are in the recording up to there."""
    for run in assumption.runs:
        lines = (RECORDINGS / f"{run.name}.jsonl").read_text().splitlines()
        events = [json.loads(line) for line in lines]
        assert events[0]["rocketmq"] == run.release
        assert {number for number, _ in run.moments} <= {event["seq"] for event in events}
        figures = {n for event in events for n in list_numbers(event)}
        figures |= {a + b for a in figures for b in figures if b in BATCHES}
        for _, what in run.moments:
            assert set(map(int, re.findall(r"\b[0-9]{4,}\b", what))) <= figures, what


def list_numbers(value: Any) -> Iterator[int]:
    """Every whole number in a line."""
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        yield from (n for each in inner for n in list_numbers(each))
    elif isinstance(value, int):
        yield value


def test_each_rests_on_conditions_that_exist() -> None:
    """Every assumption has conditions of some structure's rules, and a source."""
    names = ("SYNC_MASTER/ASYNC_FLUSH/1 slave", SYSTEM, "delay/4.4.0", READING_PAIR)
    known = frozenset[str]().union(*(list_conditions(STRUCTURES[n]) for n in names))
    for assumption in ASSUMPTIONS.values():
        assert set(assumption.conditions) - known == set(), assumption.name
        assert "#" in assumption.source, assumption.name
