"""Offsets, records and times in words."""

from __future__ import annotations

from datetime import UTC, datetime

from brokers.disk.records.held_records import HeldRecord
from brokers.disk.records.units import Unit, UnitKind

SIZES = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def tell_count(count: int, noun: str) -> str:
    """``1 record``, ``2 records``; ``entry`` becomes ``entries``."""
    if count == 1:
        return f"1 {noun}"
    plural = f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}s"
    return f"{count:,} {plural}"


def tell_size(size_bytes: int) -> str:
    """Of a file: whole units where it has them."""
    for unit, name in SIZES:
        if size_bytes and size_bytes % unit == 0:
            return f"{size_bytes // unit} {name}"
    return f"{size_bytes:,} bytes"


def tell_time(time_ms: int) -> str:
    """UTC, to the millisecond."""
    try:
        moment = datetime.fromtimestamp(time_ms / 1000, UTC)
    except (OverflowError, ValueError, OSError):
        return f"{time_ms} ms"
    return f"{moment:%Y-%m-%d %H:%M:%S}.{time_ms % 1000:03d}"


def tell_record(record: HeldRecord) -> str:
    """What identifies it."""
    key = f", key {record.unique_key}" if record.unique_key else ""
    return (
        f"{record.topic}/{record.queue_id} at {record.queue_offset}, {record.size_bytes:,} bytes, "
        f"stored {tell_time(record.store_timestamp_ms)}, id {record.message_id}{key}"
    )


def tell_unit(unit: Unit | None) -> str:
    """What lies somewhere."""
    if unit is None or unit.kind is UnitKind.NOTHING:
        return "no file"
    if unit.record is not None:
        return tell_record(unit.record)
    if unit.kind is UnitKind.BLANK:
        return "a blank, which fills its file"
    return "a record that is not whole" if unit.is_begun else "no record"
