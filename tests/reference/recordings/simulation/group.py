"""A simulated group: its brokers, links and producers, from one seed."""

from __future__ import annotations

import random
from typing import Any

from attrs import define, field, fields

from reference.recordings.reading import Recording
from reference.releases.versions import parse_version
from reference.worlds.replication.parameters import FaultCounts, Parameters
from reference.worlds.replication.roles import FlushDiskType
from reference.worlds.replication.structure import Structure
from tests.reference.recordings.simulation.brokers import Broker
from tests.reference.recordings.simulation.client import Client
from tests.reference.recordings.simulation.disk import Disk
from tests.reference.recordings.simulation.group_transfer import GroupTransfer
from tests.reference.recordings.simulation.kernel import MASTER, Kernel
from tests.reference.recordings.simulation.ledger import Ledger
from tests.reference.recordings.simulation.lives import Lives
from tests.reference.recordings.simulation.master_ha import MasterHa
from tests.reference.recordings.simulation.operator import Operator
from tests.reference.recordings.simulation.proxy import Link
from tests.reference.recordings.simulation.puts import Producer
from tests.reference.recordings.simulation.recorder import Recorder
from tests.reference.recordings.simulation.scenarios import Scenario
from tests.reference.recordings.simulation.timing import Habits, get_habits

NOT_LIMITED = 1_000_000_000

REST_MS = 400.0
"""How long a recording goes on after its last put was called, at least."""

BODY_MARGIN_BYTES = 4096
"""``maxMessageSize`` lies so far above the largest body."""


@define(eq=False)
class Group:
    """Everything of one simulated recording."""

    scenario: Scenario
    release: str
    seed: int
    kernel: Kernel = field(init=False)
    recorder: Recorder = field(init=False)
    ledger: Ledger = field(init=False)
    habits: Habits = field(init=False)
    master: Broker = field(init=False)
    brokers: list[Broker] = field(init=False)
    """The master first."""
    links: list[Link] = field(init=False)
    clients: list[Client] = field(init=False)
    producers: list[Producer] = field(init=False)
    ha: MasterHa = field(init=False)
    transfer: GroupTransfer = field(init=False)
    disk: Disk = field(init=False)
    lives: Lives = field(init=False)
    operator: Operator = field(init=False)
    is_rolling: bool = False
    """A put holds its lock between the blank of a full file and the next file."""
    pending: int = 0
    """How many puts are under way."""
    is_paused: bool = False
    """Producers wait for the puts that are under way."""
    is_ending: bool = False
    """Nobody puts any more, or strikes."""
    _puts: int = 0

    def __attrs_post_init__(self) -> None:
        scenario = self.scenario
        self.habits = get_habits(self.release)
        self.kernel = Kernel(
            make_structure(scenario, self.release),
            make_parameters(scenario),
            chance=random.Random(self.seed),
        )
        config = make_config(scenario, self.release, self.seed)
        self.recorder = Recorder(config)
        self.ledger = Ledger(self.kernel)
        draw = random.Random(self.seed + 1).uniform
        names = ["master", *(f"slave{i + 1}" for i in range(scenario.slaves))]
        self.brokers = [Broker(self, number, name) for number, name in enumerate(names, MASTER)]
        self.master, *slaves = self.brokers
        self.recorder.skews_ms = {n: draw(-scenario.skew_ms, scenario.skew_ms) for n in names}
        self.links = [Link(self, each.number, f"link_{each.name}") for each in slaves]
        pairs = zip(slaves, self.links, strict=True)
        self.clients = [Client(self, broker, link) for broker, link in pairs]
        self.producers = [Producer(self, number) for number in range(scenario.producers)]
        self.ha, self.transfer, self.disk = MasterHa(self), GroupTransfer(self), Disk(self)
        self.lives, self.operator = Lives(self), Operator(self)

    @property
    def is_sync_flush(self) -> bool:
        """Puts wait for the disk."""
        return self.scenario.flush is FlushDiskType.SYNC_FLUSH

    @property
    def slave_timeout_ms(self) -> int:
        """How long a put may wait for a slave."""
        scenario = self.scenario
        is_own = self.habits.has_slave_timeout
        return scenario.slave_timeout_ms if is_own else scenario.flush_timeout_ms

    def take_number(self) -> int:
        """The number of the next put."""
        self._puts += 1
        return self._puts

    def write(self, source: str, kind: str, **data: Any) -> None:
        """A thread notes what happens now."""
        self.recorder.write(source, self.kernel.now_ms, kind, **data)

    def run(self, events: int) -> None:
        """Lets the group live until so many lines are noted, and then come to rest."""
        for number, broker in enumerate(self.brokers):
            self.lives.start(broker, 400.0 * number, is_first=True)
        self.operator.begin()
        self.kernel.run(lambda: len(self.recorder) >= events)
        self.is_ending = True
        until_ms = self.kernel.now_ms + REST_MS
        self.kernel.run(lambda: self.kernel.now_ms > until_ms and not self.pending)


def make_structure(scenario: Scenario, release: str) -> Structure:
    """The structure whose rules a group moves by."""
    structure = Structure(
        role=scenario.role,
        flush_disk_type=scenario.flush,
        slaves=scenario.slaves,
        messages=scenario.producers + 1,
        lives=1 + scenario.losses_max,
    )
    return parse_version(release).apply(structure)


def make_parameters(scenario: Scenario) -> Parameters:
    """The sizes of a group; faults without limit."""
    return Parameters(
        ha_slave_fallbehind_max_bytes=scenario.fall_behind_bytes,
        ha_transfer_batch_size_bytes=scenario.batch_bytes,
        mapped_file_size_bytes=scenario.file_bytes,
        message_size_max_bytes=scenario.body_max_bytes + BODY_MARGIN_BYTES,
        limits=FaultCounts(*[NOT_LIMITED] * len(fields(FaultCounts))),
    )


def make_config(scenario: Scenario, release: str, seed: int) -> dict[str, Any]:
    """The first line of a recording."""
    store = {
        "mapedFileSizeCommitLog": scenario.file_bytes,
        "maxMessageSize": scenario.body_max_bytes + BODY_MARGIN_BYTES,
        "haSendHeartbeatInterval": scenario.heartbeat_ms,
        "haHousekeepingInterval": scenario.housekeeping_ms,
        "haTransferBatchSize": scenario.batch_bytes,
        "haSlaveFallbehindMax": scenario.fall_behind_bytes,
        "syncFlushTimeout": scenario.flush_timeout_ms,
    }
    if get_habits(release).has_slave_timeout:
        store["slaveTimeout"] = scenario.slave_timeout_ms
    roles = {"master": scenario.role.name}
    roles |= {f"slave{i + 1}": "SLAVE" for i in range(scenario.slaves)}
    nodes = {
        name: {
            "role": role,
            "flush_type": scenario.flush.name,
            "broker_id": broker_id,
            "store_config": dict(store),
        }
        for broker_id, (name, role) in enumerate(roles.items())
    }
    text = "a simulated group: it tests checkers, and is no evidence of what brokers do"
    head = {"t_ms": 0.0, "ev": "config", "format": 1, "rocketmq": release}
    return {**head, "scenario": scenario.name, "description": text, "seed": seed, "nodes": nodes}


def simulate(
    scenario: Scenario, release: str, seed: int, events: int, *, is_cut_off: bool = False
) -> Recording:
    """A recording of some more than so many events; of exactly so many where it is cut off."""
    group = Group(scenario, release, seed)
    group.run(events)
    count = events if is_cut_off else len(group.recorder)
    return group.recorder.make_recording(f"simulated {scenario.name} {release} {seed}", count)
