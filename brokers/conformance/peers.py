"""The other end of the broker under test: a broker of our own, through several lives."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from typing import Any

from attrs import define, field

from brokers.broker.broker import Broker
from brokers.broker.host import Host, Peer, Timer, Transport
from brokers.broker.ruled_state import StepRefusedError
from brokers.broker.settings import Settings
from brokers.broker.storage.live_store import DisagreementError

TakeLine = Callable[[dict[str, Any]], None]


@define(eq=False, repr=False)
class LifeHost:
    """The host of one life of a broker: nothing happens to it after its end."""

    host: Host
    tap: Callable[[str, Peer], Peer]
    """Stands between a peer and the address that it connects to."""
    is_alive: bool = True
    transports: list[Transport] = field(factory=list)

    def now_ms(self) -> float:
        """The clock."""
        return self.host.now_ms()

    def wall_ms(self) -> int:
        """The time of day."""
        return self.host.wall_ms()

    def wall_time_ms(self) -> float:
        """The time of day, finely."""
        return self.host.wall_time_ms()

    def log(self, line: str) -> None:
        """Nobody reads the lines of a tester's broker."""

    def after(self, delay_ms: float, act: Callable[[], None]) -> Timer:
        """Something happens later, if this life lasts."""
        return self.host.after(delay_ms, lambda: act() if self.is_alive else None)

    def connect(self, address: str, peer: Peer, timeout_ms: float) -> None:
        """Connect through whoever stands there."""
        self.host.connect(address, self.tap(address, LifePeer(self, peer)), timeout_ms)

    def end(self) -> None:
        """A kill: the operating system closes what is open."""
        self.is_alive = False
        for transport in self.transports:
            transport.abort()


@define(eq=False, repr=False)
class LifePeer:
    """A peer that hears nothing after its life."""

    life: LifeHost
    peer: Peer

    def opened(self, transport: Transport) -> None:
        """Open."""
        if not self.life.is_alive:
            transport.abort()
            return
        self.life.transports.append(transport)
        self.peer.opened(transport)

    def received(self, data: bytes) -> None:
        """Bytes. What our own broker cannot follow ends its life; what came is recorded."""
        if not self.life.is_alive:
            return
        try:
            self.peer.received(data)
        except (DisagreementError, StepRefusedError):
            self.life.end()

    def drained(self) -> None:
        """Room."""
        if self.life.is_alive:
            self.peer.drained()

    def lost(self, reason: str) -> None:
        """The end."""
        if self.life.is_alive:
            self.peer.lost(reason)


@define(eq=False, repr=False)
class OwnBroker:
    """One broker of the tester."""

    name: str
    settings: Settings
    host: Host
    take_line: TakeLine
    tap: Callable[[str, Peer], Peer]
    life: LifeHost | None = None
    broker: Broker | None = None

    @property
    def running(self) -> Broker:
        """The broker of the present life."""
        assert self.broker is not None, f"{self.name} does not run"
        return self.broker

    def start(self) -> None:
        """A new life on the same store."""
        self.life = life = LifeHost(self.host, self.tap)

        def append_event(data: bytes) -> None:
            if life.is_alive:
                self.take_line(json.loads(data))

        self.broker = Broker(self.settings, life, append_event, self.name)
        self.broker.start()

    def kill(self) -> None:
        """The end of a life; what it had written stays."""
        if self.broker is not None and self.life is not None:
            self.life.end()
            self.broker.store.files.unlock()
            self.broker = None

    def stop(self, on_done: Callable[[], None]) -> None:
        """A stop in order."""

        def done() -> None:
            self.kill()
            on_done()

        self.running.stop(done)

    def wipe(self) -> None:
        """Its store is gone."""
        shutil.rmtree(self.settings.store_root, ignore_errors=True)

    def lose_tail(self, from_offset: int) -> None:
        """The bytes of its log from there on are zeros, as after a loss of power; it is down."""
        size = self.settings.number("mapedFileSizeCommitLog")
        for file in sorted((self.settings.store_root / "commitlog").iterdir()):
            base = int(file.name)
            if base >= from_offset and base > 0:
                file.unlink()
            elif base + size > from_offset:
                keep = max(0, from_offset - base)
                with file.open("r+b") as opened:
                    opened.seek(keep)
                    opened.write(bytes(size - keep))
