"""Delayed messages are delivered by rounds, one for each level (``ScheduleMessageService``).

Each step of a round is one of ``reference.decisions.delay``; its put is one like any other.
"""

from __future__ import annotations

from collections import deque

from attrs import define, evolve, field

from brokers.broker.replication.followed_puts import PendingPut
from brokers.broker.requests.ports import BrokerPorts
from reference.decisions.delay import delivery, stored
from reference.decisions.delay.delivery import (
    DeliveryPosition,
    DeliveryTask,
    Met,
    Round,
    RoundMessages,
)
from reference.decisions.delay.levels import compute_countdown_ms, compute_queue_id
from reference.store import consume_queue as consume_queues
from reference.store.consume_queue import ConsumeQueueEntry
from reference.store.java import JavaError
from reference.store.put import PutMessageResult, PutMessageStatus
from reference.store.records import SCHEDULE_TOPIC
from reference.store.store import find_consume_queue

FIRST_PERSIST_MS = 10_000.0
"""``ScheduleMessageService#start``: when its progress is first written."""


@define(eq=False)
class DeliveryRound:
    """A level's round while it is under way."""

    delivery: Delivery
    level: int
    passed: RoundMessages = field(factory=lambda: RoundMessages(0, ()))
    entries: deque[ConsumeQueueEntry] = field(factory=deque)
    """Those that it has not come to."""

    def begin(self, task: DeliveryTask) -> None:
        """``DeliverDelayedMessageTimerTask#executeOnTimeup``."""
        store = self.delivery.ports.store.store
        queue = find_consume_queue(store, SCHEDULE_TOPIC, compute_queue_id(self.level))
        look = DeliveryPosition(task.position, queue.min_offset_in_queue, queue.max_offset_in_queue)
        ended = delivery.look_at_queue(look)
        if ended is not None:
            self._end(ended)
            return
        self.passed = RoundMessages(task.position, ())
        self.entries = deque(consume_queues.get_index_buffer(queue, task.position) or ())
        self._go_on()

    def _go_on(self) -> None:
        """The next message of the round."""
        ports = self.delivery.ports
        if ports.store.is_stopping:
            return
        while self.entries:
            delay_ms = ports.store.store.config.delays_ms[self.level - 1]
            due_ms = self.entries[0].tags_code
            countdown_ms = compute_countdown_ms(due_ms, ports.host.wall_ms(), delay_ms)
            self.passed = evolve(self.passed, countdown_ms=countdown_ms)
            if countdown_ms > 0:
                self._meet(Met.NOT_DUE)
                break
            if not self._deliver(self.entries.popleft()):
                return
        else:
            self._end(delivery.end_round(self.passed))

    def _meet(self, met: Met) -> None:
        """A message's outcome, which may end the round."""
        self.passed = evolve(self.passed, met=(*self.passed.met, met))
        if delivery.is_stopped_by(met):
            self._end(delivery.end_round(self.passed))

    def _deliver(self, entry: ConsumeQueueEntry) -> bool:
        """A due message; False: the round goes on when its put is answered."""
        ports = self.delivery.ports
        ports.store.store, record = stored.look_at_message(ports.store.store, entry)
        if record is None:
            self._meet(Met.GONE)
            return True
        try:
            copy = stored.make_copy(record)
        except JavaError:
            self._meet(Met.THROWN)
            return True
        if ports.put(copy, self._answered) is None:
            self._meet(Met.REFUSED)
        return False

    def _answered(self, put: PendingPut) -> None:
        """``DefaultMessageStore#putMessage`` has returned."""
        if not isinstance(put.result, PutMessageResult):
            met = Met.THROWN
        else:
            is_ok = put.result.status is PutMessageStatus.PUT_OK
            met = Met.COPIED if is_ok else Met.REFUSED
        self._meet(met)
        if not delivery.is_stopped_by(met):
            self.delivery.ports.host.after(0.0, self._go_on)

    def _end(self, ended: Round) -> None:
        """Progress, and the next round."""
        self.entries.clear()
        if ended.progress is not None:
            self.delivery.ports.tables.deliver_next(self.level, ended.progress)
        self.delivery.plan(self, ended.next)


@define(eq=False)
class Delivery:
    """All levels of a broker; a slave delivers nothing (R-BR-03)."""

    ports: BrokerPorts

    def start(self) -> None:
        """The first round of each level is planned."""
        offsets = self.ports.tables.tables.delay_offsets
        progress = {int(level): offset for level, offset in offsets.items()}
        schedule = stored.start(progress, self.ports.store.store)
        for level, task in schedule.tasks.items():
            self.plan(DeliveryRound(self, level), task)
        if schedule.tasks:
            period_ms = self.ports.settings.number("flushDelayOffsetInterval")
            store, tables = self.ports.store, self.ports.tables
            store.every("delay progress", period_ms, tables.persist_delay, FIRST_PERSIST_MS)

    def plan(self, level: DeliveryRound, task: DeliveryTask) -> None:
        """A round will begin."""
        self.ports.host.after(float(task.delay_ms), lambda: self._begin(level, task))

    def _begin(self, level: DeliveryRound, task: DeliveryTask) -> None:
        if not self.ports.store.is_stopping:
            level.begin(task)
