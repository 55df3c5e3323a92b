"""An election without a controller: a slave's store becomes a master's, the old master follows."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from brokers.broker.broker import Broker
from brokers.broker.replication.followed_puts import PendingPut
from brokers.broker.settings import Settings
from brokers.configuration_files import read_one_broker
from brokers.disk.files.checkpoint_files import Epoch
from reference.releases.versions import parse_version
from reference.store.put import MessageToPut, PutMessageResult
from tests.brokers.broker.simulated.network import Network, Process, SimulatedHost

VERSION = parse_version("5.3.3-controller")
USUAL = {
    "brokerName": "pair",
    "mappedFileSizeCommitLog": "16384",
    "mappedFileSizeConsumeQueue": "2000",
    "maxMessageSize": "8192",
    "haSendHeartbeatInterval": "500",
    "diskMaxUsedSpaceRatio": "99",
    "allAckInSyncStateSet": "true",
    "slaveTimeout": "300",
}


def start(network: Network, root: Path, host: str, epoch: int | None = None, **told: Any) -> Broker:
    """A process on a store."""
    configuration, _ = read_one_broker(None, USUAL | told, VERSION)
    settings = Settings(configuration, root, host, epoch=epoch)
    process = Process(host)
    broker = Broker(settings, SimulatedHost(network, process, settings.address))
    broker.start()
    network.listeners[settings.ha_address] = (process, broker.ha.make_connection)
    return broker


def wait(network: Network, delay_ms: float) -> None:
    """Let time pass."""
    until_ms = network.now_ms + delay_ms
    network.after(delay_ms, lambda: None, None)
    network.run(lambda: network.now_ms >= until_ms)


def put(network: Network, broker: Broker, count: int) -> list[str]:
    """The answers to some puts of different sizes."""
    answers: list[str] = []

    def take(answered: PendingPut) -> None:
        assert isinstance(answered.result, PutMessageResult)
        answers.append(answered.result.status.name)

    for number in range(count):
        body = bytes([number]) * (500 + 700 * number)
        broker.puts.ask(MessageToPut("T", 0, body), take)
        wait(network, 600.0)
    return answers


def kill(broker: Broker) -> None:
    """Its process is gone, and its connections."""
    host = broker.host
    assert isinstance(host, SimulatedHost)
    host.process.is_alive = False
    for each in list(broker.ha.connections):
        if each.transport is not None:
            each.transport.close()
    if broker.slave is not None and broker.slave.transport is not None:
        broker.slave.transport.close()
    broker.store.files.unlock()


def test_a_slave_is_elected_and_the_old_master_truncates(tmp_path: Path) -> None:
    """What only the old master had is cut off; what was acknowledged by both is there."""
    network, first, second = Network(random.Random(1)), "10.0.0.1", "10.0.0.2"
    master = start(network, tmp_path / "a", first, brokerRole="SYNC_MASTER", brokerId="1")
    follow = {"brokerRole": "SLAVE", "haMasterAddress": f"{first}:10912"}
    slave = start(network, tmp_path / "b", second, **follow, brokerId="2")
    wait(network, 2000.0)
    assert put(network, master, 4) == ["PUT_OK"] * 4
    shared = slave.store.max_offset
    assert shared == master.store.max_offset
    kill(slave)
    wait(network, 100.0)
    assert put(network, master, 2) == ["PUT_OK"] * 2
    kill(master)
    elected = start(network, tmp_path / "b", second, 2, brokerRole="SYNC_MASTER", brokerId="2")
    assert elected.epochs.entries == (Epoch(1, 0), Epoch(2, shared))
    assert put(network, elected, 3) == ["PUT_OK"] * 3
    follow["haMasterAddress"] = f"{second}:10912"
    old = start(network, tmp_path / "a", first, **follow, brokerId="1")
    assert old.store.max_offset > shared
    wait(network, 3000.0)
    assert put(network, elected, 3) == ["PUT_OK"] * 3
    end = elected.store.max_offset
    assert old.store.max_offset == end
    files = [file.file_from_offset_bytes for file in old.store.store.commit_log.mapped_files]
    for begin in files:
        assert old.store.read(begin, end) == elected.store.read(begin, end)
    assert old.epochs.entries == elected.epochs.entries
    kill(old)
    kill(elected)
