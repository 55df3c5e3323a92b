"""The recorder: links, files of events and brokers that are asked, merged into one recording."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from attrs import define, field

from brokers.appended_file import WriteFailedError
from brokers.recorder.events_file import EventsFile
from brokers.recorder.journal import Journal, open_journal
from brokers.recorder.line import Line
from brokers.recorder.log_files import BrokerLogFiles
from brokers.recorder.merging import MergeBuffer
from brokers.recorder.nodes import Nodes
from brokers.recorder.observing import ObservedBroker
from brokers.recorder.parts import RecordingFiles, continue_parts
from brokers.recorder.position import Position
from brokers.recorder.proxy import ProxiedLink
from brokers.recorder.watch.output import Metric
from brokers.recordings.groups import LINK_PREFIX
from brokers.wire.serving import Failures

TICK_SECONDS = 0.005
"""How often lines are taken from the buffer: rarely enough, and few enough at once."""
LOOK_MS = 20.0
"""How often files of events are looked at."""
LINES_AT_ONCE = 500
"""So many lines are written in one go, while nothing is forwarded."""
ALIVE_SECONDS = 1.0
"""How often the recording's time shows that the recorder is alive."""
SETTLE_MS = 10_000.0
"""So long the first line waits for settings of brokers that are not known yet."""
NOTE_MS = 60_000.0
"""How often late lines are told."""


def now() -> float:
    """The time of day in ms."""
    return time.time() * 1000


class Observer(Protocol):
    """Who looks at lines while they are recorded."""

    async def start(self) -> None:
        """Whatever it needs. Raises OSError."""

    def describe(self, nodes: dict[str, Any], release: str) -> None:
        """Which brokers there are, as far as it is known; told again when more is known."""

    def feed(self, line: Line) -> None:
        """A line, before it is in the recording."""

    def tick(self, until_ms: float) -> None:
        """Every line before this time has been told."""

    def stop(self) -> None:
        """There are no more lines."""


@define(eq=False)
class Recorder:
    """What runs until it is told to stop."""

    parts: RecordingFiles
    journal: Journal
    nodes: Nodes
    write_line: Callable[[str], None]
    """Tells whoever runs it."""
    links: list[ProxiedLink] = field(factory=list)
    files: list[EventsFile] = field(factory=list)
    logs: list[BrokerLogFiles] = field(factory=list)
    asked: list[ObservedBroker] = field(factory=list)
    observer: Observer | None = None
    """Is told what is recorded, in order."""
    settle_ms: float = SETTLE_MS
    buffer: MergeBuffer = field(factory=MergeBuffer)
    pending: list[Line] = field(factory=list)
    """Lines in order that wait for the first line of the recording."""
    position: Position = field(factory=Position)
    """How far the recording had come before this recorder, with what the journal has."""
    stalled: list[str] = field(factory=list)
    """Links that nobody has forwarded since the recorder before ended."""
    stopped: asyncio.Event = field(factory=asyncio.Event)
    """Set, it ends in order."""
    begun_ms: float = field(factory=now)
    last_own_ms: float = 0.0
    alive_ms: float = 0.0
    looked_ms: float = 0.0
    noted_ms: float = 0.0
    noted_late: int = 0
    told_nodes: int = -1
    """How many brokers the observer was told of."""
    failures: Failures = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.failures = Failures(self.write_line, self.stopped.set)

    def add_link(self, slave: str, listen: tuple[str, int], target: tuple[str, int]) -> None:
        """A proxy between a slave and its master."""
        name = LINK_PREFIX + slave
        self.nodes.add(slave, is_slave=True)
        link = ProxiedLink(
            name, listen, target, self.add_own, self.position.connections.get(name, 0)
        )
        self.links.append(link)

    def add_events(self, path: Path) -> None:
        """A file that a broker appends its events to."""
        position = self.position
        skipped, lives = position.followed, position.lives
        self.files.append(EventsFile(path, self.nodes, self.note, skipped, lives))

    def add_logs(self, node: str, folder: Path) -> None:
        """The folder of a broker's own logs."""
        self.nodes.add(node)
        self.logs.append(BrokerLogFiles(node, folder))

    def add_broker(self, node: str, address: tuple[str, int], every_seconds: float) -> None:
        """A broker that is asked about itself."""
        self.nodes.add(node)
        asked = ObservedBroker(node, *address, every_seconds, self.nodes, self.add_own, self.note)
        self.asked.append(asked)

    def add_own(self, lines: list[Line]) -> None:
        """Lines that the recorder has seen: written down first.

        Raises WriteFailedError, which ends the recorder: nothing that is not written is forwarded.
        """
        ordered = []
        for line in lines:
            self.last_own_ms = max(self.last_own_ms, line.wall_ms)
            ordered.append(line._replace(wall_ms=self.last_own_ms))
        try:
            self.journal.add(ordered)
        except WriteFailedError as problem:
            self.failures.fail(problem)
            raise
        for line in ordered:
            self.buffer.add(line)

    def note(self, text: str) -> None:
        """A remark, in the recording and for whoever runs it."""
        self.write_line(text)
        self.add_own([Line(now(), "note", {"text": text})])

    def tick(self, until_ms: float | None = None) -> None:
        """Look at the files, and write what is due; all that is there if a time is given."""
        now_ms, is_last = now(), until_ms is not None
        if now_ms - self.looked_ms >= LOOK_MS or is_last:
            self.looked_ms = now_ms
            self._look()
        due_ms = now_ms if until_ms is None else until_ms
        lines = list(self.buffer.take(due_ms))
        if self.observer is not None:
            self._observe(self.observer, lines, min(due_ms, now_ms) - self.buffer.delay_ms)
        self.pending += lines
        self._begin(now_ms, is_last=is_last)
        self._write(len(self.pending) if is_last else LINES_AT_ONCE)
        self._tell_late(now_ms)
        if now_ms - self.alive_ms >= ALIVE_SECONDS * 1000:
            self.alive_ms = now_ms
            self.parts.touch()

    def _look(self) -> bool:
        """Read a piece of what was appended to files; True if there was something."""
        has_found = False
        for file in self.files:
            if not self.buffer.is_full:
                for line in file.read(now()):
                    has_found = True
                    if line.is_own:
                        self.add_own([line])
                    else:
                        self.buffer.add(line)
        lines = [line for logs in self.logs for line in logs.read(now())]
        if lines:
            self.add_own(lines)
        return has_found or bool(lines)

    def _observe(self, observer: Observer, lines: list[Line], until_ms: float) -> None:
        if self.told_nodes != len(self.nodes.told):
            self.told_nodes = len(self.nodes.told)
            first = self.nodes.describe(self._list_slaves())
            observer.describe(first["nodes"], first["rocketmq"])
        for line in lines:
            observer.feed(line)
        observer.tick(until_ms)

    def _list_slaves(self) -> list[str]:
        return [link.name.removeprefix(LINK_PREFIX) for link in self.links]

    def _begin(self, now_ms: float, *, is_last: bool) -> None:
        """Write the first line as soon as it can be true, or cannot wait."""
        if self.parts.description or not (self.pending or is_last):
            return
        is_time = now_ms - self.begun_ms >= self.settle_ms
        if not (self.nodes.are_known or is_time or is_last or self._is_pending_full()):
            return
        began_ms = self.pending[0].wall_ms if self.pending else now_ms
        self.parts.begin(self.nodes.describe(self._list_slaves()), began_ms)

    def _is_pending_full(self) -> bool:
        return len(self.pending) >= self.buffer.lines_max

    def _write(self, lines_max: int) -> None:
        if self.parts.description and self.pending:
            self.parts.write(self.pending[:lines_max])
            self.journal.kept = self.parts.position.own
            del self.pending[:lines_max]

    def _tell_late(self, now_ms: float) -> None:
        late = self.buffer.late_lines - self.noted_late
        if late and now_ms - self.noted_ms >= NOTE_MS:
            self.noted_late, self.noted_ms = self.buffer.late_lines, now_ms
            delay = f"{self.buffer.delay_ms:g} ms"
            self.note(f"{late} lines came more than {delay} late, and have a later stamp")

    def list_metrics(self) -> list[Metric]:
        """Figures of the recorder itself."""
        links = [({"link": link.name}, link) for link in self.links]
        passed = [(label, link.forwarded_bytes) for label, link in links]
        answers = [({"node": each.node}, each.answers) for each in self.asked]
        silent = [({"node": each.node}, bool(each.problem)) for each in self.asked]
        waiting, late = len(self.buffer) + len(self.pending), self.buffer.late_lines
        return [
            Metric("lines_total", "counter", "Lines of the recording.", [({}, self.parts.seq)]),
            Metric("lines_waiting", "gauge", "Lines that wait for their order.", [({}, waiting)]),
            Metric("lines_late_total", "counter", "Lines with a later stamp.", [({}, late)]),
            Metric("forwarded_bytes_total", "counter", "Bytes that passed a link.", passed),
            Metric("broker_answers_total", "counter", "Answers of a broker.", answers),
            Metric("broker_silent", "gauge", "1 while a broker does not answer.", silent),
        ]

    async def run(self, on_started: Callable[[], None] = lambda: None) -> None:
        """Until a signal.

        Raises OSError: it cannot listen, or read a file; WriteFailedError; else a defect.
        """
        loop = asyncio.get_running_loop()
        self.failures.watch(loop)
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.stopped.set)
        try:
            await self._start()
            on_started()
            await self._ask_and_tick()
            if self.failures.first is not None:
                raise self.failures.first
            self.finish()
        except BaseException:
            self._cut()
            raise

    async def _start(self) -> None:
        for link in self.links:
            await link.start()
            if link.name in self.stalled:
                self.add_own([Line(now(), "link_healed", {"link": link.name})])
        if self.observer is not None:
            await self.observer.start()

    def _cut(self) -> None:
        """End the connections without waiting for anything that cannot be written."""
        for link in self.links:
            with suppress(WriteFailedError):
                link.close()

    async def _ask_and_tick(self) -> None:
        """Until it is stopped."""
        running = [asyncio.create_task(each.run()) for each in self.asked]
        try:
            while not self.stopped.is_set():
                self.tick()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self.stopped.wait(), TICK_SECONDS)
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    def finish(self) -> None:
        """End the connections, write everything down, and close the files."""
        for link in self.links:
            link.close()
        while self._look():
            self.tick()
        self.tick(until_ms=float("inf"))
        if self.observer is not None:
            self.observer.stop()
        self.parts.close()
        self.journal.close(is_done=True)


def open_recorder(
    out: Path, rotate_bytes: int, nodes: Nodes, write_line: Callable[[str], None]
) -> Recorder:
    """A recorder that writes a new recording, or goes on with one.

    Raises:
        OSError: a file cannot be read.
        RecordingFileError: the file is no recording of this recorder.
        WriteFailedError: a file cannot be written.
    """
    parts, alive_ms = continue_parts(out, rotate_bytes)
    journal, missing = open_journal(out, parts.position.own)
    recorder = Recorder(parts, journal, nodes, write_line)
    recorder.buffer.left_ms = parts.last_ms
    for line in missing:
        recorder.last_own_ms = line.wall_ms
        recorder.buffer.add(line)
    recorder.position = parts.position.from_json(parts.position.as_json())
    for line in missing:
        recorder.position.see(line)
    if parts.description or missing:
        restore(recorder, alive_ms)
    return recorder


def restore(recorder: Recorder, alive_ms: float) -> None:
    """What the recorder before left open ends where it was alive the last time."""
    parts = recorder.parts
    for name, node in parts.description.get("nodes", {}).items():
        recorder.nodes.tell(name, node, parts.description["rocketmq"])
    end_ms = max(alive_ms, parts.last_ms, recorder.last_own_ms)
    position, both = recorder.position, {"slave_to_master": True, "master_to_slave": True}
    for link in position.connections:
        kinds: dict[str, dict[str, bool]] = {"link_cut": {}} if position.is_open.get(link) else {}
        for kind, fields in {**kinds, "link_stalled": both}.items():
            recorder.add_own([Line(end_ms, kind, {"link": link, **fields})])
        recorder.stalled.append(link)
    text = "resumed: connections that were open ended here, when the recorder before was alive last"
    recorder.write_line(f"{parts.path}: {text}")
    recorder.add_own([Line(end_ms, "note", {"text": text})])
