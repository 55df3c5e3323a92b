"""Peers that end their connections in every state, and programs that have to outlive them."""

from __future__ import annotations

import os
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from attrs import define, field

from tests.command_line.run import ROOT

LOOPBACK = "127.0.0.1"
PATIENCE_SECONDS = 60.0
"""No verdict: a program that hangs is ended after it."""
RESET = struct.pack("ii", 1, 0)
GARBAGE_BYTES = 3000
SEEN_SECONDS = 0.05
"""So long a way of ending waits for bytes of the other end; without any it goes on."""


@define(eq=False)
class Closer:
    """Ends connections, one way after the other; what a peer says first is given."""

    greeting: bytes
    """What a peer of this kind sends: at least one whole message, and a part of another."""
    chance: random.Random
    closed: int = 0
    held: list[socket.socket] = field(factory=list)
    """Connections that nobody reads."""

    def end(self, link: socket.socket) -> None:
        """End a connection in the next way."""
        way = WAYS[self.closed % len(WAYS)]
        self.closed += 1
        link.settimeout(PATIENCE_SECONDS)
        with suppress(OSError):  # The other end may be quicker.
            way(self, link)
        if link not in self.held:
            link.close()

    def let_go(self) -> None:
        """End the connections that were held."""
        for link in self.held:
            link.close()
        self.held.clear()

    def before_anything(self, link: socket.socket) -> None:
        """Close."""

    def in_a_header(self, link: socket.socket) -> None:
        """Three bytes, and close."""
        link.sendall(self.greeting[:3])

    def in_a_message(self, link: socket.socket) -> None:
        """Part of a message, and close."""
        link.sendall(self.greeting)

    def half(self, link: socket.socket) -> None:
        """Say that nothing more comes, read for a moment, and close."""
        link.sendall(self.greeting)
        link.shutdown(socket.SHUT_WR)
        if select.select([link], [], [], SEEN_SECONDS)[0]:
            link.recv(4096)

    def with_unread_bytes(self, link: socket.socket) -> None:
        """Close while something waits to be read: the other end gets a reset."""
        link.sendall(self.greeting)
        select.select([link], [], [], SEEN_SECONDS)

    def half_with_unread_bytes(self, link: socket.socket) -> None:
        """Both, one after the other."""
        self.with_unread_bytes(link)
        link.shutdown(socket.SHUT_WR)

    def by_reset(self, link: socket.socket) -> None:
        """Close with ``SO_LINGER`` 0, once the other end has seen that it is connected.

        A reset before that refuses the connection, and a slave waits five seconds then (R-HC-01).
        """
        link.sendall(self.greeting)
        select.select([link], [], [], SEEN_SECONDS)
        link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)

    def never_reading(self, link: socket.socket) -> None:
        """Stay, and read nothing."""
        link.sendall(self.greeting)
        self.held.append(link)

    def with_garbage(self, link: socket.socket) -> None:
        """Bytes that mean nothing, and close."""
        link.sendall(self.chance.randbytes(GARBAGE_BYTES))


WAYS: tuple[Callable[[Closer, socket.socket], None], ...] = (
    Closer.before_anything,
    Closer.in_a_header,
    Closer.in_a_message,
    Closer.half,
    Closer.with_unread_bytes,
    Closer.half_with_unread_bytes,
    Closer.by_reset,
    Closer.never_reading,
    Closer.with_garbage,
)


def close_many(port: int, closer: Closer, rounds: int) -> None:
    """Connect and end, in each way so many times."""
    for _ in range(rounds * len(WAYS)):
        closer.end(connect(port))
    closer.let_go()


def connect(port: int) -> socket.socket:
    """A connection, to a listener that may refuse for a while."""
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return socket.create_connection((LOOPBACK, port), PATIENCE_SECONDS)
        except OSError:
            assert time.monotonic() < until
            time.sleep(0.02)


def receive(link: socket.socket, count: int) -> bytes:
    """So many bytes; fewer where the stream ends, or is reset."""
    data = b""
    with suppress(OSError):
        while len(data) < count and (piece := link.recv(count - len(data))):
            data += piece
    return data


@define(eq=False)
class Listener:
    """A server whose connections a function of the test serves, each in a thread of its own."""

    serve: Callable[[socket.socket], None]
    server: socket.socket = field(init=False)
    port: int = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.server = socket.create_server((LOOPBACK, 0))
        self.port = self.server.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                link, _ = self.server.accept()
                threading.Thread(target=self.serve, args=(link,), daemon=True).start()


@define(eq=False)
class Program:
    """A serving verb as a process."""

    process: subprocess.Popen[str]

    def stop(self) -> int:
        """In order; its exit code. Raises AssertionError if it has ended by itself."""
        assert self.process.poll() is None, f"it has ended with {self.process.returncode}"
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_SECONDS)


@contextmanager
def start(folder: Path, said: str, *words: object, **streams: int) -> Iterator[Program]:
    """``rmqspec WORDS`` once it has said something; killed behind it if it is still there."""
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    command = [sys.executable, "-m", "command_line", *map(str, words)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=folder, env=environment, text=True, **given) as process:
        try:
            if process.stdout is not None:
                assert any(said in line for line in process.stdout)
            yield Program(process)
        finally:
            process.kill()
