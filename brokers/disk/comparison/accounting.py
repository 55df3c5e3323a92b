"""Who has which records: what one store holds, and the other broker's log does not serve.

A log *serves* the whole records between its begin and its end after a start, wherever their bytes
lie in a file: a queue's entry leads to them. It names the offset that the record gives itself
(``CommitLog#checkMessageAndReturnSize`` at 4.4.0), so a record that lies elsewhere is one that a
store may alone have, but no copy of what another serves. A store *holds* more than that, if whole
records lie behind its log's end. Where both logs have the same bytes, neither lacks anything of
the other.
"""

from __future__ import annotations

from collections.abc import Iterator

from brokers.disk.comparison.byte_comparison import subtract
from brokers.disk.comparison.log_comparison import LogComparison
from brokers.disk.records.held_records import HeldRecord, read_record
from brokers.disk.records.intact import list_intact_records
from brokers.disk.stored_brokers import StoredBroker


def list_missing(
    broker: StoredBroker, other: StoredBroker, compared: LogComparison
) -> Iterator[HeldRecord]:
    """Records that a log serves and the other does not, neither there nor sent again.

    Raises OSError.
    """
    yield from _leave_out_held(_list_served(broker, compared), other, compared)


def list_cut(
    broker: StoredBroker, other: StoredBroker, compared: LogComparison
) -> Iterator[HeldRecord]:
    """Whole records that a start of their broker does not reach, and that neither log serves.

    Raises OSError.
    """
    own = {r.digest for r in _list_served(broker, compared) if r.is_at_its_place}
    begin, end = broker.start.end_offset, broker.log.mapped_end_offset
    behind = (record for record in _list_intact(broker, begin, end) if record.offset >= begin)
    left = (record for record in behind if record.digest not in own)
    yield from _leave_out_held(left, other, compared)


def _leave_out_held(
    records: Iterator[HeldRecord], other: StoredBroker, compared: LogComparison
) -> Iterator[HeldRecord]:
    """Those that another log does not serve. What that log serves is read only if there are any."""
    first = next(records, None)
    if first is None:
        return
    digests: set[bytes] = set()
    keys: set[str] = set()
    for record in _list_served(other, compared):
        if record.is_at_its_place:
            digests.add(record.digest)
            keys.add(record.unique_key)
    keys.discard("")
    for record in (first, *records):
        is_held = record.digest in digests or record.unique_key in keys
        if not is_held and not is_held_at_its_place(other, record):
            yield record


def is_held_at_its_place(broker: StoredBroker, record: HeldRecord) -> bool:
    """A record at a foreign place lies where it belongs in another store. Raises OSError."""
    if record.is_at_its_place:
        return False
    if not broker.start.begin_offset <= record.own_offset < broker.start.end_offset:
        return False
    found = read_record(broker.log, record.own_offset, broker.rules.record_format)
    return found is not None and found.digest == record.digest


def _list_served(broker: StoredBroker, compared: LogComparison) -> Iterator[HeldRecord]:
    """The records of a log outside of what both logs share."""
    start, last_end = broker.start, -1
    for low, high in subtract(start.begin_offset, start.end_offset, compared.shared):
        for record in _list_intact(broker, low, high):
            if record.offset >= last_end:
                yield record
                last_end = record.offset + record.size_bytes


def _list_intact(broker: StoredBroker, begin: int, end: int) -> Iterator[HeldRecord]:
    known = broker.start.landmarks
    yield from list_intact_records(broker.log, begin, end, broker.rules.record_format, known)
