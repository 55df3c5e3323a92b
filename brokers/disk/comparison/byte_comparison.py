"""The bytes of two logs, compared in pieces; parts that neither file system stores are skipped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import frozen

from brokers.disk.files.file_bytes import PIECE_BYTES
from brokers.disk.files.log_files import LogFiles
from brokers.disk.starting import Progress


@frozen
class Differences:
    """Where two logs differ within a range (offsets)."""

    first: int
    last: int


def find_differences(
    one: LogFiles, other: LogFiles, begin: int, end: int, progress: Progress = lambda _: None
) -> Differences | None:
    """The first and last byte in which two logs differ; None: in none. Raises OSError.

    Where one of them has no file, nothing is compared.
    """
    first = last = None
    for low, high in list_pieces(one, other, begin, end):
        ours, theirs = one.read(low, high - low), other.read(low, high - low)
        progress(high - low)
        length = min(len(ours), len(theirs))
        if ours[:length] == theirs[:length]:
            continue
        ours, theirs = ours[:length], theirs[:length]
        if first is None:
            first = low + find_first_difference(ours, theirs)
        last = low + length - 1 - find_first_difference(ours[::-1], theirs[::-1])
    return None if first is None or last is None else Differences(first, last)


def find_first_difference(ours: bytes, theirs: bytes) -> int:
    """Position of the first byte that differs; both have the same length, and one does."""
    low, high = 0, len(ours)
    while high - low > 1:
        middle = (low + high) // 2
        if ours[low:middle] == theirs[low:middle]:
            low = middle
        else:
            high = middle
    return low


def list_pieces(one: LogFiles, other: LogFiles, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Ranges of at most a piece that lie in one file of each log and may hold data in either."""
    stored = merge([*list_stored(one, begin, end), *list_stored(other, begin, end)])
    edges = {f.begin_offset for log in (one, other) for f in log.files}
    for low, high in stored:
        inner = sorted(edge for edge in edges if low < edge < high)
        for piece_low, piece_high in zip([low, *inner], [*inner, high], strict=True):
            for at in range(piece_low, piece_high, PIECE_BYTES):
                yield at, min(piece_high, at + PIECE_BYTES)


def list_stored(log: LogFiles, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Ranges of a log that its file system stores. Raises OSError."""
    for file in log.files:
        low, high = max(begin, file.begin_offset), min(end, file.end_offset)
        if low < high:
            base = file.begin_offset
            for position, stop in file.data.list_extents(low - base, high - base):
                yield base + position, base + stop


def merge(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The union of ranges, in order."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(high, merged[-1][1])
        else:
            merged.append((low, high))
    return merged


def intersect(
    ones: Iterable[tuple[int, int]], others: Iterable[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """The parts that ranges of both have; each in order, and without an overlap."""
    later = list(others)
    for low, high in ones:
        later = [each for each in later if each[1] > low]
        for begin, end in later:
            if begin >= high:
                break
            if max(low, begin) < min(high, end):
                yield max(low, begin), min(high, end)


def subtract(begin: int, end: int, ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """What is between two offsets and in none of the ranges, which are in order."""
    for low, high in ranges:
        if begin < min(low, end):
            yield begin, min(low, end)
        begin = max(begin, high)
    if begin < end:
        yield begin, end


def find_nonzero(log: LogFiles, begin: int, end: int) -> int | None:
    """The first byte other than zero between two offsets; None: there is none. Raises OSError."""
    for low, high in merge(list(list_stored(log, begin, end))):
        for at in range(low, high, PIECE_BYTES):
            data = log.read(at, min(PIECE_BYTES, high - at))
            rest = data.lstrip(b"\0")
            if rest:
                return at + len(data) - len(rest)
    return None
