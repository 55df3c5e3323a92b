"""The reference as a driver, but a start keeps a blank at the log's end, and begins behind it.

python -m tests.properties.vectors.blank_kept_driver
"""

from __future__ import annotations

from attrs import evolve

from properties.vectors.drivers import reference_driver
from reference.store import recovery
from reference.store.recovery import RecoveredRecords
from reference.store.store import Store

walk = recovery.walk


def walk_over_blank(store: Store, index: int) -> RecoveredRecords:
    """A blank ends its file also where there is no next one."""
    found, file = walk(store, index), store.commit_log.mapped_files[-1]
    is_last = found.process_offset_bytes >= file.file_from_offset_bytes
    is_blank_reached, _ = recovery._walk_file(store, file)
    if is_last and is_blank_reached:
        return evolve(found, process_offset_bytes=file.end_offset_bytes)
    return found


if __name__ == "__main__":
    recovery.walk = walk_over_blank
    reference_driver.main()
