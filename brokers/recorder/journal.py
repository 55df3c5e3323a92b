"""What the recorder saw itself, written down before anybody else can know of it.

A line waits in memory until it can be put in order. If the recorder is killed meanwhile, its bytes
may have been forwarded, and nobody would know. So each line of its own goes to a file first; two
files take turns, and the older one is emptied once all its lines are in the recording.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from attrs import define, field

from brokers.appended_file import AppendedFile, open_appended
from brokers.recorder.line import Line

TURN_BYTES = 1 << 20
"""So large a file gets before the other one has its turn."""


@define
class JournalFile:
    """One of the two: numbered lines."""

    file: AppendedFile
    last_number: int = -1


def read_numbered(path: Path) -> Iterator[tuple[int, Line]]:
    """The lines of a journal's file, up to one that was not written whole. Raises OSError."""
    if not path.exists():
        return
    with path.open("rb") as stream:
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
        """Write lines down, all or none of them. Raises WriteFailedError."""
        chosen = self._choose()
        numbered = enumerate(lines, start=self.written)
        texts = [self._encode.encode((number, *line[:3])) + "\n" for number, line in numbered]
        chosen.file.append("".join(texts).encode())
        self.written += len(lines)
        chosen.last_number = self.written - 1

    def _choose(self) -> JournalFile:
        """The file whose turn it is: the first of the list."""
        first, second = self.files
        if first.file.size >= TURN_BYTES and second.last_number < self.kept:
            second.file.truncate(0)
            self.files.reverse()
        return self.files[0]

    def close(self, *, is_done: bool) -> None:
        """No more lines; after an end in order there is nothing to be kept."""
        for each in self.files:
            each.file.close()
            if is_done:
                each.file.path.unlink(missing_ok=True)


def open_journal(base: Path, kept: int) -> tuple[Journal, list[Line]]:
    """The journal of a recording, and those of its lines that are not in it.

    ``kept`` is how many own lines the recording has. Raises OSError, WriteFailedError.
    """
    paths = [base.with_name(f"{base.name}.journal{n}") for n in (0, 1)]
    found = dict(each for path in paths for each in read_numbered(path))
    missing = [found[number] for number in sorted(found) if number >= kept]
    if missing:
        rewrite(paths[0], missing, kept)
    journal = Journal([JournalFile(open_appended(path)) for path in paths], kept, kept)
    first, second = journal.files
    second.file.truncate(0)
    if missing:
        journal.written += len(missing)
        first.last_number = journal.written - 1
    else:
        first.file.truncate(0)
    return journal, missing


def rewrite(path: Path, lines: list[Line], kept: int) -> None:
    """Only what is missing is kept, whole before the old lines are dropped.

    Raises OSError, WriteFailedError.
    """
    spare = path.with_suffix(".new")
    spare.unlink(missing_ok=True)
    file = open_appended(spare)
    try:
        Journal([JournalFile(file)] * 2, kept).add(lines)
    finally:
        file.close()
    spare.replace(path)
