"""The tables of ``config/`` as a start reads them: topics, groups, progress and delay progress."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from brokers.disk.files.folders import CONFIG, StoreFolder
from reference.decisions.metadata import json_text, stored_broker, table_text
from reference.decisions.metadata.broker_tables import DataVersion
from reference.decisions.metadata.json_text import TextError
from reference.decisions.metadata.table_text import DELAY, GROUPS, OFFSETS, TOPICS
from reference.decisions.progress import config_file
from reference.decisions.progress.config_file import BrokenFile, Content, Files

FILE_NAMES: Mapping[str, str] = {
    TOPICS: "topics.json",
    GROUPS: "subscriptionGroup.json",
    OFFSETS: "consumerOffset.json",
    DELAY: "delayOffset.json",
}
"""``BrokerPathConfigHelper``, ``StorePathConfigHelper#getDelayOffsetStorePath``."""
CLUSTER = BROKER = "TBW102"
"""Two built-in topics are named after cluster and broker, which no file of the store tells."""
BUILT_IN: Mapping[str, Mapping[str, Any]] = {
    TOPICS: table_text.list_built_in_topics(CLUSTER, BROKER),
    GROUPS: table_text.BUILT_IN_GROUPS,
}
"""Entries that every start makes before it reads the file."""


@frozen
class TableFile:
    """A table as a start reads it."""

    name: str
    """One of TOPICS, GROUPS, OFFSETS, DELAY."""
    entries: Mapping[Any, Any]
    version: DataVersion | None
    """As its file has it; None: it has none."""
    is_broker_started: bool = True
    """Both the file and its backup are damaged: the broker does not start."""
    note: str = ""
    """What is remarkable about its files; empty: nothing."""


def read_tables(folder: StoreFolder) -> dict[str, TableFile]:
    """All four. Raises OSError."""
    return {name: read_table_file(folder, name) for name in FILE_NAMES}


def read_table_file(folder: StoreFolder, name: str) -> TableFile:
    """One of them (``ConfigManager#load``). Raises OSError."""
    path = folder.root / CONFIG / FILE_NAMES[name]
    texts = Files(_read_text(path), _read_text(path.with_name(f"{path.name}.bak")))
    main, backup = (stored_broker.classify(name, each, 0) for each in (texts.main, texts.backup))
    loaded = config_file.load(Files(main, backup))
    note = _tell(Files(main, backup))
    built_in = BUILT_IN.get(name, {})
    if loaded.text is None:
        return TableFile(name, built_in, None, loaded.is_broker_started, note)
    found = table_text.read_table(name, loaded.text, 0)
    assert found is not None  # It was classified as a text with content.
    entries = {**built_in, **(found.entries or {})}
    return TableFile(name, entries, _read_version(loaded.text), note=note)


def _read_text(path: Path) -> Content:
    if not path.is_file():
        return BrokenFile.MISSING
    data = path.read_bytes()
    return data.decode("utf-8", "replace") if data else BrokenFile.EMPTY


def _read_version(text: str) -> DataVersion | None:
    """The version in a file; that of groups is read by none but this program."""
    whole = json_text.read_object(text) or {}
    try:
        told = whole.get(table_text.VERSION)
        return None if told is None else table_text.read_version(told)
    except TextError:
        return None


def _tell(files: Files) -> str:
    """Which of the two files a start reads, where that is not the first one."""
    if not config_file.has_characters(files.main):
        state = "is empty" if files.main is BrokenFile.EMPTY else ""
        is_read = config_file.is_backup_decodable(files)
        return f"{state or 'is missing'}; its backup is read" if is_read else state
    if files.main is BrokenFile.PARTIAL:
        is_read = config_file.is_backup_decodable(files)
        return f"cannot be read; {'its backup is' if is_read else 'there is no other'}"
    return "names no table" if files.main is BrokenFile.FOREIGN else ""
