"""Numbers far from another one: what a reader takes who looks only at what lies near by."""

from __future__ import annotations

from collections.abc import Iterator

from brokers.recordings.reading import Recording

LARGEST = 2**63 - 1
"""``Long.MAX_VALUE``."""

FILE_SIZE_DEFAULT = 1024**3
"""``mapedFileSizeCommitLog`` where a recording does not set it (bytes)."""


def list_far_numbers(old: int, file_size: int) -> Iterator[tuple[str, int]]:
    """By name: other numbers, none of them next to the old one; ``file_size``: of a log (bytes)."""
    found = {
        "zero": 0,
        "half": old // 2,
        "double": 2 * old,
        "a file more": old + file_size,
        "a file less": old - file_size,
        "largest": LARGEST,
    }
    known: set[int] = set()
    for name, new in found.items():
        if abs(new - old) > 1 and new not in known:
            known.add(new)
            yield name, new


def find_file_size(recording: Recording) -> int:
    """The size of the files of a recording's first broker (bytes)."""
    node = next(iter(recording.config["nodes"].values()))
    return int(node["store_config"].get("mapedFileSizeCommitLog", FILE_SIZE_DEFAULT))
