"""The tester's end of a replication connection: what passes is noted, held back, split or cut.

It stands where a proxy would: bytes are stamped and written down before they go on.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from attrs import define, field

from brokers.broker.host import Host, Peer, Transport
from brokers.recorder.link_bytes import MASTER, SIDES, SLAVE, LinkBytes
from brokers.wire.replication import FrameReader, encode_frame

OTHER: Final = {SLAVE: MASTER, MASTER: SLAVE}


@define(eq=False, repr=False)
class Split:
    """The next bytes of one side pass in two parts."""

    at_bytes: int
    gap_ms: float
    """How long the second part is held back; below 0: the connection is cut instead."""


@define(eq=False, repr=False)
class TappedLink:
    """The replication connections between the tester and one broker, one after another."""

    name: str
    own_side: str
    """Whether the tester is the slave or the master."""
    host: Host
    note: Callable[..., None]
    """Writes a line of the recording down."""
    count: int = 0
    current: TappedConnection | None = None
    is_held: dict[str, bool] = field(factory=lambda: dict.fromkeys(SIDES, False))
    splits: dict[str, Split] = field(factory=dict)
    """By the side whose bytes they are."""
    frame_gap_ms: float = 0.0
    """Frames pass one by one, at least so long apart: a slow link."""

    def tap(self, inner: Peer) -> TappedConnection:
        """A connection to come, of which our end is this peer."""
        return TappedConnection(self, inner)

    def tell(self, kind: str, **fields: Any) -> None:
        """A line about this link."""
        self.note(kind, link=self.name, **fields)

    def stall(self, *, frames: bool, reports: bool) -> None:
        """Hold back what is sent from now on."""
        self.is_held = {MASTER: frames, SLAVE: reports}
        self.tell("link_stalled", slave_to_master=reports, master_to_slave=frames)

    def heal(self) -> None:
        """Let everything go on, first what has piled up."""
        if any(self.is_held.values()):
            self.is_held = dict.fromkeys(SIDES, False)
            self.tell("link_healed")
            if self.current is not None:
                self.current.release()

    def cut(self) -> None:
        """End the connection, if there is one."""
        if self.current is not None:
            self.tell("link_cut")
            self.current.cut()


@define(eq=False, repr=False)
class TappedConnection:
    """One connection: a peer of the host, and the transport of our own broker's peer."""

    link: TappedLink
    inner: Peer
    number: int = 0
    outer: Transport | None = None
    bytes_seen: LinkBytes = field(factory=LinkBytes)
    frames: FrameReader = field(factory=FrameReader)
    """Cuts what a master sends into frames, where the link is slow."""
    free_ms: float = 0.0
    """When the next frame may pass over a slow link."""
    held: dict[str, list[bytes]] = field(factory=lambda: {side: [] for side in SIDES})
    end_held: str | None = None
    reported: int | None = None
    """The latest report that has passed."""
    is_over: bool = False

    # As a peer: what the broker under test does

    def opened(self, transport: Transport) -> None:
        """The connection is there."""
        self.outer = transport
        self.link.count += 1
        self.number, self.link.current = self.link.count, self
        self.link.tell("ha_link_open", conn=self.number)
        self.inner.opened(self)

    def received(self, data: bytes) -> None:
        """The broker under test has sent something."""
        self._pass(OTHER[self.link.own_side], data)

    def drained(self) -> None:
        """It has read something."""
        self.inner.drained()

    def lost(self, reason: str) -> None:
        """It has closed the connection, or was never there."""
        side = OTHER[self.link.own_side]
        if self.outer is not None and self.held[side] and not self.is_over:
            self.end_held = reason
            return
        if self.outer is not None:
            self._end(side)
        self.inner.lost(reason)

    # As a transport: what our own end does

    @property
    def peer(self) -> str:
        """The address of the broker under test."""
        return "?" if self.outer is None else self.outer.peer

    @property
    def unsent_bytes(self) -> int:
        """What waits here for the other end."""
        waiting = sum(map(len, self.held[self.link.own_side]))
        return waiting + (0 if self.outer is None else self.outer.unsent_bytes)

    def send(self, data: bytes) -> None:
        """Our own end sends."""
        self._pass(self.link.own_side, data)

    def close(self) -> None:
        """Our own end closes, after what it has sent."""
        self._end(self.link.own_side)
        if self.outer is not None:
            self.outer.close()

    def abort(self) -> None:
        """Our own end closes at once."""
        self._end(self.link.own_side)
        if self.outer is not None:
            self.outer.abort()

    # In between

    def cut(self) -> None:
        """Neither end has closed; both hear of an end."""
        self._end("proxy")
        if self.outer is not None:
            self.outer.abort()
        self.inner.lost("cut")

    def release(self) -> None:
        """What was held back goes on."""
        for side in SIDES:
            held, self.held[side] = self.held[side], []
            for data in held:
                self._pass(side, data)
        if self.end_held is not None and not self.is_over:
            reason, self.end_held = self.end_held, None
            self.lost(reason)

    def _end(self, closed_by: str) -> None:
        if not self.is_over:
            self.is_over = True
            self.link.tell("ha_link_close", conn=self.number, closed_by=closed_by)
            if self.link.current is self:
                self.link.current = None

    def _pass(self, side: str, data: bytes) -> None:
        if self.is_over:
            return
        if self.link.is_held[side]:
            self.held[side].append(data)
            return
        if side == MASTER and self.link.frame_gap_ms:
            self._pace(data)
            return
        split = self.link.splits.get(side)
        if split is not None and len(data) > split.at_bytes:
            del self.link.splits[side]
            self._split(side, data, split)
            return
        self._forward(side, data)

    def _forward(self, side: str, data: bytes) -> None:
        for kind, fields in self.bytes_seen.feed(side, data):
            self.link.tell(kind, conn=self.number, **fields)
            self.reported = fields.get("slave_offset", self.reported)
        if side != self.link.own_side:
            self.inner.received(data)
        elif self.outer is not None:
            self.outer.send(data)

    def _pace(self, data: bytes) -> None:
        host = self.link.host
        for frame in self.frames.feed(data):
            self.free_ms = max(host.now_ms(), self.free_ms + self.link.frame_gap_ms)
            encoded = encode_frame(frame)
            host.after(self.free_ms - host.now_ms(), partial(self._pass_late, encoded))

    def _pass_late(self, data: bytes) -> None:
        if not self.is_over:
            self._forward(MASTER, data)

    def _split(self, side: str, data: bytes, split: Split) -> None:
        first, rest = data[: split.at_bytes], data[split.at_bytes :]
        if first:
            self._forward(side, first)
        if self.is_over:
            return
        if split.gap_ms < 0:
            self.link.tell("link_cut_mid_frame", conn=self.number, last_bytes_forwarded=len(first))
            self.cut()
            return
        self.link.stall(frames=side == MASTER, reports=side == SLAVE)
        self.held[side].append(rest)
        self.link.host.after(split.gap_ms, self.link.heal)
