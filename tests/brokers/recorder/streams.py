"""Bytes of both ends of a replication connection, and how often they are cut into pieces."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator, Sequence
from typing import Any

FRAME = struct.Struct(">qi")
HANDSHAKE = struct.Struct(">ihhq")
CONTROLLED_REPORT = struct.Struct(">iq")
CONTROLLED_HEADER = struct.Struct(">iiqi")
MORE = struct.Struct(">qq")
EPOCH = struct.Struct(">iq")

Event = tuple[str, dict[str, Any]]


def make_reports(*offsets: int) -> bytes:
    """What a slave sends."""
    return b"".join(struct.pack(">q", offset) for offset in offsets)


def make_frames(*frames: tuple[int, int]) -> bytes:
    """What a master sends: offsets, and lengths of bodies."""
    return b"".join(FRAME.pack(*each) + b"\x07" * each[1] for each in frames)


def make_slave_handshake(broker_id: int, last_file: int = 0, learner: int = 0) -> bytes:
    """A slave's half."""
    return HANDSHAKE.pack(1, last_file, learner, broker_id)


def make_master_handshake(end: int, *epochs: tuple[int, int]) -> bytes:
    """A master's half."""
    body = b"".join(EPOCH.pack(*each) for each in epochs)
    return CONTROLLED_HEADER.pack(1, len(body), end, epochs[-1][0] if epochs else -1) + body


def make_controlled_frame(offset: int, size: int, epoch: int, begin: int, confirmed: int) -> bytes:
    """A header in state TRANSFER, and its body."""
    return (
        CONTROLLED_HEADER.pack(2, size, offset, epoch) + MORE.pack(begin, confirmed) + b"b" * size
    )


def cut(data: bytes, places: Sequence[int]) -> Iterator[bytes]:
    """The pieces between these places."""
    for begin, end in zip((0, *places), (*places, len(data)), strict=True):
        yield data[begin:end]


def draw_pieces(data: bytes, seed: int) -> list[bytes]:
    """Pieces of any size."""
    places = random.Random(seed).choices(range(len(data) + 1), k=len(data) // 20 + 1)
    return [piece for piece in cut(data, sorted(places)) if piece]
