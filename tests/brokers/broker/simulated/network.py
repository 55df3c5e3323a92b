"""The clock, and connections whose bytes arrive late, in pieces, or not at all."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from typing import Protocol

from attrs import define, field, frozen

from brokers.broker.host import Peer

WIRE_MS = (0.03, 0.3)
NOTICE_MS = (0.1, 1.0)
SOCKET_BUFFERS_BYTES = 128 * 1024
"""What two sockets keep between the ends, before anything waits in the sender."""
WALL_MS = 1_795_000_000_000.0


class Tap(Protocol):
    """Somebody between both ends, who notes and holds back."""

    @property
    def target(self) -> str:
        """The address that it connects to."""
        ...

    def opened(self, wire: Wire) -> bool:
        """A connection is asked for; False: it is refused."""
        ...

    def passes(self, wire: Wire, data: bytes, *, is_forward: bool) -> bytes | None:
        """Bytes pass; what is forwarded of them, or None: they are kept for later."""
        ...

    def ended(self, wire: Wire, *, is_forward: bool) -> None:
        """One side has ended."""
        ...


@define(eq=False, repr=False)
class Process:
    """One life of a program."""

    name: str
    is_alive: bool = True


@frozen(order=True)
class Due:
    """Something that will happen."""

    t_ms: float
    number: int
    act: Callable[[], None] = field(order=False)
    process: Process | None = field(order=False, default=None)


@define(eq=False, repr=False)
class SimulatedTimer:
    """A timer that can be cancelled."""

    act: Callable[[], None]
    is_cancelled: bool = False

    def cancel(self) -> None:
        """Let it not happen."""
        self.is_cancelled = True

    def go(self) -> None:
        """It is time."""
        if not self.is_cancelled:
            self.act()


@define(eq=False, repr=False)
class Network:
    """Everything that is due, and who listens where."""

    chance: random.Random
    now_ms: float = 0.0
    listeners: dict[str, tuple[Process, Callable[[], Peer]]] = field(factory=dict)
    taps: dict[str, Tap] = field(factory=dict)
    """By the address that is connected to."""
    _due: list[Due] = field(factory=list)
    _count: int = 0

    def after(self, delay_ms: float, act: Callable[[], None], process: Process | None) -> None:
        """Something happens later, if its process lives then."""
        self._count += 1
        heapq.heappush(self._due, Due(self.now_ms + delay_ms, self._count, act, process))

    def run(self, is_over: Callable[[], bool]) -> None:
        """Let happen what is due."""
        while self._due and not is_over():
            due = heapq.heappop(self._due)
            self.now_ms = due.t_ms
            if due.process is None or due.process.is_alive:
                due.act()

    def draw(self, span: tuple[float, float]) -> float:
        """A duration."""
        return self.chance.uniform(*span)


@define(eq=False, repr=False)
class End:
    """One end of a connection: what a peer sends into."""

    wire: Wire
    process: Process
    target: Peer
    peer: str
    is_forward: bool
    """It is the end that has connected."""
    is_open: bool = True
    in_flight: int = 0
    """Bytes that it has sent and that have not arrived."""
    held: list[bytes] = field(factory=list)
    free_ms: float = 0.0
    is_waiting: bool = False

    @property
    def unsent_bytes(self) -> int:
        """What does not fit into the sockets between the ends."""
        waiting = max(0, self.in_flight - SOCKET_BUFFERS_BYTES)
        self.is_waiting = self.is_waiting or waiting > 0
        return waiting

    def send(self, data: bytes) -> None:
        """Bytes go on their way."""
        if self.is_open:
            self.in_flight += len(data)
            self.wire.send(self, data)

    def close(self) -> None:
        """The end, behind what was sent."""
        if self.is_open:
            self.is_open = False
            self.wire.end(self)

    def abort(self) -> None:
        """The end at once."""
        self.close()


@define(eq=False, repr=False)
class Wire:
    """A connection between two processes."""

    network: Network
    tap: Tap | None
    number: int = 0
    near: End = field(init=False)
    far: End = field(init=False)
    is_cut: bool = False

    def other(self, end: End) -> End:
        """The opposite end."""
        return self.far if end is self.near else self.near

    def _later(self, end: End, act: Callable[[], None]) -> None:
        network = self.network
        there_ms = max(network.now_ms + network.draw(WIRE_MS), end.free_ms + 0.001)
        end.free_ms = there_ms
        network.after(there_ms - network.now_ms, act, None)

    def send(self, end: End, data: bytes) -> None:
        """To the tap, and from there to the other end."""
        self._later(end, lambda: self._pass(end, data))

    def _pass(self, end: End, data: bytes) -> None:
        if self.is_cut:
            return
        if self.tap is not None:
            if end.held:
                end.held.append(data)
                return
            forwarded = self.tap.passes(self, data, is_forward=end.is_forward)
            if forwarded is None:
                end.held.append(data)
                return
            data = forwarded
        self._deliver(end, data)

    def release(self) -> None:
        """What was held back goes on."""
        for end in (self.near, self.far):
            held, end.held = end.held, []
            for data in held:
                self._pass(end, data)

    def _deliver(self, end: End, data: bytes) -> None:
        other, network = self.other(end), self.network
        pieces = [data]
        if len(data) > 1 and network.chance.random() < 0.3:
            at = network.chance.randrange(1, len(data))
            pieces = [data[:at], data[at:]]
        for piece in pieces:
            there_ms = max(network.now_ms + network.draw(WIRE_MS), other.free_ms + 0.001)
            other.free_ms = there_ms
            act = self._make_arrival(end, other, piece)
            network.after(there_ms - network.now_ms, act, None)

    def _make_arrival(self, end: End, other: End, piece: bytes) -> Callable[[], None]:
        def arrive() -> None:
            end.in_flight -= len(piece)
            if other.is_open and other.process.is_alive:
                other.target.received(piece)
            if end.is_waiting and not end.unsent_bytes and end.process.is_alive and end.is_open:
                end.is_waiting = False
                end.target.drained()

        return arrive

    def end(self, end: End) -> None:
        """One end has closed: it hears of it, and the other one behind what was sent."""
        network = self.network
        if end.process.is_alive:
            network.after(0.0, lambda: end.target.lost("closed here"), end.process)
        self._later(end, lambda: self._tell(end))

    def _tell(self, end: End) -> None:
        other, network = self.other(end), self.network
        if self.tap is not None and not self.is_cut:
            self.tap.ended(self, is_forward=end.is_forward)
        there_ms = max(network.now_ms + network.draw(NOTICE_MS), other.free_ms + 0.001)

        def lose() -> None:
            if other.is_open:
                other.is_open = False
                other.target.lost("end of stream")

        network.after(there_ms - network.now_ms, lose, other.process)

    def cut(self) -> None:
        """Both ends are told that it is over; what is on its way to the tap is lost."""
        self.is_cut = True
        for end in (self.near, self.far):
            self._tell(self.other(end))


@define(eq=False, repr=False)
class SimulatedHost:
    """The host of one process."""

    network: Network
    process: Process
    address: str
    wires: list[Wire] = field(factory=list)
    lines: list[str] = field(factory=list)

    def now_ms(self) -> float:
        """The clock."""
        return self.network.now_ms

    def wall_ms(self) -> int:
        """The time of day."""
        return int(self.wall_time_ms())

    def wall_time_ms(self) -> float:
        """The time of day, finely."""
        return WALL_MS + self.network.now_ms

    def after(self, delay_ms: float, act: Callable[[], None]) -> SimulatedTimer:
        """Something happens later, a little late."""
        timer = SimulatedTimer(act)
        late_ms = self.network.draw((0.002, 0.08)) if delay_ms else 0.001
        self.network.after(delay_ms + late_ms, timer.go, self.process)
        return timer

    def log(self, line: str) -> None:
        """A line."""
        self.lines.append(f"{self.network.now_ms:.3f} {self.process.name} {line}")

    def connect(self, address: str, peer: Peer, timeout_ms: float) -> None:
        """Open a connection, if somebody listens there."""

        def answer() -> None:
            tap = self.network.taps.get(address)
            wire = Wire(self.network, tap)
            if tap is not None and not tap.opened(wire):
                peer.lost("refused")
                return
            listener = self.network.listeners.get(tap.target if tap is not None else address)
            if listener is None or not listener[0].is_alive:
                peer.lost("refused")
                return
            process, make_peer = listener
            wire.near = End(wire, self.process, peer, address, is_forward=True)
            wire.far = End(wire, process, make_peer(), self.address, is_forward=False)
            self.wires.append(wire)
            accept_ms = self.network.draw((0.05, 0.5))
            wire.far.free_ms = self.network.now_ms + accept_ms
            peer.opened(wire.near)
            self.network.after(accept_ms, lambda: wire.far.target.opened(wire.far), process)

        self.network.after(self.network.draw(WIRE_MS), answer, self.process)
