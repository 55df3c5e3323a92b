"""Masters that read reports otherwise."""

from __future__ import annotations

import struct

from attrs import define

from brokers.broker.mutants.mutant import BEFORE_5, WAITING, mutant
from brokers.broker.replication.master_ha import PUSH2, HaConnection, MasterHa
from brokers.wire.replication import REPORT, ReportReader

READ = "HAConnection.ReadSocketService#processReadEvent"
NOTIFY = "HAService#notifyTransferSome"
BELIEVED = "implementers.md#3-a-report-is-accepted-even-above-the-masters-own-end"
ONE_MAXIMUM = "implementers.md#4-the-highest-report-is-one-number-and-never-goes-down"
RECEIVE, FORMAT = "replication.md#receive_report", "wire_format.md#the-report-slave-to-master"


@mutant(BELIEVED, READ)
class RefusesReportsAboveItsEnd(MasterHa):
    """A connection that reports more than the master has is closed."""

    def take_report(self, connection: HaConnection, offset: int) -> None:
        """It is compared with the own log."""
        if offset <= self.store.max_offset:
            super().take_report(connection, offset)
            return
        transport = connection.transport
        self.drop(connection, f"it reports {offset}")
        if transport is not None:
            transport.abort()


@mutant(BELIEVED, READ, spans=WAITING)
class CapsReports(MasterHa):
    """A report of more than the master has counts as the master's end."""

    def take_report(self, connection: HaConnection, offset: int) -> None:
        """It is compared with the own log."""
        super().take_report(connection, min(offset, self.store.max_offset))


@mutant(ONE_MAXIMUM, NOTIFY, spans=BEFORE_5)
class ForgetsReportsOfTheClosed(MasterHa):
    """The highest report is that of the open connections: a closed one's is forgotten."""

    def _forget(self, connection: HaConnection) -> None:
        """What is left counts."""
        super()._forget(connection)
        reported = [each.get("slave_ack_offset") for each in self.connections]
        self.rules.learn_all({PUSH2: max(0, *reported) if reported else 0})


@mutant(ONE_MAXIMUM, NOTIFY, spans=BEFORE_5)
class LowerReportsLower(MasterHa):
    """The last report counts, even if it is lower than one before it."""

    def take_report(self, connection: HaConnection, offset: int) -> None:
        """Up or down."""
        super().take_report(connection, offset)
        self.rules.learn_all({PUSH2: max(0, offset)})


@mutant(ONE_MAXIMUM, NOTIFY, spans=BEFORE_5)
class SecondSlaveIsIgnored(MasterHa):
    """Only reports of the connection that was accepted first count."""

    def take_report(self, connection: HaConnection, offset: int) -> None:
        """The others' raise nothing."""
        push2 = self.rules.get(PUSH2)
        super().take_report(connection, offset)
        if self.connections and connection is not self.connections[0]:
            self.rules.learn_all({PUSH2: push2})


@mutant(RECEIVE, NOTIFY, spans=BEFORE_5)
class FirstReportIsNoReport(MasterHa):
    """The first report of a connection is its request only, and acknowledges nothing."""

    def take_report(self, connection: HaConnection, offset: int) -> None:
        """It raises nothing."""
        push2 = self.rules.get(PUSH2)
        is_first = connection.get("slave_request_offset") < 0
        super().take_report(connection, offset)
        if is_first:
            self.rules.learn_all({PUSH2: push2})


@mutant("implementers.md#1-the-first-report-is-the-handshake-and-it-comes-late", READ)
class SendsToOneSlaveOnly(MasterHa):
    """Only the connection that was accepted first is sent anything."""

    def send(self, connection: HaConnection) -> None:
        """The others wait."""
        if self.connections and connection is self.connections[0]:
            super().send(connection)


class FirstOfSeveral(HaConnection):
    """It counts the first of the reports that it reads at once."""

    def received(self, data: bytes) -> None:
        """Later ones are skipped."""
        self.last_read_ms = self.service.host.now_ms()
        offsets = self.reader.feed(data)
        if offsets and self.slot >= 0:
            self.service.take_report(self, offsets[0])


@mutant(FORMAT, READ, spans=WAITING)
class FirstOfSeveralReportsCounts(MasterHa):
    """Of several reports that are read at once the first one counts."""

    def make_connection(self) -> HaConnection:
        """Of this kind."""
        return FirstOfSeveral(self)


@define(eq=False, repr=False)
class HalfReports(HaConnection):
    """It fills a report that is not whole with zeros."""

    begun: bytes = b""

    def received(self, data: bytes) -> None:
        """What has come of it counts at once."""
        super().received(data)
        data = self.begun + data
        self.begun = data[len(data) - len(data) % REPORT.size :]
        if self.begun and self.slot >= 0:
            self.service.take_report(self, *REPORT.unpack(self.begun.ljust(REPORT.size, b"\0")))


@mutant(FORMAT, READ, spans=WAITING)
class HalfReportsCount(MasterHa):
    """The first bytes of a report count before its last ones have come."""

    def make_connection(self) -> HaConnection:
        """Of this kind."""
        return HalfReports(self)


class LittleEndianReader(ReportReader):
    """It reads a report from its lowest byte on."""

    def feed(self, data: bytes) -> list[int]:
        """Turned round."""
        return [struct.unpack("<q", REPORT.pack(each))[0] for each in super().feed(data)]


@mutant(FORMAT, READ)
class ReportsAreLittleEndian(MasterHa):
    """Reports are read with their lowest byte first."""

    def make_connection(self) -> HaConnection:
        """Of this kind."""
        return HaConnection(self, reader=LittleEndianReader())
