"""Masters that begin a transfer somewhere else."""

from __future__ import annotations

from attrs import define, field

from brokers.broker.mutants.mutant import mutant
from brokers.broker.replication.master_ha import HaConnection, MasterHa

SOURCE = "HAConnection.WriteSocketService#run"


def move(service: MasterHa, connection: HaConnection, offset: int) -> None:
    """The transfer goes on here, whatever the rules say of it."""
    names = ("next_transfer_offset", "transfer_start_offset", "arrived_offset")
    service.rules.learn_all({f"links.{connection.slot}.{name}": offset for name in names})


class MovingMaster(MasterHa):
    """A master with a rule of its own for where a transfer begins."""

    def choose_begin(self, request: int) -> int | None:
        """Where it begins; None: as usual."""
        raise NotImplementedError

    def _begin_transfer(self, connection: HaConnection) -> bool:
        """Another place, if there is one."""
        begin = self.choose_begin(connection.get("slave_request_offset"))
        if begin is None:
            return super()._begin_transfer(connection)
        move(self, connection, begin)
        return True


@mutant("implementers.md#1-the-first-report-is-the-handshake-and-it-comes-late", SOURCE)
class PositionsAtEachReport(MasterHa):
    """The position is decided again at each report, not once for a connection."""

    def take_report(self, connection: HaConnection, offset: int) -> None:
        """A later one moves the transfer, too."""
        is_later = connection.get("next_transfer_offset") >= 0
        super().take_report(connection, offset)
        if is_later and connection.slot >= 0:
            move(self, connection, offset)
            self.send(connection)


@mutant("implementers.md#5-a-request-for-0-means-the-last-file", SOURCE)
class ZeroIsTheFirstFile(MovingMaster):
    """A slave that requests 0 is sent the whole log from its first file on."""

    def choose_begin(self, request: int) -> int | None:
        """All that there is."""
        return None if request else max(0, self.store.min_offset)


@mutant("replication.md#position_at_last_file", SOURCE)
class ZeroIsTheEnd(MovingMaster):
    """A slave that requests 0 is sent only what comes after its request."""

    def choose_begin(self, request: int) -> int | None:
        """Nothing of what there is."""
        return None if request else self.store.max_offset


@mutant("replication.md#position_transfer", SOURCE)
class RequestIsRoundedToItsFile(MovingMaster):
    """A request inside the log is answered from the base of its file on."""

    def choose_begin(self, request: int) -> int | None:
        """The file's beginning."""
        size = self.settings.number("mapedFileSizeCommitLog")
        is_inside = 0 < request <= self.store.max_offset
        return request - request % size if is_inside else None


@mutant("replication.md#position_transfer", SOURCE)
class RequestAheadBeginsAtTheEnd(MovingMaster):
    """A request beyond the master's end is answered from that end on."""

    def choose_begin(self, request: int) -> int | None:
        """The own end."""
        return self.store.max_offset if request > self.store.max_offset else None


@mutant("implementers.md#15-retention-ignores-slaves", SOURCE)
class RequestBelowBeginsAtFirstFile(MovingMaster):
    """A request below the first file is answered from the first file on."""

    def choose_begin(self, request: int) -> int | None:
        """What is left."""
        return self.store.min_offset if 0 < request < self.store.min_offset else None


@mutant("implementers.md#15-retention-ignores-slaves", SOURCE)
class RequestBelowIsClosed(MasterHa):
    """A connection whose request is below the first file is closed."""

    def _begin_transfer(self, connection: HaConnection) -> bool:
        """It is told that it is too late."""
        if 0 < connection.get("slave_request_offset") < self.store.min_offset:
            self.close(connection)
            return False
        return super()._begin_transfer(connection)


@mutant("wire_format.md#closing-a-connection", SOURCE)
@define(eq=False, repr=False)
class RemembersPositions(MasterHa):
    """A slave that connects again is sent what it was not sent before, whatever it requests."""

    known: dict[str, int] = field(factory=dict)
    """Where the transfer to each host goes on."""

    def drop(self, connection: HaConnection, reason: str) -> None:
        """It is remembered how far it was."""
        if connection.slot >= 0 and connection.get("next_transfer_offset") >= 0:
            self.known[find_host(connection)] = connection.get("next_transfer_offset")
        super().drop(connection, reason)

    def _begin_transfer(self, connection: HaConnection) -> bool:
        """There, for one that is known."""
        position = self.known.pop(find_host(connection), None)
        if position is None:
            return super()._begin_transfer(connection)
        move(self, connection, position)
        return True


def find_host(connection: HaConnection) -> str:
    """A slave's address without its port, which is another one each time."""
    return connection.peer.rpartition(":")[0]
