"""Chromium without a window, driven over the DevTools protocol.

Chromium reads and answers it on two pipes, so no port is open and no client library is needed.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
MISSING = "" if CHROMIUM else f"no Chromium: none of {', '.join(NAMES)} is installed"

ANSWER_MAX_S = 300
"""The longest time for one answer; the usual one is a few milliseconds."""

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--disable-sync",
    "--no-first-run",
    "--no-default-browser-check",
    "--remote-debugging-pipe",
)

LAUNCH = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Chromium expects the pipes as files 3 and 4."""

SHIFT = 8
KEYS = {"Tab": (9, ""), "Shift+Tab": (9, ""), "Enter": (13, "\r"), "Escape": (27, "")}
"""Keys that write no letter: their number and text."""


class BrowserError(Exception):
    """Chromium refused a command, ended, or did not answer in time."""


class Browser:
    """A running Chromium."""

    def __init__(self, process: subprocess.Popen[bytes], reads: int, writes: int) -> None:
        self.process = process
        self._reads, self._writes = reads, writes
        self._buffer = b""
        self._last = 0
        self.events: list[dict[str, Any]] = []
        """What Chromium reported without being asked, oldest first."""

    def call(self, method: str, session: str = "", **params: Any) -> Any:
        """The result of a command. Raises BrowserError."""
        self._last += 1
        number = self._last
        message = {"id": number, "method": method, "params": params}
        message |= {"sessionId": session} if session else {}
        os.write(self._writes, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + ANSWER_MAX_S
        while True:
            answer = self._receive(until, method)
            if answer.get("id") != number:
                self.events.append(answer)
            elif "error" in answer:
                raise BrowserError(f"{method}: {answer['error']['message']}")
            else:
                return answer["result"]

    def _receive(self, until: float, method: str) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._reads], [], [], max(0, until - time.monotonic()))
            read = os.read(self._reads, 1 << 20) if ready else b""
            if not read:
                raise BrowserError(f"{method}: Chromium {'ended' if ready else 'is silent'}")
            self._buffer += read
        text, _, self._buffer = self._buffer.partition(b"\0")
        answer: dict[str, Any] = json.loads(text)
        return answer

    def open(self, address: str, *, width: int = 1280, height: int = 900) -> Page:
        """A new page at an address, after all its scripts have run."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        page = Page(self, attached["sessionId"])
        page.resize(width, height)
        for domain in ("Page", "Runtime", "Network", "Log"):
            page.call(f"{domain}.enable")
        page.show(address)
        return page


LOADED = "document.readyState === 'complete'"


class Page:
    """A page of the browser, with its user's hands and eyes."""

    def __init__(self, browser: Browser, session: str) -> None:
        self.browser, self.session = browser, session

    def call(self, method: str, **params: Any) -> Any:
        """The result of a command for this page."""
        return self.browser.call(method, self.session, **params)

    def show(self, address: str) -> None:
        """Go to another page, and wait until all its scripts have run."""
        self.ask("window.isFormer = true")
        self.call("Page.navigate", url=address)
        self.wait_for(f"!window.isFormer && {LOADED}")

    def resize(self, width: int, height: int, *, is_dark: bool = False) -> None:
        """Give the page the size of a window or, below 700 pixels, of a phone."""
        shape = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 700}
        self.call("Emulation.setDeviceMetricsOverride", **shape)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def ask(self, expression: str) -> Any:
        """The value of an expression in the page. Raises BrowserError for what it throws."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise BrowserError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def wait_for(self, expression: str) -> None:
        """Return as soon as an expression is true. Raises BrowserError if that takes too long."""
        until = time.monotonic() + ANSWER_MAX_S
        while not self.ask(expression):
            if time.monotonic() > until:
                raise BrowserError(f"still not true: {expression}")
            time.sleep(0.01)

    def press(self, *keys: str) -> None:
        """Press keys one after another: those of ``KEYS``, or a character."""
        for name in keys:
            number, text = KEYS.get(name, (0, name))
            key = name.removeprefix("Shift+")
            pressed = {"key": key, "windowsVirtualKeyCode": number}
            pressed |= {} if key == name else {"modifiers": SHIFT}
            pressed |= {"text": text} if text else {}
            kind = "keyDown" if text else "rawKeyDown"
            self.call("Input.dispatchKeyEvent", type=kind, **pressed)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def list_events(self, method: str) -> Iterator[dict[str, Any]]:
        """What was reported of this page."""
        self.ask("0")  # whatever happened before has been reported by its answer
        for event in self.browser.events:
            if event.get("method") == method and event.get("sessionId") == self.session:
                yield event["params"]

    def screenshot(self, file: Path) -> None:
        """Write what is seen as a PNG."""
        file.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))


@contextmanager
def open_browser(folder: Path) -> Iterator[Browser]:
    """A Chromium with an empty profile in this folder; it ends with the block."""
    assert CHROMIUM is not None
    pipes = (*os.pipe(), *os.pipe())
    # Beyond 4, so that none is closed when another takes its number.
    its_in, our_out, our_in, its_out = (fcntl.fcntl(fd, fcntl.F_DUPFD, 10) for fd in pipes)
    for fd in pipes:
        os.close(fd)
    command = [CHROMIUM, *FLAGS, f"--user-data-dir={folder}", "about:blank"]
    process = subprocess.Popen(
        [sys.executable, "-c", LAUNCH, str(its_in), str(its_out), *command],
        pass_fds=(its_in, its_out),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(its_in)
    os.close(its_out)
    browser = Browser(process, our_in, our_out)
    try:
        yield browser
        browser.call("Browser.close")
        process.wait(ANSWER_MAX_S)
    finally:
        process.kill()
        process.wait()
        os.close(our_out)
        os.close(our_in)
