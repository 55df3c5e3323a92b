"""Files that grow, and the events of brokers in them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from brokers.recorder import following
from brokers.recorder.events_file import EventsFile
from brokers.recorder.following import Follower
from brokers.recorder.log_files import BrokerLogFiles
from brokers.recorder.nodes import Nodes, describe_node
from brokers.recorder.position import Position
from brokers.recorder.writer import PROCESSES
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
    assert [(2.0, "node_started")] == [(line.wall_ms, line.kind) for line in file.read(9.0)]
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
    list(EventsFile(path, nodes, print).read(9.0))
    assert nodes.describe([])["without_starts"]


def test_an_end_that_nobody_tells_is_concluded_from_the_next_start(tmp_path: Path) -> None:
    """In order after a stop, by a kill without one; what is in the recording is not repeated."""
    path = tmp_path / "events"
    stop = {"ev": "node_stop_clean", "node": "master", "wall_ms": 3.0}
    start = {"ev": "node_started", "node": "master", "wall_ms": 2.0, "max_offset": 0}
    once = (make_config("SYNC_MASTER"), start)
    write_events(path, *once, *once, stop, *once)
    lines = list(EventsFile(path, Nodes(), print).read(9.0))
    kinds = ["node_started", "node_kill9", "node_started", "node_stop_clean", "process_exit"]
    assert [*kinds, "node_started"] == [line.kind for line in lines]
    assert [False, True, False, False, True, False] == [line.is_own for line in lines]
    position = Position()
    for line in lines[:5]:
        position.see(line)
    again = EventsFile(path, Nodes(), print, position.followed, position.lives)
    assert ["node_started"] == [line.kind for line in again.read(9.0)]


@pytest.mark.skipif(not PROCESSES.exists(), reason="processes are found on Linux only")
def test_a_process_that_is_killed_is_noticed(tmp_path: Path) -> None:
    """Whoever appends to the file, once all that it had written is read."""
    path = tmp_path / "events"
    write_events(path, make_config("SYNC_MASTER"))
    program = f"f = open({str(path)!r}, 'a'); print(flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        file = EventsFile(path, Nodes(), print)
        start = {"ev": "node_started", "node": "master", "wall_ms": 2.0, "max_offset": 0}
        write_events(path, start)
        assert ["node_started"] == [line.kind for line in file.read(5.0)]
        assert [] == list(file.read(6.0))
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # Its parent has not heard of it.
        (line,) = file.read(7.0)
        assert (6.0, "node_kill9") == (line.wall_ms, line.kind)
        assert [] == list(file.read(8.0))


def test_who_is_not_known_is_a_slave_of_who_is() -> None:
    """Without any master there is one by default; the first line tells what is assumed."""
    nodes = Nodes()
    nodes.add("b")
    nodes.add("a", is_slave=True)
    roles = {name: node["role"] for name, node in nodes.describe(["a"])["nodes"].items()}
    assert {"b": "ASYNC_MASTER", "a": "SLAVE"} == roles
    nodes.tell("m", describe_node({"brokerRole": "SYNC_MASTER"}, Version()), "4.4.0")
    first = nodes.describe(["a"])
    roles = {name: node["role"] for name, node in first["nodes"].items()}
    assert {"m": "SYNC_MASTER", "b": "SLAVE", "a": "SLAVE"} == roles
    assert "the settings of b, a are not known" in first["note"]
    assert ["master", "s"] == list(Nodes(names=["s"]).describe(["s"])["nodes"])


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
    assert ["put"] == [line.kind for line in file.read(9.0)]
    assert len(BAD_LINES) == file.bad_lines
    assert 1 == len(notes)


LOG = "2026-11-22 22:16:0{} INFO HAClient - {}\n"


def test_new_lines_of_logs_are_recorded(tmp_path: Path) -> None:
    """Without addresses, those that are alike once a second, also of a file that comes later."""
    folder = tmp_path / "rocketmqlogs"
    folder.mkdir()
    append(folder / "store.log", LOG.format(1, "old"))
    logs = BrokerLogFiles("slave1", tmp_path)
    assert [] == list(logs.read(0.0))
    append(folder / "store.log", "".join(LOG.format(2, f"reads {n} of /10.0.0.1:5") for n in "123"))
    append(folder / "broker.log", LOG.format(2, "begins") + "  at some.Class\n")
    shown = list(logs.read(20.0))
    assert ["begins", "reads 1 of <peer>"] == [line.fields["msg"] for line in shown]
    append(folder / "store.log", LOG.format(2, "reads 4 of /10.0.0.1:5"))
    assert [] == list(logs.read(1000.0))
    append(folder / "store.log", LOG.format(3, "reads 5 of /10.0.0.1:5"))
    assert [5] == [line.fields["repeat"] for line in logs.read(1020.0)]
    assert {"node": "slave1", "level": "INFO", "thread": "HAClient"}.items() <= shown[
        0
    ].fields.items()


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
