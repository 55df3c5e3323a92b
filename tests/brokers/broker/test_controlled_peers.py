"""Controller mode: epochs on the disk and in frames, and peers that break the protocol."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest

from brokers.broker.replication.controlled_master import ControlledMasterHa
from brokers.broker.replication.controlled_slave import ControlledSlaveHa
from brokers.broker.replication.epochs import EpochRefusedError
from brokers.disk.files.checkpoint_files import Epoch, parse_epochs, show_epochs
from brokers.wire.controlled_messages import (
    ControlledFrame,
    MasterHandshake,
    MasterMessageReader,
    NamedEpoch,
    encode_controlled_frame,
    encode_master_handshake,
    encode_slave_handshake,
    encode_transfer_report,
)
from brokers.wire.wire_error import WireError
from tests.brokers.broker.simulated.lone import Client, Lone
from tests.brokers.broker.simulated.network import Process

RELEASE = "5.3.3-controller"
MASTER = {"brokerRole": "SYNC_MASTER", "allAckInSyncStateSet": "true", "slaveTimeout": "300"}
SLAVE = {"brokerRole": "SLAVE", "brokerId": "2", "haMasterAddress": "10.0.0.5:10912"}
ROUNDS, ROUNDS_NIGHTLY = 25, 10_000
FIRST = NamedEpoch(1, 0)


def start(folder: Path, epoch: int | None = None) -> Lone:
    """A master that is told this epoch."""
    return Lone(folder / "store", MASTER, RELEASE, epoch=epoch)


def stop(lone: Lone) -> None:
    """In order."""
    done: list[bool] = []
    lone.broker.stop(lambda: done.append(True))
    lone.wait(2000.0)
    assert done


def connect(lone: Lone, broker_id: int = 2) -> Client:
    """A slave that has shaken hands."""
    client = lone.connect(is_ha=True)
    tell(client, encode_slave_handshake(broker_id))
    lone.wait(20.0)
    return client


def tell(client: Client, data: bytes) -> None:
    """Bytes for the broker, if it still listens."""
    if client.transport is not None:
        client.transport.send(data)


def get_ha(lone: Lone) -> ControlledMasterHa:
    """Its HA service."""
    assert isinstance(lone.broker.ha, ControlledMasterHa)
    return lone.broker.ha


def is_served(lone: Lone) -> bool:
    """A put gets its answer."""
    client = lone.connect()
    answer = lone.send(client, "T")
    assert client.transport is not None
    client.transport.close()
    lone.wait(5.0)
    return answer.code == 0


def test_epochs_outlive_their_master(tmp_path: Path) -> None:
    """Each life begins an epoch where the log ended; one told its old epoch begins it again."""
    ends = [0]
    for epoch in (1, 4, None):
        lone = start(tmp_path, epoch)
        assert is_served(lone)
        ends.append(lone.broker.store.max_offset)
        stop(lone)
    file = tmp_path / "store" / "epochFileCheckpoint"
    assert parse_epochs(file.read_text()) == (Epoch(1, 0), Epoch(4, ends[2]))
    assert parse_epochs(file.with_name(f"{file.name}.bak").read_text()) is not None
    with pytest.raises(EpochRefusedError, match="epoch 3 is over: 4 has begun"):
        start(tmp_path, 3)


def test_a_file_is_what_a_reader_takes() -> None:
    """Written and read again; a damaged one is none."""
    entries = (Epoch(1, 0), Epoch(7, 2060))
    text = show_epochs(entries)
    assert parse_epochs(text) == entries
    assert parse_epochs(text.replace("2060", "2061")) is None


def test_a_frame_ends_with_its_epoch(tmp_path: Path) -> None:
    """The last frame of an epoch names the next one, as in v533_controller_e seq 101."""
    for epoch in (1, 2):
        lone = start(tmp_path, epoch)
        assert is_served(lone)
        stop(lone)
    lone = start(tmp_path, 5)
    assert is_served(lone)
    rows = lone.broker.epochs.list_rows()
    slave = connect(lone)
    reader = MasterMessageReader()
    told = reader.feed(slave.data)
    epochs = tuple(NamedEpoch(*row[:2]) for row in rows)
    assert told == [MasterHandshake(lone.broker.store.max_offset, epochs)]
    seen = len(slave.data)
    tell(slave, encode_transfer_report(0))
    lone.wait(40.0)
    frames = [f for f in reader.feed(slave.data[seen:]) if isinstance(f, ControlledFrame)]
    assert [(f.offset, f.epoch.number) for f in frames if f.body] == [
        (0, 2),
        (rows[1][1], 5),
        (rows[2][1], 5),
    ]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (encode_transfer_report(5), "a report in state TRANSFER"),
        (encode_slave_handshake(1), "a handshake of broker 1"),
        (encode_slave_handshake(-3), "a handshake of broker -3"),
        (struct.pack(">ihhq", 1, 1, 0, 2), "syncFromLastFile"),
        (struct.pack(">iq", 77, 0), "a connection is in state 77"),
        (struct.pack(">iq", -1, 0), "a connection is in state -1"),
        (struct.pack(">iq", 4, 0), "a report in state SHUTDOWN"),
    ],
)
def test_a_strange_slave_is_left(tmp_path: Path, data: bytes, why: str) -> None:
    """With a line; the master serves on, and counts nobody."""
    lone = start(tmp_path)
    client = lone.connect(is_ha=True)
    tell(client, data)
    lone.wait(5.0)
    assert client.is_lost
    assert any(why in line for line in lone.host.lines)
    assert lone.broker.ha.rules.get("master.connection_count") == 0
    assert get_ha(lone).list_members() == [1]


def test_a_slave_that_connects_anew_replaces_itself(tmp_path: Path) -> None:
    """Its earlier connection ends, and it enters the set again by a report."""
    lone = start(tmp_path)
    first = connect(lone)
    tell(first, encode_transfer_report(0))
    lone.wait(20.0)
    assert get_ha(lone).list_members() == [1, 2]
    second = connect(lone)
    assert first.is_lost
    assert get_ha(lone).list_members() == [1]
    tell(second, encode_transfer_report(0))
    lone.wait(20.0)
    assert get_ha(lone).list_members() == [1, 2]
    assert lone.send(lone.connect(), "T").code != 0
    second.transport.close() if second.transport else None
    lone.wait(20.0)
    assert is_served(lone)


def attack(lone: Lone, rounds: int, seed: int) -> int:
    """Handshakes and reports, whole, cut and corrupted; how many bytes."""
    chance, sent = random.Random(seed), 0
    for _ in range(rounds):
        client = connect(lone, chance.choice((2, 3)))
        for _ in range(chance.randint(1, 4)):
            data = bytearray(
                encode_transfer_report(chance.choice((-(2**63), -1, 0, 7, 2**62, 2**63 - 1)))
                + encode_slave_handshake(chance.choice((0, 1, 2, 2**40)))
            )
            data[chance.randrange(len(data))] = chance.randrange(256)
            data = data[chance.randrange(4) * 4 : chance.randint(1, len(data))]
            sent += len(data)
            tell(client, bytes(data))
            lone.wait(chance.choice((0.5, 15.0)))
        if client.transport is not None:
            client.transport.close()
        lone.wait(4.0)
    return sent


def test_strange_bytes_harm_no_master(tmp_path: Path) -> None:
    """It goes on alone."""
    lone = start(tmp_path)
    assert attack(lone, ROUNDS, 1) > ROUNDS
    assert is_served(lone)
    assert lone.broker.ha.rules.get("master.connection_count") == 0


@pytest.mark.nightly
def test_many_strange_bytes_harm_no_master(tmp_path: Path) -> None:
    """The same for long."""
    lone = start(tmp_path)
    for seed in range(ROUNDS_NIGHTLY // ROUNDS):
        attack(lone, ROUNDS, seed)
        assert is_served(lone)


def head(state: int, length: int, offset: int = 0, number: int = 1) -> bytes:
    """A header of a master."""
    return struct.pack(">iiqi", state, length, offset, number)


def shake(*epochs: NamedEpoch, end: int = 0) -> bytes:
    """A master's half of the handshake."""
    return encode_master_handshake(MasterHandshake(end, epochs))


def frame(offset: int, epoch: NamedEpoch, body: bytes = b"") -> bytes:
    """A frame of a master."""
    return encode_controlled_frame(ControlledFrame(offset, epoch, 0, body))


@pytest.mark.parametrize(
    "data",
    [
        head(1, -12),
        head(1, 12 * 1001),
        head(1, 13),
        head(9, 0),
        head(0, 0),
        shake(NamedEpoch(2, 0), NamedEpoch(1, 50), end=90),
        shake(NamedEpoch(1, -5), end=90),
        shake(FIRST, end=-1),
        frame(0, FIRST, b"x" * 50),
        shake(FIRST, end=90) + shake(FIRST, end=90),
        shake(FIRST, end=90) + head(2, 2**31 - 1) + bytes(16),
        shake(FIRST, end=90) + frame(-7, FIRST, b"x" * 50),
        shake(FIRST, end=90) + frame(2**63 - 1, FIRST, b"x" * 50),
        shake(FIRST, end=90) + frame(0, NamedEpoch(2, 20), b"x" * 50),
        shake(FIRST, end=90) + frame(0, NamedEpoch(-4, 0), b"x" * 50),
        shake(FIRST, end=90) + frame(0, FIRST, b"x" * 50) + frame(7, FIRST, b"y" * 50),
        shake(FIRST, end=90) + frame(0, FIRST, b"x" * 20_000),
    ],
)
def test_a_hostile_master_harms_no_slave(tmp_path: Path, data: bytes) -> None:
    """The slave leaves it, or stores what its rules take; and it connects again."""
    lone = Lone(tmp_path / "store", SLAVE, RELEASE)
    slave, masters = lone.broker.slave, []
    assert isinstance(slave, ControlledSlaveHa)

    def accept() -> Client:
        masters.append(Client(is_remoting=False))
        return masters[-1]

    lone.network.listeners["10.0.0.5:10912"] = (Process("master"), accept)
    lone.wait(6000.0)
    first = len(masters)
    tell(masters[-1], data)
    lone.wait(9000.0)
    is_dropped = data.endswith(b"x" * 20_000)  # No file takes it; nobody sees that (R-HC-08).
    assert (len(masters) > first) is not is_dropped
    if is_dropped:
        return
    tell(masters[-1], shake(FIRST, end=20_000))
    lone.wait(1500.0)
    assert masters[-1].data.endswith(encode_transfer_report(lone.broker.store.max_offset))
    assert slave.is_connected


@pytest.mark.parametrize(
    ("told", "why"),
    [
        (shake(NamedEpoch(1, 7), end=90), "no consistent point"),
        (shake(NamedEpoch(2, 0), end=90), "no consistent point"),
        (shake(FIRST, end=20), "offset 20 is not align"),
    ],
)
def test_a_slave_that_agrees_nowhere_stays_out(tmp_path: Path, told: bytes, why: str) -> None:
    """It keeps what it has, leaves after two seconds, and tries again after five."""
    lone = Lone(tmp_path / "store", SLAVE, RELEASE)
    masters: list[Client] = []

    def accept() -> Client:
        masters.append(Client(is_remoting=False))
        return masters[-1]

    lone.network.listeners["10.0.0.5:10912"] = (Process("master"), accept)
    lone.wait(6000.0)
    tell(masters[-1], shake(FIRST, end=90) + frame(0, FIRST, bytes(50)))
    lone.wait(5.0)
    masters[-1].transport.close() if masters[-1].transport else None
    lone.wait(5100.0)
    tell(masters[-1], told)
    lone.wait(1900.0)
    assert any(why in line for line in lone.host.lines)
    assert not masters[-1].is_lost
    lone.wait(200.0)
    assert (masters[-1].is_lost, len(masters)) == (True, 2)
    lone.wait(5000.0)
    assert len(masters) == 3
    assert lone.broker.store.max_offset == 50
    assert lone.broker.epochs.entries == (Epoch(1, 0),)


@pytest.mark.parametrize("data", [head(1, 12 * 1001), head(2, -1), head(3, 0), head(1, 11)])
def test_a_header_out_of_bounds_is_no_message(data: bytes) -> None:
    """Before its body has come."""
    with pytest.raises(WireError):
        MasterMessageReader().feed(data)
