"""Lines that real brokers wrote: the logs beside their stores, and those in recordings."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from brokers.broker_logs.folders import LOGS
from brokers.broker_logs.wordings import Matcher, load_wordings
from tests.brokers.disk.real_stores import ARCHIVES, PAIRS

DATA = ARCHIVES.parent
LOGGED = tuple(name for name in PAIRS if not name.startswith("v533_"))
"""Pairs whose archives have logs; the lines of the others are in their recordings."""

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


def write_recorded_logs(folder: str, name: str, to: Path) -> Path:
    """The lines of a recording as log files of its brokers, in whole seconds."""
    matcher = Matcher(load_wordings())
    root = to / name
    for line in (DATA / folder / f"{name}.jsonl").read_text("utf-8").splitlines():
        event = json.loads(line)
        if event["ev"] != "log":
            continue
        thread, text = event["thread"], event["msg"]
        log = next((each for each in LOGS if matcher.match(each, thread, text)), "store")
        time = datetime(2026, 11, 22) + timedelta(milliseconds=event["t_ms"])
        file = root / event["node"] / f"{log}.log"
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as stream:
            stream.write(f"{time:%Y-%m-%d %H:%M:%S} {event['level']} {thread} - {text}\n")
    return root
