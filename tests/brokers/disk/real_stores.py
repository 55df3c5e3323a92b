"""What real brokers left on disk, unpacked."""

from __future__ import annotations

import tarfile
from pathlib import Path

ARCHIVES = Path(__file__).parents[2] / "data" / "stores"
NAMES = (path.name.partition(".")[0] for path in ARCHIVES.glob("*.tar.xz"))
PAIRS = tuple(sorted(name for name in NAMES if not name.startswith("starts_")))
SINGLE = "topic_answer"


def unpack(name: str, folder: Path) -> Path:
    """The pair's folder, with ``master`` and perhaps ``slave1`` below it."""
    with tarfile.open(ARCHIVES / f"{name}.tar.xz") as archive:
        members = [m for m in archive.getmembers() if "/logs/" not in f"/{m.name}/"]
        archive.extractall(folder, members, filter="data")
    return folder / name
