"""The files of a recording: numbered lines, a new file after so many bytes, continued after a kill.

Every file begins with the same description of the brokers, and with the position before it. The
parts of one recording are named ``pair.jsonl``, ``pair.1.jsonl`` and so on.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from attrs import define, field

from brokers.appended_file import AppendedFile, WriteFailedError, open_appended
from brokers.recorder.line import Line
from brokers.recorder.position import Position
from brokers.recordings.kinds import LATE
from brokers.recordings.reading import FORMAT

HEAD_FIELDS = ("seq", "t_ms", "ev")
FIRST_BYTES = b'{"seq": '
"""How every file begins."""
PLAIN_BEGIN = "begin_wall_ms"
"""A stamp inside an event of a broker; in a recording it is ``t_begin_ms``."""


class RecordingFileError(Exception):
    """A file that cannot be continued as a recording: one line with its name and the reason."""


@define
class RecordingFiles:
    """An open recording: lines are appended to its last file, each whole and at once."""

    base: Path
    """The first file."""
    rotate_bytes: int
    """After so many bytes a new file begins; 0: never."""
    description: dict[str, Any] = field(factory=dict)
    """The fields of the first line; empty while the recording has none."""
    position: Position = field(factory=Position)
    part: int = 0
    seq: int = 0
    """The next number."""
    last_ms: float = 0.0
    """The latest time of day of a line; 0 before the first."""
    file: AppendedFile | None = None
    """The file that is written now; None before the first line."""
    _encode: json.JSONEncoder = field(factory=lambda: json.JSONEncoder(separators=(", ", ": ")))

    @property
    def path(self) -> Path:
        """The file that is written now."""
        return name_part(self.base, self.part)

    @property
    def began_ms(self) -> float:
        """The time of day at which ``t_ms`` is 0."""
        return float(self.description["began_wall_ms"])

    def begin(self, description: Mapping[str, Any], began_ms: float) -> None:
        """Write the first line. Raises WriteFailedError."""
        self.description = {**description, "began_wall_ms": round(began_ms, 3)}
        self.last_ms = began_ms
        self.file = self._open_part()

    def _open_part(self) -> AppendedFile:
        """A file with its first line, or none."""
        more = {"part": self.part, "position": self.position.as_json()} if self.part else {}
        first = self._format(Line(self.last_ms, "config", {**self.description, **more}))
        file = open_appended(self.path, os.O_TRUNC)
        try:
            file.append(first.encode())
        except WriteFailedError:
            file.close()
            self.path.unlink()
            raise
        return file

    def _format(self, line: Line) -> str:
        wall_ms, kind, fields, late_ms = line
        head = {"seq": self.seq, "t_ms": round(wall_ms - self.began_ms, 3), "ev": kind}
        if late_ms:
            head[LATE] = round(late_ms, 3)
        self.seq += 1
        if PLAIN_BEGIN in fields:
            begin_ms = round(fields[PLAIN_BEGIN] - self.began_ms, 3)
            kept = {name: value for name, value in fields.items() if name != PLAIN_BEGIN}
            return self._encode.encode({**head, "t_begin_ms": begin_ms, **kept}) + "\n"
        return self._encode.encode({**head, **fields}) + "\n"

    def write(self, lines: list[Line]) -> None:
        """Append lines to a recording that has begun, in their order. Raises WriteFailedError.

        After a failure the recording ends with a whole line, and these objects are behind it.
        """
        assert self.file is not None
        texts, size = list[str](), self.file.size
        for line in lines:
            if self.rotate_bytes and size >= self.rotate_bytes:
                self.file.append("".join(texts).encode())
                texts, size = [], 0
                self.file.close()
                self.part += 1
                self.file = self._open_part()
            text = self._format(line)
            texts.append(text)
            size += len(text)
            self.position.see(line)
            self.last_ms = line.wall_ms
        self.file.append("".join(texts).encode())

    def touch(self) -> None:
        """Show in the time of the file that the recorder is alive."""
        if self.file is not None:
            with suppress(OSError):  # Not every file system can.
                os.utime(self.file.handle)

    def close(self) -> None:
        """No more lines."""
        if self.file is not None:
            self.file.close()
            self.file = None


def name_part(base: Path, part: int) -> Path:
    """The file of a part of a recording."""
    return base.with_name(f"{base.stem}.{part}{base.suffix}") if part else base


def continue_parts(base: Path, rotate_bytes: int) -> tuple[RecordingFiles, float]:
    """A recording that was begun before, and when its recorder was alive the last time.

    A line that was not written whole is cut off, and so is a part without a whole first line.
    Without any file it is a new one, and the time 0.

    Raises:
        OSError: a file cannot be read.
        RecordingFileError: a file is no recording of this recorder.
        WriteFailedError: a file cannot be written.
    """
    part = 0
    while name_part(base, part + 1).exists():
        part += 1
    parts = RecordingFiles(base, rotate_bytes)
    while part >= 0 and name_part(base, part).exists():
        path = name_part(base, part)
        if not path.is_file():
            raise RecordingFileError(f"{path} is no regular file; choose another --out")
        alive_ms = path.stat().st_mtime * 1000
        if next(list_whole_lines(path), None) is not None:
            parts.part = part
            resume(parts, list_whole_lines(path))
            return parts, alive_ms
        drop_begun(path)
        part -= 1
    return parts, 0.0


def drop_begun(path: Path) -> None:
    """Delete a file whose first line was not written whole. Raises OSError, RecordingFileError."""
    with path.open("rb") as stream:
        data = stream.read(len(FIRST_BYTES))
    if not FIRST_BYTES.startswith(data):
        raise RecordingFileError(f"{path} is no recording; it is left as it is")
    path.unlink()


def list_whole_lines(path: Path) -> Iterator[tuple[dict[str, Any], int]]:
    """The events of a file, each with its end in bytes, up to one that was not written whole."""
    end = 0
    with path.open("rb") as stream:
        for number, data in enumerate(stream, start=1):
            end += len(data)
            if not data.endswith(b"\n"):
                return
            yield read_line(path, number, data), end


def read_line(path: Path, number: int, data: bytes) -> dict[str, Any]:
    """One line. Raises RecordingFileError."""
    try:
        event = json.loads(data)
        if isinstance(event, dict) and all(name in event for name in HEAD_FIELDS):
            return event
    except ValueError:
        pass
    raise RecordingFileError(f"{path}:{number}: no line of a recording, so it is left as it is")


def resume(parts: RecordingFiles, lines: Iterator[tuple[dict[str, Any], int]]) -> None:
    """Go on after the last whole line of a file.

    Raises OSError, RecordingFileError, WriteFailedError.
    """
    config, size = next(lines)
    last = config
    if config["ev"] != "config" or "began_wall_ms" not in config or config.get("format") != FORMAT:
        text = f"{parts.path} is no recording of this recorder; choose another --out"
        raise RecordingFileError(text)
    left_out = (*HEAD_FIELDS, "part", "position")
    parts.description = {name: v for name, v in config.items() if name not in left_out}
    parts.position = Position.from_json(config["position"]) if parts.part else Position()
    for event, end in lines:
        last, size = event, end
        fields = {name: v for name, v in event.items() if name not in HEAD_FIELDS}
        parts.position.see(Line(0.0, event["ev"], fields))
    parts.seq, parts.last_ms = last["seq"] + 1, parts.began_ms + last["t_ms"]
    parts.file = open_appended(parts.path)
    parts.file.truncate(size)
