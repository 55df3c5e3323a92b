"""Stores and pairs for other programs."""

from __future__ import annotations

from typing import Any

from attrs import asdict

from brokers.disk.comparison.handshake import HandshakeOutcome, compute_handshake
from brokers.disk.comparison.promotion import Lost
from brokers.disk.comparison.returning import compute_return
from brokers.disk.comparison.table_comparison import TableFinding
from brokers.disk.findings import DiskFinding
from brokers.disk.records.held_records import HeldRecord
from brokers.disk.records.units import Unit
from brokers.disk.stored_brokers import StoredBroker, tell_start_problem
from command_line.answers.stores.mending import choose_mend
from command_line.answers.stores.pair import Pair


def tell_record(record: HeldRecord) -> dict[str, Any]:
    """A record; offsets and sizes in bytes, times in ms."""
    return {
        "offset": record.offset,
        "size_bytes": record.size_bytes,
        "topic": record.topic,
        "queue_id": record.queue_id,
        "queue_offset": record.queue_offset,
        "store_timestamp_ms": record.store_timestamp_ms,
        "message_id": record.message_id,
        "unique_key": record.unique_key,
    }


def tell_unit(unit: Unit | None) -> dict[str, Any] | None:
    """What lies at an offset."""
    if unit is None:
        return None
    record = tell_record(unit.record) if unit.record else None
    return {"what": unit.kind.value, "begin_offset": unit.begin_offset, "record": record}


def tell_broker(broker: StoredBroker) -> dict[str, Any]:
    """A store, and a start on paper."""
    start = broker.start
    return {
        "broker": broker.name,
        "path": str(broker.path),
        "file_size_bytes": broker.log.file_size_bytes,
        "files": len(broker.log.files),
        "ignored_files": [path.name for path in broker.log.ignored],
        "has_abort_file": start.is_after_kill,
        "start": {
            "outcome": start.outcome.value,
            "problem": tell_start_problem(broker),
            "begin_offset": start.begin_offset,
            "end_offset": start.end_offset,
            "stops_because": start.stop.value,
            "read_from_offset": start.read_from_offset,
            "records_read": start.records_read,
            "queue_entries_made": start.entries_made,
            "queue_entries_cut": start.entries_cut,
            "files_deleted": [file.path.name for file in start.deleted],
            "queues": {f"{t}/{q}": each.max_index for (t, q), each in start.queues.items()},
        },
        "remarks": [tell_finding(remark) for remark in broker.remarks],
        "epochs": [asdict(epoch) for epoch in broker.epochs.entries],
    }


def tell_finding(finding: DiskFinding) -> dict[str, Any]:
    """A finding about logs."""
    return {
        "kind": finding.kind.value,
        "offset": finding.offset,
        "end_offset": finding.end_offset,
        "on_master": tell_unit(finding.on_master),
        "on_slave": tell_unit(finding.on_slave),
        "shift_bytes": finding.shift_bytes,
        "broker": finding.broker,
        "reason": finding.reason,
        "records": finding.count,
        "queues": [f"{topic}/{queue}" for topic, queue in finding.queues],
    }


def tell_table(found: TableFinding) -> dict[str, Any]:
    """A difference of tables."""
    return {
        "file": found.file_name,
        "kind": found.kind.value,
        "key": found.key,
        "on_master": tell_value(found.on_master),
        "on_slave": tell_value(found.on_slave),
        "broker": found.broker,
    }


def tell_value(value: Any) -> Any:
    """A number, or an entry's fields."""
    return asdict(value) if hasattr(value, "__attrs_attrs__") else value


def tell_handshake(found: HandshakeOutcome | None) -> dict[str, Any] | None:
    """With a controller, what a slave does when it connects; None without one."""
    return None if found is None else {"answer": found.answer.value, "offset": found.offset}


def tell_return(pair: Pair) -> dict[str, Any] | None:
    """The old master as the slave of the promoted one; None if nothing can be said."""
    found = compute_return(pair.master, pair.slave, pair.logs)
    if found is None:
        return None
    return {
        "is_good": found.is_good,
        "why": found.outcome.value,
        "offset": found.offset,
        "handshake": tell_handshake(found.handshake),
    }


def tell_lost(lost: Lost) -> dict[str, Any]:
    """Records that a choice loses, counted by queue."""
    counts = {f"{topic}/{queue}": n for (topic, queue), n in lost.by_queue.items()}
    first = [tell_record(record) for record in lost.first]
    return {"records": lost.count, "by_queue": counts, "first": first}


def tell_pair(pair: Pair) -> dict[str, Any]:
    """Everything about a pair."""
    choices = pair.choices
    return {
        "verdict": pair.kind.value,
        "master": tell_broker(pair.master),
        "slave": tell_broker(pair.slave),
        "differs_from": pair.logs.differs_from,
        "differs_until": pair.logs.differs_until,
        "findings": [tell_finding(finding) for finding in pair.logs.findings],
        "next_handshake": tell_handshake(compute_handshake(pair.master, pair.slave)),
        "tables": [tell_table(found) for found in pair.tables],
        "lost_if_master_stays": tell_lost(choices.if_master_stays),
        "older_than_the_masters_log": tell_lost(choices.older),
        "cut_off_by_a_start": {name: tell_lost(lost) for name, lost in choices.cut.items()},
        "lost_if_slave_is_promoted": tell_lost(choices.if_slave_is_promoted),
        "old_master_as_slave": tell_return(pair),
        "groups_if_slave_is_promoted": [asdict(group) for group in choices.groups],
        "delays_if_slave_is_promoted": [asdict(delay) for delay in choices.delays],
        "acknowledged": [
            {"id": each.acknowledged.text, "holders": list(each.holders)} for each in pair.sought
        ],
        "do": choose_mend(pair).value,
    }
