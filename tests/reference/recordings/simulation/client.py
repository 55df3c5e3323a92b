"""``HAService.HAClient`` of a slave: connect, report, read, append, keep house."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from attrs import define

from tests.reference.recordings.simulation import timing
from tests.reference.recordings.simulation.brokers import Broker
from tests.reference.recordings.simulation.kernel import Kernel
from tests.reference.recordings.simulation.proxy import Connection, Link

if TYPE_CHECKING:
    from tests.reference.recordings.simulation.group import Group


@define(eq=False)
class Client:
    """The client of a slave's latest process."""

    group: Group
    broker: Broker
    link: Link
    connection: Connection | None = None
    """Its socket."""
    reported: int = 0
    """``currentReportedOffset``."""
    last_report_ms: float = 0.0
    last_read_ms: float = 0.0
    _turn: int = 0

    @property
    def kernel(self) -> Kernel:
        """The clock and the state."""
        return self.group.kernel

    @property
    def slave(self) -> int:
        """Which slave."""
        return self.broker.number

    def begin(self) -> None:
        """A process of the slave begins."""
        self.connection, self.reported = None, 0
        self.last_report_ms = self.last_read_ms = self.kernel.now_ms
        self.kernel.after("wake", self.connect, self.broker.process)

    def list_counters(self) -> dict[str, Callable[[], Any]]:
        """What a slave shows beside its log."""
        return {
            "ha_client_connected": lambda: self.connection is not None,
            "ha_client_reported_offset": lambda: self.reported,
        }

    def connect(self) -> None:
        """``connectMaster``: through the proxy, or again in five seconds."""
        process = self.broker.process
        if self.connection is not None or not process.is_serving:
            return
        self.reported = self.broker.get_max()
        if not self.group.ha.is_listening:
            if self.kernel.chance.random() < 0.5:
                self.link.write("proxy_target_down")
            self.kernel.after(timing.CONNECT_AGAIN_MS, self.connect, process)
            return
        self.connection = self.link.open()
        self.last_read_ms = self.kernel.now_ms
        if not self.group.habits.waits_to_reconnect:
            self.last_report_ms = self.kernel.now_ms
        self._go_round()

    def _go_round(self) -> None:
        """``run``: a report if it is time, then a select."""
        self._turn += 1
        turn, connection = self._turn, self.connection
        if connection is None or not self.broker.process.is_serving:
            return
        habits, now_ms = self.group.habits, self.kernel.now_ms
        by_ms = self.last_report_ms if habits.is_timer_by_reports else self.last_read_ms
        if now_ms - by_ms > self.group.scenario.heartbeat_ms and connection.is_accepted:
            self._report(connection, is_repeated=True)
        is_silent = now_ms - self.last_read_ms > self.group.scenario.housekeeping_ms
        if is_silent and habits.is_silence_seen:
            self.link.close(connection, "slave", f"close_idle_connection[{self.slave}]")
            return

        def select() -> None:
            if turn == self._turn and self.connection is connection:
                self._go_round()

        delay_ms = timing.SELECT_MS + self.kernel.draw_ms("wake")
        self.kernel.after(delay_ms, select, self.broker.process)

    def _report(self, connection: Connection, *, is_repeated: bool) -> None:
        if is_repeated and not self.kernel.get(f"links.{self.slave}.has_reported"):
            rules = ("report_offset", "report_offset_to_earlier_put")
            self.kernel.fire_first(*(f"{rule}[{self.slave}]" for rule in rules))
        self.last_report_ms = self.kernel.now_ms
        self.link.send_report(connection, self.reported)

    def read(self, connection: Connection, offset: int, size: int) -> None:
        """``processReadEvent``: a frame has come."""
        if not connection.is_alive or connection is not self.connection:
            return
        if not self.broker.process.is_serving:
            return
        self.last_read_ms = self.kernel.now_ms
        if self.kernel.can(f"refuse_frame[{self.slave}]"):
            self.link.close(connection, "slave", f"refuse_frame[{self.slave}]")
            return
        self._take(offset, size)
        if self.broker.get_max() > self.reported:
            self.reported = self.broker.get_max()
            self._report(connection, is_repeated=False)
        self._go_round()

    def _take(self, offset: int, size: int) -> None:
        """``CommitLog#appendData``, unless the store has begun to stop."""
        if self.broker.process.is_stopping:
            if size:
                self.kernel.fire(f"discard_frame[{self.slave}]", size_bytes=size)
        elif size:
            rules = ("append_to_slave", "append_at_wrong_offset")
            names = (f"{rule}[{self.slave}]" for rule in rules)
            if self.kernel.fire_first(*names, size_bytes=size) != f"{rules[0]}[{self.slave}]":
                self.group.ledger.move(self.slave, offset, size)
            self.broker.poke()
        else:
            self.kernel.try_to(f"create_first_file[{self.slave}]")

    def lose(self, connection: Connection) -> None:
        """It notices the end of its connection soon, and connects again."""

        def notice() -> None:
            if self.connection is connection:
                self.connection = None
                is_patient = self.group.habits.waits_to_reconnect
                delay_ms = timing.CONNECT_AGAIN_MS if is_patient else self.kernel.draw_ms("wake")
                self.kernel.after(delay_ms, self.connect, self.broker.process)

        self.kernel.after("notice", notice, self.broker.process)
