"""The HA service in controller mode: handshakes, epochs that frames name, and the SyncStateSet.

There is no controller. What one would tell is told at the start; what the master asks it for is
granted at once.
Source: AutoSwitchHAService, AutoSwitchHAConnection of 5.3.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from attrs import define, field

from brokers.broker import habits
from brokers.broker.host import Transport
from brokers.broker.replication.epochs import EpochPlaces, EpochRefusedError, LiveEpochs
from brokers.broker.replication.master_ha import HaConnection, MasterHa
from brokers.wire.controlled_messages import (
    ControlledFrame,
    MasterHandshake,
    NamedEpoch,
    encode_controlled_frame,
    encode_master_handshake,
)
from brokers.wire.controlled_replication import ControlledReportReader, MessageEvent
from brokers.wire.wire_error import WireError
from reference.worlds.replication.changes.controller_mode.frames import (
    find_epoch_end,
    find_frame_epoch,
)
from reference.worlds.replication.changes.controller_mode.mastership import begin_master
from reference.worlds.replication.controller.epochs import (
    MASTER_PLACE,
    NO_EPOCH,
    get_file,
    get_place,
    get_sent_starts,
)
from reference.worlds.replication.controller.sync_state_set import compute_confirm_offset
from reference.worlds.replication.state import Cluster

FIRST_EPOCH = 1
"""``SyncStateInfo.masterEpoch`` of the first election."""
NO_SLAVE, NO_END = -1, -1
NOT_NAMED = NamedEpoch(NO_EPOCH, NO_EPOCH)
BEFORE_REPORT, AFTER_REPORT = "HANDSHAKE", "TRANSFER"
LOOK_FOR_EPOCH_MS = 500.0
"""``AbstractWriteSocketService#run``: ``waitForRunning(500)`` until it can begin."""
CHECK_SET_MS = 5000.0
"""``BrokerConfig.checkSyncStateSetPeriod``."""
LAG_MAX_MS = 15_000
"""``MessageStoreConfig.haMaxTimeSlaveNotCatchup``."""


@define(eq=False, repr=False)
class ControlledConnection(HaConnection):
    """``AutoSwitchHAConnection``; a peer of the host."""

    owner: ControlledMasterHa = field(kw_only=True)
    """Its service."""
    messages: ControlledReportReader = field(factory=ControlledReportReader)
    slave_id: int = NO_SLAVE
    """Its broker id, as the handshake says."""
    has_answer: bool = False
    """It was sent the master's half of the handshake."""
    state: str = BEFORE_REPORT
    epoch: NamedEpoch = NOT_NAMED
    """``currentTransferEpoch``: what frames name."""
    epoch_end: int = NO_END
    """``currentTransferEpochEndOffset``; -1 in the last epoch."""
    sent_end: int = -1
    """``lastMasterMaxOffset``: where the log ended when bytes were sent last."""
    caught_up_ms: float = 0.0
    """``connectionCaughtUpTimeTable``: when it had all that there was."""

    def received(self, data: bytes) -> None:
        """``HAServerReader#processReadResult``: each message counts, one after another."""
        self.last_read_ms = self.service.host.now_ms()
        try:
            for seen in self.messages.feed(data):
                if self.slot >= 0:
                    self.owner.take(self, seen)
        except WireError as problem:
            self.owner.leave(self, str(problem))


@define(eq=False, repr=False)
class ControlledMasterHa(MasterHa):
    """The connections of slaves, and who of them is in the SyncStateSet."""

    epochs: LiveEpochs = field(kw_only=True)
    on_set: Callable[[], None] = field(default=lambda: None)
    """Called when the set has changed."""
    places: EpochPlaces = field(init=False)
    confirmed: int = 0
    """``DefaultMessageStore.confirmOffset``: as it was computed last."""
    ids: dict[int, int] = field(factory=dict)
    """By link, the broker id of its latest slave: a member stays one while the master stops."""
    is_told: bool = False
    """It was told that it is the master."""

    def __attrs_post_init__(self) -> None:
        self.places = EpochPlaces(self.rules)

    # The role

    def begin(self) -> None:
        """``#changeToMaster``: this broker is the master of an epoch. Raises EpochRefusedError."""
        last = self.epochs.last_number
        told = self.settings.epoch
        number = max(last, FIRST_EPOCH) if told is None else told
        if number < last:
            raise EpochRefusedError(f"epoch {number} is over: {last} has begun in its epoch file")
        self.places.number((entry.number for entry in self.epochs.entries), (number,))
        self.places.learn(MASTER_PLACE, self.epochs.entries, number)
        cluster = self._see()
        log = cluster.master.log
        place = self.places.find(number)
        begun = begin_master(get_file(cluster, MASTER_PLACE), place, log, log.max_offset)
        self.places.learn(MASTER_PLACE, self.places.list_entries(begun.starts), number)
        self.places.take_over(MASTER_PLACE, self.epochs)
        self.is_told = True
        self.store.find_confirmed = lambda: self.confirm_offset
        self._confirm()
        self.store.every("sync state set", CHECK_SET_MS, self._check_set)

    def _see(self) -> Cluster:
        cluster = self.rules.machine.decode(self.rules.state)
        assert isinstance(cluster, Cluster)
        return cluster

    # The set

    def list_controlled(self) -> Iterator[ControlledConnection]:
        """The connections that are counted."""
        return (each for each in self.connections if isinstance(each, ControlledConnection))

    def is_member(self, slot: int) -> bool:
        """The slave of this link is in the set."""
        return bool(self.rules.get(f"in_sync_state_set.{get_place(slot)}"))

    def list_members(self) -> list[int]:
        """The set, by broker id; empty as long as nobody has told it anything."""
        if not self.is_told:
            return []
        ids = (number for slot, number in self.ids.items() if self.is_member(slot))
        return sorted((self.settings.broker_id, *ids))

    @property
    def confirm_offset(self) -> int:
        """``DefaultMessageStore#getConfirmOffset``: all of the log while the master is alone."""
        is_alone = len(self.list_members()) == 1
        return self.store.max_offset if is_alone else self.confirmed

    def _confirm(self) -> None:
        """``#computeConfirmOffset``; what is not known stays. Dispatch may go on."""
        computed = int(compute_confirm_offset(self._see()))
        self.confirmed = computed if computed >= 0 else self.confirmed
        self.store.once("dispatch", habits.DISPATCH_MS, self.store.dispatch)

    def _change_set(self, rule: str, slot: int) -> None:
        """Ask for another set where the rule allows it: it is granted at once."""
        if self.is_told and self.rules.try_to(f"{rule}[{slot}]"):
            self._confirm()
            self.on_set()

    def _check_set(self) -> None:
        """``#maybeShrinkSyncStateSet``: who has lagged for too long leaves."""
        most_ms = self.settings.later_number("haMaxTimeSlaveNotCatchup", LAG_MAX_MS)
        for each in list(self.list_controlled()):
            if self.is_member(each.slot) and self.host.now_ms() - each.caught_up_ms > most_ms:
                self._change_set("leave_sync_state_set", each.slot)

    def _forget(self, connection: HaConnection) -> None:
        """``#removeConnection``: a member whose connection has ended leaves."""
        slot = connection.slot
        super()._forget(connection)
        self._change_set("leave_sync_state_set", slot)

    # What a slave sends

    def make_connection(self) -> ControlledConnection:
        """A peer for the next connection."""
        return ControlledConnection(self, owner=self)

    def leave(self, connection: HaConnection, why: str) -> None:
        """A slave that breaks the protocol."""
        self.host.log(f"HA: {connection.peer}: {why}")
        if connection.slot >= 0:
            self.close(connection)

    def take(self, connection: ControlledConnection, seen: MessageEvent) -> None:
        """A handshake, or a report in the state of a transfer after one."""
        if seen.kind == "ha_handshake_slave":
            self._take_handshake(connection, **seen.fields)
        elif seen.fields["state"] != AFTER_REPORT or not connection.has_answer:
            self.leave(connection, f"a report in state {seen.fields['state']}")
        else:
            connection.state = AFTER_REPORT
            self.take_report(connection, seen.fields["slave_offset"])

    def _take_handshake(
        self,
        connection: ControlledConnection,
        slave_id: int,
        *,
        sync_from_last_file: bool,
        async_learner: bool,
    ) -> None:
        """It is answered a little later.

        5.3.3 counts two connections of one slave until the dead one ends, and takes the slave out
        of the set then; here the earlier one ends at once, and with it the slave's membership.
        """
        known = (NO_SLAVE, slave_id)
        is_strange = slave_id < 0 or slave_id == self.settings.broker_id
        if is_strange or connection.slave_id not in known or connection.state != BEFORE_REPORT:
            self.leave(connection, f"a handshake of broker {slave_id}")
            return
        if sync_from_last_file or async_learner:
            self.leave(connection, "syncFromLastFile and asyncLearner are not followed")
            return
        for other in [c for c in self.list_controlled() if c.slave_id == slave_id]:
            if other is not connection:
                self.leave(other, f"broker {slave_id} has connected anew")
        connection.slave_id = self.ids[connection.slot] = slave_id
        self.host.after(habits.LOOK_FOR_REQUEST_MS, lambda: self._answer(connection))

    def _answer(self, connection: ControlledConnection) -> None:
        """``#handshakeWithSlave``."""
        if connection.slot < 0 or self.is_over or connection.transport is None:
            return
        starts = get_sent_starts(self._see())
        epochs = [NamedEpoch(*each) for each in self._list_sent(starts)]
        connection.has_answer, connection.last_write_ms = True, self.host.now_ms()
        told = MasterHandshake(self.store.max_offset, epochs)
        connection.transport.send(encode_master_handshake(told))

    def _list_sent(self, starts: tuple[int, ...]) -> Iterator[tuple[int, int]]:
        return ((e.number, e.begin_offset) for e in self.places.list_entries(starts))

    def take_report(self, connection: HaConnection, offset: int) -> None:
        """As any report; then its slave may enter the set (``#maybeExpandInSyncStateSet``)."""
        super().take_report(connection, offset)
        if connection.slot < 0 or not isinstance(connection, ControlledConnection):
            return
        if offset >= connection.sent_end:
            if offset == self.store.max_offset:
                connection.caught_up_ms = self.host.now_ms()
            self._change_set("enter_sync_state_set", connection.slot)
        if self.is_told and self.is_member(connection.slot):
            self._confirm()

    # What it is sent

    def _begin_transfer(self, connection: HaConnection) -> bool:
        """``AbstractWriteSocketService#run``: where the transfer begins, and in which epoch."""
        assert isinstance(connection, ControlledConnection)
        is_without_file = self.store.min_offset < 0
        if is_without_file and connection.get("slave_request_offset") == 0:
            self._name(connection, 0)
            self._send_without_file(connection)
        elif super()._begin_transfer(connection):
            self._name(connection, connection.get("next_transfer_offset"))
            return True
        connection.is_positioning = True
        self.host.after(LOOK_FOR_EPOCH_MS, lambda: self._position(connection))
        return False

    def _send_without_file(self, connection: ControlledConnection) -> None:
        """A heartbeat at -1, if it is time."""
        silent_ms = self.host.now_ms() - connection.last_write_ms
        is_due = silent_ms > self.settings.number("haSendHeartbeatInterval")
        if is_due and connection.transport is not None and connection.epoch.number >= 0:
            connection.last_write_ms = self.host.now_ms()
            connection.transport.send(self.encode(connection, -1, b""))

    def _name(self, connection: ControlledConnection, offset: int) -> None:
        """``#changeTransferEpochToNext``: the epoch of an offset, and where it ends."""
        self.rules.learn_all({f"links.{connection.slot}.arrived_offset": offset})
        cluster = self._see()
        place = find_frame_epoch(cluster, connection.slot)
        connection.epoch_end = int(find_epoch_end(cluster, connection.slot, NO_END))
        if place != NO_EPOCH:
            begin = get_sent_starts(cluster)[place]
            connection.epoch = NamedEpoch(self.places.numbers[place], begin)

    def _limit_batch(self, connection: HaConnection, begin: int, size: int) -> int:
        """A frame ends with its epoch, and the last one of an epoch names the next one.

        Where an epoch has no bytes left, 5.3.3 sends a frame without any in between.
        """
        assert isinstance(connection, ControlledConnection)
        end = connection.epoch_end
        if end == NO_END or begin + size <= end:
            return size
        self._name(connection, end)
        return end - begin or self._limit_batch(connection, begin, size)

    def _send_batch(self, connection: HaConnection, transport: Transport) -> bool:
        """As any slave is sent it; who has been sent everything has caught up."""
        assert isinstance(connection, ControlledConnection)
        is_sent = super()._send_batch(connection, transport)
        if is_sent:
            connection.sent_end = self.store.max_offset
        else:
            connection.caught_up_ms = self.host.now_ms()
        return is_sent

    def encode(self, connection: HaConnection, offset: int, body: bytes) -> bytes:
        """With the epoch that the connection has come to, and the confirm offset."""
        assert isinstance(connection, ControlledConnection)
        return encode_controlled_frame(
            ControlledFrame(offset, connection.epoch, self.confirm_offset, body)
        )
