"""A broker's store as a whole: its start on paper, its tables, its epochs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

from brokers.disk.files.checkpoint_files import Epochs
from brokers.disk.files.folders import StoreFolder
from brokers.disk.files.log_files import LogFiles
from brokers.disk.files.table_files import FILE_NAMES, TableFile
from brokers.disk.findings import DiskFinding
from brokers.disk.starting import StartOutcome, StoreStart
from reference.releases.start_rules import StartRules

MASTER = "master"
"""The name of the one to which slaves are compared."""


@frozen
class StoredBroker:
    """What one broker left on disk, and what a start would make of it."""

    name: str
    """In outputs: ``master``, ``slave`` or ``slave 2``."""
    path: Path
    """As the user named it."""
    folder: StoreFolder
    log: LogFiles
    start: StoreStart
    tables: Mapping[str, TableFile]
    epochs: Epochs
    rules: StartRules
    remarks: tuple[DiskFinding, ...] = ()
    """What is remarkable about it alone."""

    @property
    def is_master(self) -> bool:
        """It is compared as the master, whatever its settings say."""
        return self.name == MASTER

    @property
    def is_up_after_start(self) -> bool:
        """A start brings the broker up."""
        return self.start.is_started and not self.list_damaged_tables()

    def list_damaged_tables(self) -> list[str]:
        """Files that end the start, since their backups cannot be read either."""
        return [FILE_NAMES[t.name] for t in self.tables.values() if not t.is_broker_started]


def tell_start_problem(broker: StoredBroker) -> str:
    """Why the broker does not come up; empty if it does."""
    if broker.start.outcome is not StartOutcome.STARTS:
        return broker.start.problem
    damaged = broker.list_damaged_tables()
    verb = "has" if len(damaged) == 1 else "have"
    return f"{', '.join(damaged)} {verb} no readable backup either" if damaged else ""
