"""A broker's store as a whole: its start on paper, its tables, its epochs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

from reference.disk.files.checkpoint_files import Checkpoint, Epochs, read_epochs
from reference.disk.files.folders import StoreError, StoreFolder, find_store
from reference.disk.files.log_files import LogFiles
from reference.disk.files.table_files import FILE_NAMES, TableFile, read_tables
from reference.disk.start_rules import StartRules
from reference.disk.starting import Outcome, Progress, Start, compute_start, read_inputs


@frozen
class StoredBroker:
    """What one broker left on disk, and what a start would make of it."""

    name: str
    """In outputs: ``master``, ``slave`` or ``slave 2``."""
    path: Path
    """As the user named it."""
    folder: StoreFolder
    log: LogFiles
    start: Start
    tables: Mapping[str, TableFile]
    epochs: Epochs
    checkpoint: Checkpoint
    rules: StartRules

    @property
    def is_up_after_start(self) -> bool:
        """A start brings the broker up."""
        return self.start.is_started and not self.list_damaged_tables()

    def list_damaged_tables(self) -> list[str]:
        """Files that end the start, since their backups cannot be read either."""
        return [FILE_NAMES[t.name] for t in self.tables.values() if not t.is_broker_started]


def read_stored_broker(
    name: str, path: str | Path, rules: StartRules, progress: Progress = lambda _: None
) -> StoredBroker:
    """Read a store; nothing in it changes. Raises StoreError."""
    folder = find_store(path)
    try:
        inputs = read_inputs(folder, rules, progress)
        return StoredBroker(
            name,
            Path(path),
            folder,
            inputs.log,
            compute_start(inputs),
            read_tables(folder),
            read_epochs(folder),
            inputs.checkpoint,
            rules,
        )
    except OSError as problem:
        raise StoreError(f"{problem.filename or path}: {problem.strerror}") from problem


def tell_start_problem(broker: StoredBroker) -> str:
    """Why the broker does not come up; empty if it does."""
    if broker.start.outcome is not Outcome.STARTS:
        return broker.start.problem
    damaged = broker.list_damaged_tables()
    verb = "has" if len(damaged) == 1 else "have"
    return f"{', '.join(damaged)} {verb} no readable backup either" if damaged else ""
