"""Files that grow, and the events of brokers in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reference.recorder import following
from reference.recorder.events_file import EventsFile
from reference.recorder.following import Follower
from reference.recorder.nodes import Nodes, describe_node
from reference.releases.versions import Version


def append(path: Path, text: str) -> None:
    """Text at the end of a file."""
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def test_lines_are_given_once_and_whole(tmp_path: Path) -> None:
    """Also when the file is not there yet, or a line is written in pieces."""
    path = tmp_path / "events"
    follower = Follower(path)
    assert [] == list(follower.read())
    append(path, "one\ntw")
    assert [b"one"] == list(follower.read())
    append(path, "o\n\nthree\n")
    assert [b"two", b"three"] == list(follower.read())
    assert [] == list(follower.read())


def test_a_file_that_is_replaced_is_read_to_its_end_first(tmp_path: Path) -> None:
    """Then the new one from its begin; so is one that was emptied."""
    path = tmp_path / "events"
    append(path, "one\n")
    follower = Follower(path)
    assert [b"one"] == list(follower.read())
    append(path, "two\n")
    path.rename(tmp_path / "events.1")
    append(path, "three\n")
    assert [b"two"] == list(follower.read())
    assert [b"three"] == list(follower.read())
    path.write_text("4\n")
    assert [b"4"] == list(follower.read())


def test_a_line_without_end_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of it is kept in memory; the next line is read."""
    monkeypatch.setattr(following, "LINE_BYTES_MAX", 100)
    path = tmp_path / "events"
    follower = Follower(path)
    for _ in range(5):
        append(path, "x" * 90)
        assert [] == list(follower.read())
    append(path, "end\nnext\n")
    assert [b"next"] == list(follower.read())
    assert 1 == follower.lines_left_out


def make_config(role: str, **more: Any) -> dict[str, Any]:
    """The first event of a broker's start."""
    told = {"rocketmq": "4.9.8", "flush_type": "ASYNC_FLUSH", "broker_id": 0, "store_config": {}}
    return {"ev": "config_node", "node": "master", "wall_ms": 1.5, "role": role, **told, **more}


def write_events(path: Path, *events: dict[str, Any] | str) -> None:
    """Append them."""
    append(path, "".join((e if isinstance(e, str) else json.dumps(e)) + "\n" for e in events))


def test_events_of_a_broker_become_lines(tmp_path: Path) -> None:
    """Its settings go to the first line of the recording, and only a first start makes it whole."""
    path, nodes, notes = tmp_path / "events", Nodes(), list[str]()
    file = EventsFile(path, nodes, notes.append)
    start = {"ev": "node_started", "node": "master", "wall_ms": 2.0, "max_offset": 0}
    write_events(path, make_config("SYNC_MASTER"), start)
    assert [(2.0, "node_started")] == [(line.wall_ms, line.kind) for line in file.read()]
    first = nodes.describe(["slave1"])
    assert ("SYNC_MASTER", "4.9.8") == (first["nodes"]["master"]["role"], first["rocketmq"])
    assert "without_puts" not in first
    assert "without_starts" not in first
    assert [] == notes


def test_a_broker_with_a_log_is_not_followed_from_its_begin(tmp_path: Path) -> None:
    """Which the first line says."""
    path, nodes = tmp_path / "events", Nodes()
    start = {"ev": "node_started", "node": "master", "wall_ms": 2.0, "max_offset": 7}
    write_events(path, make_config("SYNC_MASTER"), start)
    list(EventsFile(path, nodes, print).read())
    assert nodes.describe([])["without_starts"]


BAD_LINES = (
    "{",
    "[]",
    '{"ev": "put", "node": "master"}',
    '{"ev": "put", "node": "master", "wall_ms": "now"}',
    '{"ev": "put", "node": "master", "wall_ms": 1e999}',
    '{"ev": "put", "node": 5, "wall_ms": 1}',
    '{"ev": "secret", "node": "master", "wall_ms": 1}',
    '{"ev": "broker_status", "node": "master", "wall_ms": 1}',
    json.dumps({**make_config("KING")}),
    json.dumps({**make_config("SLAVE"), "store_config": 7}),
    json.dumps({**make_config("SLAVE"), "broker_id": "one"}),
    "\udcff".encode("utf-8", "surrogateescape").decode("latin-1"),
)


def test_lines_that_are_no_events_are_noted_once(tmp_path: Path) -> None:
    """Everything else is read."""
    path, notes = tmp_path / "events", list[str]()
    put = {"ev": "put", "node": "master", "wall_ms": 3.0}
    write_events(path, *BAD_LINES, put)
    file = EventsFile(path, Nodes(), notes.append)
    assert ["put"] == [line.kind for line in file.read()]
    assert len(BAD_LINES) == file.bad_lines
    assert 1 == len(notes)


def test_settings_as_a_broker_tells_them() -> None:
    """Numbers and flags that differ from the defaults; no addresses, and no secrets."""
    told = {
        "brokerRole": "SYNC_MASTER",
        "flushDiskType": "SYNC_FLUSH",
        "haSendHeartbeatInterval": "500",
        "mappedFileSizeCommitLog": "16384",
        "haHousekeepingInterval": "20000",
        "namesrvAddr": "10.0.0.1:9876",
        "enableControllerMode": "true",
        "slaveTimeout": "1500",
        "storePathRootDir": "77",
    }
    node = describe_node(told, Version("5.3.3"))
    assert {
        "role": "SYNC_MASTER",
        "flush_type": "SYNC_FLUSH",
        "broker_id": 0,
        "store_config": {
            "haSendHeartbeatInterval": 500,
            "mapedFileSizeCommitLog": 16384,
            "slaveTimeout": 1500,
        },
        "broker_config": {"enableControllerMode": True},
    } == node
