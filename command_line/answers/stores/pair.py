"""A master's store and a slave's: everything that is found of the two."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from brokers.disk.comparison.acknowledged import Acknowledged, Sought, find_acknowledged
from brokers.disk.comparison.log_comparison import LogComparison, compare_logs
from brokers.disk.comparison.promotion import Choices, compute_choices
from brokers.disk.comparison.table_comparison import TableFinding, TableKind, compare_tables
from brokers.disk.findings import DIFFERENT, DiskFinding, FindingKind
from brokers.disk.starting import Progress
from brokers.disk.stored_brokers import StoredBroker
from command_line.output import exit_codes


@frozen
class Pair:
    """Both stores, compared."""

    master: StoredBroker
    slave: StoredBroker
    logs: LogComparison
    choices: Choices
    tables: tuple[TableFinding, ...]
    sought: tuple[Sought, ...] = ()
    """Where acknowledged messages are; empty if none were told."""

    @property
    def kind(self) -> FindingKind:
        """What is most serious about the logs."""
        return self.logs.kind

    @property
    def remarks(self) -> tuple[DiskFinding, ...]:
        """About each store alone."""
        return (*self.master.remarks, *self.slave.remarks)

    @property
    def exit_code(self) -> int:
        """0 equal, 1 differs, 2 cannot say."""
        if self.kind is FindingKind.CANNOT_SAY:
            return exit_codes.UNDECIDED
        is_different = self.kind in DIFFERENT or self.have_other_tables
        return exit_codes.REFUTED if is_different else exit_codes.ANALYSED

    @property
    def have_other_tables(self) -> bool:
        """Some entry is not the same on both."""
        return any(found.kind is not TableKind.AHEAD_OF_LOG for found in self.tables)


def compare_stores(
    master: StoredBroker,
    slave: StoredBroker,
    acknowledged: Sequence[Acknowledged],
    progress: Progress,
) -> Pair:
    """Compare logs, queues and tables, and compute what each choice keeps. Raises OSError."""
    logs = compare_logs(master, slave, progress)
    return Pair(
        master,
        slave,
        logs,
        compute_choices(master, slave, logs),
        tuple(compare_tables(master, slave)),
        find_acknowledged(acknowledged, (master, slave)),
    )
