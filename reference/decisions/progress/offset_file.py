"""The file that keeps a broker's table, its backup, and what kills and power losses leave of them.

Source: ConfigManager#persist, ConfigManager#load and MixAll#string2File of 4.4.0. Progress, topics,
groups and delay offsets are all kept in this way.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from attrs import evolve, fields, frozen

Text: TypeAlias = str
"""What a complete file says; any value stands for one table."""


class Broken(enum.Enum):
    """What a file may be instead of complete."""

    MISSING = "missing"
    EMPTY = "empty"
    PARTIAL = "partial"
    """Cut somewhere inside: it cannot be decoded."""


Content: TypeAlias = Text | Broken


@frozen
class Files:
    """The three files of one table."""

    main: Content = Broken.MISSING
    """``consumerOffset.json``."""
    backup: Content = Broken.MISSING
    """``consumerOffset.json.bak``."""
    temporary: Content = Broken.MISSING
    """``consumerOffset.json.tmp``."""


@frozen
class Loaded:
    """What a start makes of the files."""

    text: Text | None
    """The table; None: an empty one."""
    is_broker_started: bool = True
    """A backup that cannot be decoded ends the start."""


def is_readable(content: Content) -> bool:
    """There is a file with something in it."""
    return content not in (Broken.MISSING, Broken.EMPTY)


def persist(files: Files, text: Text) -> Files:
    """The files after a table was written (R-CO-03)."""
    return list(list_persist_steps(files, text))[-1]


def list_persist_steps(files: Files, text: Text) -> Iterator[Files]:
    """The files before a table is written, after each system call, and at the end.

    A file is emptied when it is opened, and may be partly written when the process ends.
    """
    yield files
    for content in (Broken.EMPTY, Broken.PARTIAL, text):
        yield (files := evolve(files, temporary=content))
    if files.main is not Broken.MISSING:
        for content in (Broken.EMPTY, Broken.PARTIAL, files.main):
            yield (files := evolve(files, backup=content))
    yield (files := evolve(files, main=Broken.MISSING))
    yield Files(main=text, backup=files.backup)


def list_after_kill(files: Files, text: Text) -> tuple[Files, ...]:
    """What a process may leave that is killed at any instant of writing a table."""
    return tuple(dict.fromkeys(list_persist_steps(files, text)))


def list_after_power_loss(history: Sequence[Files]) -> Iterator[Files]:
    """What a power loss may leave; ``history`` begins with what surely is on disk.

    Nothing forces these files to disk (no ``fsync``), so each one may have any content that it had
    since, and what was written since may be there in part or not at all. Names that were changed
    may keep either meaning.
    """
    choices = []
    for name in (field.name for field in fields(Files)):
        seen = dict.fromkeys(getattr(files, name) for files in history)
        damaged: tuple[Content, ...] = (Broken.EMPTY, Broken.PARTIAL) if len(seen) > 1 else ()
        choices.append(tuple(dict.fromkeys((*seen, *damaged))))
    for main, backup, temporary in itertools.product(*choices):
        yield Files(main, backup, temporary)


def load(files: Files) -> Loaded:
    """The table that a start reads (R-CO-03): the backup's where the file gives none.

    Source: ConfigManager#load, ConfigManager#loadBak.
    """
    if isinstance(files.main, str) and files.main:
        return Loaded(files.main)
    if isinstance(files.backup, str) and files.backup:
        return Loaded(files.backup)
    return Loaded(None, is_broker_started=not is_readable(files.backup))


def list_loadable_after_kill(files: Files, text: Text) -> frozenset[Loaded]:
    """Everything that a start may read after a kill while a table was written."""
    return frozenset(map(load, list_after_kill(files, text)))


def list_loadable_after_power_loss(history: Sequence[Files]) -> frozenset[Loaded]:
    """Everything that a start may read after a power loss."""
    return frozenset(map(load, list_after_power_loss(history)))
