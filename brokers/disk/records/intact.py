"""Whole records of a log's files, those behind damage too.

A reader that comes to bytes that are no record reads nothing more of that file. Consumers do: an
entry of a queue names the offset, and what lies before it does not matter (``CommitLog#getMessage``
at 4.4.0). So the records behind a hole are found by their magic and their own offsets.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from itertools import pairwise

from brokers.disk.files.file_bytes import PIECE_BYTES
from brokers.disk.files.log_files import LogFile, LogFiles
from brokers.disk.records.held_records import HeldRecord, make_held_record
from brokers.disk.records.units import find_landmark
from brokers.disk.records.walking import read_request, skim
from reference.store import records
from reference.store.java import JavaError
from reference.store.records import RecordFormat

MAGICS = tuple(
    struct.pack(">i", code) for code in (records.MESSAGE_MAGIC_CODE, records.LONG_TOPIC_MAGIC_CODE)
)
OWN_OFFSET = struct.Struct(">q")
OWN_OFFSET_POSITION = 28
"""Of ``PHYSICALOFFSET`` in a record, in every release."""


def list_intact_records(
    log: LogFiles,
    begin: int,
    end: int,
    record_format: RecordFormat,
    landmarks: Sequence[int] = (),
) -> Iterator[HeldRecord]:
    """Whole records with a byte between two offsets, in order. Raises OSError.

    Whole: lengths in accord, and the body's checksum. Of bytes that are no record, those that
    follow count from the first record on that says that it lies where it does.
    """
    for file in log.files:
        low, high = max(begin, file.begin_offset), min(end, file.end_offset)
        if low < high:
            known = max(file.begin_offset, find_landmark(landmarks, low))
            for record in _list_in_file(file, known, high, record_format):
                if record.offset + record.size_bytes > low:
                    yield record


def _list_in_file(
    file: LogFile, begin: int, end: int, record_format: RecordFormat
) -> Iterator[HeldRecord]:
    """Records of a file that begin between two offsets; one begins at the first."""
    base, stop = file.begin_offset, end - file.begin_offset
    position: int | None = begin - base
    while position is not None and position < stop:
        buffer = file.data.read(position, PIECE_BYTES)
        passed, begins = skim(buffer, stop - position)
        for at, behind in pairwise([*begins, passed]):
            yield make_held_record(buffer[at:behind], base + position + at, record_format)
        position += passed
        if begins:
            continue
        size = _read_size(file, position, record_format)
        if size:
            data = file.data.read(position, size)
            yield make_held_record(data, base + position, record_format)
            position += size
        else:
            position = _find_next(file, position + 1, stop, record_format)


def _read_size(file: LogFile, position: int, record_format: RecordFormat) -> int:
    """Of the whole record at a position (bytes); 0: there is none."""
    try:
        request = read_request(file, position, record_format)
    except JavaError:
        return 0
    return request.end_position if request.is_success and request.size_bytes > 0 else 0


def _find_next(file: LogFile, begin: int, end: int, record_format: RecordFormat) -> int | None:
    """Where the next whole record begins that names its own place; None: there is none."""
    for low, high in file.data.list_extents(begin, min(file.size_bytes, end + PIECE_BYTES)):
        for at in range(low, high, PIECE_BYTES):
            piece = file.data.read(at, PIECE_BYTES + len(MAGICS[0]) - 1)
            for found in _list_places(piece):
                position = at + found - records.MAGIC_CODE_POSITION
                is_asked = begin <= position < end and _names_its_place(file, position)
                if is_asked and _read_size(file, position, record_format):
                    return position
    return None


def _list_places(piece: bytes) -> list[int]:
    """Where a magic lies, in order."""
    places = []
    for magic in MAGICS:
        at = piece.find(magic)
        while at >= 0:
            places.append(at)
            at = piece.find(magic, at + 1)
    return sorted(places)


def _names_its_place(file: LogFile, position: int) -> bool:
    """The record's own offset is the one at which it lies."""
    data = file.data.read(position + OWN_OFFSET_POSITION, OWN_OFFSET.size)
    return len(data) == OWN_OFFSET.size and OWN_OFFSET.unpack(data)[0] == (
        file.begin_offset + position
    )
