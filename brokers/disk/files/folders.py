"""Where a store lies: its folders and files, found from the path that a user names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from attrs import field, frozen

from brokers.configuration_files import read_properties
from reference.configuration.java_properties import JavaPropertiesError
from reference.configuration.later_keys import NEW_NAMES

COMMIT_LOG, CONSUME_QUEUE, CONFIG = "commitlog", "consumequeue", "config"
CHECKPOINT, ABORT, EPOCHS = "checkpoint", "abort", "epochFileCheckpoint"
PARTS = (COMMIT_LOG, CONSUME_QUEUE, CONFIG)
CONFIGURATION_FILE = "broker.conf"
STORE_PATH = "storePathRootDir"
LOG_PATH = "storePathCommitLog"


class StoreError(ValueError):
    """Raised for a path that is no store, or that cannot be read; one line."""


@frozen
class StoreFolder:
    """A broker's store on disk (``StorePathConfigHelper``)."""

    root: Path
    """``storePathRootDir``."""
    settings: Mapping[str, str] = field(factory=dict)
    """Of the ``broker.conf`` that was named or lies beside the store; empty without one."""

    @property
    def commit_log(self) -> Path:
        """The folder of the log, within the root unless it is moved away on its own."""
        moved = Path(self.settings.get(LOG_PATH, ""))
        is_moved = LOG_PATH in self.settings and moved.is_dir()
        return (
            moved if is_moved and not (self.root / COMMIT_LOG).is_dir() else self.root / COMMIT_LOG
        )

    @property
    def has_abort_file(self) -> bool:
        """The broker runs, or did not stop in order."""
        return (self.root / ABORT).exists()

    def get_number(self, key: str) -> int:
        """A setting of 4.4.0, or what later releases call it; 0 for none, or for no number."""
        told = self.settings.get(key) or self.settings.get(NEW_NAMES.get(key, key), "")
        try:
            return int(told)
        except ValueError:
            return 0


def find_store(path: str | Path) -> StoreFolder:
    """The store at a path: its root, a folder around it, or the ``broker.conf`` that names it.

    Raises StoreError.
    """
    named = Path(path)
    try:
        if named.is_file():
            settings = read_settings(named)
            root = Path(settings.get(STORE_PATH, named.parent / "store"))
            return StoreFolder(_require_parts(root, f"{named} names {root}, which"), settings)
        if not named.exists():
            raise StoreError(f"{named}: there is no such folder")
        for root in (named, named / "store"):
            if has_parts(root):
                return StoreFolder(root, _find_settings(root))
    except OSError as problem:
        raise StoreError(f"{named}: {problem.strerror or problem}") from problem
    return StoreFolder(_require_parts(named, f"{named}"))


def has_parts(root: Path) -> bool:
    """It looks like a store."""
    return any((root / part).is_dir() for part in PARTS)


def _require_parts(root: Path, subject: str) -> Path:
    if has_parts(root):
        return root
    raise StoreError(
        f"{subject} is no store: it has none of the folders {', '.join(PARTS)}; name the folder "
        f"that {STORE_PATH} names"
    )


def _find_settings(root: Path) -> Mapping[str, str]:
    """Those of a file beside the store, if it has one."""
    for file in _list_configuration_files(root):
        if file.is_file():
            return read_settings(file)
    return {}


def _list_configuration_files(root: Path) -> Iterator[Path]:
    for folder in (root, root.parent):
        yield folder / CONFIGURATION_FILE
        yield folder / "conf" / CONFIGURATION_FILE


def read_settings(file: Path) -> Mapping[str, str]:
    """The keys and values of a ``broker.conf``. Raises StoreError."""
    try:
        return {e.key: e.value.strip() for e in read_properties(file)}
    except JavaPropertiesError as problem:
        raise StoreError(f"{file}, line {problem.line}: {problem.problem}") from problem
