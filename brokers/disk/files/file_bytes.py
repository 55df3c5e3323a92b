"""Bytes of files, read when they are asked for: a file of 1 GiB never lies in memory.

Files are read with ``pread`` and not mapped, so that the memory of this program stays small,
whatever the size of a store is. Parts that a file system does not store (holes) are zeros; they are
skipped where it tells them.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

PIECE_BYTES = 1 << 20
"""How much is read at once (bytes)."""


class FileBytes:
    """A file's bytes up to a length, with zeros where the file is shorter; read only."""

    def __init__(self, path: Path, length_bytes: int, begin: int = 0) -> None:
        self.path = path
        self.begin = begin
        self.length_bytes = length_bytes

    def __len__(self) -> int:
        return self.length_bytes - self.begin

    def __getitem__(self, asked: slice) -> bytes:
        low, high, _ = asked.indices(len(self))
        return self.read(self.begin + low, max(0, high - low))

    def starting_at(self, position: int) -> FileBytes:
        """The same bytes from a position of the file on."""
        return FileBytes(self.path, self.length_bytes, position)

    def read(self, position: int, length: int) -> bytes:
        """Bytes of the file from a position on; fewer at its end. Raises OSError."""
        length = min(length, self.length_bytes - position)
        if length <= 0:
            return b""
        descriptor = os.open(self.path, os.O_RDONLY)
        try:
            return read_fully(descriptor, position, length).ljust(length, b"\0")
        finally:
            os.close(descriptor)

    def list_extents(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """Parts between two positions that the file system stores; all, where it cannot say."""
        descriptor = os.open(self.path, os.O_RDONLY)
        try:
            size = os.fstat(descriptor).st_size
            end, position = min(end, size), begin
            while position < end:
                low = find_data(descriptor, position)
                if low >= end:
                    return
                high = min(end, find_hole(descriptor, low, size))
                yield low, high
                position = high
        finally:
            os.close(descriptor)


def read_fully(descriptor: int, position: int, length: int) -> bytes:
    """As many bytes as there are, in one or several reads."""
    found = os.pread(descriptor, length, position)
    while 0 < len(found) < length:
        more = os.pread(descriptor, length - len(found), position + len(found))
        if not more:
            break
        found += more
    return found


def find_data(descriptor: int, position: int) -> int:
    """Where the next stored byte lies; far away if there is none behind a position."""
    try:
        return os.lseek(descriptor, position, os.SEEK_DATA)
    except OSError as problem:
        return 1 << 62 if problem.errno == errno.ENXIO else position


def find_hole(descriptor: int, position: int, size: int) -> int:
    """Where the stored bytes from a position on end."""
    try:
        return os.lseek(descriptor, position, os.SEEK_HOLE)
    except OSError:
        return size
