"""A broker as a process: it listens, runs until it is told to stop, and stops in order."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable

from attrs import define, field

from brokers.broker.broker import Broker
from brokers.broker.parts import USUAL_PARTS, Parts
from brokers.broker.settings import Settings
from brokers.broker.sockets.socket_host import SocketHost
from brokers.wire.serving import Failures

LOOPBACK = "127.0.0.1"


@define(eq=False, repr=False)
class BrokerProcess:
    """What was asked for on the command line."""

    settings: Settings
    write_line: Callable[[str], None]
    bind: str = LOOPBACK
    append_event: Callable[[bytes], None] | None = None
    node: str = "broker"
    snapshot_ms: float = 0.0
    """How often the events get a snapshot; 0: never."""
    parts: Parts = USUAL_PARTS
    """What it is made of."""
    on_started: Callable[[Broker], None] = field(default=lambda _: None)

    async def run(self) -> None:
        """Until a signal. Raises what the start raises, or what a callback has raised."""
        loop = asyncio.get_running_loop()
        asked, stopped = asyncio.Event(), asyncio.Event()

        def end() -> None:
            asked.set()
            stopped.set()

        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, asked.set)
        failures = Failures(self.write_line, end)
        failures.watch(loop)
        host = SocketHost(self.write_line, failures.fail)
        broker = Broker(self.settings, host, self.append_event, self.node, self.parts)
        servers = await self._start(broker, host)
        loop.add_signal_handler(signal.SIGUSR1, broker.events.write_snapshot)
        self.on_started(broker)
        await asked.wait()
        if failures.first is None:
            broker.stop(stopped.set)
            await stopped.wait()
        for server in servers:
            server.close()
        if failures.first is not None:
            raise failures.first

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
