"""Lines of a broker's log files: read one after another, rotated files first.

The patterns are those of ``distribution/conf/logback_broker.xml`` of 4.4.0 and 4.9.8, and of
``broker/src/main/resources/rmq.broker.logback.xml`` of 5.3.3: date, time, level, thread, text, and
in ``watermark.log`` and ``protection.log`` date, time, text. They fix the clock to GMT+8, in whole
seconds. Milliseconds, which some sites add, are read as well.
"""

from __future__ import annotations

import gzip
import heapq
import re
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, NamedTuple

LINE = re.compile(
    r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d{1,6})?) "
    r"(?:(TRACE|DEBUG|INFO|WARN|ERROR) (?:(.*?) )?)?- (.*)",
    re.DOTALL,
)
LINE_BYTES_MAX = 1 << 16
"""What is behind is taken for another line, which has no date and is left out."""


class LogLine(NamedTuple):
    """A line of a log that begins with a date; lines of a stack trace do not."""

    time: str
    """As it stands there; earlier times come first in the order of texts."""
    log: str
    """The file, without ``.log``."""
    level: str
    thread: str
    text: str


def open_log(file: Path) -> IO[bytes]:
    """The bytes of a log file, which may be compressed. Raises OSError."""
    return gzip.open(file) if file.suffix == ".gz" else file.open("rb")  # type: ignore[return-value]


def read_file(file: Path, log: str, note: Callable[[str], None]) -> Iterator[LogLine]:
    """The lines of one file; what ends a compressed file early goes to ``note``."""
    try:
        with open_log(file) as stream:
            while data := stream.readline(LINE_BYTES_MAX):
                found = LINE.fullmatch(data.decode("utf-8", "replace").rstrip("\r\n"))
                if found is not None:
                    yield LogLine(
                        found[1].replace(",", "."), log, *(found[n] or "" for n in (2, 3, 4))
                    )
    except (OSError, EOFError, zlib.error) as problem:
        note(f"{file}: cannot be read to its end: {problem}")


def read_lines(
    files: dict[str, tuple[Path, ...]], note: Callable[[str], None]
) -> Iterator[LogLine]:
    """All lines of a broker in the order of time.

    Lines of the same second stay in the order of their file, and the files are taken in the order
    in which they are named. A file whose clock goes back keeps its order.
    """

    def read_log(log: str, paths: tuple[Path, ...]) -> Iterator[LogLine]:
        for path in paths:
            yield from read_file(path, log, note)

    streams = (read_log(log, paths) for log, paths in files.items())
    return heapq.merge(*streams, key=lambda line: line.time)
