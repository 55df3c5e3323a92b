"""Where the logs of brokers lie: their folders, and their files from the oldest to the newest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from attrs import evolve, frozen

LOGS = ("broker", "store", "storeerror", "watermark", "protection")
"""The logs that are read, in the order in which lines of one second are taken."""

BELOW = ("", "rocketmqlogs", "logs/rocketmqlogs", "logs")
"""Where the logs may lie below a folder that is named: ``user.home`` of stock settings, or less."""

ROTATED = "otherdays"
"""The folder of older files in the stock files."""

PLAIN_NAMES = ("", ".", "rocketmqlogs", "logs")
"""Folders whose names say nothing about the broker."""


class BrokerLogError(ValueError):
    """Raised for a folder that has no logs of a broker, or that cannot be read; one line."""


@frozen
class BrokerLogs:
    """The log files of one broker."""

    name: str
    """Of the folder that tells it from the others."""
    folder: Path
    files: Mapping[str, tuple[Path, ...]]
    """By log, the oldest file first."""


def find_brokers(paths: Iterable[str | Path]) -> tuple[BrokerLogs, ...]:
    """The brokers whose logs lie at these paths: one for each, or several in folders below it.

    Raises BrokerLogError.
    """
    found: dict[Path, BrokerLogs] = {}
    for path in map(Path, paths):
        for logs in _find_at(path):
            found.setdefault(logs.folder.resolve(), logs)
    return tuple(_name_apart(list(found.values())))


def _find_at(path: Path) -> list[BrokerLogs]:
    try:
        if not path.is_dir():
            raise BrokerLogError(f"{path}: there is no such folder")
        logs = list(_find_below(path))[:1]
        if logs:
            return logs
        below = sorted(each for each in path.iterdir() if each.is_dir() and each.name != ROTATED)
        logs = [each for folder in below for each in list(_find_below(folder))[:1]]
    except OSError as problem:
        raise BrokerLogError(f"{path}: {problem.strerror or problem}") from problem
    if not logs:
        raise BrokerLogError(
            f"{path}: no logs of a broker; name the folder of store.log and broker.log, or one "
            f"above it ({', '.join(each for each in BELOW if each)})"
        )
    return logs


def _find_below(folder: Path) -> Iterator[BrokerLogs]:
    for place in BELOW:
        files = {log: list_files(folder / place, log) for log in LOGS}
        if any(files.values()):
            yield BrokerLogs(_name(folder), folder / place, files)


def list_files(folder: Path, log: str) -> tuple[Path, ...]:
    """The files of one log, the oldest first: the highest number is the oldest, none the newest."""
    pattern = re.compile(rf"{log}(?:\.(\d+))?\.log(?:\.(\d+))?(?:\.gz)?")
    numbered = []
    for place in (folder / ROTATED, folder):
        for file in place.iterdir() if place.is_dir() else ():
            found = pattern.fullmatch(file.name)
            if found is not None and file.is_file():
                numbered.append((-int(found[1] or found[2] or 0), str(file), file))
    return tuple(file for _, _, file in sorted(numbered))


def _name(folder: Path) -> str:
    parts = [part for part in folder.resolve().parts[1:] if part not in PLAIN_NAMES]
    return parts[-1] if parts else "broker"


def _name_apart(brokers: list[BrokerLogs]) -> Iterator[BrokerLogs]:
    """Brokers with the same name get the folder above it, or a number."""
    seen: dict[str, int] = {}
    names = [broker.name for broker in brokers]
    for broker in brokers:
        name = broker.name
        if names.count(name) > 1:
            above = [p for p in broker.folder.resolve().parts if p not in PLAIN_NAMES]
            name = "/".join(above[-2:])
        seen[name] = seen.get(name, 0) + 1
        yield evolve(broker, name=name if seen[name] == 1 else f"{name} ({seen[name]})")
