"""What producers were told was stored, held against two stores.

A file has a message in each line: the broker's id (``offsetMsgId``), the producer's (``msgId``), or
an offset of the log. It comes from producers' logs; no store knows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import frozen

from brokers.disk.files.folders import StoreError
from brokers.disk.records.held_records import HeldRecord, list_held_records, read_record
from brokers.disk.stored_brokers import StoredBroker

BROKERS_ID = re.compile(r"[0-9A-Fa-f]{32}|[0-9A-Fa-f]{56}")
"""Of an IPv4 or IPv6 address; a producer's id may look like the first (``MessageClientIDSetter``),
so it is looked for as that, too."""
OFFSET_DIGITS = 16


@frozen
class Acknowledged:
    """A line of the file."""

    text: str
    line: int


@frozen
class Sought:
    """Where an acknowledged message is."""

    acknowledged: Acknowledged
    holders: tuple[str, ...]
    """Names of the brokers whose stores have it."""


def read_acknowledged(path: Path) -> tuple[Acknowledged, ...]:
    """The lines of a file that are not empty; ``#`` begins a remark. Raises StoreError."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as problem:
        raise StoreError(f"{path}: {getattr(problem, 'strerror', None) or 'no text'}") from problem
    told = ((line.partition("#")[0].strip(), number) for number, line in enumerate(lines, 1))
    found = tuple(Acknowledged(text, number) for text, number in told if text)
    for each in found:
        if not re.fullmatch(r"\w+", each.text):
            raise StoreError(f"{path}, line {each.line}: {each.text!r} is no id and no offset")
    return found


def find_acknowledged(
    acknowledged: Sequence[Acknowledged], brokers: Sequence[StoredBroker]
) -> tuple[Sought, ...]:
    """The holders of each. Logs are read whole only for producers' ids. Raises OSError."""
    held = [_find_in(broker, acknowledged) for broker in brokers]
    return tuple(
        Sought(
            each,
            tuple(b.name for b, texts in zip(brokers, held, strict=True) if each.text in texts),
        )
        for each in acknowledged
    )


def _find_in(broker: StoredBroker, acknowledged: Sequence[Acknowledged]) -> set[str]:
    """Which of them a store has."""
    found = {each.text for each in acknowledged if _is_at_place(broker, each.text)}
    sought = {e.text.upper(): e.text for e in acknowledged if e.text not in found}
    keys = {upper for upper in sought if not upper.isdecimal() or len(upper) >= OFFSET_DIGITS}
    if keys:
        for record in _list_all(broker):
            if record.unique_key.upper() in keys:
                found.add(sought[record.unique_key.upper()])
    return found


def _is_at_place(broker: StoredBroker, text: str) -> bool:
    """The record to which an id or offset points lies where it says."""
    if BROKERS_ID.fullmatch(text):
        offset = int(text[-OFFSET_DIGITS:], 16)
        record = _read(broker, offset)
        return record is not None and record.message_id == text.upper()
    return text.isdecimal() and _read(broker, int(text)) is not None


def _read(broker: StoredBroker, offset: int) -> HeldRecord | None:
    if not broker.start.begin_offset <= offset < broker.start.end_offset:
        return None
    record = read_record(broker.log, offset, broker.rules.record_format)
    return record if record is not None and record.offset == offset == record.own_offset else None


def _list_all(broker: StoredBroker) -> Iterator[HeldRecord]:
    start = broker.start
    yield from list_held_records(
        broker.log, start.begin_offset, start.end_offset, broker.rules.record_format
    )
