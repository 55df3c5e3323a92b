"""The file that keeps a broker's table, and its backup: what is written, and what a start reads.

Kills and power losses leave one of them, or an old one. Progress, topics, groups and delay offsets
are all kept in this way. A file that can be read but names no table counts as one with an empty
table, and hides the backup.
Source: ConfigManager#persist, ConfigManager#load and MixAll#string2File of 4.4.0.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from attrs import evolve, fields, frozen

from reference.decisions.reading.decision import Case, choose_first

Text: TypeAlias = str
"""The content of a complete file; any value stands for one table."""


class BrokenFile(enum.Enum):
    """States of a file other than complete."""

    MISSING = "missing"
    EMPTY = "empty"
    PARTIAL = "partial"
    """Cut somewhere inside, or zeros: reading it throws (B5-00070)."""
    FOREIGN = "foreign"
    """It can be read and names no such table: ``null``, ``[]``, ``{}``, blanks, another table."""


Content: TypeAlias = Text | BrokenFile


@frozen
class Files:
    """The three files of one table."""

    main: Content = BrokenFile.MISSING
    """For example ``consumerOffset.json``."""
    backup: Content = BrokenFile.MISSING
    """The main file's name with ``.bak``."""
    temporary: Content = BrokenFile.MISSING
    """The main file's name with ``.tmp``."""


@frozen
class Loaded:
    """The result of loading the files at a start."""

    text: Text | None
    """The table; None: silently an empty one."""
    is_broker_started: bool = True
    """A backup that cannot be decoded ends the start."""


def persist(files: Files, text: Text) -> Files:
    """The files after a table was written (R-CO-03)."""
    return list(list_persist_steps(files, text))[-1]


def list_persist_steps(files: Files, text: Text) -> Iterator[Files]:
    """The files before a table is written, after each system call, and at the end.

    Opening a file empties it, and it may be partly written when the process ends.
    """
    yield files
    for content in (BrokenFile.EMPTY, BrokenFile.PARTIAL, text):
        yield (files := evolve(files, temporary=content))
    if files.main is not BrokenFile.MISSING:
        for content in (BrokenFile.EMPTY, BrokenFile.PARTIAL, files.main):
            yield (files := evolve(files, backup=content))
    yield (files := evolve(files, main=BrokenFile.MISSING))
    yield Files(main=text, backup=files.backup)


def list_after_kill(files: Files, text: Text) -> tuple[Files, ...]:
    """What a process killed at any instant of writing a table may leave."""
    return tuple(dict.fromkeys(list_persist_steps(files, text)))


def list_after_power_loss(history: Sequence[Files]) -> Iterator[Files]:
    """What a power loss may leave; ``history`` begins with the state that is surely on disk.

    These files are never forced to disk (no ``fsync``). Each may have any content that it had
    since, and later writes may be there in part or not at all. Renamed files may have either
    content.
    """
    choices = []
    for name in (field.name for field in fields(Files)):
        seen = dict.fromkeys(getattr(files, name) for files in history)
        damaged: tuple[Content, ...] = (
            (BrokenFile.EMPTY, BrokenFile.PARTIAL) if len(seen) > 1 else ()
        )
        choices.append(tuple(dict.fromkeys((*seen, *damaged))))
    for main, backup, temporary in itertools.product(*choices):
        yield Files(main, backup, temporary)


def has_characters(content: Content) -> bool:
    """There is a file with something in it, readable or not."""
    return content not in (BrokenFile.MISSING, BrokenFile.EMPTY)


def is_decodable(content: Content) -> bool:
    """Reading it does not throw, whatever the result."""
    return has_characters(content) and content is not BrokenFile.PARTIAL


def is_main_decodable(files: Files) -> bool:
    """The file suffices, even if it names no table: the backup is not read (B5-00221)."""
    return is_decodable(files.main)


def is_backup_absent(files: Files) -> bool:
    """Neither has any content: a first start, or an unnoticed loss."""
    return not has_characters(files.backup)


def is_backup_decodable(files: Files) -> bool:
    """The file is missing, empty or damaged, and the backup is not."""
    return is_decodable(files.backup)


def is_backup_damaged(_files: Files) -> bool:
    """Both are damaged, or the file is missing: the broker does not start."""
    return True


def _read(content: Content) -> Loaded:
    return Loaded(content if isinstance(content, str) else None)


LOADS: tuple[Case[Files, Loaded], ...] = (
    (is_main_decodable, lambda files: _read(files.main)),
    (is_backup_absent, lambda _: Loaded(None)),
    (is_backup_decodable, lambda files: _read(files.backup)),
    (is_backup_damaged, lambda _: Loaded(None, is_broker_started=False)),
)
"""How a start loads the files (ConfigManager#load, #loadBak)."""


def load(files: Files) -> Loaded:
    """The table that a start reads (R-CO-03)."""
    decided = choose_first(LOADS, files)
    assert decided is not None  # The last condition always holds.
    return decided.value


def list_loadable_after_kill(files: Files, text: Text) -> frozenset[Loaded]:
    """Everything that a start may read after a kill while a table was written."""
    return frozenset(map(load, list_after_kill(files, text)))


def list_loadable_after_power_loss(history: Sequence[Files]) -> frozenset[Loaded]:
    """Everything that a start may read after a power loss."""
    return frozenset(map(load, list_after_power_loss(history)))
