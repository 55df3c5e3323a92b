"""Real processes: a master, a slave and a recorder between them, started, killed and stopped."""

from __future__ import annotations

import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

from attrs import define, field

from tests.brokers.broker.plain_client import PlainClient
from tests.command_line.run import ROOT

SETTINGS = {
    "mapedFileSizeCommitLog": "65536",
    "mapedFileSizeConsumeQueue": "2000",
    "maxMessageSize": "8192",
    "haSendHeartbeatInterval": "200",
    "haHousekeepingInterval": "3000",
    "syncFlushTimeout": "900",
    "diskMaxUsedSpaceRatio": "99",
    "sendMessageThreadPoolNums": "4",
    "brokerName": "pair",
}
PATIENCE_S = 300.0
"""After which something is taken to hang; it decides nothing else."""
EVENTS = ("master", "slave1")
"""Whose lines the recorder reads."""


def find_ports(count: int) -> list[int]:
    """Ports that are free, each with its neighbours."""
    found: list[int] = []
    while len(found) < count:
        with socket.socket() as each:
            each.bind(("127.0.0.1", 0))
            port = each.getsockname()[1]
        if 12000 < port < 60000 and all(abs(port - other) > 4 for other in found):
            found.append(port)
    return found


@define(eq=False, repr=False)
class Program:
    """One program through its lives."""

    name: str
    arguments: list[str]
    folder: Path
    process: subprocess.Popen[str] | None = None
    output: Path = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.output = self.folder / f"{self.name}.out"

    def start(self, *, until: str) -> None:
        """Start it, and wait for a line. Raises AssertionError with its output."""
        before = self.output.stat().st_size if self.output.exists() else 0
        with self.output.open("a") as file:
            command = [sys.executable, "-m", "command_line", *self.arguments]
            self.process = subprocess.Popen(
                command, cwd=self.folder, stdout=file, stderr=file, text=True, env=make_env()
            )
        until_s = time.monotonic() + PATIENCE_S
        while until not in self.output.read_text()[before:]:
            assert self.process.poll() is None, self.output.read_text()[before:]
            assert time.monotonic() < until_s, self.output.read_text()[before:]
            time.sleep(0.01)

    def kill(self) -> None:
        """``kill -9``."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        """In order; its exit code."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_S)


def make_env() -> dict[str, str]:
    """What a program of this checkout needs."""
    return {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"}


@define(eq=False, repr=False)
class Pair:
    """A master, a slave and the recorder between them."""

    folder: Path
    release: str
    role: str
    flush: str = "ASYNC_FLUSH"
    ports: list[int] = field(factory=lambda: find_ports(3))
    codes: Counter[int] = field(factory=Counter)
    """Of the answers that producers got."""
    is_over: bool = False
    master: Program = field(init=False)
    slave: Program = field(init=False)
    recorder: Program = field(init=False)

    def __attrs_post_init__(self) -> None:
        master, slave, link = self.ports
        self.master = self._make_broker("master", self.role, master)
        self.slave = self._make_broker("slave1", "SLAVE", slave, f"127.0.0.1:{link}")
        arguments = ["record", "--quiet", "--rocketmq-version", self.release, "--out", "pair.jsonl"]
        arguments += ["--link", f"slave1={link}:127.0.0.1:{master + 1}"]
        for name in EVENTS:
            arguments += ["--events", f"{name}.events", "--node", f"{name}={name}.conf"]
        self.recorder = Program("recorder", arguments, self.folder)

    def _make_broker(self, name: str, role: str, port: int, master: str = "") -> Program:
        arguments = ["broker", "--quiet", "--rocketmq-version", self.release, "--role", role]
        arguments += ["--store", name, "--listen-port", str(port), "--name", name]
        arguments += ["--events", f"{name}.events", "--snapshots", "0.15"]
        arguments += ["--master", master] if master else []
        settings = self._list_settings()
        for key, value in settings.items():
            arguments += ["--set", f"{key}={value}"]
        # The recorder need not wait for whom takes long to start: it would assume the defaults.
        told = {**settings, "brokerRole": role, "brokerId": "1" if master else "0"}
        lines = [f"{key}={value}\n" for key, value in told.items()]
        (self.folder / f"{name}.conf").write_text("".join(lines))
        return Program(name, arguments, self.folder)

    def _list_settings(self) -> dict[str, str]:
        """Those of both brokers, as this release names them."""
        settings = {**SETTINGS, "flushDiskType": self.flush}
        is_new = self.release >= "4.7.1"
        return {k.replace("maped", "mapped") if is_new else k: v for k, v in settings.items()}

    def start(self) -> None:
        """All three."""
        for name in EVENTS:
            (self.folder / f"{name}.events").touch()
        self.recorder.start(until="slave1")
        self.master.start(until=" listens: ")
        self.slave.start(until=" listens: ")

    def produce(self, seed: int) -> threading.Thread:
        """Somebody who sends again and again, to whatever master there is."""
        thread = threading.Thread(target=self._produce, args=(random.Random(seed),), daemon=True)
        thread.start()
        return thread

    def _produce(self, chance: random.Random) -> None:
        client: PlainClient | None = None
        while not self.is_over:
            try:
                client = client or PlainClient(self.ports[0])
                waits = "" if chance.random() < 0.8 else "WAIT\x01false\x02"
                body = bytes(chance.choice((10, 300, 3000)))
                answer = client.send("T", body, chance.randrange(3), waits)
                self.codes[answer.code] += 1
            except OSError:
                client = None
                time.sleep(0.05)
            time.sleep(chance.expovariate(20.0))

    def wait_for_answers(self, count: int) -> None:
        """Come back when producers have got so many more."""
        enough = self.codes.total() + count
        until_s = time.monotonic() + PATIENCE_S
        while self.codes.total() < enough:
            assert time.monotonic() < until_s, self.codes
            time.sleep(0.01)

    def end(self) -> None:
        """Brokers in order, then the recorder."""
        self.is_over = True
        for program in (self.slave, self.master, self.recorder):
            if program.process is not None and program.process.poll() is None:
                assert program.stop() == 0, program.output.read_text()


def strike(pair: Pair, chance: random.Random) -> str:
    """One of the things that happen to brokers; the recorder notices the ends of processes."""
    kind = chance.choice(
        ("kill slave", "kill master", "stop slave", "stop master", "kill recorder")
    )
    act, _, name = kind.partition(" ")
    programs = {"slave": pair.slave, "master": pair.master, "recorder": pair.recorder}
    program = programs[name]
    if act == "kill":
        program.kill()
    else:
        program.stop()
    time.sleep(chance.choice((0.0, 0.3)))
    program.start(until="slave1" if name == "recorder" else " listens: ")
    return kind
