"""A broker, mutant or not, with a scripted other end that notes what it sees."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from attrs import define, field

from brokers.broker.habits import SLAVE_TIMEOUT_SINCE
from brokers.broker.host import Transport
from brokers.broker.parts import USUAL_PARTS, Parts
from brokers.wire.codes import RequestCode
from brokers.wire.replication import FRAME_HEADER, FrameReader, encode_report
from brokers.wire.request_fields import make_send
from reference.releases.releases import is_since
from reference.store.records import compute_message_length
from tests.brokers.broker.simulated.lone import Client, Lone
from tests.brokers.broker.simulated.network import Network, Process

FILE_BYTES = 16384
MASTER, SLAVE = "10.0.0.2", "10.0.0.1"
TIMEOUT_MS = 1000


@define(eq=False, repr=False)
class ScriptedSlave(Client):
    """A slave's end of a connection to the broker."""

    is_remoting: bool = False

    def report(self, *offsets: int) -> None:
        """Reports, in one piece."""
        self.write(b"".join(encode_report(offset) for offset in offsets))

    def write(self, data: bytes) -> None:
        """Bytes, whatever they mean."""
        assert self.transport is not None
        self.transport.send(data)

    def list_frames(self) -> list[tuple[int, int]]:
        """Offset and length of each whole frame so far."""
        return [(frame.offset, len(frame.body)) for frame in FrameReader().feed(self.data)]

    def list_bodies(self) -> list[tuple[int, int]]:
        """Those with a body."""
        return [frame for frame in self.list_frames() if frame[1]]

    def list_heartbeats(self) -> list[int]:
        """The offsets of those without."""
        return [offset for offset, length in self.list_frames() if not length]


@define(eq=False, repr=False)
class ScriptedMaster:
    """All connections that the broker, a slave, makes."""

    network: Network
    connections: list[MasterEnd] = field(factory=list)

    def make(self) -> MasterEnd:
        """For the next one."""
        self.connections.append(MasterEnd(network=self.network))
        return self.connections[-1]

    @property
    def last(self) -> MasterEnd:
        """The latest connection."""
        return self.connections[-1]

    def send(self, offset: int, body: bytes = b"") -> None:
        """A frame over it."""
        self.write(FRAME_HEADER.pack(offset, len(body)) + body)

    def write(self, data: bytes) -> None:
        """Bytes over it."""
        assert self.last.transport is not None
        self.last.transport.send(data)

    def cut(self) -> None:
        """The connection is closed by the master."""
        assert self.last.transport is not None
        self.last.transport.close()


@define(eq=False, repr=False)
class MasterEnd(Client):
    """One connection of a slave."""

    network: Network = field(kw_only=True)
    is_remoting: bool = False
    opened_ms: float = 0.0
    first_ms: float | None = None
    """From the connect to the first report."""

    def opened(self, transport: Transport) -> None:
        """It is open."""
        self.opened_ms = self.network.now_ms
        super().opened(transport)

    def received(self, data: bytes) -> None:
        """Reports."""
        if self.first_ms is None:
            self.first_ms = self.network.now_ms - self.opened_ms
        super().received(data)

    @property
    def reports(self) -> list[int]:
        """All so far."""
        whole = range(0, len(self.data) - len(self.data) % 8, 8)
        return [int.from_bytes(self.data[n : n + 8], "big", signed=True) for n in whole]


@define(eq=False, repr=False)
class Bench:
    """What a situation is played on."""

    folder: Path
    release: str = "4.4.0"
    parts: Parts = USUAL_PARTS
    network: Network = field(factory=lambda: Network(random.Random(1)))

    def start(self, role: str = "SYNC_MASTER", folder: str = "store", **told: object) -> Lone:
        """The broker."""
        usual = {"brokerRole": role, "syncFlushTimeout": str(TIMEOUT_MS)}
        if is_since(self.release.partition("-")[0], SLAVE_TIMEOUT_SINCE):
            usual["slaveTimeout"] = str(TIMEOUT_MS)
        if self.release.endswith("-quorum"):
            usual["inSyncReplicas"] = "2"
        texts = {name: str(value) for name, value in told.items()}
        return Lone(
            self.folder / folder,
            {**usual, **texts},
            self.release,
            parts=self.parts,
            network=self.network,
        )

    def start_slave(self, **told: object) -> tuple[Lone, ScriptedMaster]:
        """The broker as a slave of a scripted master, connected and silent."""
        master = ScriptedMaster(self.network)
        self.network.listeners[f"{MASTER}:10912"] = (Process("master"), master.make)
        lone = self.start("SLAVE", brokerId=1, haMasterAddress=f"{MASTER}:10912", **told)
        lone.wait(5.0)
        return lone, master

    def again(self, lone: Lone, **told: object) -> Lone:
        """The next life on the same store, after a stop in order."""
        lone.broker.stop(lambda: None)
        lone.wait(2000.0)
        lone.process.is_alive = False
        return self.start(**told)


def join(lone: Lone) -> ScriptedSlave:
    """A slave connects, and is silent."""
    slave = ScriptedSlave()
    lone.join(slave, lone.broker.settings.ha_address)
    return slave


def put(lone: Lone, size: int = 400, queue: int = 0, **others: Any) -> int:
    """Send a message that takes so many bytes; the code of the answer."""
    return lone.send(lone.connect(), "T", make_body(size, **others), queue, **others).code


def make_body(size: int, properties: str = "", **_: Any) -> bytes:
    """The body of such a message."""
    return b"x" * (size - compute_message_length(0, 1, len(properties)))


def tell_put(lone: Lone, size: int = 400) -> Client:
    """The same without waiting for the answer."""
    client = lone.connect()
    lone.tell(client, RequestCode.SEND_MESSAGE, make_send("T", 0), make_body(size))
    return client


def fill(lone: Lone, count: int, size: int = 400) -> None:
    """Messages for which nobody waits."""
    for _ in range(count):
        assert put(lone, size, properties="WAIT\x01false\x02") in (0, 11, 12)


def get_end(lone: Lone) -> int:
    """Where the log ends."""
    return lone.broker.store.max_offset
