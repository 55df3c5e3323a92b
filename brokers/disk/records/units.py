"""What lies at an offset of a log: a record, a blank, or bytes that are neither."""

from __future__ import annotations

import enum
import struct
from bisect import bisect_right
from collections import deque
from collections.abc import Sequence

from attrs import frozen

from brokers.disk.files.log_files import LogFiles
from brokers.disk.records.held_records import HeldRecord, make_held_record
from brokers.disk.records.walking import ASKED, ConsecutiveRecords, finish, pass_records
from reference.store import records
from reference.store.records import RecordFormat


class UnitKind(enum.Enum):
    """What a reader finds."""

    RECORD = "a record"
    BLANK = "a blank"
    OTHER = "no record"
    NOTHING = "no file"


@frozen
class Unit:
    """A part of a log, and where it begins (offset)."""

    kind: UnitKind
    begin_offset: int
    record: HeldRecord | None = None
    is_begun: bool = False
    """Of no record: a record's header begins there, but the record is not whole."""


def find_unit(
    log: LogFiles, offset: int, record_format: RecordFormat, landmarks: Sequence[int] = ()
) -> Unit:
    """What has the byte at an offset, as a reader from the file's beginning sees it.

    ``landmarks`` are offsets at which records are known to begin. Raises OSError.
    """
    file = log.find_file(offset)
    if file is None:
        return Unit(UnitKind.NOTHING, offset)
    position = offset - file.begin_offset
    begin = max(0, find_landmark(landmarks, offset) - file.begin_offset)
    last: deque[ConsecutiveRecords] = deque(maxlen=1)
    passing = pass_records(file, position + 1, record_format, begin=begin)
    end = finish(passing, last.append)
    if end.request is ASKED and last:
        passed = last.pop()
        at = passed.begins[-1]
        (size,) = struct.unpack_from(">i", passed.buffer, at)
        record = make_held_record(passed.buffer[at : at + size], passed.last_offset, record_format)
        return Unit(UnitKind.RECORD, passed.last_offset, record)
    begin = file.begin_offset + end.position
    if end.request.is_success:
        return Unit(UnitKind.BLANK, begin)
    return Unit(UnitKind.OTHER, begin, is_begun=has_header(log, begin))


def find_landmark(landmarks: Sequence[int], offset: int) -> int:
    """The last landmark at or before an offset; -1 if there is none."""
    index = bisect_right(landmarks, offset)
    return landmarks[index - 1] if index else -1


def has_header(log: LogFiles, offset: int) -> bool:
    """A record's header begins at an offset: its magic is there."""
    magic = log.read(offset + records.MAGIC_CODE_POSITION, 4)
    known = (records.MESSAGE_MAGIC_CODE, records.LONG_TOPIC_MAGIC_CODE)
    return len(magic) == 4 and struct.unpack(">i", magic)[0] in known
