"""What a broker needs from outside: a clock, timers, connections, and a place for lines.

Real sockets are one host, a simulated network is another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Timer(Protocol):
    """Something that will happen, unless it is cancelled."""

    def cancel(self) -> None:
        """Let it not happen."""
        ...


class Transport(Protocol):
    """One end of an open connection."""

    @property
    def peer(self) -> str:
        """The other end's address, for lines."""
        ...

    @property
    def unsent_bytes(self) -> int:
        """How much of what was sent still waits here for the other end."""
        ...

    def send(self, data: bytes) -> None:
        """Send bytes; what cannot be sent at once waits."""
        ...

    def close(self) -> None:
        """End the connection after what waits was sent; ``lost`` follows."""
        ...

    def abort(self) -> None:
        """End the connection at once; ``lost`` follows."""
        ...


class Peer(Protocol):
    """What hears of a connection."""

    def opened(self, transport: Transport) -> None:
        """The connection is open."""
        ...

    def received(self, data: bytes) -> None:
        """Bytes have arrived."""
        ...

    def drained(self) -> None:
        """Less waits to be sent than before."""
        ...

    def lost(self, reason: str) -> None:
        """The connection has ended, or could not be opened."""
        ...


class Host(Protocol):
    """Time and the network."""

    def now_ms(self) -> float:
        """A clock that never goes back (ms)."""
        ...

    def wall_time_ms(self) -> float:
        """The time of day, as finely as it is known (ms since 1970)."""
        ...

    def wall_ms(self) -> int:
        """The time of day (ms since 1970)."""
        ...

    def after(self, delay_ms: float, act: Callable[[], None]) -> Timer:
        """Something happens so much later."""
        ...

    def connect(self, address: str, peer: Peer, timeout_ms: float) -> None:
        """Open a connection to ``host:port``: ``opened`` or ``lost`` follows."""
        ...

    def log(self, line: str) -> None:
        """A line for whoever runs the broker."""
        ...
