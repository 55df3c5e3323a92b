"""The store's files: mapped into memory, created, forced, removed; and the small ones beside them.

Source: MappedFile, StoreCheckpoint, DefaultMessageStore#createTempFile and #load of 4.4.0.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from mmap import ALLOCATIONGRANULARITY, mmap
from pathlib import Path
from typing import IO

from attrs import define, evolve, field

from brokers.disk.files.checkpoint_files import (
    TIMES,
    Epoch,
    read_checkpoint,
    read_epochs,
    show_epochs,
)
from brokers.disk.files.folders import (
    ABORT,
    CHECKPOINT,
    COMMIT_LOG,
    CONFIG,
    CONSUME_QUEUE,
    EPOCHS,
    StoreFolder,
)
from brokers.disk.files.table_files import FILE_NAMES
from reference.decisions.progress.config_file import BrokenFile, Content, Files
from reference.store import consume_queue as consume_queues
from reference.store import content as contents
from reference.store.consume_queue import ConsumeQueue
from reference.store.mapped_file_queue import DiskFile, MappedFileQueue
from reference.store.store import Store, StoreCheckpoint, StoreConfig, create_store

CHECKPOINT_BYTES = 4096
LOCK = "lock"


class StoreLockedError(Exception):
    """Another process has the store."""


@define(eq=False, repr=False)
class StoreFiles:
    """The folder of one broker's store."""

    root: Path
    _lock: IO[bytes] | None = field(default=None, init=False)

    def lock(self) -> None:
        """Take the store for this process (``lock``). Raises StoreLockedError, OSError."""
        self.root.mkdir(parents=True, exist_ok=True)
        file = (self.root / LOCK).open("ab")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as problem:
            file.close()
            raise StoreLockedError(f"{self.root}: another broker runs on this store") from problem
        self._lock = file

    def unlock(self) -> None:
        """Leave the store to others."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    @property
    def log_folder(self) -> Path:
        """Where the log's files lie."""
        return self.root / COMMIT_LOG

    def name_queue_folder(self, topic: str, queue_id: int) -> Path:
        """Where the files of a queue lie."""
        return self.root / CONSUME_QUEUE / topic / str(queue_id)

    def find_store(self, config: StoreConfig) -> Store:
        """What a start finds, before it recovers anything. Raises OSError."""
        log_bytes = config.mapped_file_size_commit_log_bytes
        log = MappedFileQueue(
            log_bytes,
            other_files=tuple(map_files(self.log_folder)),
            create_content=make_creator(self.log_folder, log_bytes),
        )
        size = consume_queues.compute_file_size(config.mapped_file_size_consume_queue_bytes)

        def create(topic: str, queue_id: int) -> Callable[[str], contents.Content]:
            return make_creator(self.name_queue_folder(topic, queue_id), size)

        found = [
            ConsumeQueue(
                folder.parent.name,
                int(folder.name),
                MappedFileQueue(
                    size,
                    other_files=tuple(map_files(folder)),
                    create_content=make_creator(folder, size),
                ),
                has_folder=True,
            )
            for folder in self._list_queue_folders()
        ]
        return evolve(
            create_store(config),
            commit_log=log,
            consume_queues_on_disk=tuple(found),
            checkpoint_on_disk=read_checkpoint(StoreFolder(self.root)),
            has_abort_file=(self.root / ABORT).exists(),
            create_queue_content=create,
        )

    def _list_queue_folders(self) -> Iterator[Path]:
        for folder in sorted(self.root.glob(f"{CONSUME_QUEUE}/*/*")):
            if folder.is_dir() and folder.name.isdigit():
                yield folder

    def remove_gone(self, store: Store) -> None:
        """Delete the files that the store has deleted."""
        log = store.commit_log
        names = {f.name for f in log.mapped_files} | {f.name for f in log.other_files}
        names |= {r.name for r in store.allocation.requests if r.mapped_file is not None}
        remove_others(self.log_folder, names)
        for queue in store.consume_queues.values():
            files = queue.files
            kept = {f.name for f in files.mapped_files} | {f.name for f in files.other_files}
            folder = self.name_queue_folder(queue.topic, queue.queue_id)
            remove_others(folder, kept)
            if not queue.has_folder and folder.is_dir():
                shutil.rmtree(folder)

    def force(self, log: MappedFileQueue, begin: int, end: int) -> None:
        """Write a part of the log to disk (offsets, bytes). Raises OSError."""
        for file in log.mapped_files:
            low = max(begin, file.file_from_offset_bytes) - file.file_from_offset_bytes
            high = min(end, file.end_offset_bytes) - file.file_from_offset_bytes
            if low < high and isinstance(file.content.data, mmap):
                low -= low % ALLOCATIONGRANULARITY
                file.content.data.flush(low, high - low)

    def write_checkpoint(self, checkpoint: StoreCheckpoint) -> None:
        """``StoreCheckpoint#flush``. Raises OSError."""
        data = TIMES.pack(
            checkpoint.physic_msg_timestamp_ms,
            checkpoint.logics_msg_timestamp_ms,
            checkpoint.index_msg_timestamp_ms,
        )
        (self.root / CHECKPOINT).write_bytes(data.ljust(CHECKPOINT_BYTES, b"\0"))

    def read_epochs(self) -> tuple[Epoch, ...]:
        """The entries of ``epochFileCheckpoint``; none if it cannot be read. Raises OSError."""
        return read_epochs(StoreFolder(self.root)).entries

    def write_epochs(self, entries: Sequence[Epoch]) -> None:
        """``CheckpointFile#write``, ``MixAll#string2File`` of 5.3.3: the backup first.

        An empty list is not written. Raises OSError.
        """
        if not entries:
            return
        path = self.root / EPOCHS
        if path.is_file():
            path.with_name(f"{EPOCHS}.bak").write_bytes(path.read_bytes())
        path.write_text(show_epochs(entries), "utf-8")

    def set_abort_file(self, *, is_there: bool) -> None:
        """Whether a later start takes this process for killed. Raises OSError."""
        if is_there:
            (self.root / ABORT).touch()
        else:
            (self.root / ABORT).unlink(missing_ok=True)

    def read_tables(self) -> dict[str, Files]:
        """The texts of all tables, by name. Raises OSError."""
        found = {}
        for name, file_name in FILE_NAMES.items():
            path = self.root / CONFIG / file_name
            backup = path.with_name(f"{file_name}.bak")
            found[name] = Files(_read_text(path), _read_text(backup))
        return found

    def write_table(self, name: str, files: Files) -> None:
        """Bring a table's files to what they are to hold, in the order of MixAll#string2File."""
        path = self.root / CONFIG / FILE_NAMES[name]
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary, backup = (path.with_name(f"{path.name}.{end}") for end in ("tmp", "bak"))
        text = files.main if isinstance(files.main, str) else ""
        temporary.write_text(text, "utf-8")
        if isinstance(files.backup, str):
            backup.write_text(files.backup, "utf-8")
        path.unlink(missing_ok=True)
        temporary.rename(path)

    def compute_disk_ratio(self) -> float:
        """The used share of the disk; -1 if it cannot be told.

        What only root may use is free, too (``UtilAll#getDiskPartitionSpaceUsedPercent``).
        """
        try:
            usage = shutil.disk_usage(self.root)
        except OSError:
            return -1.0
        return usage.used / usage.total if usage.total else -1.0


def map_files(folder: Path) -> Iterator[DiskFile]:
    """The files of a folder, with their bytes in place. Raises OSError."""
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        if path.is_file():
            status = path.stat()
            content = map_file(path) if status.st_size else contents.NOTHING
            yield DiskFile(path.name, content, int(status.st_mtime * 1000))


def map_file(path: Path) -> contents.Content:
    """A file of at least one byte. Raises OSError."""
    with path.open("r+b") as file:
        return contents.Content(mmap(file.fileno(), 0))


def make_creator(folder: Path, size_bytes: int) -> Callable[[str], contents.Content]:
    """How a folder's new files are made: zeros, of one size."""

    def create(name: str) -> contents.Content:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / name
        with path.open("x+b") as file:
            try:
                os.posix_fallocate(file.fileno(), 0, size_bytes)
            except OSError:
                path.unlink()
                raise
            return contents.Content(mmap(file.fileno(), size_bytes))

    return create


def remove_others(folder: Path, names: set[str]) -> None:
    """Delete a folder's files that have none of these names."""
    if folder.is_dir():
        for path in folder.iterdir():
            if path.is_file() and path.name not in names:
                path.unlink()


def _read_text(path: Path) -> Content:
    if not path.is_file():
        return BrokenFile.MISSING
    return path.read_text("utf-8", "replace") or BrokenFile.EMPTY
