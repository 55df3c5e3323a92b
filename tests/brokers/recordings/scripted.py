"""A master of our own, and slaves that a script plays: they report what they like."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from attrs import define, field

from brokers.broker.broker import Broker
from brokers.broker.host import Transport
from brokers.broker.settings import Settings
from brokers.configuration_files import read_one_broker
from brokers.recordings.reading import Recording, number_lines
from brokers.wire.replication import FrameHeaderReader, encode_report
from reference.configuration.later_keys import name_in
from reference.releases.releases import QUORUM
from reference.releases.versions import parse_version
from reference.store.put import MessageToPut
from tests.brokers.broker.simulated.network import Network, Process, SimulatedHost

SETTINGS = {
    "brokerRole": "SYNC_MASTER",
    "brokerName": "b",
    "mapedFileSizeCommitLog": "16384",
    "mapedFileSizeConsumeQueue": "2000",
    "haSendHeartbeatInterval": "500",
    "haHousekeepingInterval": "3000",
    "haSlaveFallbehindMax": "100000",
    "syncFlushTimeout": "1000",
    "diskMaxUsedSpaceRatio": "99",
}
NODE_FIELDS = ("role", "flush_type", "broker_id", "store_config")

Step = tuple[float, str, Any]
"""After how long what is done: ``connect``, ``cut``, ``report`` some at once, ``put``, ``look``."""


@define(eq=False, repr=False)
class ScriptedSlave:
    """One end of a link, without any broker behind it; a peer of the host."""

    stage: Scripted
    number: int
    connection: int = 0
    transport: Transport | None = None
    headers: FrameHeaderReader = field(factory=FrameHeaderReader)

    def note(self, kind: str, **fields: Any) -> None:
        """A line about its link."""
        self.stage.note(kind, link=f"link_slave{self.number}", **fields)

    def opened(self, transport: Transport) -> None:
        """The master has accepted it."""
        self.transport, self.headers = transport, FrameHeaderReader()
        self.connection += 1
        self.note("ha_link_open", conn=self.connection)

    def received(self, data: bytes) -> None:
        """Frames."""
        for offset, size in self.headers.feed(data):
            self.note("ha_frame", conn=self.connection, master_offset=offset, body_bytes=size)

    def drained(self) -> None:
        """Reports are small."""

    def lost(self, reason: str) -> None:
        """The master has closed."""
        if self.transport is not None:
            self.note("ha_link_close", conn=self.connection, closed_by="master")
            self.transport = None

    def report(self, offsets: Sequence[int]) -> None:
        """Numbers in one piece, each of them shown first."""
        if self.transport is not None:
            for offset in offsets:
                self.note("ha_report", conn=self.connection, slave_offset=offset)
            self.transport.send(b"".join(map(encode_report, offsets)))

    def cut(self) -> None:
        """It closes."""
        if self.transport is not None:
            self.note("link_cut")
            transport, self.transport = self.transport, None
            transport.abort()


@define(eq=False, repr=False)
class Scripted:
    """The master, its slaves, and what is written down of them."""

    folder: Path
    release: str = "4.4.0"
    slaves: int = 1
    seed: int = 1
    make_broker: Callable[..., Broker] = Broker
    lines: list[dict[str, Any]] = field(factory=list)
    network: Network = field(init=False)
    broker: Broker = field(init=False)
    host: SimulatedHost = field(init=False)
    nodes: dict[str, Any] = field(factory=dict)
    played: list[ScriptedSlave] = field(init=False)

    def __attrs_post_init__(self) -> None:
        version = parse_version(self.release)
        told = name_in(SETTINGS, version)
        if version.mode == QUORUM:
            told["inSyncReplicas"] = "2"
        configuration, _ = read_one_broker(None, told, version)
        settings = Settings(configuration, self.folder / "master", "10.0.0.1")
        self.network = Network(random.Random(self.seed))
        broker_host = SimulatedHost(self.network, Process("master"), settings.address)
        self.host = SimulatedHost(self.network, Process("tester"), "10.0.0.9:5000")
        self.broker = self.make_broker(settings, broker_host, self.take_bytes, "master")
        self.broker.start()
        make = self.broker.ha.make_connection
        self.network.listeners[settings.ha_address] = (broker_host.process, make)
        self.played = [ScriptedSlave(self, number + 1) for number in range(self.slaves)]
        for slave in self.played:
            self.note("process_started", node=f"slave{slave.number}", role="SLAVE")

    def note(self, kind: str, **fields: Any) -> None:
        """A line."""
        self.lines.append({"t_ms": round(self.network.now_ms, 3), "ev": kind, **fields})

    def take_line(self, told: dict[str, Any]) -> None:
        """An event of the master."""
        wall_ms = told.pop("wall_ms")
        if told["ev"] == "config_node":
            self.nodes["master"] = {name: told[name] for name in NODE_FIELDS}
            return
        if "begin_wall_ms" in told:
            ago_ms = wall_ms - told.pop("begin_wall_ms")
            told["t_begin_ms"] = round(self.network.now_ms - ago_ms, 3)
        self.lines.append({"t_ms": round(self.network.now_ms, 3), **told})

    def play(self, steps: Sequence[Step]) -> Recording:
        """One step after another; the recording of all."""
        for wait_ms, kind, told in steps:
            until_ms = self.network.now_ms + wait_ms
            self.network.after(wait_ms, lambda: None, None)
            self.network.run(lambda until_ms=until_ms: self.network.now_ms >= until_ms)
            self._do(kind, told)
        self.broker.store.files.unlock()
        return self.make_recording()

    def _do(self, kind: str, told: Any) -> None:
        if kind == "look":
            self.broker.events.write_snapshot()
        elif kind == "put":
            message = MessageToPut("T0", 0, bytes(told), is_wait_store_msg_ok=True)
            self.broker.ports.put(message)
        elif kind == "connect":
            address = self.broker.settings.ha_address
            self.host.connect(address, self.played[told - 1], 1000.0)
        elif kind == "cut":
            self.played[told - 1].cut()
        else:
            number, *offsets = told
            self.played[number - 1].report(offsets)

    def take_bytes(self, line: bytes) -> None:
        """One event of the broker, as it is written."""
        self.take_line(json.loads(line))

    def make_recording(self) -> Recording:
        """All lines, as a reader has them."""
        theirs = {**self.nodes["master"], "role": "SLAVE", "scripted": True}
        nodes = {**self.nodes, **{f"slave{n + 1}": theirs for n in range(self.slaves)}}
        head = {"t_ms": 0.0, "ev": "config", "rocketmq": self.release, "nodes": nodes}
        return number_lines("scripted", [head, *self.lines])
