"""What the recorder saw itself, written down before anybody else can know of it.

A line waits in memory until it can be put in order. If the recorder is killed meanwhile, its bytes
may have been forwarded, and nobody would know. So each line of its own goes to a file first; two
files take turns, and the older one is emptied once all its lines are in the recording.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from attrs import define, field

from reference.recorder.line import Line

TURN_BYTES = 1 << 20
"""So large a file gets before the other one has its turn."""


@define
class JournalFile:
    """One of the two: numbered lines."""

    path: Path
    handle: int = -1
    size: int = 0
    last_number: int = -1

    def open(self) -> None:
        """Open it to append. Raises OSError."""
        self.handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self.size = os.fstat(self.handle).st_size

    def empty(self) -> None:
        """Its lines are in the recording."""
        os.ftruncate(self.handle, 0)
        self.size = 0

    def read(self) -> Iterator[tuple[int, Line]]:
        """Its lines, up to one that was not written whole."""
        if not self.path.exists():
            return
        with self.path.open("rb") as stream:
            for data in stream:
                try:
                    number, wall_ms, kind, fields = json.loads(data)
                    yield number, Line(wall_ms, kind, fields)
                except (ValueError, TypeError):
                    return


@define
class Journal:
    """The lines of the recorder's own that may not be in the recording yet."""

    files: list[JournalFile]
    written: int = 0
    """How many lines of its own there have been; the next one has this number."""
    kept: int = 0
    """How many of them are in the recording."""
    _encode: json.JSONEncoder = field(factory=lambda: json.JSONEncoder(separators=(",", ":")))

    def add(self, lines: list[Line]) -> None:
        """Write lines down, by one write. Raises OSError."""
        file = self._choose()
        texts = []
        for line in lines:
            texts.append(self._encode.encode((self.written, *line)) + "\n")
            file.last_number = self.written
            self.written += 1
        data = "".join(texts).encode()
        while data:
            written = os.write(file.handle, data)
            file.size, data = file.size + written, data[written:]

    def _choose(self) -> JournalFile:
        """The file whose turn it is: the first of the list."""
        first, second = self.files
        if first.size >= TURN_BYTES and second.last_number < self.kept:
            second.empty()
            self.files.reverse()
        return self.files[0]

    def close(self, *, is_done: bool) -> None:
        """No more lines; after an end in order there is nothing to be kept."""
        for file in self.files:
            os.close(file.handle)
            if is_done:
                file.path.unlink(missing_ok=True)


def open_journal(base: Path, kept: int) -> tuple[Journal, list[Line]]:
    """The journal of a recording, and those of its lines that are not in it.

    ``kept`` is how many own lines the recording has. Raises OSError.
    """
    files = [JournalFile(base.with_name(f"{base.name}.journal{n}")) for n in (0, 1)]
    found = dict(each for file in files for each in file.read())
    missing = [found[number] for number in sorted(found) if number >= kept]
    for file in files:
        file.open()
    journal = Journal(files, kept, kept)
    if missing:
        rewrite(journal, missing)
    else:
        for file in files:
            file.empty()
    return journal, missing


def rewrite(journal: Journal, lines: list[Line]) -> None:
    """Only what is missing is kept, whole before the old lines are dropped."""
    spare = JournalFile(journal.files[0].path.with_suffix(".new"))
    spare.path.unlink(missing_ok=True)
    spare.open()
    Journal([spare, spare], journal.written).add(lines)
    os.close(spare.handle)
    first, second = journal.files
    os.close(first.handle)
    spare.path.replace(first.path)
    first.open()
    first.last_number = journal.written + len(lines) - 1
    second.empty()
    journal.written += len(lines)
