"""Whether a store stayed as it was while it was read: a running broker writes on."""

from __future__ import annotations

import enum

from attrs import frozen

from brokers.disk.files.log_files import list_log_files
from brokers.disk.records.walking import finish, walk
from brokers.disk.stored_brokers import StoredBroker


class StoreChange(enum.Enum):
    """What another process did in the meantime."""

    GROWN = "its log grew"
    FILES_GONE = "files of its log were deleted"
    REWRITTEN = "its log does not end where it did"


@frozen
class Stability:
    """What changed; the offsets say how far."""

    change: StoreChange
    before_offset: int
    now_offset: int


def find_change(broker: StoredBroker) -> Stability | None:
    """Look at a store again; None: nothing changed. Raises OSError."""
    before, now = broker.log, list_log_files(broker.folder, broker.rules)
    if not broker.start.is_started:
        return None
    if now.begin_offset != before.begin_offset or len(now.files) < len(before.files):
        return Stability(StoreChange.FILES_GONE, before.begin_offset, now.begin_offset)
    known = [offset for offset in broker.start.landmarks if offset < broker.start.end_offset]
    begin = known[-1] if known else now.begin_offset
    index = next((i for i, f in enumerate(now.files) if begin < f.end_offset), None)
    if index is None:
        return None
    end = finish(walk(now, index, broker.rules.record_format, begin=begin)).offset
    if end == broker.start.end_offset:
        return None
    change = StoreChange.GROWN if end > broker.start.end_offset else StoreChange.REWRITTEN
    return Stability(change, broker.start.end_offset, end)
