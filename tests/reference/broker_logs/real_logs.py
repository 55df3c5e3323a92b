"""Lines that real brokers wrote: the logs beside their stores, and those in recordings."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterator
from pathlib import Path

from tests.reference.disk.real_stores import ARCHIVES

DATA = ARCHIVES.parent
RECORDINGS = ("traces", "traces_498", "traces_5x")


def unpack_logs(name: str, folder: Path) -> Path:
    """The pair's folder, with the logs of ``master`` and perhaps ``slave1`` below it."""
    with tarfile.open(ARCHIVES / f"{name}.tar.xz") as archive:
        members = [m for m in archive.getmembers() if "/logs/" in m.name and m.isfile()]
        archive.extractall(folder, members, filter="data")
    return folder / name


def list_recorded_lines() -> Iterator[tuple[str, str]]:
    """Thread and text of each log line in recordings."""
    for folder in RECORDINGS:
        for file in sorted((DATA / folder).glob("*.jsonl")):
            for line in file.read_text("utf-8").splitlines():
                if '"log"' in line and (event := json.loads(line))["ev"] == "log":
                    yield event["thread"], event["msg"]
