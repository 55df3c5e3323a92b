"""Verbs that serve sockets outlive every peer, and every reader of their lines."""

from __future__ import annotations

import fcntl
import itertools
import os
import queue
import random
import resource
import signal
import socket
import struct
import subprocess
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from brokers.recordings.reading import read_recording
from brokers.wire.codes import RequestCode
from brokers.wire.remoting import Command, encode
from brokers.wire.replication import FRAME_HEADER, Frame, encode_frame, encode_report
from brokers.wire.request_fields import make_send
from command_line.output import exit_codes
from tests.brokers.broker.plain_client import PlainClient
from tests.brokers.recorder.peers import find_port
from tests.command_line.closing_peers import (
    LOOPBACK,
    PATIENCE_SECONDS,
    WAYS,
    Closer,
    Listener,
    Program,
    close_many,
    connect,
    receive,
    start,
)
from tests.command_line.test_record import find_ports

SEED = 1
BODY = bytes(4096)
REPORTS = encode_report(0) + encode_report(1)[:5]
REQUEST = encode(Command(RequestCode.SEND_MESSAGE, make_send("T", 0), b"body"))
SCRAPE = b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"
IGNORED = (13, 25)
"""SIGPIPE and SIGXFSZ: a closed socket and a file that is too large are errors of a call."""

every_count = pytest.mark.parametrize(
    "rounds", [pytest.param(4, id="few"), pytest.param(30, id="many", marks=pytest.mark.nightly)]
)


def make_closer(greeting: bytes) -> Closer:
    """With one seed."""
    return Closer(greeting, random.Random(SEED))


def send_for_ever(link: socket.socket) -> None:
    """A master that sends without end."""
    offset = 0
    with suppress(OSError):
        while True:
            link.sendall(encode_frame(Frame(offset, BODY)))
            offset += len(BODY)


def assert_ignores(program: Program) -> None:
    """Signals that would end it in silence."""
    status = Path(f"/proc/{program.process.pid}/status")
    if status.exists():
        (line,) = (each for each in status.read_text().splitlines() if each.startswith("SigIgn"))
        ignored = int(line.split()[1], 16)
        assert all(ignored >> (number - 1) & 1 for number in IGNORED)


def record(folder: Path, master: int, link: int, *more: object, **streams: int) -> Any:
    """A recorder."""
    words = ("record", "--out", "pair.jsonl", "--link", f"slave1={link}:{LOOPBACK}:{master}")
    return start(folder, "recording to", *words, *more, **streams)


def copy_once(link: int, size: int) -> bytes:
    """What a well-behaved slave gets first."""
    with connect(link) as slave:
        slave.sendall(encode_report(0))
        return receive(slave, size)


def read_frame(link: int) -> tuple[int, int]:
    """What a slave is sent first: the offset, and the size of the body."""
    offset, size = FRAME_HEADER.unpack(copy_once(link, FRAME_HEADER.size))
    return int(offset), int(size)


@every_count
def test_a_recorder_outlives_slaves_masters_and_scrapers(tmp_path: Path, rounds: int) -> None:
    """However they end; the next slave gets its bytes, and the recording is readable."""
    link, metrics = find_port(), find_port()
    slaves, masters, scrapers = (
        make_closer(greeting)
        for greeting in (REPORTS, encode_frame(Frame(0, BODY))[:100], SCRAPE[:9])
    )
    ended = queue.Queue[None]()
    is_closing = threading.Event()

    def serve(peer: socket.socket) -> None:
        if not is_closing.is_set():
            send_for_ever(peer)
            return
        masters.end(peer)
        ended.put(None)

    master = Listener(serve)
    with record(tmp_path, master.port, link, "--prometheus", metrics, "--watch") as program:
        assert_ignores(program)
        close_many(link, slaves, rounds)
        close_many(metrics, scrapers, rounds)
        is_closing.set()
        for _ in range(rounds * len(WAYS)):
            with connect(link) as slave:
                slave.sendall(encode_report(0))
                ended.get(timeout=PATIENCE_SECONDS)
        masters.let_go()
        is_closing.clear()
        assert (0, len(BODY)) == read_frame(link)
        with connect(metrics) as scraper:
            scraper.sendall(SCRAPE)
            assert receive(scraper, 15) == b"HTTP/1.1 200 OK"
        assert exit_codes.ANALYSED == program.stop()
    recording = read_recording(tmp_path / "pair.jsonl")
    kinds = {event.kind for event in recording.events}
    assert {"ha_link_open", "ha_report", "ha_frame", "ha_link_close"} <= kinds


@every_count
def test_a_master_outlives_slaves_and_producers(tmp_path: Path, rounds: int) -> None:
    """However they end; the next put is answered, and the next slave gets its bytes.

    The reader of its lines pauses meanwhile, as a pager does: nothing waits for it.
    """
    port = find_ports()
    words = ("--role", "ASYNC_MASTER", "--store", "m", "--listen-port", port)
    with start(tmp_path, "listens", "broker", *words) as program:
        assert_ignores(program)
        shorten_pipe(program)
        assert PlainClient(port).send("T", BODY).code == 0
        close_many(port + 1, make_closer(REPORTS), rounds)
        for each in (port, port - 2):
            close_many(each, make_closer(REQUEST + REQUEST[:20]), rounds)
        say_much(port)
        client = PlainClient(port)
        assert client.send("T", b"x" * 300).code == 0
        client.close()
        offset, size = read_frame(port + 1)
        assert offset == 0
        assert size > len(BODY)
        program.process.send_signal(signal.SIGTERM)
        assert program.process.stdout is not None
        assert "rules: " in program.process.stdout.read()
        assert exit_codes.ANALYSED == program.process.wait(PATIENCE_SECONDS)


def shorten_pipe(program: Program) -> None:
    """Its lines fill their pipe soon; elsewhere than on Linux they do not."""
    if hasattr(fcntl, "F_SETPIPE_SZ") and program.process.stdout is not None:
        fcntl.fcntl(program.process.stdout, fcntl.F_SETPIPE_SZ, 4096)


def say_much(port: int) -> None:
    """More lines than a short pipe takes: one of some 100 bytes for each connection."""
    for _ in range(100):
        with connect(port) as client:
            client.sendall(b"\xff" * 8)
            assert b"" == receive(client, 1)


@every_count
def test_a_slave_outlives_masters(tmp_path: Path, rounds: int) -> None:
    """However they end; the next one's bytes are stored and reported."""
    masters, reports = make_closer(encode_frame(Frame(0, BODY))[:100]), queue.Queue[bytes]()

    def serve(peer: socket.socket) -> None:
        if masters.closed < rounds * len(WAYS):
            masters.end(peer)
            masters.let_go()
            return
        report = receive(peer, 8)
        (end,) = struct.unpack(">q", report)
        peer.sendall(encode_frame(Frame(end, BODY)))
        reports.put(receive(peer, 8))

    master, port = Listener(serve), find_ports()
    words = ("--role", "SLAVE", "--store", "s", "--listen-port", port)
    where = ("--master", f"{LOOPBACK}:{master.port}", "--set", "haSendHeartbeatInterval=20")
    with start(tmp_path, "listens", "broker", *words, *where) as program:
        assert_ignores(program)
        (reported,) = struct.unpack(">q", reports.get(timeout=PATIENCE_SECONDS))
        assert exit_codes.ANALYSED == program.stop()
    assert len(BODY) <= reported


@pytest.mark.parametrize("gone", [("stdout",), ("stdout", "stderr")], ids=", ".join)
def test_a_recorder_goes_on_without_readers_of_its_lines(
    tmp_path: Path, gone: tuple[str, ...]
) -> None:
    """One line on the other stream, if there is one; and it ends in order."""
    link, master = find_port(), Listener(send_for_ever)
    reading, writing = os.pipe()
    os.close(reading)
    streams = {"stdout": writing, "stderr": subprocess.PIPE} | dict.fromkeys(gone, writing)
    with record(tmp_path, master.port, link, **streams) as program:
        assert (0, len(BODY)) == read_frame(link)
        assert exit_codes.ANALYSED == program.stop()
        if program.process.stderr is not None:
            text = "standard output cannot be written: Broken pipe; its lines are lost"
            assert f"rmqspec: {text}\n" == program.process.stderr.read()
    os.close(writing)
    assert read_recording(tmp_path / "pair.jsonl").events


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="another process's limits are Linux's")
def test_a_recorder_that_cannot_write_ends_and_goes_on_later(tmp_path: Path) -> None:
    """A line names the file; nothing was forwarded that is not recorded, and nothing is lost."""
    link, lives = find_port(), list[list[int]]()

    def serve(peer: socket.socket) -> None:
        for offset in itertools.count():
            peer.sendall(encode_frame(Frame(offset, b"x")))
            if not receive(peer, 8):
                return

    master = Listener(serve)
    for is_full in (True, False):
        with record(tmp_path, master.port, link) as program, connect(link) as slave:
            if is_full:
                resource.prlimit(program.process.pid, resource.RLIMIT_FSIZE, (20_000, 20_000))
            lives.append(copy(slave, 10_000 if is_full else 100))
            if is_full:
                assert exit_codes.BAD_INPUT == program.process.wait(PATIENCE_SECONDS)
                assert program.process.stderr is not None
                (line,) = program.process.stderr.read().splitlines()
                assert line.startswith("rmqspec: pair.jsonl")
                assert "cannot be written: File too large" in line
            else:
                assert exit_codes.ANALYSED == program.stop()
    events = read_recording(tmp_path / "pair.jsonl").events
    assert 50 < len(lives[0])
    for conn, got in enumerate(lives, start=1):
        frames = [e["master_offset"] for e in events if e.kind == "ha_frame" and e["conn"] == conn]
        assert got == frames[: len(got)]


def copy(slave: socket.socket, frames_max: int) -> list[int]:
    """The offsets of frames of one byte that a slave gets and reports, up to an end or a reset."""
    got = list[int]()
    slave.sendall(encode_report(0))
    while len(got) < frames_max and (data := receive(slave, FRAME_HEADER.size + 1)):
        got.append(FRAME_HEADER.unpack(data[: FRAME_HEADER.size])[0])
        with suppress(OSError):
            slave.sendall(encode_report(got[-1]))
    return got


@pytest.mark.nightly
@pytest.mark.parametrize("role", ["slave", "master"])
def test_a_tester_outlives_the_broker_under_test(tmp_path: Path, role: str) -> None:
    """However its connections end, the case has an outcome."""
    port, closers = find_port(), [make_closer(encode_frame(Frame(0, BODY))[:100])]
    words: tuple[object, ...] = ("--listen", port, "--case", "reports after a heartbeat interval")
    if role == "slave":
        closers.append(make_closer(REQUEST + REQUEST[:20]))
        master, broker = (f"{LOOPBACK}:{Listener(each.end).port}" for each in closers)
        words = ("--master", master, "--broker", broker, "--case", "a request for 0 of an empty")
    else:
        slaves = make_closer(REPORTS)
        closers = [slaves]
        threading.Thread(target=close_many, args=(port, slaves, 1), daemon=True).start()
    with start(tmp_path, "", "conform", "--as", role, *words) as program:
        said, problems = program.process.communicate(timeout=PATIENCE_SECONDS)
    assert program.process.returncode in {exit_codes.REFUTED, exit_codes.UNDECIDED}, problems
    assert "1 " in said
    assert "Traceback" not in problems
    assert all(each.closed for each in closers)
