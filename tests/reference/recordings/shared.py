"""The shared recordings of real brokers."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).parents[2] / "data"
TRACES = DATA / "traces"
LATER = DATA / "traces_498"
LATEST = DATA / "traces_5x"
FOUND = DATA / "traces_by_search"

ALL = tuple(path for f in (TRACES, LATER, LATEST, FOUND) for path in sorted(f.glob("*.jsonl")))
"""Every recording that the repository has: all of them conform."""


def list_recordings(folder: Path) -> list[Path]:
    """The recordings of a folder."""
    return [path for path in ALL if path.parent == folder]
