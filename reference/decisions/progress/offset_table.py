"""A broker's table of progress: commits and queries.

The file that keeps it is in ``config_file``.
Source: ConsumerOffsetManager and ConsumerManageProcessor of 4.4.0.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import TypeAlias

from attrs import frozen

from reference.decisions.reading.decision import Case, choose_first, compute_first
from reference.decisions.reading.settings import is_further_back_than_memory
from reference.language.operators import negate

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


def split_keys(table: OffsetTable) -> list[tuple[str, str]]:
    """Topics and groups that have progress; a key that is not one of each is left out."""
    pairs = [key.split(KEY_SEPARATOR) for key in table]
    return [(pair[0], pair[1]) for pair in pairs if len(pair) == 2]


def commit(table: OffsetTable, key: str, queue: int, offset: int) -> OffsetTable:
    """The table after a commit (R-CO-01): whatever the role and the previous value.

    Source: ConsumerOffsetManager#commitOffset.
    """
    return {**table, key: {**table.get(key, {}), queue: offset}}


def commit_first_lost(table: OffsetTable, key: str, queue: int, offset: int) -> OffsetTable:
    """The table if another first commit of the key comes between lookup and write (R-CO-02).

    Both have found no map for the key; the later writer replaces the other's map with its own.
    ``table`` already holds the other's commit.
    """
    return {**table, key: {queue: offset}}


@frozen
class QueryConsumerOffsetRequest:
    """A QUERY_CONSUMER_OFFSET request, and the state that it finds."""

    table: OffsetTable
    key: str
    queue: int
    queue_min_offset: int = 0
    """For an unknown queue it is 0."""
    first_physical_offset: int | None = None
    """Offset in the log of the message with queue offset 0; None: the queue has no such entry."""
    log_max_offset: int = 0
    memory_bytes: int = 0
    """How far behind the log's end messages count as being in memory."""


@frozen
class QueryAnswer:
    """The broker's answer."""

    code: QueryCode
    offset: int | None
    """None without success."""
    decided_by: str
    """Name of the condition that decided."""


def get_stored(query: QueryConsumerOffsetRequest) -> int:
    """The stored progress; -1 if there is none (ConsumerOffsetManager#queryOffset)."""
    return query.table.get(query.key, {}).get(query.queue, -1)


NOT_FOUND = -1
"""Stands for an answer without an offset where a number is needed."""


@frozen
class ProgressKnowledge:
    """A broker's knowledge when it is queried for progress: numbers, or terms."""

    stored: int
    """Stored progress; -1: none."""
    queue_min_offset: int
    is_first_message_on_disk: bool
    """The queue's first message exists, and lies further back than memory reaches."""


def is_stored(known: ProgressKnowledge) -> bool:
    """The table has progress for this group and queue."""
    return known.stored >= 0


def is_first_message_on_disk(query: QueryConsumerOffsetRequest) -> bool:
    """The queue's first message exists, and lies further back than memory reaches.

    Source: DefaultMessageStore#checkInDiskByConsumeOffset.
    """
    first = query.first_physical_offset
    return first is not None and is_further_back_than_memory(
        query.log_max_offset, first, query.memory_bytes
    )


def is_queue_young(known: ProgressKnowledge) -> bool:
    """No message of the queue was deleted, and its beginning still counts as being in memory."""
    return (known.queue_min_offset <= 0) & negate(known.is_first_message_on_disk)


def is_progress_unknown(known: ProgressKnowledge) -> bool:
    """Nothing is stored, and an old queue is not to be read from its beginning by mistake."""
    return negate(is_stored(known) | is_queue_young(known))


ANSWERS: tuple[Case[ProgressKnowledge, int], ...] = (
    (is_stored, lambda known: known.stored),
    (is_queue_young, lambda _: 0),
    (is_progress_unknown, lambda _: NOT_FOUND),
)
"""What decides the answer, in the order of the code (R-CO-05)."""


def compute_answer(known: ProgressKnowledge) -> int:
    """The offset of the answer, or NOT_FOUND: numbers and terms alike."""
    return compute_first(ANSWERS, known)


def answer_query(query: QueryConsumerOffsetRequest) -> QueryAnswer:
    """The answer to a query (ConsumerManageProcessor#queryConsumerOffset)."""
    known = ProgressKnowledge(
        get_stored(query), query.queue_min_offset, is_first_message_on_disk(query)
    )
    decided = choose_first(ANSWERS, known)
    assert decided is not None  # One of the three always holds.
    if decided.value == NOT_FOUND:
        return QueryAnswer(QueryCode.QUERY_NOT_FOUND, None, decided.by)
    return QueryAnswer(QueryCode.SUCCESS, decided.value, decided.by)
