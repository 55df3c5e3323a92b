"""Producers, and their puts from the call to the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, field

from reference.worlds.replication.state import (
    ANSWERED,
    REFUSED,
    SERVICE_NOT_AVAILABLE,
    STATUS_NAMES,
    WAITS_FOR_DISK,
    WAITS_FOR_SLAVE,
)
from tests.reference.recordings.simulation.kernel import MASTER, Kernel, Process
from tests.reference.recordings.simulation.timing import compute_record_bytes

if TYPE_CHECKING:
    from tests.reference.recordings.simulation.group import Group

TOPIC = "T0"
QUEUES = 3


@define(eq=False)
class Put:
    """One put that is under way."""

    producer: Producer
    process: Process
    number: int
    queue: int
    body_bytes: int
    size_bytes: int
    waits_for_store: bool
    begin_ms: float = 0.0
    line: dict[str, Any] = field(factory=dict)
    """What will be noted of it."""
    end_offset: int = 0
    is_answered: bool = False

    @property
    def kernel(self) -> Kernel:
        """The clock and the state."""
        return self.producer.group.kernel

    def name(self, rule: str) -> str:
        """An instance of a rule for it."""
        return f"{rule}[{self.kernel.slots.index(self)}]"

    def get(self, leaf: str) -> int:
        """A leaf of its message."""
        return self.kernel.get(f"messages.{self.kernel.slots.index(self)}.{leaf}")


@define(eq=False)
class Producer:
    """A thread that puts again and again."""

    group: Group
    number: int

    def think(self) -> None:
        """It will put again, unless its master ends before."""
        think_ms = self.group.kernel.chance.expovariate(1 / self.group.scenario.think_ms)
        self.group.kernel.after(think_ms + 0.1, self.call, self.group.master.process)

    def call(self) -> None:
        """``DefaultMessageStore#putMessage`` is called."""
        group, chance = self.group, self.group.kernel.chance
        if group.is_ending:
            return
        if group.is_paused:
            self.think()
            return
        group.pending += 1
        most = group.scenario.body_max_bytes
        body = chance.choice([chance.randint(1, 300), chance.randint(1, most)])
        put = Put(
            producer=self,
            process=group.master.process,
            number=group.take_number(),
            queue=chance.randrange(QUEUES),
            body_bytes=body,
            size_bytes=body + compute_record_bytes(group.release),
            waits_for_store=chance.random() < group.scenario.wait_share,
        )
        put.line = {"node": group.master.name, "msg_id": f"m{put.number}", "topic": TOPIC}
        put.line |= {"queue": put.queue, "body_bytes": body, "wait_store_ok": put.waits_for_store}
        put.line["t_begin_ms"] = group.recorder.stamp(group.master.name, group.kernel.now_ms)
        group.kernel.after("look", lambda: self._begin(put), put.process)

    def _begin(self, put: Put) -> None:
        put.line |= self._read_counters("before")
        put.begin_ms = self.group.kernel.now_ms
        self.group.kernel.after("call", lambda: self.append(put), put.process)

    def _read_counters(self, when: str) -> dict[str, int]:
        get = self.group.kernel.get
        return {
            f"push2_slave_{when}": get("master.push2_slave_max_offset"),
            f"connection_count_{when}": get("master.connection_count"),
        }

    def append(self, put: Put) -> None:
        """``CommitLog#putMessage`` under its lock: behind the last record, or in a new file."""
        kernel, group = self.group.kernel, self.group
        if group.is_rolling:
            kernel.after("step", lambda: self.append(put), put.process)
            return
        if put.process.is_stopping:
            self._refuse(put)
            return
        slot = len(kernel.slots)
        ranges = kernel.find_ranges(f"append_message[{slot}]")
        if ranges is None or put.size_bytes > ranges[0][1]:
            self._roll(put)
            return
        kernel.slots.append(put)
        start, end = group.master.get_max(), group.master.get_max() + put.size_bytes
        group.ledger.add(start, end, put.queue)
        kernel.fire(
            f"append_message[{slot}]",
            size_bytes=put.size_bytes,
            waits_for_store=int(put.waits_for_store),
        )
        put.end_offset = end
        queue_offset = group.ledger.next_offsets[put.queue]
        group.ledger.next_offsets[put.queue] += 1
        put.line |= {"append_status": "PUT_OK", "wrote_offset": start}
        put.line |= {"wrote_bytes": put.size_bytes, "queue_offset": queue_offset}
        group.master.poke()
        group.disk.notice(put)
        kernel.after("step", lambda: self.advance(put), put.process)

    def _roll(self, put: Put) -> None:
        """The message does not fit: a blank fills the file, and the next one is made."""
        group = self.group
        start = group.master.get_max()
        group.kernel.fire("fill_file")
        group.ledger.add(start, group.master.get_max(), None)
        group.is_rolling = True
        group.master.poke()

        def go_on() -> None:
            group.is_rolling = False
            self.append(put)

        group.kernel.after("roll", go_on, put.process)

    def _refuse(self, put: Put) -> None:
        kernel = self.group.kernel
        kernel.slots.append(put)
        kernel.fire(put.name("refuse_put"), status=SERVICE_NOT_AVAILABLE)
        self.advance(put)

    def advance(self, put: Put) -> None:
        """The put goes on to its next wait, or is answered."""
        kernel, phase = self.group.kernel, put.get("phase")
        if phase in (ANSWERED, REFUSED):
            self._answer(put)
        elif phase == WAITS_FOR_SLAVE:
            self.group.transfer.ask(put)
            if put.waits_for_store:
                self.group.ha.wake_writers()
        elif phase != WAITS_FOR_DISK:
            names = ("skip_slave_wait", "refuse_slave_wait", "request_slave_wait")
            kernel.fire_first(*(put.name(name) for name in names))
            self.advance(put)
        elif self.group.is_sync_flush and put.waits_for_store:
            self.group.disk.ask(put)
        else:
            kernel.fire(put.name("answer_disk_wait"))
            self.advance(put)

    def _answer(self, put: Put) -> None:
        kernel = self.group.kernel
        put.is_answered = True
        put.line["put_status"] = STATUS_NAMES[put.get("status")]
        kernel.forget(kernel.slots.index(put))
        kernel.after("return", lambda: self._return(put), put.process)

    def _return(self, put: Put) -> None:
        group = self.group
        duration_ms = round(group.kernel.now_ms - put.begin_ms, 3)
        put.line |= {"duration_ms": duration_ms, **self._read_counters("after")}
        put.line["max_offset_after"] = group.ledger.get_max(MASTER)
        group.kernel.after("note", lambda: self._note(put), put.process)

    def _note(self, put: Put) -> None:
        self.group.write(self.group.master.name, "put", **put.line)
        self.group.pending -= 1
        self.think()
