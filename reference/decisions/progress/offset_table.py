"""A broker's table of progress: commits and queries.

The file that keeps it is in ``config_file``.
Source: ConsumerOffsetManager and ConsumerManageProcessor of 4.4.0.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import TypeAlias

from attrs import frozen

from reference.decisions.reading.decision import Case, choose_first
from reference.decisions.reading.settings import is_further_back_than_memory

Offsets: TypeAlias = Mapping[int, int]
"""By queue: the queue offset that a group reads next."""

OffsetTable: TypeAlias = Mapping[str, Offsets]
"""By ``topic@group``: the group's progress in the queues of the topic."""

KEY_SEPARATOR = "@"
"""Between topic and group in a key (``ConsumerOffsetManager.TOPIC_GROUP_SEPARATOR``)."""


class QueryCode(enum.IntEnum):
    """The codes of 4.4.0 with which a query of progress is answered (ResponseCode)."""

    SUCCESS = 0
    QUERY_NOT_FOUND = 22


def name_key(topic: str, group: str) -> str:
    """The key of a group's progress in a topic."""
    return f"{topic}{KEY_SEPARATOR}{group}"


def commit(table: OffsetTable, key: str, queue: int, offset: int) -> OffsetTable:
    """The table after a commit (R-CO-01): whatever the role, whatever stood there before.

    Source: ConsumerOffsetManager#commitOffset.
    """
    return {**table, key: {**table.get(key, {}), queue: offset}}


def commit_first_lost(table: OffsetTable, key: str, queue: int, offset: int) -> OffsetTable:
    """The table if another first commit of the key comes between look and write (R-CO-02).

    Both have found no map for the key; the one that writes last puts its own in the place of the
    other's. ``table`` holds the other's commit already.
    """
    return {**table, key: {queue: offset}}


@frozen
class Query:
    """A QUERY_CONSUMER_OFFSET request, and the state that it finds."""

    table: OffsetTable
    key: str
    queue: int
    queue_min_offset: int = 0
    """Of an unknown queue it is 0."""
    first_physical_offset: int | None = None
    """Where the message with queue offset 0 lies; None: the queue has no such entry."""
    log_max_offset: int = 0
    memory_bytes: int = 0
    """How far behind the log's end messages count as being in memory."""


@frozen
class QueryAnswer:
    """What the broker says."""

    code: QueryCode
    offset: int | None
    """None without success."""
    decided_by: str
    """Name of the condition that decided."""


def get_stored(query: Query) -> int:
    """The stored progress; -1 where there is none (ConsumerOffsetManager#queryOffset)."""
    return query.table.get(query.key, {}).get(query.queue, -1)


def is_stored(query: Query) -> bool:
    """The table has progress for this group and queue."""
    return get_stored(query) >= 0


def is_first_message_on_disk(query: Query) -> bool:
    """The queue's first message exists, and lies further back than memory reaches.

    Source: DefaultMessageStore#checkInDiskByConsumeOffset.
    """
    first = query.first_physical_offset
    return first is not None and is_further_back_than_memory(
        query.log_max_offset, first, query.memory_bytes
    )


def is_queue_young(query: Query) -> bool:
    """Nothing of the queue was deleted, and its beginning still counts as being in memory."""
    return query.queue_min_offset <= 0 and not is_first_message_on_disk(query)


def is_progress_unknown(_query: Query) -> bool:
    """Nothing is stored, and an old queue is not to be read from its beginning by mistake."""
    return True


ANSWERS: tuple[Case[Query, tuple[QueryCode, int | None]], ...] = (
    (is_stored, lambda query: (QueryCode.SUCCESS, get_stored(query))),
    (is_queue_young, lambda _: (QueryCode.SUCCESS, 0)),
    (is_progress_unknown, lambda _: (QueryCode.QUERY_NOT_FOUND, None)),
)
"""What decides the answer, in the order of the code (R-CO-05)."""


def answer_query(query: Query) -> QueryAnswer:
    """The answer to a query (ConsumerManageProcessor#queryConsumerOffset)."""
    decided = choose_first(ANSWERS, query)
    assert decided is not None  # The last condition always holds.
    code, offset = decided.value
    return QueryAnswer(code, offset, decided.by)
