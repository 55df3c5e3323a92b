"""Recordings of real brokers are explained forwards, and what they cannot show is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import evolve

from brokers.explaining.forwards import explain_forwards
from brokers.recordings.groups import OutsideTheModel, split_groups
from brokers.recordings.judging import CONFORMS, REJECTED, find_version
from brokers.recordings.reading import Event, Recording, read_recording
from brokers.recordings.roles.places import take_places
from brokers.recordings.settings import find_mode
from reference.releases.versions import Version
from tests.brokers.broker.simulated.scenarios import SCENARIOS
from tests.brokers.broker.test_simulated_groups import play
from tests.brokers.recordings.shared import DATA, TRACES

HEALTHY = TRACES / "a_sync_healthy.jsonl"
RESUMED = TRACES / "f_slave_restart_resume.jsonl"


def list_groups(path: Path) -> Iterator[tuple[Recording, Version]]:
    """The groups of a recording, with the release of each."""
    recording = read_recording(path)
    named = find_version(recording)
    assert named is not None
    for group in split_groups(take_places(recording)):
        yield group, find_mode(group, named.name)


SIZES = DATA / "traces_edge" / "slave_file_size_differs.jsonl"
"""A slave has files of half its master's size."""


def resize(sizes: dict[str, int], *, restarts: str = "") -> tuple[Recording, Version]:
    """The recording with other files, and a broker that starts again at its end."""
    ((group, version),) = list_groups(SIZES)
    nodes = {
        name: {**node, "store_config": {**node["store_config"], "mapedFileSizeCommitLog": size}}
        for (name, size) in sizes.items()
        for node in [group.config["nodes"][name if name == "master" else "slave1"]]
    }
    config = evolve(group.config, data={**group.config.data, "nodes": nodes})
    starts = (evolve(e, t_ms=20_000.0) for e in group.events if e.kind == "node_started")
    more = tuple(event for event in starts if event["node"] == restarts)
    return evolve(group, config=config, events=(*group.events, *more)), version


def test_a_slave_with_smaller_files_stops_where_a_frame_does_not_fit() -> None:
    """It drops the frame, closes the connection, and begins there again (seq 67 to 72)."""
    ((group, version),) = list_groups(SIZES)
    verdict = explain_forwards(group, version)
    assert (verdict.word, verdict.reason) == (CONFORMS, "")
    for size in (16384, 12288):
        refused = explain_forwards(*resize({"master": 16384, "slave1": size}))
        assert (refused.word == REJECTED) is (size == 16384), size
        assert size == 12288 or refused.seq == 72


def test_a_recovery_of_files_of_another_size_is_outside() -> None:
    """So are slaves of two sizes: no rule says what they do."""
    with pytest.raises(OutsideTheModel, match="slave1 has files of its own size, and starts again"):
        explain_forwards(*resize({"master": 16384, "slave1": 8192}, restarts="slave1"))
    with pytest.raises(OutsideTheModel, match="slaves have files of different sizes"):
        explain_forwards(*resize({"master": 16384, "slave1": 8192, "slave2": 4096}))


@pytest.mark.parametrize(
    "release", [pytest.param("4.4.0", marks=pytest.mark.nightly), "4.9.8", "5.3.3"]
)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_simulated_groups_are_explained_forwards(
    tmp_path: Path, scenario: str, release: str
) -> None:
    """Kills, stalls, cuts and losses among them."""
    recording = play(tmp_path, scenario, release, 5, 400).make_recording()
    (group,) = split_groups(recording)
    version = find_mode(group, release)
    verdict = explain_forwards(group, version)
    assert (verdict.word, verdict.reason) == (CONFORMS, "")


FREE = frozenset(
    {
        ("ha_link_close", "closed_by"),
        ("ha_link_close", "conn"),
        ("log_crc", "node"),
        ("log_scan", "node"),
        ("node_started", "ha_client_connected"),
        ("node_started", "ha_client_reported_offset"),
        ("node_started", "ha_master_address"),
        ("node_started", "load_ok"),
        ("node_stop_clean", "process_exits"),
        ("node_stop_clean", "shutdown_ms"),
        ("put", "body_bytes"),
        ("put", "msg_id"),
        ("put", "wait_store_ok"),
        ("snapshot", "ha_client_reported_offset"),
    }
)
"""Fields that may be another: how long a message's properties are nobody shows, either side may end
a connection, which is noted twice, and a slave connects or has connected at any time."""


def test_a_stranger_is_refused_where_it_is_noted() -> None:
    """An event of a broker that the configuration does not have."""
    ((group, version),) = list_groups(HEALTHY)
    event = group.events[-1]
    strange = Event(event.line, event.seq, event.t_ms, "node_kill9", {"node": "nobody"})
    verdict = explain_forwards(evolve(group, events=(*group.events[:-1], strange)), version)
    assert (verdict.word, verdict.seq) == (REJECTED, event.seq)
    assert "no broker" in verdict.reason


def test_progress_is_told() -> None:
    """Now and then, of all moments."""
    told: list[tuple[int, int]] = []
    ((group, version),) = list_groups(RESUMED)
    explain_forwards(group, version, lambda done, total: told.append((done, total)))
    assert told
    assert all(0 < done < total for done, total in told)
