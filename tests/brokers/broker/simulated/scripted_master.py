"""A recorded master, played against a slave of our own: frames as recorded, reports compared."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path

from attrs import define, field

from brokers.broker.host import Transport
from brokers.recordings.reading import Event, Recording
from brokers.wire.replication import Frame, ReportReader, encode_frame
from reference.store.put import MessageToPut, encode_message
from reference.store.records import compute_message_length, encode_blank_header
from tests.brokers.broker.simulated.network import Network, Process
from tests.brokers.broker.simulated.scripts import Life

ADDRESS = "10.0.0.2:10912"
TOPIC_BYTES = 2
PATIENCE_MS = 8000.0


class LogImage:
    """The master's log, as far as the recording tells: records of the right sizes."""

    def __init__(self, file_bytes: int) -> None:
        self.file_bytes = file_bytes
        self.data = bytearray()

    def write(self, offset: int, data: bytes) -> None:
        """Bytes at a place; a gap before them is filled with records and blanks."""
        if len(self.data) < offset:
            self._fill(offset)
        self.data[offset : offset + len(data)] = data

    def add(self, offset: int, size: int) -> None:
        """A record."""
        self.write(offset, make_record(offset, size))

    def _fill(self, end: int) -> None:
        while len(self.data) < end:
            begin = len(self.data)
            file_end = begin // self.file_bytes * self.file_bytes + self.file_bytes
            size = min(end, file_end) - begin
            if file_end <= end or size < compute_message_length(0, TOPIC_BYTES, 0):
                self.data += encode_blank_header(size)[:size].ljust(size, b"\0")
            else:
                self.data += make_record(begin, size)

    def read(self, offset: int, size: int) -> bytes:
        """The bytes of a frame."""
        if len(self.data) < offset + size:
            self._fill(offset + size)
        return bytes(self.data[offset : offset + size])


def make_record(offset: int, size: int) -> bytes:
    """A message that takes so many bytes."""
    body = bytes(size - compute_message_length(0, TOPIC_BYTES, 0))
    return encode_message(MessageToPut("T0", 0, body), 0, offset, 1)


@define(eq=False, repr=False)
class ScriptedMaster:
    """The master's end of one recorded connection; a peer of the host."""

    script: SlaveScript
    number: int
    """Which connection it is, from 0 on."""
    transport: Transport | None = None
    reader: ReportReader = field(factory=ReportReader)
    reports: list[int] = field(factory=list)
    """Those that differ from the one before."""
    lines: list[Event] = field(factory=list)
    """What is left of the script."""

    def opened(self, transport: Transport) -> None:
        """The slave has connected."""
        self.transport = transport
        self.lines = list(self.script.connections[self.number])
        self.go_on()

    def received(self, data: bytes) -> None:
        """Reports."""
        for offset in self.reader.feed(data):
            if self.reports[-1:] != [offset]:
                self.reports.append(offset)
        self.go_on()

    def drained(self) -> None:
        """Nothing waits here."""

    def lost(self, reason: str) -> None:
        """The slave has closed it, or is gone."""
        self.transport = None

    def go_on(self) -> None:
        """Frames, as soon as the reports before them have come; then the end."""
        seen = -1
        while self.lines and self.transport is not None:
            event = self.lines[0]
            if event.kind == "ha_report":
                told = int(event["slave_offset"])
                if told != seen and told not in self.reports:
                    return
                seen = told
            elif event.kind == "ha_link_close":
                wait_ms = max(0.0, event.t_ms - self.script.network.now_ms)
                self.script.network.after(wait_ms, self._close, None)
            elif event.kind == "ha_frame" and self._has_arrived(event):
                offset, size = int(event["master_offset"]), int(event["body_bytes"])
                body = self.script.image.read(offset, size)
                self.transport.send(encode_frame(Frame(offset, body)))
            self.lines.pop(0)

    def _has_arrived(self, event: Event) -> bool:
        """The recorded slave has stored it: its next connection begins no earlier than it ends."""
        later = self.script.connections[self.number + 1 :]
        first = next((e for e in (later[0] if later else ()) if e.kind == "ha_report"), None)
        if first is None or not int(first["slave_offset"]):
            return True
        end = int(event["master_offset"]) + int(event["body_bytes"])
        return end <= int(first["slave_offset"])

    def _close(self) -> None:
        if self.transport is not None:
            self.transport.close()


@define(eq=False, repr=False)
class SlaveScript:
    """The whole recording, but for its slave."""

    recording: Recording
    folder: Path
    node: str = "slave1"
    network: Network = field(factory=lambda: Network(random.Random(1)))
    life: Life = field(init=False)
    image: LogImage = field(init=False)
    connections: list[list[Event]] = field(init=False)
    masters: list[ScriptedMaster] = field(factory=list)
    problems: list[str] = field(factory=list)
    compared: dict[str, int] = field(factory=lambda: defaultdict(int))

    def __attrs_post_init__(self) -> None:
        self.life = Life(self.recording, self.node, self.folder, self.network)
        self.image = LogImage(self.life.settings.number("mapedFileSizeCommitLog"))
        found: dict[int, list[Event]] = defaultdict(list)
        for event in self.recording.events:
            if event.data.get("link") == f"link_{self.node}" and "conn" in event.data:
                found[int(event["conn"])].append(event)
        self.connections = [found[number] for number in sorted(found)]

    def run(self) -> None:
        """Play it: the slave's lives at their times, the frames when its reports ask for them."""
        process = Process("master")
        self.network.listeners[ADDRESS] = (process, self._accept)
        for event in self.recording.events:
            if event.kind == "put" and event.data.get("wrote_bytes"):
                self._plan_record(event)
        self.life.plan()
        end_ms = self.recording.events[-1].t_ms + PATIENCE_MS
        self.network.after(end_ms, lambda: None, None)
        self.network.run(lambda: self.network.now_ms >= end_ms)
        if self.life.broker is not None:
            self.life.broker.store.files.unlock()
        self._compare()

    def _plan_record(self, event: Event) -> None:
        begin, size = int(event["wrote_offset"]), int(event["wrote_bytes"])
        begin_ms = float(event["t_begin_ms"])
        self.network.after(begin_ms, lambda: self.image.add(begin, size), None)

    def _accept(self) -> ScriptedMaster:
        number = min(len(self.masters), len(self.connections) - 1)
        self.masters.append(ScriptedMaster(self, number))
        return self.masters[-1]

    def _compare(self) -> None:
        """Of each connection: the reports, without those that repeat the one before."""
        for number, lines in enumerate(self.connections):
            told: list[int] = []
            for event in lines:
                if event.kind == "ha_report" and told[-1:] != [int(event["slave_offset"])]:
                    told.append(int(event["slave_offset"]))
            ours = self.masters[number].reports if number < len(self.masters) else []
            self.compared["reports"] += len(told)
            if ours[: len(told)] != told:
                pairs = enumerate(zip(ours, told, strict=False))
                at = next((i for i, (a, b) in pairs if a != b), -1)
                text = f"connection {number + 1}: {ours[at:][:4]}, not {told[at:][:4]} (at {at})"
                self.problems.append(text)
