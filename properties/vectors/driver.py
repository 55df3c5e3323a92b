"""The protocol of a driver: a line of JSON for each question, and a line for each answer.

The runner starts the command, greets it, and asks one question after another. The driver may die,
hang, or write anything: each ends in one line of text.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shlex
import signal
import subprocess
import threading
from collections.abc import Iterator
from typing import IO, Any

from properties.vectors.archive import FORMAT
from properties.vectors.question import Data

LINE_MAX_BYTES = 16 * 1024 * 1024
"""More than any answer has."""
LINES_AHEAD = 16
"""Lines that a driver may write before they are asked for; it is not read on beyond."""
END_SECONDS = 2.0
"""How long a driver has to end once its input is closed."""
SHOWN_CHARACTERS = 120


class DriverError(Exception):
    """A driver that cannot be used any further; one line."""


class Driver:
    """A running driver."""

    def __init__(self, process: subprocess.Popen[bytes], timeout_seconds: float) -> None:
        self.process = process
        self.timeout_seconds = timeout_seconds
        self.name = ""
        self._lines: queue.Queue[bytes | None] = queue.Queue(LINES_AHEAD)
        self._texts: queue.Queue[bytes | None] = queue.Queue()
        assert process.stdin is not None
        assert process.stdout is not None
        for work in ((self._read, process.stdout), (self._write, process.stdin)):
            threading.Thread(target=work[0], args=(work[1],), daemon=True).start()

    def _read(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):
            while line := stream.readline(LINE_MAX_BYTES):
                self._lines.put(line)
        self._lines.put(None)

    def _write(self, stream: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):
            while (text := self._texts.get()) is not None:
                stream.write(text)
                stream.flush()
        with contextlib.suppress(OSError):
            stream.close()

    def ask(self, question: Data, what: str) -> Data:
        """The line that answers. Raises DriverError."""
        self._texts.put(json.dumps(question, ensure_ascii=False).encode() + b"\n")
        try:
            line = self._lines.get(timeout=self.timeout_seconds)
        except queue.Empty:
            raise DriverError(
                f"the driver did not answer {what} within {self.timeout_seconds:g} s"
            ) from None
        if line is None:
            raise DriverError(f"the driver ended{self._describe_end()} instead of answering {what}")
        try:
            told = json.loads(line)
        except (ValueError, RecursionError):
            told = None
        if not isinstance(told, dict):
            shown = line[:SHOWN_CHARACTERS].decode(errors="replace").rstrip()
            raise DriverError(f"the driver answered {what} with no JSON object: {shown!r}")
        return told

    def _describe_end(self) -> str:
        try:
            code = self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            return " its output"
        return f" with signal {-code}" if code < 0 else f" with exit code {code}"

    def greet(self, release: str, sets: list[str]) -> None:
        """Exchange greetings. Raises DriverError for another protocol."""
        hello = {"hello": {"protocol": FORMAT, "rocketmq": release, "sets": sets}}
        told = self.ask(hello, "the greeting").get("hello")
        if not isinstance(told, dict) or told.get("protocol") != FORMAT:
            raise DriverError(
                f"the driver's greeting is not "
                f'{{"hello": {{"protocol": {FORMAT}, "name": "..."}}}}'
            )
        self.name = str(told.get("name", ""))

    def answer(self, vector: Data) -> Data | None:
        """The answer to a vector; None: the driver does not support it. Raises DriverError."""
        question = {name: vector[name] for name in ("set", "id", "ask")}
        what = f"{vector['set']} {vector['id']}"
        told = self.ask(question, what)
        if told.get("id") != vector["id"]:
            raise DriverError(f"the driver answered {what} with the id {told.get('id')!r}")
        if told.get("unsupported") is True:
            return None
        given: Any = told.get("answer")
        if not isinstance(given, dict):
            raise DriverError(f"the driver's answer to {what} has no object `answer`")
        return given

    def stop(self, *, is_usable: bool) -> None:
        """Close its input, and end it if it does not end; one that is not usable at once."""
        self._texts.put(None)
        try:
            self.process.wait(END_SECONDS if is_usable else 0)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(OSError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


@contextlib.contextmanager
def run_driver(command: str, timeout_seconds: float) -> Iterator[Driver]:
    """A driver, ended afterwards. Raises DriverError if it cannot be started."""
    try:
        words = shlex.split(command)
        process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
    except (OSError, ValueError, IndexError) as problem:
        reason = problem.strerror if isinstance(problem, OSError) else str(problem)
        raise DriverError(f"the driver {command!r} cannot be started: {reason}") from problem
    driver, is_usable = Driver(process, timeout_seconds), False
    try:
        yield driver
        is_usable = True
    finally:
        driver.stop(is_usable=is_usable)
        if process.stdout is not None:
            process.stdout.close()
