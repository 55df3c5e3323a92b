"""The kind of every named condition: what a broker checks, what a setting or a timer decides."""

from __future__ import annotations

import enum
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files

from attrs import frozen

KINDS_FILE = files(__package__) / "condition_kinds.toml"

PARTS = {"system": ("replication", "consumption", "system")}
"""The worlds whose conditions a world has, where these are not only its own."""

MODELLED_SETTINGS = (
    "brokerRole",
    "flushDiskType",
    "haSlaveFallbehindMax",
    "mapedFileSizeCommitLog",
    "maxMessageSize",
    "slaveReadEnable",
)
"""The settings that a structure or its parameters take from a group's files."""


class ConditionKind(enum.Enum):
    """What decides whether a condition holds."""

    MODEL = "model"
    """A limit of the model or of a search."""
    STATE = "state"
    """What runs, what exists, what it holds."""
    PROTOCOL = "protocol"
    """A check of the code, or the order of messages and calls."""
    SETTING = "setting"
    """A setting, or a number compared with one."""
    TIME = "time"
    """One interval ends before another."""


@frozen
class ConditionClass:
    """The kind of a condition, and what it rests on."""

    kind: ConditionKind
    rests_on: tuple[str, ...] = ()
    """Settings that are modelled, and assumptions; none for the first three kinds."""


@cache
def load_condition_kinds(world: str) -> Mapping[str, ConditionClass]:
    """The conditions of a world by name. Raises ValueError for one with two kinds."""
    document = tomllib.loads(KINDS_FILE.read_text(encoding="utf-8"))
    found: dict[str, ConditionClass] = {}
    for part in PARTS.get(world, (world,)):
        own: set[str] = set()
        for name, entry in _list_entries(document[part]):
            if name in own:
                raise ValueError(f"{name} of {part} has two kinds")
            own.add(name)
            found.setdefault(name, entry)
    return found


def _list_entries(table: Mapping[str, object]) -> Iterator[tuple[str, ConditionClass]]:
    for kind in ConditionKind:
        entries = table.get(kind.value, {})
        if isinstance(entries, Mapping):
            yield from ((n, ConditionClass(kind, tuple(on))) for n, on in entries.items())
        elif isinstance(entries, list):
            yield from ((name, ConditionClass(kind)) for name in entries)
