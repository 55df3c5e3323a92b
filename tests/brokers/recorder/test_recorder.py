"""The whole recorder: links, files of events and a watch; what a kill leaves is taken up."""

from __future__ import annotations

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

from brokers.appended_file import open_appended
from brokers.recorder import recorder as recorder_module
from brokers.recorder.line import Line
from brokers.recorder.nodes import Nodes
from brokers.recorder.recorder import LOOK_MS, Recorder, open_recorder
from brokers.recorder.watch.alarms import Alarm
from brokers.recorder.watch.live import LiveWatch
from brokers.recorder.watch.metrics_port import serve_metrics
from brokers.recordings.clock import JITTER_MS
from brokers.recordings.reading import Recording, read_recording
from tests.brokers.recorder.peers import LOOPBACK, End, find_port, run
from tests.brokers.recorder.streams import make_frames, make_reports


@define(eq=False)
class Bench:
    """A recorder of one link and one broker's events, with a toy at each end."""

    folder: Path
    ports: tuple[int, int] = field(factory=lambda: (find_port(), find_port()))
    told: list[str] = field(factory=list)
    accepted: asyncio.Queue[End] = field(factory=asyncio.Queue)
    ends: list[End] = field(factory=list)

    @property
    def out(self) -> Path:
        """The recording."""
        return self.folder / "pair.jsonl"

    def tell(self, kind: str, wall_ms: float | None = None, **fields: Any) -> None:
        """An event of the master, of now unless it is said when."""
        wall_ms = time.time() * 1000 if wall_ms is None else wall_ms
        event = {"ev": kind, "node": "master", "wall_ms": wall_ms, **fields}
        with (self.folder / "events").open("a", encoding="utf-8") as file:
            file.write(json.dumps(event) + "\n")

    def tell_start(self, wall_ms: float | None = None) -> None:
        """Its first start."""
        told = {"role": "SYNC_MASTER", "flush_type": "ASYNC_FLUSH", "store_config": {}}
        self.tell("config_node", wall_ms, rocketmq="4.4.0", broker_id=0, **told)
        names = ("max_offset", "flushed_offset", "mapped_files", "dispatched_offset")
        log = {**dict.fromkeys(names, 0), "min_offset": -1}
        of_master = {"push2_slave_max_offset": 0, "connection_count": 0, "slave_fall_behind": 0}
        fields = {**log, **of_master, "connections": []}
        self.tell("node_started", wall_ms, role="SYNC_MASTER", last_exit_normal=True, **fields)

    def open(self) -> Recorder:
        """A recorder, the first one or the next."""
        recorder = open_recorder(self.out, 0, Nodes(), self.told.append)
        recorder.settle_ms = 0.0
        listen, target = ((LOOPBACK, port) for port in self.ports)
        recorder.add_link("slave1", listen, target)
        recorder.add_events(self.folder / "events")
        return recorder

    async def listen(self) -> asyncio.Server:
        """The master's HA port, in the event loop of now."""
        self.accepted, self.ends = asyncio.Queue(), []

        def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self.accepted.put_nowait(End(reader, writer))

        return await asyncio.start_server(accept, LOOPBACK, self.ports[1])

    async def exchange(self, first: int, count: int) -> None:
        """A connection on which reports and frames go to and fro."""
        slave = End(*await asyncio.open_connection(LOOPBACK, self.ports[0]))
        master = await self.accepted.get()
        for number in range(first, first + count):
            slave.writer.write(make_reports(number))
            await master.reader.readexactly(8)
            master.writer.write(make_frames((number, 1)))
            await slave.reader.readexactly(13)
        self.ends += [slave, master]

    def read(self) -> Recording:
        """What was recorded."""
        return read_recording(self.out)


def list_offsets(recording: Recording, kind: str, name: str) -> list[int]:
    """The offsets of all events of a kind."""
    return [event[name] for event in recording.events if event.kind == kind]


async def start(recorder: Recorder) -> asyncio.Task[None]:
    """Run it; return when it listens."""
    started = asyncio.Event()
    task = asyncio.create_task(recorder.run(started.set))
    await started.wait()
    return task


def test_everything_is_in_one_recording(tmp_path: Path) -> None:
    """In the order of time, with the settings that the broker tells."""
    bench = Bench(tmp_path)

    async def test() -> None:
        server = await bench.listen()
        recorder = bench.open()
        task = await start(recorder)
        bench.tell_start()
        await bench.exchange(0, 20)
        bench.tell("node_kill9")
        recorder.stopped.set()
        await task
        server.close()

    run(test)
    recording = bench.read()
    assert "SYNC_MASTER" == recording.config["nodes"]["master"]["role"]
    assert recording.config["without_starts"]  # Of the slave nothing is known.
    kinds = [event.kind for event in recording.events]
    assert ["node_started", "ha_link_open"] == kinds[:2]
    assert {"node_kill9", "link_cut"} == set(kinds[-2:])
    assert list(range(20)) == list_offsets(recording, "ha_report", "slave_offset")
    assert list(range(20)) == list_offsets(recording, "ha_frame", "master_offset")
    assert ["pair.jsonl", "events"] == [path.name for path in (bench.out, tmp_path / "events")]
    assert [] == list(tmp_path.glob("*journal*"))


def test_nothing_that_was_forwarded_is_lost(tmp_path: Path) -> None:
    """Three recorders end as by a kill, at any state of their buffers; the fourth ends in order."""
    bench = Bench(tmp_path)

    async def live(number: int) -> None:
        server = await bench.listen()
        recorder = bench.open()
        if number == 1:
            recorder.buffer.delay_ms = 0.0  # So that some lines are in the recording.
        task = await start(recorder)
        bench.tell("put", number=number)
        await bench.exchange(10 * number, 10)
        if number == 3:
            recorder.stopped.set()
            await task
        else:
            task.cancel()
            recorder.links[0].write = lambda _: None  # Nobody sees what happens from here on.
            recorder.links[0].close()
            await asyncio.gather(task, return_exceptions=True)
        for end in bench.ends:
            end.writer.transport.abort()
        server.close()

    bench.tell_start()
    for number in range(4):
        run(lambda number=number: live(number))
    lines = [json.loads(line) for line in bench.out.read_text().splitlines()]
    for kind, name in (("ha_report", "slave_offset"), ("ha_frame", "master_offset")):
        assert list(range(40)) == [e[name] for e in lines if e["ev"] == kind]
    assert [1, 2, 3, 4] == [e["conn"] for e in lines if e["ev"] == "ha_link_open"]
    assert 4 == sum(e["ev"] == "link_cut" for e in lines)
    assert 3 == sum(e["ev"] == "link_healed" for e in lines)
    assert [0, 1, 2, 3] == [e["number"] for e in lines if e["ev"] == "put"]
    assert 1 == sum(e["ev"] == "node_started" for e in lines)
    assert sorted(e["t_ms"] for e in lines) == [e["t_ms"] for e in lines]
    assert sorted({e["seq"] for e in lines}) == [e["seq"] for e in lines]
    assert 3 == sum("resumed" in text for text in bench.told)


def test_the_watch_tells_and_prometheus_reads(tmp_path: Path) -> None:
    """An alarm as a line and as JSON; figures over HTTP and in a file, as they are now."""
    bench, port = Bench(tmp_path), find_port()
    path = tmp_path / "alarms.jsonl"

    async def test() -> None:
        server = await bench.listen()
        recorder = bench.open()
        watch = LiveWatch(
            bench.told.append,
            bench.told.append,
            open_appended(path),
            tmp_path / "metrics",
            (LOOPBACK, port),
            recorder.list_metrics,
        )
        # The bench stamps and writes at once, so no line is late that waits for the next look.
        recorder.observer, recorder.buffer.delay_ms = watch, LOOK_MS
        task = await start(recorder)
        bench.tell_start()
        await bench.exchange(100, 1)
        later_ms = time.time() * 1000 + 2 * JITTER_MS
        bench.tell("snapshot", later_ms, max_offset=7, min_offset=0, dispatched_offset=7)
        while not watch.watch.counts:
            await asyncio.sleep(0.01)
        text = await fetch(port)
        recorder.stopped.set()
        await task
        server.close()
        assert 'alarm_active{alarm="slave_ahead",severity="critical",subject="slave1"} 1' in text
        assert 'forwarded_bytes_total{link="link_slave1"} 21' in text

    run(test)
    assert ["slave_ahead"] == [json.loads(each)["alarm"] for each in path.read_text().splitlines()]
    assert "slave_ahead slave1: slave1 holds 100, its master ends at 7" in "\n".join(bench.told)
    assert "rmqspec_lines_total" in (tmp_path / "metrics").read_text()


def test_a_line_that_comes_late_is_no_evidence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of an order that it did not have: the watch says that it cannot know. Later lines count."""
    bench, alarms = Bench(tmp_path), list[Alarm]()
    recorder = bench.open()
    watch = LiveWatch(print, print)
    watch.watch.tell = alarms.append
    recorder.observer = watch
    log = {"min_offset": 0, "dispatched_offset": 0}

    def tick(now_ms: float) -> list[str]:
        monkeypatch.setattr(recorder_module, "now", lambda: now_ms)
        recorder.tick()
        told = [f"{each.definition.name}{' over' * each.is_over}" for each in alarms]
        alarms.clear()
        return told

    bench.tell_start(1000.0)
    assert [] == tick(1010.0)
    link = {"link": "link_slave1", "conn": 1}
    recorder.add_own([Line(1300.0, "ha_link_open", link)])
    for wall_ms in (1310.0, 1400.0):
        recorder.add_own([Line(wall_ms, "ha_report", {**link, "slave_offset": 100})])
    assert [] == tick(1700.0)
    bench.tell("snapshot", 1200.0, max_offset=7, **log)  # Before the report, and written after it.
    assert ["order_unknown"] == tick(1800.0)
    bench.tell("snapshot", 1900.0, max_offset=50, **log)
    assert ["slave_ahead"] == tick(2200.0)
    assert ["order_unknown over"] == tick(12_000.0)
    recorder.finish()
    lines = [json.loads(line) for line in bench.out.read_text().splitlines()]
    assert [200.0] == [line["late_ms"] for line in lines if "late_ms" in line]


async def fetch(port: int) -> str:
    """What a scrape gets."""
    end = End(*await asyncio.open_connection(LOOPBACK, port))
    end.writer.write(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
    head, _, body = (await end.read_all()).decode().partition("\r\n\r\n")
    end.writer.close()
    assert f"Content-Length: {len(body.encode())}" in head
    return body


def test_a_scrape_without_end_is_ended() -> None:
    """A request is bounded."""

    async def test() -> None:
        port = find_port()
        server = await serve_metrics(LOOPBACK, port, lambda: "x 1\n")
        end = End(*await asyncio.open_connection(LOOPBACK, port))
        end.writer.write(b"x" * 100_000)
        assert b"" == await end.read_all()
        assert "x 1\n" == await fetch(port)
        end.writer.close()
        server.close()

    run(test)
