"""A broker as a process: it listens, runs until it is told to stop, and stops in order."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from typing import IO, Any

from attrs import define, field

from reference.broker.broker import Broker
from reference.broker.parts import USUAL_PARTS, Parts
from reference.broker.settings import Settings
from reference.broker.sockets.socket_host import SocketHost

LOOPBACK = "127.0.0.1"


@define(eq=False, repr=False)
class Process:
    """What was asked for on the command line."""

    settings: Settings
    write_line: Callable[[str], None]
    bind: str = LOOPBACK
    events_file: IO[str] | None = None
    node: str = "broker"
    snapshot_ms: float = 0.0
    """How often the events get a snapshot; 0: never."""
    parts: Parts = USUAL_PARTS
    """What it is made of."""
    on_started: Callable[[Broker], None] = field(default=lambda _: None)
    _failure: BaseException | None = None

    async def run(self) -> None:
        """Until a signal. Raises what the start raises, and a defect of this program."""
        loop = asyncio.get_running_loop()
        asked, stopped = asyncio.Event(), asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, asked.set)
        host = SocketHost(self.write_line)
        loop.set_exception_handler(lambda _, found: self._fail(found, (asked, stopped)))
        broker = Broker(self.settings, host, self.events_file, self.node, self.parts)
        servers = await self._start(broker, host)
        loop.add_signal_handler(signal.SIGUSR1, broker.events.write_snapshot)
        self.on_started(broker)
        await asked.wait()
        if self._failure is None:
            broker.stop(stopped.set)
            await stopped.wait()
        for server in servers:
            server.close()
        if self._failure is not None:
            raise self._failure

    async def _start(self, broker: Broker, host: SocketHost) -> list[asyncio.base_events.Server]:
        ports = self.settings.ports
        broker.start()
        servers = [
            await host.listen(self.bind, ports.ha, broker.ha.make_connection),
            await host.listen(self.bind, ports.listen, broker.server.make_connection),
            await host.listen(self.bind, ports.vip, broker.server.make_connection),
        ]
        if self.snapshot_ms:
            broker.store.every("snapshot", self.snapshot_ms, broker.events.write_snapshot)
        return servers

    def _fail(self, found: dict[str, Any], events: tuple[asyncio.Event, ...]) -> None:
        """A callback has raised: whatever it was, the broker must not go on."""
        problem = found.get("exception")
        self._failure = problem or RuntimeError(str(found.get("message")))
        for event in events:
            event.set()
