"""``record`` from the command line: options, what is played back, and real processes that die."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from attrs import define, field

from brokers.recorder.parts import name_part
from brokers.recorder.watch.alarms import ORDER_UNKNOWN
from brokers.recordings.judging import check_recording
from brokers.recordings.reading import Recording, read_parts
from command_line.output import exit_codes
from tests.brokers.broker.plain_client import PlainClient
from tests.brokers.recorder.peers import LOOPBACK, find_port
from tests.brokers.recordings.shared import TRACES
from tests.command_line.run import ROOT, run

LINK = "slave1=20912:master-host:10912"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ((), "--out"),
        (("--out", "x"), "--link, --events, --logs or --broker"),
        (("--link", LINK), "--out"),
        (("--out", "x", "--link", "slave1=20912:10912"), "SLAVE=LISTEN_PORT:MASTER_HOST:HA_PORT"),
        (("--out", "x", "--link", "slave1=0:h:10912"), "SLAVE=LISTEN_PORT"),
        (("--out", "x", "--link", "slave1=99999:h:1"), "SLAVE=LISTEN_PORT"),
        (("--out", "x", "--link", "a slave=1:h:1"), "SLAVE=LISTEN_PORT"),
        (("--out", "x", "--link", LINK, "--link", LINK), "another link"),
        (("--out", "x", "--link", LINK, "--rotate", "10 XB"), "no size"),
        (("--out", "x", "--link", LINK, "--broker", "master"), "NAME=HOST:PORT"),
        (("--out", "x", "--link", LINK, "--node", "=f"), "NAME=FILE"),
        (("--out", "x", "--link", LINK, "--node", "master=missing.conf"), "missing.conf"),
        (("--out", "x", "--link", LINK, "--prometheus", "0"), "no port"),
        (("--play", "missing.jsonl"), "missing.jsonl"),
    ],
)
def test_bad_options_are_one_line(words: tuple[str, ...], problem: str, tmp_path: Path) -> None:
    """Nothing is recorded."""
    result = run("record", *words, folder=tmp_path)
    assert exit_codes.BAD_INPUT == result.returncode
    assert problem in result.stderr
    assert 1 == result.stderr.count("\n")
    assert [] == list(tmp_path.glob("x*"))


def test_a_file_of_somebody_else_is_refused(tmp_path: Path) -> None:
    """And left as it is."""
    out = tmp_path / "notes"
    out.write_text("mine\n")
    result = run("record", "--out", out, "--link", LINK)
    assert (exit_codes.BAD_INPUT, "mine\n") == (result.returncode, out.read_text())


def test_recordings_are_played_back(tmp_path: Path) -> None:
    """Alarms as lines and as JSON; the exit code says whether there are any."""
    quiet, loud = (
        TRACES / f"{name}.jsonl" for name in ("b_sync_no_slave", "u_rollover_while_slave_joins")
    )
    result = run("record", "--play", quiet)
    assert (0, f"{quiet}: no alarm\n") == (result.returncode, result.stdout)
    file = tmp_path / "alarms.jsonl"
    result = run("record", "--play", quiet, "--play", loud, "--watch-json", file)
    assert exit_codes.REFUTED == result.returncode
    alarms = [json.loads(line) for line in file.read_text().splitlines()]
    assert ["positioned_above_put", "false_acknowledgement"] == [each["alarm"] for each in alarms]
    assert all(each["alarm"] in result.stdout for each in alarms)


@contextmanager
def start(folder: Path, said: str, *words: object) -> Iterator[subprocess.Popen[str]]:
    """``rmqspec WORDS`` as a process that runs, stopped in order behind it unless it is gone."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [sys.executable, "-m", "command_line", *map(str, words)],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        try:
            assert any(said in line for line in process.stdout)
            yield process
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                assert 0 == process.wait(60)
        finally:
            process.kill()


@pytest.mark.nightly
def test_a_port_in_use_is_one_line(tmp_path: Path) -> None:
    """With exit code 3."""
    with socket.socket() as taken:
        taken.bind((LOOPBACK, 0))
        taken.listen()
        port = taken.getsockname()[1]
        words = ["record", "--out", "pair.jsonl", "--link", f"slave1={port}:master-host:10912"]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "command_line", *words]
        result = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
    assert (exit_codes.BAD_INPUT, 1) == (result.returncode, result.stderr.count("\n"))


def find_ports() -> int:
    """A listen port whose neighbours are free too: of clients, of slaves, and the fast one."""
    while True:
        port = find_port()
        with ExitStack() as stack:
            try:
                for each in (port - 2, port, port + 1):
                    probe = stack.enter_context(socket.socket())
                    probe.bind((LOOPBACK, each))
            except OSError:
                continue
            return port


PACE_SECONDS = 0.05
"""Between messages, and between looks at the recording."""
SETTINGS = ("--set", "haSendHeartbeatInterval=500", "--set", "mapedFileSizeCommitLog=1048576")


@define(eq=False)
class Group:
    """An own master, its slave, and a recorder between them, each a process."""

    folder: Path
    role: str
    stack: ExitStack
    master: int = field(factory=find_ports)
    slave: int = field(factory=find_ports)
    link: int = field(factory=find_port)

    def begin(self, said: str, *words: object) -> subprocess.Popen[str]:
        """Start a process; it is stopped in order at the end."""
        return self.stack.enter_context(start(self.folder, said, *words))

    def begin_broker(self, name: str, role: str, port: int, *more: str) -> subprocess.Popen[str]:
        """A broker, the first time or again."""
        where = ("--store", name, "--listen-port", port, "--name", name)
        told = ("--events", f"{name}.jsonl", "--snapshots", 1)
        return self.begin("listens", "broker", "--role", role, *where, *told, *SETTINGS, *more)

    def begin_master(self) -> subprocess.Popen[str]:
        """The master."""
        return self.begin_broker("master", self.role, self.master)

    def begin_slave(self) -> subprocess.Popen[str]:
        """Its slave, which connects to the recorder."""
        return self.begin_broker(
            "slave1", "SLAVE", self.slave, "--master", f"{LOOPBACK}:{self.link}"
        )

    def begin_recorder(self) -> subprocess.Popen[str]:
        """The recorder, the first one or the next."""
        link = f"slave1={self.link}:{LOOPBACK}:{self.master + 1}"
        words = ("record", "--out", "pair.jsonl", "--link", link, "--rotate", "20KB")
        files = ("--events", "master.jsonl", "--events", "slave1.jsonl")
        told = ("--broker", f"master={LOOPBACK}:{self.master}", "--watch-json", "alarms.jsonl")
        return self.begin("recording to", *words, *files, *told)

    def list_files(self) -> list[Path]:
        """The parts of the recording."""
        files = [self.folder / "pair.jsonl"]
        while name_part(files[0], len(files)).exists():
            files.append(name_part(files[0], len(files)))
        return files

    def count(self, kind: str) -> int:
        """How many lines of a kind are in the recording."""
        files = [file for file in self.list_files() if file.exists()]
        return sum(file.read_text().count(f'"ev": "{kind}"') for file in files)

    def put(self, count: int) -> None:
        """So many messages."""
        client = PlainClient(self.master)
        for _ in range(count):
            client.send("T0", b"x" * 300)
            time.sleep(PACE_SECONDS)
        client.close()

    def put_until(self, kind: str, count: int) -> None:
        """Messages, until so many more lines of a kind are recorded."""
        wanted = self.count(kind) + count
        while self.count(kind) < wanted:
            self.put(10)

    def wait_for(self, kind: str) -> None:
        """Until a line of a kind is recorded."""
        while not self.count(kind):
            time.sleep(PACE_SECONDS)

    def check(self) -> Recording:
        """What was recorded conforms, and there was no alarm of what brokers did."""
        files = self.list_files()
        assert 3 < len(files)
        recording = read_parts(files)
        verdict = check_recording(recording)
        assert verdict.is_conforming, verdict.reason
        alarms = (self.folder / "alarms.jsonl").read_text().splitlines()
        assert [] == [each for each in alarms if json.loads(each)["alarm"] != ORDER_UNKNOWN.name]
        return recording


def kill(process: subprocess.Popen[str]) -> None:
    """As by ``kill -9``."""
    process.kill()
    process.wait()


@pytest.mark.nightly
@pytest.mark.parametrize("role", ["ASYNC_MASTER", "SYNC_MASTER"])
def test_kills_of_the_recorder_leave_a_recording_that_conforms(role: str, tmp_path: Path) -> None:
    """Puts all the time, and a recorder that is killed twice; once it misses many of them."""
    with ExitStack() as stack:
        group = Group(tmp_path, role, stack)
        group.begin_master()
        recorder = group.begin_recorder()
        group.begin_slave()
        for missed in (0, 100):
            group.put_until("ha_report", 80)
            kill(recorder)
            group.put(missed)
            recorder = group.begin_recorder()
        group.put_until("ha_report", 120)
    recording = group.check()
    assert 2 == sum("resumed" in event.data.get("text", "") for event in recording.events)
    kinds = {event.kind for event in recording.events}
    assert {"put", "snapshot", "broker_status", "ha_frame", "ha_report", "link_cut"} <= kinds


@pytest.mark.nightly
def test_kills_of_brokers_are_recorded(tmp_path: Path) -> None:
    """Of the slave and of the master, which come back."""
    with ExitStack() as stack:
        group = Group(tmp_path, "SYNC_MASTER", stack)
        master = group.begin_master()
        group.begin_recorder()
        slave = group.begin_slave()
        group.put_until("ha_report", 60)
        kill(slave)
        slave = group.begin_slave()
        group.put_until("ha_report", 50)
        kill(master)
        group.wait_for("proxy_target_down")
        group.begin_master()
        group.put_until("ha_report", 80)
    recording = group.check()
    ends = [event["node"] for event in recording.events if event.kind == "node_kill9"]
    assert ["slave1", "master"] == ends
    assert 1 <= sum(event.kind == "proxy_target_down" for event in recording.events)
