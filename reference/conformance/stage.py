"""What a case is played on: the broker under test, the tester's own ends, and the recording."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

from reference.broker.events import list_store_config
from reference.broker.host import Host, Peer
from reference.broker.settings import Settings
from reference.configuration.files import read_one_broker
from reference.configuration.later_keys import get_name_in
from reference.conformance.peers import LifePeer, OwnBroker
from reference.conformance.producer import Producer
from reference.conformance.tap import Link
from reference.recorder.link_bytes import MASTER, SLAVE
from reference.recordings.kinds import WITH_HEARTBEATS
from reference.recordings.reading import Event, Recording

MASTER_NODE = "master"
FRESH_START = {
    "last_exit_normal": True,
    "max_offset": 0,
    "flushed_offset": 0,
    "min_offset": -1,
    "mapped_files": 0,
    "dispatched_offset": 0,
}
"""What an empty broker finds."""
FRESH_MASTER = {
    "push2_slave_max_offset": 0,
    "connection_count": 0,
    "slave_fall_behind": 0,
    "connections": [],
}
FRESH_SLAVE = {"ha_client_connected": False, "ha_client_reported_offset": 0}
Listen = Callable[[Callable[[], Peer]], Callable[[], None]]
"""Begins to listen; what it returns ends that."""


@frozen
class Played:
    """What is left of a case that was played."""

    recording: Recording
    focus_ms: float = 0.0
    """When that began which the case is about."""
    late_ms: float = 0.0
    """How late a timer of the tester was at most."""


@define(eq=False, repr=False)
class Stage:
    """One broker under test, empty at first, and everything around it."""

    host: Host
    folder: Path
    settings: Settings
    """Of the broker under test."""
    ha_address: str = ""
    """Where a master under test takes slaves."""
    broker_address: str = ""
    """Where it takes clients."""
    listen: Listen | None = None
    """For the tester's master, to which a slave under test connects."""
    own_settings: Mapping[str, str] = field(factory=dict)
    """Where the tester's own brokers differ from the one under test."""
    lines: list[dict[str, Any]] = field(factory=list)
    nodes: dict[str, dict[str, Any]] = field(factory=dict)
    links: dict[str, Link] = field(factory=dict)
    brokers: dict[str, OwnBroker] = field(factory=dict)
    producer: Producer = field(init=False)
    began_ms: float = field(init=False)
    focus_ms: float | None = None
    """When that began which the case is about; None: from the first line on."""
    is_over: bool = False
    """Nothing is noted any more."""
    _stop_listening: Callable[[], None] | None = None

    def __attrs_post_init__(self) -> None:
        self.began_ms = self.host.now_ms()
        address = self.broker_address
        self.producer = Producer(self.host, address, self.note, self.elapsed_ms)
        tested = self.settings
        self.nodes[self.tested_node] = {
            "role": tested.role.name,
            "flush_type": tested.configuration.flush_disk_type.name,
            "broker_id": tested.broker_id,
            "store_config": list_store_config(tested),
        }
        fresh = FRESH_SLAVE if tested.is_slave else FRESH_MASTER
        head = {"node": self.tested_node, "role": tested.role.name, "derived": True}
        self.note("node_started", **head, **FRESH_START, **fresh)

    # The recording

    def elapsed_ms(self) -> float:
        """The clock of the recording."""
        return round(self.host.now_ms() - self.began_ms, 3)

    def note(self, kind: str, at_ms: float | None = None, **fields: Any) -> None:
        """A line."""
        if self.is_over:
            return
        stamp = self.elapsed_ms() if at_ms is None else at_ms
        self.lines.append({"t_ms": stamp, "ev": kind, **fields})

    def take_line(self, told: dict[str, Any]) -> None:
        """An event of a broker of our own."""
        if self.is_over:
            return
        wall_ms = told.pop("wall_ms")
        if told["ev"] == "config_node":
            names = ("role", "flush_type", "broker_id", "store_config")
            self.nodes[told["node"]] = {name: told[name] for name in names}
            return
        now_ms = self.elapsed_ms()
        if "begin_wall_ms" in told:
            told["t_begin_ms"] = round(now_ms - (wall_ms - told.pop("begin_wall_ms")), 3)
        self.lines.append({"t_ms": now_ms, **told})

    def take_down(self, name: str, late_ms: float = 0.0) -> Played:
        """The recording, and what else was seen."""
        return Played(self.make_recording(name), self.focus_ms or 0.0, late_ms)

    def make_recording(self, name: str) -> Recording:
        """All lines so far."""
        head: dict[str, Any] = {
            "t_ms": 0.0,
            "ev": "config",
            "format": 1,
            "rocketmq": self.settings.version.name,
            "scenario": name,
            "nodes": self.nodes,
            WITH_HEARTBEATS: True,
        }
        lines = [{"seq": n, **line} for n, line in enumerate([head, *self.lines])]
        events = [Event(n + 1, n, line["t_ms"], line["ev"], line) for n, line in enumerate(lines)]
        return Recording(name, events[0], tuple(events[1:]))

    # The ends

    @property
    def is_master_tested(self) -> bool:
        """The tester plays slaves."""
        return not self.settings.is_slave

    @property
    def tested_node(self) -> str:
        """What the broker under test is called."""
        return MASTER_NODE if self.is_master_tested else "slave1"

    def get_link(self, slave: int = 1) -> Link:
        """The link of a slave, counted from 1."""
        name = f"link_slave{slave}"
        if name not in self.links:
            own_side = SLAVE if self.is_master_tested else MASTER
            self.links[name] = Link(name, own_side, self.host, self.note)
        return self.links[name]

    def get_slave(self, number: int = 1) -> OwnBroker:
        """A slave of the tester."""
        name = f"slave{number}"
        if name not in self.brokers:
            told = {
                "brokerRole": "SLAVE",
                "brokerId": str(number),
                "haMasterAddress": self.ha_address,
                **self.own_settings,
            }
            link = self.get_link(number)

            def tap(address: str, peer: Peer) -> Peer:
                return link.tap(peer) if address == self.ha_address else peer

            self.brokers[name] = self._make_broker(name, told, tap)
        return self.brokers[name]

    def get_master(self) -> OwnBroker:
        """The master of the tester."""
        if MASTER_NODE not in self.brokers:
            told = {"brokerRole": "SYNC_MASTER", "brokerId": "0", **self.own_settings}
            self.brokers[MASTER_NODE] = self._make_broker(MASTER_NODE, told, lambda _, peer: peer)
        return self.brokers[MASTER_NODE]

    def _make_broker(
        self, name: str, told: dict[str, str], tap: Callable[[str, Peer], Peer]
    ) -> OwnBroker:
        version, tested = self.settings.version, self.settings.configuration.values
        shared = {k: str(v) for k, v in tested.items() if k not in NOT_SHARED}
        shared = {k: v.lower() if v in ("True", "False") else v for k, v in shared.items()}
        told = {get_name_in(key, version): value for key, value in told.items()}
        configuration, _ = read_one_broker(None, {**shared, **told}, version)
        settings = Settings(configuration, self.folder / name, self.settings.own_host)
        return OwnBroker(name, settings, self.host, self.take_line, tap)

    def open_master(self) -> None:
        """The tester's master takes slaves."""
        assert self.listen is not None
        link, own = self.get_link(), self.get_master()
        life, ha = own.life, own.running.ha
        assert life is not None
        self._stop_listening = self.listen(lambda: link.tap(LifePeer(life, ha.make_connection())))

    def close_master(self) -> None:
        """It does so no more."""
        if self._stop_listening is not None:
            self._stop_listening()
            self._stop_listening = None

    def end(self) -> None:
        """The case is over."""
        self.is_over = True
        self.close_master()
        for broker in self.brokers.values():
            broker.kill()
        self.producer.client.close()


NOT_SHARED = (
    "brokerRole",
    "brokerId",
    "haMasterAddress",
    "listenPort",
    "haListenPort",
    "storePathRootDir",
    "storePathCommitLog",
    "namesrvAddr",
    "brokerIP1",
    "brokerIP2",
)
"""Settings of the broker under test that the tester's own brokers do not take over."""
