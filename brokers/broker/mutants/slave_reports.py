"""Slaves that report or connect otherwise."""

from __future__ import annotations

from attrs import define

from brokers.broker.host import Transport
from brokers.broker.mutants.mutant import mutant
from brokers.broker.mutants.walking import compute_whole_bytes
from brokers.broker.replication.slave_ha import SlaveHa
from brokers.wire.replication import Frame, encode_report
from reference.releases.releases import CLASSIC, QUORUM, Span

TIMER = "HAClient#isTimeToReportOffset, #reportSlaveMaxOffset"
APPEND = "HAClient#dispatchReadRequest, #reportSlaveMaxOffsetPlus"
HANDSHAKE = "implementers.md#1-the-first-report-is-the-handshake-and-it-comes-late"
REPORTED = "implementers.md#8-each-append-is-reported-before-any-flush"
REPORT = "wire_format.md#the-report-slave-to-master"


@mutant(HANDSHAKE, TIMER)
class ReportsOnConnect(SlaveHa):
    """The first report is sent as soon as the connection is open."""

    def opened(self, transport: Transport) -> None:
        """Without any silence."""
        super().opened(transport)
        if self.transport is not None:
            self._report(is_timed=True)


@mutant(HANDSHAKE, TIMER)
@define(eq=False, repr=False)
class FirstReportIsZero(SlaveHa):
    """The first report of each connection is 0, wherever the slave's log ends."""

    is_fresh: bool = True

    def opened(self, transport: Transport) -> None:
        """A new connection."""
        self.is_fresh = True
        super().opened(transport)

    def make_report(self) -> bytes:
        """A request for everything."""
        is_fresh, self.is_fresh = self.is_fresh, False
        return encode_report(0) if is_fresh else super().make_report()


@mutant(REPORTED, APPEND)
class ReportsOnItsTimerOnly(SlaveHa):
    """An append is not reported at once: the timer's next report has it."""

    def _report(self, *, is_timed: bool) -> None:
        """Only if it is time."""
        if is_timed:
            super()._report(is_timed=True)


@mutant(REPORTED, APPEND)
class ReportsFlushedBytesOnly(SlaveHa):
    """A report has the end of what is flushed, not of what is appended."""

    def make_report(self) -> bytes:
        """Up to what is on the disk."""
        return encode_report(min(self.reported, self.store.flushed_offset))


@mutant(REPORT, APPEND)
class ReportsWholeMessagesOnly(SlaveHa):
    """A report has the end of the last whole message."""

    def make_report(self) -> bytes:
        """Up to the last message's end."""
        log = self.store.store.commit_log
        if not log.mapped_files:
            return super().make_report()
        file = log.mapped_files[-1]
        base = file.file_from_offset_bytes
        whole = compute_whole_bytes(self.store.read(base, self.store.max_offset - base))
        return encode_report(min(self.reported, base + whole))


@mutant("replication.md#append_to_slave", APPEND)
class ReportsBeforeItStores(SlaveHa):
    """A frame is reported when it has come, whether it can be stored or not."""

    def _append(self, frame: Frame) -> None:
        """The report first."""
        end = frame.offset + len(frame.body)
        if end > self.reported:
            self.reported = end
            self._report(is_timed=False)
        super()._append(frame)


@mutant(REPORT, "HAClient#run, #processReadEvent")
class AnswersEachHeartbeat(SlaveHa):
    """Each heartbeat is answered with a report."""

    def _append(self, frame: Frame) -> None:
        """It tells that it lives."""
        super()._append(frame)
        if not frame.body:
            self._report(is_timed=False)


@mutant(REPORT, "HAClient#reportSlaveMaxOffset")
class WritesLittleEndian(SlaveHa):
    """A report has its lowest byte first."""

    def make_report(self) -> bytes:
        """Turned round."""
        return super().make_report()[::-1]


@mutant(
    "wire_format.md#timers",
    "HAClient#run",
    spans=(Span("4.4.0", until="4.5.2"), Span("5.0.0", modes=(CLASSIC, QUORUM))),
)
class KeepsASilentMaster(SlaveHa):
    """A slave never closes a connection on which nothing comes."""

    def is_expired(self) -> bool:
        """Never."""
        return False


@mutant("wire_format.md#timers", "HAClient#run")
class LeavesASilentMasterEarly(SlaveHa):
    """A slave closes a silent connection after a quarter of haHousekeepingInterval."""

    def is_expired(self) -> bool:
        """Too early."""
        silent_ms = self.host.now_ms() - self.last_read_ms
        return silent_ms > self.settings.number("haHousekeepingInterval") / 4


@mutant("wire_format.md#timers", "HAClient#isTimeToReportOffset")
class ReportsOnceOnly(SlaveHa):
    """A silent master is sent no further reports after the first one."""

    def _report(self, *, is_timed: bool) -> None:
        """The first, and those of appends."""
        if not (is_timed and self.rules.get("links.0.has_reported")):
            super()._report(is_timed=is_timed)


@mutant(
    "wire_format.md#timers",
    "HAClient#run, #closeMaster",
    spans=(Span("4.4.0", until="5.0.0"),),
)
class ReconnectsLate(SlaveHa):
    """A slave connects again five seconds after it has lost a connection."""

    def _later(self, delay_ms: float) -> None:
        """At once is too soon."""
        super()._later(delay_ms if self.transport is not None else 5000.0)


@mutant(
    "versions.md#effect-on-answers-and-connections",
    "DefaultHAClient#closeMasterAndWait at 5.0.0",
    spans=(Span("5.0.0", modes=(CLASSIC, QUORUM)),),
)
class ReconnectsAtOnce(SlaveHa):
    """A slave connects again at once after it has lost a connection, as up to 4.9.8."""

    def _later(self, delay_ms: float) -> None:
        """Five seconds are too late."""
        super()._later(delay_ms if self.transport is not None or self.is_over else 0.0)
