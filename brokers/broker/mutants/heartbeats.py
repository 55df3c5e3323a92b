"""Masters with other heartbeats."""

from __future__ import annotations

from brokers.broker.mutants.mutant import mutant
from brokers.broker.replication.master_ha import HaConnection, MasterHa

SOURCE = "HAConnection.WriteSocketService#run"
TIMERS, HEARTBEAT = "wire_format.md#timers", "wire_format.md#the-heartbeat"


@mutant(HEARTBEAT, SOURCE)
class NoHeartbeat(MasterHa):
    """No heartbeat is ever sent."""

    def is_heartbeat_due(self, connection: HaConnection) -> bool:
        """Never."""
        return False


@mutant(TIMERS, SOURCE)
class HeartbeatsLate(MasterHa):
    """A heartbeat is sent after four times haSendHeartbeatInterval."""

    def is_heartbeat_due(self, connection: HaConnection) -> bool:
        """Late."""
        silent_ms = self.host.now_ms() - connection.last_write_ms
        return silent_ms > 4 * self.settings.number("haSendHeartbeatInterval")


@mutant(TIMERS, SOURCE)
class HeartbeatsAtEachLook(MasterHa):
    """A heartbeat is sent whenever there is nothing else to send, ten times a second."""

    def is_heartbeat_due(self, connection: HaConnection) -> bool:
        """Always."""
        return True


@mutant(HEARTBEAT, SOURCE)
class HeartbeatAtZero(MasterHa):
    """A heartbeat carries the offset 0."""

    def encode(self, connection: HaConnection, offset: int, body: bytes) -> bytes:
        """Without a body there is no offset."""
        return super().encode(connection, offset if body else 0, body)


@mutant(HEARTBEAT, SOURCE)
class HeartbeatAtTheEnd(MasterHa):
    """A heartbeat carries the master's end, not where the transfer goes on."""

    def encode(self, connection: HaConnection, offset: int, body: bytes) -> bytes:
        """Without a body the offset is the end."""
        return super().encode(connection, offset if body else self.store.max_offset, body)
