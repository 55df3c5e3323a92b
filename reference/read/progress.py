"""Consumers' progress on a broker: how it is stored, and what is told to whom asks for it.

A table has a map for each topic and group, ``topic@group``, with an offset for each queue.
Source: ConsumerOffsetManager#commitOffset, ConsumerManageProcessor#queryConsumerOffset.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from attrs import frozen

from reference.read.decision import Case, Decided, choose_first

Offsets: TypeAlias = Mapping[int, int]
"""Offset by queue."""

Progress: TypeAlias = Mapping[str, Offsets]
"""By topic and group."""


def name_key(topic: str, group: str) -> str:
    """How a table names a topic and a group."""
    return f"{topic}@{group}"


def commit(table: Progress, key: str, queue: int, offset: int) -> Progress:
    """An offset is stored, on masters and slaves, whatever was there before (R-CO-01)."""
    return {**table, key: {**table.get(key, {}), queue: offset}}


@frozen
class Query:
    """A client asks for its progress."""

    stored: int | None
    """What the table has; None for nothing."""
    queue_min_offset: int
    """0 for a queue that does not exist."""
    is_first_in_disk: bool
    """The message 0 of the queue is further back than memory."""


def is_stored(query: Query) -> bool:
    """The table has an offset."""
    return query.stored is not None and query.stored >= 0


def is_queue_young(query: Query) -> bool:
    """The queue still begins at 0, and its first message is taken to be in memory."""
    return query.queue_min_offset <= 0 and not query.is_first_in_disk


ANSWERS: tuple[Case[Query, int], ...] = (
    (is_stored, lambda query: query.stored or 0),
    (is_queue_young, lambda _: 0),
)
"""The offset that is answered (R-CO-05); otherwise it is QUERY_NOT_FOUND."""


def answer_query(query: Query) -> Decided[int] | None:
    """The offset that a client is told; None for QUERY_NOT_FOUND."""
    return choose_first(ANSWERS, query)
