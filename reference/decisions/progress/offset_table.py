"""A broker's table of progress: commits and queries, and the file that keeps it.

The file has a backup; kills and power losses leave one of them, or something old. Progress, topics,
groups and delay offsets are all kept in this way.
Source: ConsumerOffsetManager, ConsumerManageProcessor, ConfigManager#persist, ConfigManager#load
and MixAll#string2File of 4.4.0.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from attrs import evolve, fields, frozen

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


Text: TypeAlias = str
"""What a complete file says; any value stands for one table."""


class Broken(enum.Enum):
    """What a file may be instead of complete."""

    MISSING = "missing"
    EMPTY = "empty"
    PARTIAL = "partial"
    """Cut somewhere inside: it cannot be decoded."""


Content: TypeAlias = Text | Broken


@frozen
class Files:
    """The three files of one table."""

    main: Content = Broken.MISSING
    """``consumerOffset.json``."""
    backup: Content = Broken.MISSING
    """``consumerOffset.json.bak``."""
    temporary: Content = Broken.MISSING
    """``consumerOffset.json.tmp``."""


@frozen
class Loaded:
    """What a start makes of the files."""

    text: Text | None
    """The table; None: an empty one."""
    is_broker_started: bool = True
    """A backup that cannot be decoded ends the start."""


def is_readable(content: Content) -> bool:
    """There is a file with something in it."""
    return content not in (Broken.MISSING, Broken.EMPTY)


def persist(files: Files, text: Text) -> Files:
    """The files after a table was written (R-CO-03)."""
    return list(list_persist_steps(files, text))[-1]


def list_persist_steps(files: Files, text: Text) -> Iterator[Files]:
    """The files before a table is written, after each system call, and at the end.

    A file is emptied when it is opened, and may be partly written when the process ends.
    """
    yield files
    for content in (Broken.EMPTY, Broken.PARTIAL, text):
        yield (files := evolve(files, temporary=content))
    if files.main is not Broken.MISSING:
        for content in (Broken.EMPTY, Broken.PARTIAL, files.main):
            yield (files := evolve(files, backup=content))
    yield (files := evolve(files, main=Broken.MISSING))
    yield Files(main=text, backup=files.backup)


def list_after_kill(files: Files, text: Text) -> tuple[Files, ...]:
    """What a process may leave that is killed at any instant of writing a table."""
    return tuple(dict.fromkeys(list_persist_steps(files, text)))


def list_after_power_loss(history: Sequence[Files]) -> Iterator[Files]:
    """What a power loss may leave; ``history`` begins with what surely is on disk.

    Nothing forces these files to disk (no ``fsync``), so each one may have any content that it had
    since, and what was written since may be there in part or not at all. Names that were changed
    may keep either meaning.
    """
    choices = []
    for name in (field.name for field in fields(Files)):
        seen = dict.fromkeys(getattr(files, name) for files in history)
        damaged: tuple[Content, ...] = (Broken.EMPTY, Broken.PARTIAL) if len(seen) > 1 else ()
        choices.append(tuple(dict.fromkeys((*seen, *damaged))))
    for main, backup, temporary in itertools.product(*choices):
        yield Files(main, backup, temporary)


def load(files: Files) -> Loaded:
    """The table that a start reads (R-CO-03): the backup's where the file gives none.

    Source: ConfigManager#load, ConfigManager#loadBak.
    """
    if isinstance(files.main, str) and files.main:
        return Loaded(files.main)
    if isinstance(files.backup, str) and files.backup:
        return Loaded(files.backup)
    return Loaded(None, is_broker_started=not is_readable(files.backup))


def list_loadable_after_kill(files: Files, text: Text) -> frozenset[Loaded]:
    """Everything that a start may read after a kill while a table was written."""
    return frozenset(map(load, list_after_kill(files, text)))


def list_loadable_after_power_loss(history: Sequence[Files]) -> frozenset[Loaded]:
    """Everything that a start may read after a power loss."""
    return frozenset(map(load, list_after_power_loss(history)))
