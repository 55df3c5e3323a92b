"""Masters that count, greet or leave the connections of slaves otherwise."""

from __future__ import annotations

from attrs import define, field

from brokers.broker.mutants.mutant import BEFORE_5, mutant
from brokers.broker.replication.master_ha import HaConnection, MasterHa

COUNT = "master.connection_count"
ACCEPT, HOUSE = "HAConnection (constructor)", "HAConnection.ReadSocketService#run"


@mutant("implementers.md#2-a-connection-counts-when-it-is-accepted", ACCEPT, spans=BEFORE_5)
@define(eq=False, repr=False)
class CountsAtFirstReport(MasterHa):
    """A connection is counted at its first report, not when it is accepted."""

    counted: list[HaConnection] = field(factory=list)

    def accept(self, connection: HaConnection) -> None:
        """The count stays."""
        count = self.rules.get(COUNT)
        super().accept(connection)
        self.rules.learn_all({COUNT: count})

    def take_report(self, connection: HaConnection, offset: int) -> None:
        """The first one is counted."""
        if connection not in self.counted:
            self.counted.append(connection)
            self.rules.learn_all({COUNT: self.rules.get(COUNT) + 1})
        super().take_report(connection, offset)

    def _forget(self, connection: HaConnection) -> None:
        """Who was not counted is not missed."""
        if connection in self.counted:
            self.counted.remove(connection)
            self.rules.learn_all({COUNT: self.rules.get(COUNT) - 1})
        self.connections.remove(connection)
        connection.slot = -1


@mutant("wire_format.md#the-life-of-a-connection", ACCEPT)
class GreetsSilentSlaves(MasterHa):
    """A heartbeat is sent when a connection is accepted, before its first report."""

    def accept(self, connection: HaConnection) -> None:
        """Something is sent at once."""
        super().accept(connection)
        if connection.slot >= 0 and connection.transport is not None:
            connection.transport.send(self.encode(connection, max(0, self.store.max_offset), b""))


@mutant("connection.md#connect_slave", "HAService.AcceptSocketService#run")
class OneSlaveOnly(MasterHa):
    """A new connection ends the one before it."""

    def accept(self, connection: HaConnection) -> None:
        """The others are left."""
        for other in list(self.connections):
            self.close(other)
        super().accept(connection)


@mutant("connection.md#close_idle_connection", HOUSE)
class NeverClosesSilentSlaves(MasterHa):
    """A connection on which nothing comes is kept for ever."""

    def is_expired(self, connection: HaConnection) -> bool:
        """Never."""
        return False


@mutant("wire_format.md#timers", HOUSE)
class ClosesSilentSlavesEarly(MasterHa):
    """A connection is closed after a quarter of haHousekeepingInterval."""

    def is_expired(self, connection: HaConnection) -> bool:
        """Too early."""
        silent_ms = self.host.now_ms() - connection.last_read_ms
        return silent_ms > self.settings.number("haHousekeepingInterval") / 4


@mutant("wire_format.md#timers", HOUSE)
class HousekeepingCountsWrites(MasterHa):
    """What the master itself writes, heartbeats too, restarts its housekeeping timer."""

    def is_expired(self, connection: HaConnection) -> bool:
        """Nothing has come, and nothing has gone."""
        last_ms = max(connection.last_read_ms, connection.last_write_ms)
        return self.host.now_ms() - last_ms > self.settings.number("haHousekeepingInterval")
