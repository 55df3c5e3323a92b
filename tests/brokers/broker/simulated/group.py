"""A master with its slaves, its producers and its operator, on a simulated network."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

from attrs import define, field

from brokers.broker.broker import Broker
from brokers.broker.habits import SLAVE_TIMEOUT_SINCE
from brokers.broker.parts import USUAL_PARTS, Parts
from brokers.broker.settings import Settings
from brokers.configuration_files import read_one_broker
from brokers.recordings.kinds import WITH_HEARTBEATS
from brokers.recordings.reading import Recording, number_lines
from reference.configuration.later_keys import name_in
from reference.releases.releases import CONTROLLER, QUORUM, is_since
from reference.releases.versions import parse_version
from tests.brokers.broker.simulated.network import Network, Process, SimulatedHost
from tests.brokers.broker.simulated.operator import Operator
from tests.brokers.broker.simulated.producer import Producer
from tests.brokers.broker.simulated.scenarios import Scenario
from tests.brokers.broker.simulated.tap import LinkTap

FIRST_MS = 10.0
MASTER_PORT = 10911


@define(eq=False, repr=False)
class Node:
    """A broker through all its lives."""

    group: Group
    name: str
    settings: Settings
    parts: Parts = USUAL_PARTS
    """What its brokers are made of."""
    process: Process | None = None
    broker: Broker | None = None
    host: SimulatedHost | None = None

    @property
    def is_up(self) -> bool:
        """Its process runs and is not about to stop."""
        return self.broker is not None and not self.broker.store.is_stopping

    def start(self) -> None:
        """A new process."""
        network = self.group.network
        self.process = process = Process(self.name)
        self.host = SimulatedHost(network, process, self.settings.address)

        def append_event(data: bytes) -> None:
            if process.is_alive:
                self.group.take_line(json.loads(data))

        self.broker = Broker(self.settings, self.host, append_event, self.name, self.parts)
        self.broker.start()
        ports = self.settings.ports
        listeners = {
            ports.ha: self.broker.ha.make_connection,
            ports.listen: self.broker.server.make_connection,
            ports.vip: self.broker.server.make_connection,
        }
        for port, make in listeners.items():
            network.listeners[f"{self.settings.own_host}:{port}"] = (self.process, make)

    def end(self) -> None:
        """The process is gone, and all its connections with it."""
        assert self.process is not None
        assert self.broker is not None
        self.process.is_alive = False
        for wire in self.group.list_wires():
            for end in (wire.near, wire.far):
                if end.process is self.process:
                    end.close()
        self.group.taken += self.broker.count_taken()
        self.broker.store.files.unlock()
        self.broker = None


@define(eq=False, repr=False)
class Group:
    """Everything that one seed decides."""

    scenario: Scenario
    release: str
    seed: int
    folder: Path
    chance: random.Random = field(init=False)
    network: Network = field(init=False)
    nodes: list[Node] = field(init=False)
    """The master first."""
    taps: list[LinkTap] = field(init=False)
    producers: list[Producer] = field(init=False)
    client_host: SimulatedHost = field(init=False)
    lines: list[dict[str, Any]] = field(factory=list)
    configs: dict[str, dict[str, Any]] = field(factory=dict)
    is_ending: bool = False
    is_controlled: bool = field(init=False)
    """The brokers are told their roles, and their SyncStateSet."""
    operator: Operator = field(init=False)
    skews_ms: dict[str, float] = field(factory=dict)
    """How far the clocks of brokers are ahead of the recorder's."""
    taken: Counter[str] = field(factory=Counter)
    """How often a rule was taken, by brokers that have ended."""

    def __attrs_post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.is_controlled = parse_version(self.release).mode == CONTROLLER
        self.network = Network(random.Random(self.seed + 1))
        self.nodes = [self._make_node(n) for n in range(self.scenario.slaves + 1)]
        self.taps = []
        for node in self.nodes[1:]:
            tap = LinkTap(self, f"link_{node.name}")
            self.network.taps[node.settings.text("haMasterAddress")] = tap
            self.taps.append(tap)
        process = Process("clients")
        self.client_host = SimulatedHost(self.network, process, "10.9.9.9:5000")
        self.producers = [Producer(self, n) for n in range(self.scenario.producers)]
        self.operator = Operator(self)
        draw, skew_ms = random.Random(self.seed + 2).uniform, self.scenario.skew_ms
        self.skews_ms = {node.name: draw(-skew_ms, skew_ms) for node in self.nodes}

    @property
    def master(self) -> Node:
        """The node with id 0."""
        return self.nodes[0]

    @property
    def master_address(self) -> str:
        """Where clients reach it."""
        return self.master.settings.address

    @property
    def is_master_listening(self) -> bool:
        """Its HA port is open."""
        broker = self.master.broker
        return broker is not None and not broker.ha.is_over

    def _make_node(self, number: int) -> Node:
        scenario = self.scenario
        told = {
            "brokerRole": scenario.role.name if number == 0 else "SLAVE",
            "brokerId": str(number),
            "flushDiskType": scenario.flush.name,
            "brokerName": "pair",
            "listenPort": str(MASTER_PORT),
            "mapedFileSizeCommitLog": str(scenario.file_bytes),
            "mapedFileSizeConsumeQueue": "2000",
            "maxMessageSize": str(scenario.body_max_bytes + 4096),
            "haTransferBatchSize": str(scenario.batch_bytes),
            "haSendHeartbeatInterval": str(scenario.heartbeat_ms),
            "haHousekeepingInterval": str(scenario.housekeeping_ms),
            "haSlaveFallbehindMax": str(scenario.fall_behind_bytes),
            "syncFlushTimeout": str(scenario.flush_timeout_ms),
            "sendMessageThreadPoolNums": str(scenario.producers),
            "diskMaxUsedSpaceRatio": "99",
        }
        version = parse_version(self.release)
        if self.is_controlled:
            told |= {"brokerId": str(number + 1), "allAckInSyncStateSet": "true"}
        if is_since(version.release, SLAVE_TIMEOUT_SINCE):
            told["slaveTimeout"] = str(scenario.slave_timeout_ms)
        if number:
            told["haMasterAddress"] = f"10.0.1.{number}:{MASTER_PORT + 1}"
        if version.mode == QUORUM:
            told["inSyncReplicas"] = "2"
        told = name_in(told, version)
        configuration, _ = read_one_broker(None, told, version)
        name = f"slave{number}" if number else "master"
        root = self.folder / name
        return Node(self, name, Settings(configuration, root, f"10.0.0.{number}"))

    def list_wires(self) -> list[Any]:
        """All connections that were ever opened and may still be open."""
        hosts = [node.host for node in self.nodes if node.host is not None]
        return [wire for host in (*hosts, self.client_host) for wire in host.wires]

    # The recording

    def note(self, kind: str, **fields: Any) -> None:
        """A line of the recorder itself."""
        self.lines.append({"t_ms": round(self.network.now_ms, 3), "ev": kind, **fields})

    def take_line(self, told: dict[str, Any]) -> None:
        """A line of a broker."""
        wall_ms = told.pop("wall_ms")
        now_ms = self.network.now_ms + self.skews_ms[told["node"]]
        if told["ev"] == "config_node":
            self.configs[told["node"]] = told
            return
        if "begin_wall_ms" in told:
            ago_ms = wall_ms - told.pop("begin_wall_ms")
            told["t_begin_ms"] = round(now_ms - ago_ms, 3)
        self.lines.append({"t_ms": round(now_ms, 3), **told})

    def make_recording(self, count: int | None = None) -> Recording:
        """All lines, or the first ones, as a reader has them."""
        nodes = {
            name: {k: told[k] for k in ("role", "flush_type", "broker_id", "store_config")}
            for name, told in self.configs.items()
        }
        head = {
            "t_ms": 0.0,
            "ev": "config",
            "format": 1,
            "rocketmq": self.release,
            "scenario": self.scenario.name,
            "seed": self.seed,
            "nodes": nodes,
            WITH_HEARTBEATS: True,
        }
        ordered = sorted(self.lines, key=lambda line: float(line["t_ms"]))[:count]
        return number_lines("own brokers", [head, *ordered])

    def dump(self, count: int | None = None) -> str:
        """The same, as a file."""
        recording = self.make_recording(count)
        return "".join(json.dumps(e.data) + "\n" for e in (recording.config, *recording.events))

    # Lives

    def run(self, events: int) -> None:
        """Let the group live until so many lines are noted."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for number, node in enumerate(self.nodes):
            self.network.after(FIRST_MS + 100.0 * number, node.start, None)
        for producer in self.producers:
            self.network.after(700.0, producer.connect, None)
        self.operator.begin()
        self.network.run(lambda: len(self.lines) >= events)
        self.is_ending = True
        until_ms = self.network.now_ms + 400.0
        self.network.run(lambda: self.network.now_ms > until_ms)
        for node in self.nodes:
            if node.broker is not None:
                self.taken += node.broker.count_taken()
                node.broker.store.files.unlock()
