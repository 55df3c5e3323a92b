"""The master's side of replication: accept, read reports, position, send, keep house."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from attrs import define, field

from tests.reference.recordings.simulation import timing
from tests.reference.recordings.simulation.kernel import Kernel
from tests.reference.recordings.simulation.proxy import Connection

if TYPE_CHECKING:
    from tests.reference.recordings.simulation.group import Group

MISSED_SHARE = 0.05
"""How many notifications a writer misses that is not waiting just then (``WaitNotifyObject``)."""


@define(eq=False)
class MasterHa:
    """``HAService`` with its ``HAConnection`` objects, of one process of the master."""

    group: Group
    connections: list[Connection] = field(factory=list)
    """Those that it counts."""
    _accepted_ms: float = 0.0
    """When it accepts the last that was opened: its socket is a queue."""

    @property
    def kernel(self) -> Kernel:
        """The clock and the state."""
        return self.group.kernel

    def begin(self) -> None:
        """A process of the master begins."""
        self.connections = []

    @property
    def is_listening(self) -> bool:
        """It accepts connections."""
        process = self.group.master.process
        return process.is_alive and process.is_serving

    def list_counters(self) -> dict[str, Callable[[], Any]]:
        """What a master shows beside its log."""
        get = self.kernel.get
        push2 = "master.push2_slave_max_offset"
        return {
            "push2_slave_max_offset": lambda: get(push2),
            "connection_count": lambda: get("master.connection_count"),
            "slave_fall_behind": lambda: self.group.master.get_max() - get(push2),
            "connections": lambda: [self.describe(each) for each in self.connections],
        }

    def describe(self, connection: Connection) -> dict[str, int]:
        """What the master knows of a connection."""
        if connection.shown:
            return connection.shown
        link = f"links.{connection.link.slave}"
        return {
            "slave_request_offset": self.kernel.get(f"{link}.slave_request_offset"),
            "slave_ack_offset": self.kernel.get(f"{link}.slave_ack_offset"),
            "next_transfer_from": self.kernel.get(f"{link}.next_transfer_offset"),
        }

    def draw_accept_ms(self) -> float:
        """How long it takes until a connection is accepted that is opened now."""
        now_ms = self.kernel.now_ms
        self._accepted_ms = max(now_ms + self.kernel.draw_ms("accept"), self._accepted_ms + 0.002)
        return self._accepted_ms - now_ms

    def accept(self, connection: Connection) -> None:
        """``AcceptSocketService#run``: a new ``HAConnection`` counts at once."""
        if not self.is_listening:
            return
        self.kernel.fire(f"connect_slave[{connection.link.slave}]")
        connection.is_accepted = True
        connection.last_write_ms = connection.last_read_ms = self.kernel.now_ms
        self.connections.append(connection)
        self._keep_house(connection)

    def _keep_house(self, connection: Connection) -> None:
        """``ReadSocketService#run``: it closes a connection on which nothing comes."""
        if not connection.is_alive or not self.is_listening:
            return
        silent_ms = self.kernel.now_ms - connection.last_read_ms
        if silent_ms > self.group.scenario.housekeeping_ms:
            rule = f"close_idle_connection[{connection.link.slave}]"
            connection.link.close(connection, "master", rule)
            return
        delay_ms = timing.SELECT_MS + self.kernel.draw_ms("wake")
        process = self.group.master.process
        self.kernel.after(delay_ms, lambda: self._keep_house(connection), process)

    def read(self, connection: Connection) -> None:
        """``ReadSocketService#processReadEvent``: the last of the reports that are there counts."""
        if not connection.is_alive or not connection.inbox or not self.is_listening:
            return
        offset, connection.inbox = connection.inbox[-1], []
        connection.last_read_ms = self.kernel.now_ms
        if connection.shown:
            return
        link = f"links.{connection.link.slave}"
        request = self.kernel.get(f"{link}.slave_request_offset")
        refusal = f"refuse_later_report[{connection.link.slave}]"
        if offset > self.group.master.get_max() and self.kernel.can(refusal):
            connection.link.close(connection, "master", refusal)
            return
        if request < 0 or offset > self.kernel.get(f"{link}.slave_ack_offset"):
            self._take(connection, offset)
        if request < 0:
            delay_ms = self.kernel.chance.uniform(0.1, timing.LOOK_FOR_REQUEST_MS)
            process = self.group.master.process
            self.kernel.after(delay_ms, lambda: self._position(connection), process)

    def _take(self, connection: Connection, offset: int) -> None:
        """``HAService#notifyTransferSome``."""
        path = "master.push2_slave_max_offset"
        before = self.kernel.get(path)
        self.kernel.fire(f"receive_report[{connection.link.slave}]", slave_offset=offset)
        is_any_looked_at = self.group.habits.is_deadline_first
        if self.kernel.get(path) > before or is_any_looked_at:
            self.group.transfer.notify()

    def _position(self, connection: Connection) -> None:
        """``WriteSocketService#run``: where the transfer begins."""
        if connection.is_alive and self.is_listening and not connection.shown:
            rules = ("position_transfer", "position_at_last_file")
            self.kernel.fire_first(*(f"{rule}[{connection.link.slave}]" for rule in rules))
            self._send(connection)

    def _send(self, connection: Connection) -> None:
        """``WriteSocketService#run``: a heartbeat if it is time, then bytes if there are any."""
        if not connection.is_alive or not self.is_listening:
            return
        slave, scenario = connection.link.slave, self.group.scenario
        begin = self.describe(connection)["next_transfer_from"]
        if self.kernel.now_ms - connection.last_write_ms > scenario.heartbeat_ms:
            connection.last_write_ms = self.kernel.now_ms
            connection.link.send_frame(connection, begin, 0)
        ranges = self.kernel.find_ranges(f"transfer_batch[{slave}]")
        unread = begin - self.kernel.get(f"links.{slave}.arrived_offset")
        process = self.group.master.process
        if ranges is None or unread >= timing.SOCKET_BYTES:
            self._wait(connection)
            return
        size = ranges[0][1]
        self.kernel.fire(f"transfer_batch[{slave}]", size_bytes=size)
        connection.last_write_ms = self.kernel.now_ms
        connection.link.send_frame(connection, begin, size)
        self.kernel.after("wake", lambda: self._send(connection), process)

    def _wait(self, connection: Connection) -> None:
        connection.writer_turn += 1
        turn = connection.writer_turn
        connection.is_writer_waiting = True
        delay_ms = timing.SEND_WAIT_MS + self.kernel.draw_ms("wake")
        self._wake(connection, turn, delay_ms)

    def _wake(self, connection: Connection, turn: int, delay_ms: float) -> None:
        def go_on() -> None:
            if connection.writer_turn == turn and connection.is_writer_waiting:
                connection.is_writer_waiting = False
                self._send(connection)

        self.kernel.after(delay_ms, go_on, self.group.master.process)

    def wake_writers(self) -> None:
        """``WaitNotifyObject#wakeupAll``: whoever waits for bytes looks again."""
        for connection in self.connections:
            if connection.is_writer_waiting and self.kernel.chance.random() > MISSED_SHARE:
                self._wake(connection, connection.writer_turn, self.kernel.draw_ms("wake"))

    def lose(self, connection: Connection) -> None:
        """Its read service notices the end of a connection soon, and counts it no longer."""

        def drop() -> None:
            if connection in self.connections:
                self.kernel.fire("drop_connection")
                self.connections.remove(connection)

        self.kernel.after("notice", drop, self.group.master.process)

    def shut(self) -> None:
        """``HAService#shutdown`` of a master that stops: it closes all connections."""
        self.group.master.process.is_serving = False
        for link in self.group.links:
            if link.connection is not None:
                rule = f"close_idle_connection[{link.slave}]"
                link.close(link.connection, "master", rule)
