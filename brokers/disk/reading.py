"""A store, read as a whole; nothing in it is changed."""

from __future__ import annotations

from pathlib import Path

from attrs import evolve

from brokers.disk.comparison.remarks import list_remarks
from brokers.disk.files.checkpoint_files import read_epochs
from brokers.disk.files.folders import StoreError, find_store
from brokers.disk.files.table_files import read_tables
from brokers.disk.starting import Progress, compute_start, read_inputs
from brokers.disk.stored_brokers import StoredBroker
from reference.releases.start_rules import StartRules


def read_stored_broker(
    name: str, path: str | Path, rules: StartRules, progress: Progress = lambda _: None
) -> StoredBroker:
    """Read a store. Raises StoreError."""
    folder = find_store(path)
    try:
        inputs = read_inputs(folder, rules, progress)
        broker = StoredBroker(
            name,
            Path(path),
            folder,
            inputs.log,
            compute_start(inputs),
            read_tables(folder),
            read_epochs(folder),
            rules,
        )
        return evolve(broker, remarks=tuple(list_remarks(broker)))
    except OSError as problem:
        raise StoreError(f"{problem.filename or path}: {problem.strerror}") from problem
