"""What a case is played on: the broker under test, the tester's own ends, and the recording."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from attrs import define, field, frozen

from brokers.broker.broker import Broker
from brokers.broker.events import list_store_config
from brokers.broker.host import Host, Peer
from brokers.broker.settings import Settings
from brokers.configuration_files import read_one_broker
from brokers.conformance.name_server import NameServerConnection
from brokers.conformance.peers import LifePeer, OwnBroker
from brokers.conformance.producer import Producer
from brokers.conformance.shown_tables import AskedPeer, describe_own
from brokers.conformance.tap import TappedLink
from brokers.recorder.link_bytes import MASTER, SLAVE
from brokers.recordings.clock import FOREVER_MS
from brokers.recordings.kinds import WITH_HEARTBEATS
from brokers.recordings.reading import Recording, number_lines
from reference.configuration.later_keys import name_in
from reference.decisions.metadata.copying import REQUEST_CODES
from reference.decisions.reading.settings import BROKER_FIELDS

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
INEXACT_MS = 0.001
"""How far a difference of two times of day may be off: 2**-12 ms each, and two roundings."""
Listen = Callable[[Callable[[], Peer]], Callable[[], None]]
"""Begins to listen; what it returns ends that."""


@frozen
class Serving:
    """Where a slave under test finds what else there is than its master's log."""

    names: Listen
    """For the tester's name server."""
    clients: Listen
    """For its master as a server of requests, at both ports (``fastRemotingServer``)."""
    client_address: str
    """What the name server tells of these."""
    ha_address: str
    """And of the master's log."""


@frozen
class Played:
    """What is left of a case that was played."""

    recording: Recording
    focus_ms: float = 0.0
    """When that began which the case is about."""
    late_ms: float = 0.0
    """How late a timer of the tester was at most."""
    unanswered: int = 0
    """How many requests have no answer, after half a minute."""


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
    serving: Serving | None = None
    restart: Callable[[Callable[[], None]], None] | None = None
    """Kills the broker under test and starts it on its store; what it is given follows."""
    is_whole: bool = False
    """The broker under test is recorded as a whole one."""
    own_settings: Mapping[str, str] = field(factory=dict)
    """Where the tester's own brokers differ from the one under test."""
    lines: list[dict[str, Any]] = field(factory=list)
    nodes: dict[str, dict[str, Any]] = field(factory=dict)
    links: dict[str, TappedLink] = field(factory=dict)
    brokers: dict[str, OwnBroker] = field(factory=dict)
    producer: Producer = field(init=False)
    began_ms: float = field(init=False)
    focus_ms: float | None = None
    """When that began which the case is about; None: from the first line on."""
    is_over: bool = False
    """Nothing is noted any more."""
    copies: Counter[int] = field(factory=Counter)
    """How often the slave under test has asked for each table, by the request's code."""
    copied_ms: float = -FOREVER_MS
    """When it did so last."""
    is_tested_down: bool = False
    """The broker under test is being killed and started again: nothing is noted of it."""
    sends_open: int = 0
    """How many messages were sent to a whole broker and are not answered."""
    _stops: list[Callable[[], None]] = field(factory=list)
    """Each ends listening for the tester's master."""
    _stop_names: Callable[[], None] | None = None
    _name_connections: list[NameServerConnection] = field(factory=list)

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
            **({"broker_config": list_broker_config(tested)} if self.is_whole else {}),
        }
        fresh = FRESH_SLAVE if tested.is_slave else FRESH_MASTER
        kind = "broker_started" if self.is_whole else "node_started"
        head: dict[str, Any] = {"node": self.tested_node, "role": tested.role.name}
        self.note(kind, **head, **FRESH_START, **fresh)

    # The recording

    def elapsed_ms(self) -> float:
        """The clock of the recording."""
        return round(self.host.now_ms() - self.began_ms, 3)

    def note(self, kind: str, **fields: Any) -> None:
        """A line."""
        if self.is_over or (self.is_whole and "link" in fields):
            return
        self.lines.append({"t_ms": self.elapsed_ms(), "ev": kind, **fields})

    def take_line(self, told: dict[str, Any]) -> None:
        """An event of a broker of our own."""
        if self.is_over:
            return
        wall_ms = told.pop("wall_ms")
        if told["ev"] == "config_node":
            names = ("role", "flush_type", "broker_id", "store_config")
            self.nodes[told["node"]] = {name: told[name] for name in names}
            return
        if self.is_whole and not self._make_whole(told):
            return
        now_ms = self.elapsed_ms()
        if "begin_wall_ms" in told:
            # A call that has taken no time began with its answer, and not with a line before that.
            lasted_ms = wall_ms - told.pop("begin_wall_ms")
            told["t_begin_ms"] = self._find_begin(now_ms - lasted_ms) if lasted_ms else now_ms
        self.lines.append({"t_ms": now_ms, **told})

    def _find_begin(self, t_ms: float) -> float:
        """When a call began, which the time of day tells less exactly than the clock.

        It is the stamp of the first line that may have been written then, if there is one: nothing
        that the call has led to came before it.
        """
        stamps = (line["t_ms"] for line in self.lines if abs(line["t_ms"] - t_ms) <= INEXACT_MS)
        return float(min(stamps, default=round(t_ms, 3)))

    def _make_whole(self, told: dict[str, Any]) -> bool:
        """An event of a whole broker shows its tables; what its store alone shows is left out."""
        if told["ev"] == "node_started":
            told |= {"ev": "broker_started", **describe_own(self.get_own(told["node"]))}
        return told["ev"] not in ("put", "snapshot")

    def take_down(self, name: str, late_ms: float = 0.0) -> Played:
        """The recording, and what else was seen."""
        focus_ms, unanswered = self.focus_ms or 0.0, self.producer.unanswered
        return Played(self.make_recording(name), focus_ms, late_ms, unanswered)

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
        return number_lines(name, [head, *self.lines])

    # The ends

    @property
    def is_master_tested(self) -> bool:
        """The tester plays slaves."""
        return not self.settings.is_slave

    @property
    def tested_node(self) -> str:
        """What the broker under test is called."""
        return MASTER_NODE if self.is_master_tested else "slave1"

    def get_link(self, slave: int = 1) -> TappedLink:
        """The link of a slave, counted from 1."""
        name = f"link_slave{slave}"
        if name not in self.links:
            own_side = SLAVE if self.is_master_tested else MASTER
            self.links[name] = TappedLink(name, own_side, self.host, self.note)
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

    def get_own(self, name: str) -> Broker:
        """A broker of the tester that runs, or is about to."""
        return self.brokers[name].running

    def _make_broker(
        self, name: str, told: dict[str, str], tap: Callable[[str, Peer], Peer]
    ) -> OwnBroker:
        version, tested = self.settings.version, self.settings.configuration.values
        shared = {
            k: str(v)
            for k, v in tested.items()
            if k not in NOT_SHARED and not k.startswith(OWN_ADDRESS)
        }
        shared = {k: v.lower() if v in ("True", "False") else v for k, v in shared.items()}
        told = name_in(told, version)
        configuration, _ = read_one_broker(None, {**shared, **told}, version)
        settings = Settings(configuration, self.folder / name, self.settings.own_host)
        return OwnBroker(name, settings, self.host, self.take_line, tap)

    def open_master(self) -> None:
        """The tester's master takes slaves."""
        assert self.listen is not None
        link, own = self.get_link(), self.get_master()
        life, ha = own.life, own.running.ha
        assert life is not None
        self._stops.append(self.listen(lambda: link.tap(LifePeer(life, ha.make_connection()))))
        if self.serving is not None:
            server = own.running.server

            def answer() -> Peer:
                return AskedPeer(LifePeer(life, server.make_connection()), self._count_copy)

            self._stops.append(self.serving.clients(answer))

    def open_played(self, make_peer: Callable[[], Peer]) -> None:
        """Somebody who plays a master takes slaves."""
        assert self.listen is not None
        link = self.get_link()
        self._stops.append(self.listen(lambda: link.tap(make_peer())))

    def close_master(self) -> None:
        """It does so no more."""
        for stop in self._stops:
            stop()
        self._stops.clear()

    def _count_copy(self, code: int) -> None:
        """A client of the tester's master has asked for something."""
        if code in REQUEST_CODES.values():
            self.copies[code] += 1
            self.copied_ms = self.host.now_ms()

    def open_names(self) -> None:
        """There is a name server from now on."""
        assert self.serving is not None

        def answer() -> Peer:
            self._name_connections.append(NameServerConnection(self._register))
            return self._name_connections[-1]

        self._stop_names = self.serving.names(answer)

    def close_names(self) -> None:
        """There is none any more."""
        if self._stop_names is not None:
            self._stop_names()
            self._stop_names = None
        for connection in self._name_connections:
            connection.leave()
        self._name_connections.clear()

    def _register(self, fields: Mapping[str, str]) -> dict[str, str]:
        """The answer to a registration, which a slave under test may learn from."""
        if fields.get("brokerId") != str(self.settings.broker_id) or self.serving is None:
            return {}
        if not self.is_tested_down:
            self.note("register_broker", node=self.tested_node)
        master = self.brokers.get(MASTER_NODE)
        if master is None or master.broker is None:
            return {}
        return {"masterAddr": self.serving.client_address, "haServerAddr": self.serving.ha_address}

    def end(self) -> None:
        """The case is over."""
        self.is_over = True
        self.close_master()
        self.close_names()
        for broker in self.brokers.values():
            broker.kill()
        self.producer.client.close()


def list_broker_config(settings: Settings) -> dict[str, Any]:
    """The settings of pulls beside the store's, where the file has any."""
    told = settings.configuration.values
    return {key: settings.get(key) for key in BROKER_FIELDS if key in told}


OWN_ADDRESS = "brokerIP"
"""How the keys of a broker's addresses begin."""
NOT_SHARED = (
    "brokerRole",
    "brokerId",
    "haMasterAddress",
    "listenPort",
    "haListenPort",
    "storePathRootDir",
    "storePathCommitLog",
    "namesrvAddr",
)
"""Settings of the broker under test that the tester's own brokers do not take over."""
