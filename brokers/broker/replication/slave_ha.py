"""``HAService.HAClient`` of a slave: connect, report, read, append, keep house.

Source: HAService.HAClient of 4.4.0, DefaultHAClient of 5.3.3.
"""

from __future__ import annotations

from attrs import define, field

from brokers.broker import habits
from brokers.broker.host import Host, Timer, Transport
from brokers.broker.replication.master_ha import CLOSED_LEAVES
from brokers.broker.ruled_state import RuledState
from brokers.broker.settings import Settings
from brokers.broker.storage.live_store import SLAVE_LOG, LiveStore
from brokers.wire.replication import Frame, FrameReader, encode_report
from brokers.wire.wire_error import WireError

LINK = "links.0"
OFFSET_MAX = 2**62
"""4.4.0 would take frames at any offset, those below 0 in a file of a negative name (T2-00059)."""


@define(eq=False, repr=False)
class SlaveHa:
    """A slave's side of replication; a peer of the host."""

    settings: Settings
    store: LiveStore
    rules: RuledState
    host: Host
    master_address: str | None = None
    """Where it connects, from its file or from a name server."""
    transport: Transport | None = None
    reader: FrameReader = field(factory=FrameReader)
    reported: int = 0
    """``currentReportedOffset``."""
    last_report_ms: float = 0.0
    last_read_ms: float = 0.0
    is_connecting: bool = False
    is_over: bool = False
    has_frame: bool = False
    """A frame has arrived on this connection."""
    _timer: Timer | None = None

    def start(self) -> None:
        """Its thread runs."""
        self.last_report_ms = self.last_read_ms = self.host.now_ms()
        self._connect()

    def set_master(self, address: str) -> None:
        """``updateMasterAddress``: for the next connect; a connection stays as it is."""
        if address != self.master_address:
            self.host.log(f"update master address, OLD: {self.master_address} NEW: {address}")
            self.master_address = address

    @property
    def is_connected(self) -> bool:
        """It has a connection."""
        return self.transport is not None

    def _later(self, delay_ms: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self.host.after(delay_ms, self._run)

    def _run(self) -> None:
        """``run``: connect, or a report if it is time, and a look at the silence."""
        if self.is_over or self.is_connecting:
            return
        if self.transport is None:
            self._connect()
            return
        now_ms, is_by_reports = self.host.now_ms(), self.settings.habits.is_timer_by_reports
        by_ms = self.last_report_ms if is_by_reports else self.last_read_ms
        if now_ms - by_ms > self.settings.number("haSendHeartbeatInterval"):
            self._report(is_timed=True)
        if self.is_expired():
            self.host.log("HAClient, housekeeping, found this connection expired")
            self._close("close_idle_connection[0]")
            return
        self._later(habits.SELECT_MS)

    def is_expired(self) -> bool:
        """Nothing has come for too long, where its release sees that."""
        silent_ms = self.host.now_ms() - self.last_read_ms
        is_silent = silent_ms > self.settings.number("haHousekeepingInterval")
        return is_silent and self.settings.habits.is_silence_seen

    def make_reader(self) -> FrameReader:
        """What reads the frames of a new connection."""
        return FrameReader()

    def _connect(self) -> None:
        """``connectMaster``: where the log ends is noted, and nothing is sent."""
        self.reported = self.store.max_offset
        if self.master_address is None:
            self._later(habits.CONNECT_AGAIN_MS)
            return
        self.is_connecting = True
        self.host.connect(self.master_address, self, habits.CONNECT_TIMEOUT_MS)

    def opened(self, transport: Transport) -> None:
        """The connection is open."""
        self.is_connecting = False
        if self.is_over:
            transport.abort()
            return
        self.transport, self.reader, self.has_frame = transport, self.make_reader(), False
        self.store.learn_log()
        self.rules.learn_all({"master.connection_count": 0})
        self.rules.fire("connect_slave[0]")
        self.last_read_ms = self.host.now_ms()
        if not self.settings.habits.waits_to_reconnect:
            self.last_report_ms = self.host.now_ms()
        self._run()

    def received(self, data: bytes) -> None:
        """``processReadEvent``: frames that are whole now, one after another."""
        self.last_read_ms = self.host.now_ms()
        try:
            frames = self.reader.feed(data)
        except WireError as problem:
            self.host.log(f"HAClient, dispatchReadRequest error: {problem}")
            self._close("close_idle_connection[0]")
            return
        for frame in frames:
            if self.transport is None or not self._take(frame):
                return
        if not self._bear_header():
            return
        self._later(0.0 if frames else habits.SELECT_MS)

    def drained(self) -> None:
        """Reports are small; there is nothing to resume."""

    def lost(self, reason: str) -> None:
        """The connection has ended, or could not be opened."""
        was_connecting, self.is_connecting = self.is_connecting, False
        if self.transport is not None:
            self.host.log(f"HAClient, processReadEvent read socket < 0 ({reason})")
            self._forget()
        elif was_connecting:
            self.host.log(f"HAClient, cannot connect to {self.master_address}: {reason}")
        else:
            return
        is_patient = was_connecting or self.settings.habits.waits_to_reconnect
        self._later(habits.CONNECT_AGAIN_MS if is_patient else 0.0)

    def _close(self, rule: str) -> None:
        """This end closes, by a rule, and connects again at once, or in five seconds."""
        self.rules.fire(rule)
        transport = self.transport
        self._forget()
        if transport is not None:
            transport.abort()
        is_patient = self.settings.habits.waits_to_reconnect
        self._later(habits.CONNECT_AGAIN_MS if is_patient else 0.0)

    def _forget(self) -> None:
        self.transport = None
        leaves = {f"{LINK}.{name}": value for name, value in CLOSED_LEAVES.items()}
        self.rules.learn_all(leaves)

    def _report(self, *, is_timed: bool) -> None:
        if is_timed and not self.rules.get(f"{LINK}.has_reported"):
            self.rules.fire_first("report_offset[0]", "report_offset_to_earlier_put[0]")
        self.last_report_ms = self.host.now_ms()
        if self.transport is not None:
            self.transport.send(self.make_report())

    def make_report(self) -> bytes:
        """What it sends."""
        return encode_report(self.reported)

    def _bear_header(self) -> bool:
        """A header is compared before its body has come; False: the connection is closed."""
        offset, _ = self.reader.announced or (self.store.max_offset, 0)
        is_taken = self.store.max_offset in (0, offset)
        return self.transport is not None and (is_taken or self._take(Frame(offset, b"")))

    def _take(self, frame: Frame) -> bool:
        """``dispatchReadRequest``: one frame; False: the connection is closed."""
        if not 0 <= frame.offset <= OFFSET_MAX:
            self.host.log(f"HAClient, a frame at {frame.offset}: no master has bytes there")
            self._close("close_idle_connection[0]")
            return False
        self._learn_frame(frame)
        return self._take_learnt(frame)

    def _take_learnt(self, frame: Frame) -> bool:
        """The rules know of the frame."""
        if self.rules.can("refuse_frame[0]"):
            text = "master pushed offset not equal the max phy offset in slave, SLAVE: "
            self.host.log(f"{text}{self.store.max_offset} MASTER: {frame.offset}")
            self._close("refuse_frame[0]")
            return False
        self._append(frame)
        if self.store.max_offset > self.reported:
            self.reported = self.store.max_offset
            self._report(is_timed=False)
        return True

    def _learn_frame(self, frame: Frame) -> None:
        """The master has at least these bytes, and has sent them on this connection."""
        end = frame.offset + len(frame.body)
        leaves = {
            f"{LINK}.arrived_offset": frame.offset,
            f"{LINK}.next_transfer_offset": end,
            **self.rules.list_ends("master.log", max(end, self.rules.get("master.log.ends.0"))),
            "master.log.has_file": 1,
        }
        if not self.has_frame:
            # A first file is the one that this offset lies in; an honest master begins with a file.
            self.has_frame = True
            size = self.settings.number("mapedFileSizeCommitLog")
            leaves[f"{LINK}.transfer_start_offset"] = frame.offset - frame.offset % size
        self.rules.learn_all(leaves)

    def _append(self, frame: Frame) -> None:
        """``CommitLog#appendData``, unless the store has begun to stop; nobody sees a failure."""
        size = len(frame.body)
        if self.store.store.is_shutdown:
            if size:
                self.rules.try_to("discard_frame[0]", size_bytes=size)
            return
        before = self.rules.state
        is_ruled = self._step(size)
        if self.store.append_frame(frame.offset, frame.body):
            if is_ruled:
                self.store.agree(self.rules, SLAVE_LOG)
            self.store.note_append()
        else:
            self.host.log(f"the append of {size} bytes at {frame.offset} has failed")
            self.rules.state = before
            self.store.learn_log()

    def _step(self, size: int) -> bool:
        """The rule of an append; False: none fits what this master has sent."""
        if not size:
            return self.rules.try_to("create_slave_file[0]")
        rules = ("append_to_slave[0]", "append_at_wrong_offset[0]")
        return any(self.rules.try_to(rule, size_bytes=size) for rule in rules)

    def stop(self) -> None:
        """``HAClient#shutdown``."""
        self.is_over = True
        if self._timer is not None:
            self._timer.cancel()
        if self.transport is not None and self.settings.habits.stop_closes_socket:
            self.transport.close()
