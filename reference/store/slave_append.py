"""A slave's writes: the bytes that its master sends."""

from __future__ import annotations

from attrs import evolve

from reference.store import allocation, mapped_file
from reference.store import mapped_file_queue as queues
from reference.store.allocation import Creation
from reference.store.content import Content
from reference.store.store import Store


def append_to_commit_log(
    store: Store, start_offset_bytes: int, data: Content, creation: Creation, now_ms: int
) -> tuple[Store, bool]:
    """Append, unless the store is not running (``DefaultMessageStore#appendToCommitLog``)."""
    if store.is_shutdown:
        return store, False
    return append_data(store, start_offset_bytes, data, creation, now_ms)


def append_data(
    store: Store, start_offset_bytes: int, data: Content, creation: Creation, now_ms: int
) -> tuple[Store, bool]:
    """Append bytes at the log's end, wherever their master has them (``CommitLog#appendData``).

    Only an empty log considers the offset, and only its file. Bytes that would cross a file's end
    are refused as a whole, and a later, shorter piece is accepted: a gap that is never reported
    (T2-00196). Even an append of no bytes creates a missing file.
    """
    log, service, file = allocation.get_or_create_last_mapped_file(
        store.commit_log, store.allocation, start_offset_bytes, creation, now_ms
    )
    store = evolve(store, commit_log=log, allocation=service)
    if file is None:
        return store, False
    appended, is_appended = mapped_file.append_data(file, data, now_ms)
    return evolve(store, commit_log=queues.replace_file(log, file, appended)), is_appended
