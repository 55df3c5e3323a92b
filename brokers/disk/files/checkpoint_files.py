"""The small files of a store in fixed formats: its checkpoint, and the epochs of a controller."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from attrs import frozen

from brokers.disk.files.folders import CHECKPOINT, EPOCHS, StoreFolder
from reference.store.records import compute_body_crc
from reference.store.store import StoreCheckpoint

TIMES = struct.Struct(">qqq")


def read_checkpoint(folder: StoreFolder) -> StoreCheckpoint:
    """The times in the checkpoint; none without the file. Raises OSError.

    A file that is too short is lengthened by zeros when it is mapped (``StoreCheckpoint``).
    """
    path = folder.root / CHECKPOINT
    if not path.is_file():
        return StoreCheckpoint()
    with path.open("rb") as file:
        return StoreCheckpoint(*TIMES.unpack(file.read(TIMES.size).ljust(TIMES.size, b"\0")))


@frozen
class Epoch:
    """A line of ``epochFileCheckpoint``: an epoch, and where it begins in the log."""

    number: int
    begin_offset: int


@frozen
class Epochs:
    """The epochs that a start finds."""

    entries: tuple[Epoch, ...] = ()
    problem: str = ""
    """Why there are none although there is a file."""


def read_epochs(folder: StoreFolder) -> Epochs:
    """The epochs of a broker in controller mode; none without the file. Raises OSError.

    The backup is read if the file is damaged or has none (``CheckpointFile#read`` at 5.3.3).
    """
    path = folder.root / EPOCHS
    for file in (path, path.with_name(f"{EPOCHS}.bak")):
        if file.is_file():
            found = parse_epochs(file.read_text("utf-8", "replace"))
            if found:
                return Epochs(found)
    is_there = path.is_file()
    return Epochs(problem="neither it nor its backup can be read" if is_there else "")


def show_epochs(entries: Sequence[Epoch]) -> str:
    """The text of a file with these entries (``CheckpointFile#write``)."""
    body = "".join(f"{entry.number}-{entry.begin_offset}\n" for entry in entries)
    return f"{len(entries)}\n{compute_body_crc(body.encode())}\n{body}"


def parse_epochs(text: str) -> tuple[Epoch, ...] | None:
    """The number of lines, their CRC, and a line ``epoch-offset`` for each; None: damaged."""
    count, _, rest = text.partition("\n")
    crc, _, body = rest.partition("\n")
    lines = [line.split("-") for line in body.splitlines()]
    try:
        entries = tuple(Epoch(int(line[0]), int(line[1])) for line in lines if len(line) == 2)
        is_whole = int(count) == len(entries)
        is_equal = int(crc) in (
            0,
            compute_body_crc("".join(f"{line}\n" for line in body.splitlines()).encode()),
        )
    except ValueError:
        return None
    return entries if is_whole and is_equal else None
