"""Stores in memory, written to folders as brokers leave them."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path

from brokers.disk.files.folders import ABORT, CHECKPOINT, COMMIT_LOG, CONSUME_QUEUE
from reference.store.mapped_file_queue import DiskFile, MappedFileQueue
from reference.store.store import Store

CHECKPOINT_BYTES = 4096


def list_files(queue: MappedFileQueue) -> Iterator[DiskFile]:
    """Its files, mapped or not."""
    for file in queue.mapped_files:
        yield DiskFile(file.name, file.content)
    yield from queue.other_files


def render_store(store: Store, root: Path) -> Path:
    """The files that another process finds; of a store that was left to it. The root's path."""
    write_files(store.commit_log, root / COMMIT_LOG)
    for queue in (*store.consume_queues_on_disk, *store.consume_queues.values()):
        write_files(queue.files, root / CONSUME_QUEUE / queue.topic / str(queue.queue_id))
    times = store.checkpoint_on_disk
    told = (times.physic_msg_timestamp_ms, times.logics_msg_timestamp_ms)
    data = struct.pack(">qqq", *told, times.index_msg_timestamp_ms)
    (root / CHECKPOINT).write_bytes(data.ljust(CHECKPOINT_BYTES, b"\0"))
    if store.has_abort_file:
        (root / ABORT).touch()
    return root


def write_files(queue: MappedFileQueue, folder: Path) -> None:
    """Its files in a folder, which is made even for none."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in list_files(queue):
        (folder / file.name).write_bytes(file.content.data)
