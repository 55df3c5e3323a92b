"""Flushing: on command, and for puts that wait for it.

Each request checks flushedWhere before each of its two flushes and not after the second one: a put
that needs both, because it rolled over a file, is refused although all is flushed (T5-00766).
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import evolve

from reference.store import mapped_file_queue as queues
from reference.store.store import Store, keep_physic_timestamp

FLUSHES_OF_REQUEST = 2
"""A message may be at the beginning of one file while the flush is still in the one before."""


def flush(store: Store) -> tuple[Store, int]:
    """Flush one file; returns flushedWhere (``CommitLog#flush``, bytes)."""
    log, _ = queues.flush(queues.commit(store.commit_log), 0)
    return evolve(store, commit_log=log), log.flushed_where_bytes


def flush_pages(store: Store, flush_least_pages: int) -> tuple[Store, bool]:
    """Flush one file if enough of it is written; True: nothing changed."""
    log, is_unchanged = queues.flush(store.commit_log, flush_least_pages)
    return evolve(store, commit_log=log), is_unchanged


def do_commit(store: Store, next_offsets_bytes: Iterable[int]) -> tuple[Store, tuple[bool, ...]]:
    """Answer the requests of one round (``GroupCommitService#doCommit``).

    A request is the offset after a message. A round without requests flushes too.
    """
    log = store.commit_log
    answers: list[bool] = []
    for next_offset in next_offsets_bytes:
        is_flushed = False
        for _ in range(FLUSHES_OF_REQUEST):
            is_flushed = log.flushed_where_bytes >= next_offset
            if is_flushed:
                break
            log, _ = queues.flush(log, 0)
        answers.append(is_flushed)
    if not answers:
        log, _ = queues.flush(log, 0)
        return evolve(store, commit_log=log), ()
    return keep_physic_timestamp(evolve(store, commit_log=log)), tuple(answers)
