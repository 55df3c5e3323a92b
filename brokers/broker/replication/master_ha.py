"""``HAService`` of a broker: accept, read reports, position, send, keep house.

Every broker has one, a slave too; whether anybody connects is another question.
Source: HAService.AcceptSocketService, HAConnection of 4.4.0.
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, field

from brokers.broker import habits
from brokers.broker.host import Host, Transport
from brokers.broker.ruled_state import RuledState
from brokers.broker.settings import SLOTS_OF_CONNECTIONS, Settings
from brokers.broker.storage.live_store import LiveStore
from brokers.wire.replication import Frame, ReportReader, encode_frame
from reference.worlds.replication.state import Link

PUSH2 = "master.push2_slave_max_offset"
CLOSED_LEAVES = {
    "is_open": 0,
    "has_reported": 0,
    "reported_offset": Link().reported_offset,
    "slave_request_offset": Link().slave_request_offset,
    "slave_ack_offset": Link().slave_ack_offset,
    "next_transfer_offset": Link().next_transfer_offset,
    "transfer_start_offset": Link().transfer_start_offset,
    "arrived_offset": Link().arrived_offset,
}
"""A connection that somebody else has ended."""


@define(eq=False, repr=False)
class HaConnection:
    """One slave's connection at its master (``HAConnection``); a peer of the host."""

    service: MasterHa
    slot: int = -1
    """Which link of the state it is; -1: none yet, or no more."""
    transport: Transport | None = None
    reader: ReportReader = field(factory=ReportReader)
    last_read_ms: float = 0.0
    last_write_ms: float = 0.0
    is_waiting_for_bytes: bool = False
    is_positioning: bool = False
    turn: int = 0

    def opened(self, transport: Transport) -> None:
        """``AcceptSocketService#run``: it counts at once."""
        self.transport = transport
        self.service.accept(self)

    def received(self, data: bytes) -> None:
        """``ReadSocketService#processReadEvent``: the last report that is whole counts."""
        self.last_read_ms = self.service.host.now_ms()
        offsets = self.reader.feed(data)
        if offsets and self.slot >= 0:
            self.service.take_report(self, offsets[-1])

    def drained(self) -> None:
        """There is room again for bytes to be sent."""
        self.service.send(self)

    def lost(self, reason: str) -> None:
        """The other end, the network or this broker has closed it."""
        self.service.drop(self, reason)

    @property
    def peer(self) -> str:
        """The slave's address."""
        return "?" if self.transport is None else self.transport.peer

    def name(self, rule: str) -> str:
        """An instance of a rule for it."""
        return f"{rule}[{self.slot}]"

    def get(self, leaf: str) -> int:
        """A leaf of its link."""
        return self.service.rules.get(f"links.{self.slot}.{leaf}")


@define(eq=False, repr=False)
class MasterHa:
    """The connections of slaves."""

    settings: Settings
    store: LiveStore
    rules: RuledState
    host: Host
    on_report: Callable[[], None] = field(default=lambda: None)
    """Called when a report has raised the highest one (``HAService#notifyTransferSome``)."""
    connections: list[HaConnection] = field(factory=list)
    """Those that are counted."""
    is_over: bool = False

    def make_connection(self) -> HaConnection:
        """A peer for the next connection."""
        return HaConnection(self)

    def accept(self, connection: HaConnection) -> None:
        """A new connection is counted, and nothing is asked of it."""
        taken = {each.slot for each in self.connections}
        free = [slot for slot in range(SLOTS_OF_CONNECTIONS) if slot not in taken]
        assert connection.transport is not None
        if not free or self.is_over:
            self.host.log(f"HA: {connection.peer} is refused: {len(taken)} connections are open")
            connection.transport.abort()
            return
        connection.slot = free[0]
        self.rules.fire(connection.name("connect_slave"))
        connection.last_read_ms = connection.last_write_ms = self.host.now_ms()
        self.connections.append(connection)
        self.host.log(f"HAService receive new connection, {connection.peer}")
        self._keep_house(connection)

    def _keep_house(self, connection: HaConnection) -> None:
        """``ReadSocketService#run``: it closes a connection on which nothing comes."""
        if connection.slot < 0 or self.is_over:
            return
        if self.is_expired(connection):
            silent_ms = self.host.now_ms() - connection.last_read_ms
            text = f"ha housekeeping, found this connection[{connection.peer}] expired, "
            self.host.log(f"{text}{silent_ms:.0f}")
            self.close(connection)
            return
        self.host.after(habits.SELECT_MS, lambda: self._keep_house(connection))

    def is_expired(self, connection: HaConnection) -> bool:
        """Nothing has come for too long."""
        silent_ms = self.host.now_ms() - connection.last_read_ms
        return silent_ms > self.settings.number("haHousekeepingInterval")

    def close(self, connection: HaConnection) -> None:
        """This end closes, by a rule."""
        self.rules.fire(connection.name("close_idle_connection"))
        if connection.transport is not None:
            connection.transport.abort()
        self._forget(connection)

    def drop(self, connection: HaConnection, reason: str) -> None:
        """The other end has closed: its link is gone, and the count falls."""
        if connection.slot < 0:
            return
        self.host.log(f"read socket[{connection.peer}] < 0 ({reason})")
        path = f"links.{connection.slot}"
        self.rules.learn_all({f"{path}.{name}": value for name, value in CLOSED_LEAVES.items()})
        self._forget(connection)

    def _forget(self, connection: HaConnection) -> None:
        self.rules.fire("drop_connection")
        self.connections.remove(connection)
        connection.slot = -1

    def take_report(self, connection: HaConnection, offset: int) -> None:
        """A report has arrived.

        The rules' slaves report more each time. One that does not is noted as the last one of its
        connection, and raises nothing (R-HA-06).
        """
        rules, path = self.rules, f"links.{connection.slot}"
        is_first = connection.get("slave_request_offset") < 0
        rules.learn_all({f"{path}.has_reported": 1, f"{path}.reported_offset": offset})
        for refusal in ("refuse_report", "refuse_later_report"):
            if offset > self.store.max_offset and rules.try_to(connection.name(refusal)):
                self.host.log(f"slave[{connection.peer}] reports {offset}, beyond this log's end")
                assert connection.transport is not None
                connection.transport.abort()
                self._forget(connection)
                return
        push2 = rules.get(PUSH2)
        if rules.try_to(connection.name("receive_report"), slave_offset=offset):
            if rules.get(PUSH2) > push2:
                self.on_report()
        else:
            request = offset if is_first else connection.get("slave_request_offset")
            leaves = {"slave_ack_offset": offset, "slave_request_offset": request}
            rules.learn_all({f"{path}.{name}": value for name, value in leaves.items()})
        if is_first:
            self.host.log(f"slave[{connection.peer}] request offset {offset}")
        if connection.get("next_transfer_offset") < 0 and not connection.is_positioning:
            connection.is_positioning = True
            self.host.after(habits.LOOK_FOR_REQUEST_MS, lambda: self._position(connection))

    def _position(self, connection: HaConnection) -> None:
        """``WriteSocketService#run``: where the transfer begins."""
        connection.is_positioning = False
        if connection.slot < 0 or self.is_over:
            return
        if not self._begin_transfer(connection):
            return
        begin, request = connection.get("next_transfer_offset"), "slave_request_offset"
        text = f"master transfer data from {begin} to slave[{connection.peer}], and slave request "
        self.host.log(f"{text}{connection.get(request)}")
        self.send(connection)

    def _begin_transfer(self, connection: HaConnection) -> bool:
        """By a rule; False: there is nothing to begin at."""
        names = (connection.name(rule) for rule in ("position_transfer", "position_at_last_file"))
        return any(self.rules.try_to(name) for name in names)

    def send(self, connection: HaConnection) -> None:
        """``WriteSocketService#run``: a heartbeat if it is time, then bytes if there are any."""
        transport = connection.transport
        if connection.slot < 0 or self.is_over or transport is None:
            return
        if connection.get("next_transfer_offset") < 0:
            return
        connection.turn += 1
        connection.is_waiting_for_bytes = False
        if transport.unsent_bytes:
            self._wait(connection)
            return
        self._send_heartbeat(connection, transport)
        while transport.unsent_bytes < habits.SOCKET_BYTES:
            if not self._send_batch(connection, transport):
                self._wait(connection)
                return

    def is_heartbeat_due(self, connection: HaConnection) -> bool:
        """Nothing was written for too long."""
        silent_ms = self.host.now_ms() - connection.last_write_ms
        return silent_ms > self.settings.number("haSendHeartbeatInterval")

    def _send_heartbeat(self, connection: HaConnection, transport: Transport) -> None:
        if self.is_heartbeat_due(connection):
            connection.last_write_ms = self.host.now_ms()
            transport.send(self.encode(connection, connection.get("next_transfer_offset"), b""))

    def _send_batch(self, connection: HaConnection, transport: Transport) -> bool:
        name = connection.name("transfer_batch")
        ranges = self.rules.find_ranges(name)
        if ranges is None:
            return False
        begin = connection.get("next_transfer_offset")
        body = self.store.read(begin, self._limit_batch(connection, begin, ranges[0][1]))
        if not body:
            return False
        self.rules.fire(name, size_bytes=len(body))
        connection.last_write_ms = self.host.now_ms()
        transport.send(self.encode(connection, begin, body))
        return True

    def _limit_batch(self, connection: HaConnection, begin: int, size: int) -> int:
        """How many of the bytes that could be sent one frame takes."""
        return size

    def encode(self, connection: HaConnection, offset: int, body: bytes) -> bytes:
        """A frame as this connection is sent it."""
        return encode_frame(Frame(offset, body))

    def _wait(self, connection: HaConnection) -> None:
        connection.is_waiting_for_bytes, turn = True, connection.turn

        def go_on() -> None:
            if connection.turn == turn and connection.is_waiting_for_bytes:
                self.send(connection)

        self.host.after(habits.SEND_WAIT_MS, go_on)

    def wake_writers(self) -> None:
        """``WaitNotifyObject#wakeupAll``: whoever waits for bytes looks again."""
        for connection in list(self.connections):
            if connection.is_waiting_for_bytes:
                self.send(connection)

    def shut(self) -> None:
        """``HAService#shutdown``: it accepts nobody and closes all connections."""
        for connection in list(self.connections):
            self.close(connection)
        self.is_over = True
