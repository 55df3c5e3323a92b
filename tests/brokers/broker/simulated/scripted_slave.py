"""A recorded slave and recorded producers, played against a master of our own."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import define, field

from brokers.broker.broker import Broker
from brokers.broker.host import Transport
from brokers.broker.replication.followed_puts import PendingPut
from brokers.recordings.reading import Event, Recording
from brokers.wire.replication import FrameReader, encode_report
from reference.store.put import MessageToPut, PutMessageResult
from reference.store.records import compute_message_length
from tests.brokers.broker.simulated.network import Network, Process, SimulatedHost
from tests.brokers.broker.simulated.scripts import Life

NEAR_MS = 120.0
"""A counter is compared with all values that it has had so near to the look."""
FILLER_BYTES_MIN = 100


def compute_put_times(recording: Recording, node: str) -> dict[int, float]:
    """When each put is called, by number of its line: in the order in which they were stored."""
    times_ms: dict[int, float] = {}
    life: list[Event] = []
    for event in recording.events:
        if event.kind == "put" and event["node"] == node:
            life.append(event)
        if event.kind == "node_started" and event["node"] == node:
            times_ms |= _put_in_order(life)
            life = []
    return times_ms | _put_in_order(life)


def _put_in_order(life: list[Event]) -> dict[int, float]:
    times_ms: dict[int, float] = {}
    last_ms = 0.0
    stored = [event for event in life if event.data.get("wrote_bytes")]
    for event in sorted(stored, key=lambda e: int(e["wrote_offset"])):
        last_ms = max(last_ms, float(event["t_begin_ms"]))
        times_ms[event.seq] = last_ms
    others = (event for event in life if not event.data.get("wrote_bytes"))
    return times_ms | {event.seq: float(event["t_begin_ms"]) for event in others}


@define(eq=False, repr=False)
class ScriptedSlave:
    """One recorded connection; a peer of the host."""

    script: MasterScript
    connection: tuple[str, int]
    transport: Transport | None = None
    reader: FrameReader = field(factory=FrameReader)
    reports: list[int] = field(factory=list)
    """Those whose time has come and that it cannot have sent yet."""
    begin: int | None = None
    end: int = -1
    """How far the frames reach that it has got."""
    sent: int = 0

    def opened(self, transport: Transport) -> None:
        """It is open."""
        self.transport = transport

    def received(self, data: bytes) -> None:
        """Frames: each continues the one before."""
        for frame in self.reader.feed(data):
            if self.begin is None:
                self.begin = frame.offset
            elif frame.offset != self.end:
                self.script.problems.append(f"{self.connection}: {frame.offset}, not {self.end}")
            self.end = frame.offset + len(frame.body)
        self.go_on()

    def drained(self) -> None:
        """Nothing waits here."""

    def lost(self, reason: str) -> None:
        """The master has closed it."""
        self.transport = None

    def report(self, offset: int) -> None:
        """A report whose time has come."""
        self.reports.append(offset)
        self.go_on()

    def go_on(self) -> None:
        """Reports of bytes that have come; the first one needs none."""
        while self.reports and self.transport is not None:
            if self.sent and self.reports[0] > self.end:
                return
            self.transport.send(encode_report(self.reports.pop(0)))
            self.sent += 1


@define(eq=False, repr=False)
class MasterScript:
    """The whole recording, but for its master."""

    recording: Recording
    folder: Path
    node: str = "master"
    network: Network = field(factory=lambda: Network(random.Random(1)))
    life: Life = field(init=False)
    host: SimulatedHost = field(init=False)
    slaves: dict[tuple[str, int], ScriptedSlave] = field(factory=dict)
    problems: list[str] = field(factory=list)
    compared: dict[str, int] = field(factory=lambda: defaultdict(int))
    history: list[tuple[float, int, int]] = field(factory=list)
    """Time, highest report and count of connections, whenever one of them changes."""

    def __attrs_post_init__(self) -> None:
        self.life = Life(self.recording, self.node, self.folder, self.network)
        self.host = SimulatedHost(self.network, Process("slave"), "10.0.0.2:1")

    def run(self) -> None:
        """Play it to its end."""
        self.life.plan()
        times_ms = compute_put_times(self.recording, self.node)
        for event in self.recording.events:
            self._plan(event, times_ms)
        end_ms = self.recording.events[-1].t_ms + 7000.0
        self.network.after(0.0, self._note, None)
        self.network.after(end_ms, lambda: None, None)
        self.network.run(lambda: self.network.now_ms >= end_ms)
        if self.life.broker is not None:
            self.life.broker.store.files.unlock()
        self._compare()

    def _plan(self, event: Event, put_times_ms: Mapping[int, float]) -> None:
        after, kind, data = self.network.after, event.kind, event.data
        if event.seq in put_times_ms:
            after(put_times_ms[event.seq], lambda: self._put(event), None)
        elif kind == "ha_link_open":
            after(event.t_ms, lambda: self._open((data["link"], data["conn"])), None)
        elif kind == "ha_report":
            slave, offset = (data["link"], data["conn"]), int(data["slave_offset"])
            after(event.t_ms, lambda: self.slaves[slave].report(offset), None)
        elif kind == "ha_link_close":
            after(event.t_ms, lambda: self._close((data["link"], data["conn"])), None)

    def _open(self, connection: tuple[str, int]) -> None:
        slave = self.slaves[connection] = ScriptedSlave(self, connection)
        self.host.connect(self.life.settings.ha_address, slave, 1000.0)

    def _close(self, connection: tuple[str, int]) -> None:
        transport = self.slaves[connection].transport
        if transport is not None:
            transport.close()

    def _note(self) -> None:
        """What the master counts, again and again."""
        broker = self.life.broker
        if broker is not None:
            get = broker.ha.rules.get
            now = (get("master.push2_slave_max_offset"), get("master.connection_count"))
            if not self.history or self.history[-1][1:] != now:
                self.history.append((self.network.now_ms, *now))
        self.network.after(1.0, self._note, None)

    def _put(self, event: Event) -> None:
        broker = self.life.broker
        if broker is None:
            return
        place = event.data.get("wrote_offset")
        if place is not None:
            self._fill(broker, int(place))
        body = bytes(int(event["body_bytes"]))
        message = self._make_message(event, body)
        broker.puts.ask(message, lambda put: self._take(event, put))

    def _make_message(self, event: Event, body: bytes) -> MessageToPut:
        """As many bytes as the recorded one has: what is missing are properties."""
        topic = str(event["topic"])
        size = compute_message_length(len(body), len(topic), 0)
        usual = size + len(f"MID{event.data.get('msg_id')}xx")
        missing = (int(event.data.get("wrote_bytes", 0)) or usual) - size
        waits = bool(event["wait_store_ok"])
        return MessageToPut(
            topic, int(event["queue"]), body, "x" * max(0, missing), is_wait_store_msg_ok=waits
        )

    def _fill(self, broker: Broker, place: int) -> None:
        """Puts that the recording leaves out: a message that fills the gap before the next one."""
        size = broker.settings.number("mapedFileSizeCommitLog")
        gap = min(place, broker.store.max_offset // size * size + size) - broker.store.max_offset
        is_rolled = place % size == 0 and place - broker.store.max_offset == gap
        fixed = compute_message_length(0, 1, 0)
        if gap >= FILLER_BYTES_MIN and not is_rolled:
            message = MessageToPut("F", 0, bytes(gap - fixed), is_wait_store_msg_ok=False)
            broker.puts.ask(message, lambda _: None)

    def _take(self, event: Event, put: PendingPut) -> None:
        assert isinstance(put.result, PutMessageResult)
        told: dict[str, Any] = {"put_status": put.result.status.name}
        if put.result.append is not None and "wrote_offset" in event.data:
            told["wrote_offset"] = put.result.append.wrote_offset_bytes
            told["wrote_bytes"] = put.result.append.wrote_bytes
        for name, value in told.items():
            self.compared[name] += 1
            if event[name] != value:
                self.problems.append(f"seq {event.seq}: {name} is {value}, not {event[name]}")

    def _compare(self) -> None:
        """Counters at each look, and where each transfer began."""
        for event in self.recording.events:
            is_look = event.kind == "snapshot" and event.data["node"] == self.node
            if is_look and "push2_slave_max_offset" in event.data:
                self._compare_look(event)
        for (link, conn), slave in self.slaves.items():
            begins = [
                e["master_offset"]
                for e in self.recording.events
                if e.kind == "ha_frame" and (e["link"], e["conn"]) == (link, conn)
            ]
            if begins and slave.begin is not None:
                self.compared["begin"] += 1
                if slave.begin != begins[0]:
                    self.problems.append(f"{link} {conn}: begins at {slave.begin}, not {begins[0]}")

    def _compare_look(self, event: Event) -> None:
        for place, name in ((1, "push2_slave_max_offset"), (2, "connection_count")):
            self.compared[name] += 1
            values = self._list_values(event.t_ms, place)
            if event[name] not in values:
                self.problems.append(f"seq {event.seq}: {name} is {values}, not {event[name]}")

    def _list_values(self, t_ms: float, place: int) -> set[int]:
        before = [line[place] for line in self.history if line[0] <= t_ms - NEAR_MS][-1:]
        near = [line[place] for line in self.history if abs(line[0] - t_ms) <= NEAR_MS]
        return {*before, *near}
