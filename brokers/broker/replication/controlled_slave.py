"""The slave's side of replication in controller mode: it shakes hands, truncates, and then copies.

Source: AutoSwitchHAClient of 5.3.3.
"""

from __future__ import annotations

from collections.abc import Sequence

from attrs import define, field

from brokers.broker import habits
from brokers.broker.host import Transport
from brokers.broker.replication.epochs import EpochPlaces, LiveEpochs
from brokers.broker.replication.slave_ha import LINK, OFFSET_MAX, SlaveHa
from brokers.broker.storage.live_store import SLAVE_LOG
from brokers.disk.files.checkpoint_files import Epoch
from brokers.wire.controlled_messages import (
    ControlledFrame,
    MasterHandshake,
    MasterMessageReader,
    NamedEpoch,
    encode_slave_handshake,
    encode_transfer_report,
)
from brokers.wire.replication import Frame
from brokers.wire.wire_error import WireError

NO_NAME = NamedEpoch(-1, -1)
MASTER, SLAVE = 0, 1
"""Whose list of epochs: places in the rules' lists."""
HANDSHAKE_AGAIN_MS = 5000.0
"""``#handshakeWithMaster``: ``selector.select(5000)``, then it is sent again."""
STAY_OUT_MS = 2000.0
"""``HAClientReader#processReadResult``: ``waitForRunning(1000 * 2)`` after a refused truncation."""


def find_disorder(told: MasterHandshake) -> str:
    """Why no master has these epochs; empty if one may have them."""
    numbers = [epoch.number for epoch in told.epochs]
    begins = [epoch.begin for epoch in told.epochs]
    if numbers != sorted(set(numbers)) or begins != sorted(set(begins)):
        return "its epochs do not rise"
    values = (told.max_offset, *numbers, *begins)
    return "" if all(0 <= value <= OFFSET_MAX for value in values) else "an offset is out of range"


def list_named(known: Sequence[Epoch], frame: ControlledFrame) -> tuple[Epoch, ...] | None:
    """The master's epochs as a frame shows them: the last one is that which it names.

    The last frame of an epoch names the next one, which begins where it ends. None: it names an
    epoch that begins anywhere else behind its first byte.
    """
    begin, end, named = frame.offset, frame.offset + len(frame.body), frame.epoch
    if not 0 <= named.begin <= begin and named.begin != end:
        return None
    earlier = (e for e in known if e.number < named.number and e.begin_offset < named.begin)
    return (*earlier, Epoch(named.number, named.begin))


@define(eq=False, repr=False)
class ControlledSlaveHa(SlaveHa):
    """``AutoSwitchHAClient``; a peer of the host."""

    epochs: LiveEpochs = field(kw_only=True)
    messages: MasterMessageReader = field(factory=MasterMessageReader)
    places: EpochPlaces = field(init=False)
    is_shaking: bool = False
    """It has no consistent point with its master yet (``HAConnectionState.HANDSHAKE``)."""
    is_refused: bool = False
    """It has none at all, and is about to leave."""
    its: tuple[Epoch, ...] = ()
    """The master's epochs, as far as it has told them."""
    named: NamedEpoch = NO_NAME
    """What the frame names that is taken at the moment."""
    confirmed: int = 0
    """``DefaultMessageStore.confirmOffset``: what its master has told of it."""

    def __attrs_post_init__(self) -> None:
        self.places = EpochPlaces(self.rules)

    def opened(self, transport: Transport) -> None:
        """``connectMaster``: the connection is open, and no link of the rules before it agrees."""
        self.is_connecting = False
        if self.is_over:
            transport.abort()
            return
        self.transport, self.messages = transport, MasterMessageReader()
        self.is_shaking, self.is_refused, self.has_frame = True, False, False
        self.last_read_ms = self.host.now_ms()
        self._run()

    def _run(self) -> None:
        """``run``: as any slave, but a handshake without an answer is sent again."""
        if self.transport is None or not self.is_shaking or self.is_over:
            super()._run()
        elif not self.is_refused:
            self.last_report_ms = self.host.now_ms()
            self.transport.send(encode_slave_handshake(self.settings.broker_id))
            self._later(HANDSHAKE_AGAIN_MS)

    def received(self, data: bytes) -> None:
        """``processReadResult``: messages that are whole now, one after another."""
        self.last_read_ms = self.host.now_ms()
        if self.is_refused:
            return
        try:
            messages = self.messages.feed(data)
        except WireError as problem:
            self.host.log(f"AutoSwitchHAClient, processReadResult error: {problem}")
            self._close("close_idle_connection[0]")
            return
        for message in messages:
            if self.transport is None or not self._take_message(message):
                return
        if not self.is_shaking:
            self._later(0.0 if messages else habits.SELECT_MS)

    def _take_message(self, message: MasterHandshake | ControlledFrame) -> bool:
        is_handshake = isinstance(message, MasterHandshake)
        if is_handshake is not self.is_shaking:
            self.host.log(f"State not matched: {type(message).__name__} of the master")
            self._close("close_idle_connection[0]")
            return False
        if isinstance(message, MasterHandshake):
            return self._agree(message)
        return self._take_controlled(message)

    def _close(self, rule: str) -> None:
        """By a rule, if the handshake is over; before that there is no link in the rules."""
        if self.rules.get(f"{LINK}.is_open"):
            super()._close(rule)
        elif self.transport is not None:
            self.transport.abort()

    # The handshake

    def _agree(self, told: MasterHandshake) -> bool:
        """``doTruncate``: to the point up to which both lists agree."""
        disorder = find_disorder(told)
        if disorder:
            return self._stay_out(disorder)
        self.its = tuple(Epoch(each.number, each.begin) for each in told.epochs)
        self.store.learn_log()
        self._learn_epochs()
        end = self.rules.list_ends("master.log", told.max_offset)
        self.rules.learn_all({**end, "master.log.has_file": 1, "master.connection_count": 0})
        before, is_new = self.rules.state, not self.epochs.entries
        if not self.rules.try_to("connect_slave[0]"):
            return self._stay_out(f"no consistent point between {self.its} and own epochs")
        point = self.rules.get(f"{LINK}.reported_offset")
        if point < self.store.max_offset and not self.store.is_record_at(point):
            self.rules.state = before
            return self._stay_out(f"offset {point} is not align, truncate failed")
        self._truncate(point, is_new=is_new)
        return True

    def _truncate(self, point: int, *, is_new: bool) -> None:
        """The rule has truncated log and list; the bytes and the file follow."""
        self.store.truncate(point)
        self.store.agree(self.rules, SLAVE_LOG)
        self.store.learn_log()
        self.places.take_over(SLAVE, self.epochs)
        self.is_shaking, self.reported = False, point
        self.host.log(f"Truncate slave log to {point} success, change to transfer state")
        if is_new and point > 0:
            self._report(is_timed=True)
        self._run()

    def _stay_out(self, why: str) -> bool:
        """It leaves after a while, and tries again: an operator has to help."""
        self.host.log(f"AutoSwitchHAClient truncate log failed in handshake state: {why}")
        self.is_refused, transport = True, self.transport

        def leave() -> None:
            if self.transport is transport and transport is not None:
                transport.abort()

        self.host.after(STAY_OUT_MS, leave)
        return False

    def _learn_epochs(self) -> None:
        own, its = self.epochs.entries, self.its
        received = (self.epochs.received,)
        self.places.number((e.number for e in own), (e.number for e in its), received)
        self.places.learn(MASTER, its, its[-1].number if its else -1)
        self.places.learn(SLAVE, own, self.epochs.received)

    # Frames

    def make_report(self) -> bytes:
        """In the state of a transfer."""
        return encode_transfer_report(self.reported)

    def _take_controlled(self, frame: ControlledFrame) -> bool:
        """One frame, whose epoch is told first; False: the connection is closed."""
        plain = Frame(max(0, frame.offset), frame.body)
        is_without_file = frame.offset == -1 and not frame.body
        its = list_named(self.its, frame)
        if is_without_file:
            its = (Epoch(frame.epoch.number, frame.epoch.begin),)
        is_in_range = is_without_file or 0 <= frame.offset <= OFFSET_MAX
        if its is None or not is_in_range or frame.epoch.number < 0:
            self.host.log(f"a frame at {frame.offset} names {frame.epoch}")
            self._close("close_idle_connection[0]")
            return False
        self.its, self.named = its, frame.epoch
        self._learn_epochs()
        self._learn_frame(plain)
        is_taken = self._take_learnt(plain)
        if is_taken:
            self.confirmed = min(frame.confirm_offset, self.store.max_offset)
        return is_taken

    def _append(self, frame: Frame) -> None:
        """A frame's epoch is on the disk before its bytes; one without bytes is nothing else."""
        if frame.body and not self.store.store.is_shutdown:
            super()._append(frame)
            return
        size = len(frame.body)
        if size:
            is_next_named = int(self.named.begin == frame.offset + size)
            self.rules.try_to("discard_frame[0]", size_bytes=size, is_next_named=is_next_named)
        else:
            self.rules.try_to("record_epoch_of_heartbeat[0]")
        self.places.take_over(SLAVE, self.epochs)

    def _step(self, size: int) -> bool:
        """The append, and the next epoch where the frame names that already."""
        is_ruled = super()._step(size)
        if is_ruled:
            self.rules.try_to("record_epoch_of_heartbeat[0]")
            self.places.take_over(SLAVE, self.epochs)
        return is_ruled
