"""What ends a program that serves sockets: a signal, or a failure of its own. No peer does.

asyncio reports what goes wrong with a socket (a reset that meets a shutdown, no descriptors left
for ``accept``) and a defect of a callback in the same way, as an exception of the loop. Here their
classes distinguish them: a socket's is an OSError. A file's is one, too; so a callback that writes
files raises `WriteFailedError`, or passes the failure to `Failures.fail` itself.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from attrs import define, field

AGAIN_SECONDS = 60.0
"""The same trouble with sockets is one line in this time: without descriptors asyncio tries to
accept again each second (``ACCEPT_RETRY_DELAY``)."""


@define(eq=False)
class Failures:
    """What has failed in an event loop."""

    write_line: Callable[[str], None]
    end: Callable[[], None]
    """Ends the program; called at the first failure."""
    first: BaseException | None = None
    _told_seconds: dict[str, float] = field(factory=dict)

    def watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Take what the loop reports."""
        loop.set_exception_handler(lambda _, found: self._take(found))

    def fail(self, problem: BaseException) -> None:
        """The program cannot go on."""
        if self.first is None:
            self.first = problem
            self.end()

    def _take(self, found: dict[str, Any]) -> None:
        problem, message = found.get("exception"), str(found.get("message"))
        if not isinstance(problem, OSError):
            self.fail(problem or RuntimeError(message))
            return
        text, now = f"{message.rstrip('.')}: {problem.strerror or problem}", time.monotonic()
        if now - self._told_seconds.get(text, -AGAIN_SECONDS) >= AGAIN_SECONDS:
            self._told_seconds[text] = now
            self.write_line(f"{text}; others are served on")
