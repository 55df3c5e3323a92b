"""Files to which others append lines, read as they grow."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from attrs import define

READ_BYTES = 1 << 18
"""So much is read at one look."""
LINE_BYTES_MAX = 1 << 20
"""A longer line is left out."""


@define
class Follower:
    """One file; it need not be there yet, and may be replaced by a new one or emptied."""

    path: Path
    is_from_end: bool = False
    """What is there at the first look is left out."""
    lines_left_out: int = 0
    """How many lines were longer than any line is."""
    is_at_end: bool = False
    """The latest look has read all that is there."""
    _handle: int = -1
    _position: int = 0
    _rest: bytes = b""
    _is_in_long_line: bool = False
    _has_looked: bool = False

    def read(self) -> Iterator[bytes]:
        """The lines that are whole now and were not before, without their ends."""
        self._open_newest()
        if self._handle < 0:
            return
        data = os.pread(self._handle, READ_BYTES, self._position)
        self._position += len(data)
        self.is_at_end = len(data) < READ_BYTES
        *lines, rest = (self._rest + data).split(b"\n")
        self._rest = rest
        for line in lines:
            if self._is_in_long_line:
                self._is_in_long_line = False
            elif line.strip():
                yield line
        if len(rest) > LINE_BYTES_MAX:
            self._rest = b""
            self.lines_left_out += not self._is_in_long_line
            self._is_in_long_line = True

    def _open_newest(self) -> None:
        """Open the file that has this name, once what was read is read to its end."""
        try:
            found = self.path.stat()
        except OSError:
            self._has_looked = True
            return
        if self._handle >= 0:
            now = os.fstat(self._handle)
            is_same = (now.st_dev, now.st_ino) == (found.st_dev, found.st_ino)
            if is_same and now.st_size >= self._position:
                return
            if not is_same and now.st_size > self._position:
                return
            self.close()
        self._handle = os.open(self.path, os.O_RDONLY)
        is_skipped = self.is_from_end and not self._has_looked
        self._position = found.st_size if is_skipped else 0
        self._has_looked = True

    def close(self) -> None:
        """Read no more of it."""
        if self._handle >= 0:
            os.close(self._handle)
        self._handle, self._position, self._rest, self._is_in_long_line = -1, 0, b"", False
