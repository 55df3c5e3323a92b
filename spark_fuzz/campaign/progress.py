"""The progress of a campaign, read from its finished units."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow.parquet as pq
from attrs import frozen

from spark_fuzz.campaign.store import Manifest, find_units, get_unit_path

POLL_SECONDS = 0.5
COLUMN = "violating_steps."
"""The columns that are null for schedules that do not violate their guarantee."""


@frozen
class Progress:
    """The progress of a campaign."""

    done: int
    """Schedules in finished units."""
    found: int
    """Those that were finished when this run began."""
    total: int
    """Schedules in all."""
    seconds: float
    """Time since this run began."""
    violations: Mapping[str, int]
    """The number of schedules per violated guarantee, in finished units."""

    @property
    def schedules_per_second(self) -> float:
        """The speed of this run, Spark's overhead included."""
        return (self.done - self.found) / self.seconds

    @property
    def seconds_left(self) -> float | None:
        """The time left at this rate; None while the rate is unknown."""
        rate = self.schedules_per_second
        return (self.total - self.done) / rate if rate else None


class CampaignWatch:
    """Reports progress while a campaign runs, from a thread of its own."""

    def __init__(
        self, folder: Path, manifest: Manifest, on_progress: Callable[[Progress], None]
    ) -> None:
        self.folder, self.manifest, self.on_progress = folder, manifest, on_progress
        self.counted: set[int] = set()
        self.violations: Counter[str] = Counter()
        self.found = self.count_schedules(find_units(folder))
        self.is_done = threading.Event()
        self.thread = threading.Thread(target=self._poll, daemon=True)
        self.started = time.monotonic()

    def __enter__(self) -> CampaignWatch:
        self.thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.is_done.set()
        self.thread.join()

    def compute_progress(self) -> Progress:
        """The present progress; each unit's footer is read once, its rows are not."""
        for unit in find_units(self.folder) - self.counted:
            self.violations.update(count_violations(get_unit_path(self.folder, unit)))
            self.counted.add(unit)
        return Progress(
            self.count_schedules(self.counted),
            self.found,
            self.manifest.schedules_in_all,
            time.monotonic() - self.started,
            dict(self.violations),
        )

    def count_schedules(self, units: set[int]) -> int:
        """The schedules of some units."""
        return sum(len(self.manifest.get_schedules(unit)) for unit in units)

    def _poll(self) -> None:
        while not self.is_done.wait(POLL_SECONDS):
            self.on_progress(self.compute_progress())


def count_violations(path: Path) -> Counter[str]:
    """The schedules of a unit per violated guarantee, from the null counts of its footer."""
    footer = pq.read_metadata(path)
    counts: Counter[str] = Counter()
    for group in map(footer.row_group, range(footer.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            if column.path_in_schema.startswith(COLUMN):
                violating = group.num_rows - column.statistics.null_count
                counts[column.path_in_schema.removeprefix(COLUMN)] += violating
    return +counts
