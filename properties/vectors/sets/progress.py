"""The set ``progress``: queries of progress, where a consumer begins, and the file that keeps it.

Files are given as their text: what is missing, empty, cut or foreign is what a broker finds.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping

from properties.vectors import schema
from properties.vectors.question import Ask, Data, ExpectedAnswer, VectorSet
from reference.decisions.metadata.stored_broker import classify
from reference.decisions.metadata.table_text import OFFSETS
from reference.decisions.progress import client_offsets, config_file, offset_table
from reference.decisions.progress.config_file import BrokenFile, Content, Files
from reference.decisions.reading.question import QuestionError

SEED = 4402
QUERIES = 250
NOW_MS = 10**12
"""The classification of a table of progress does not use it."""

TABLES = (
    '{"offsetTable":{"t@g":{0:7,1:3}}}',
    '{"offsetTable":{}}',
    '{"offsetTable":{"u@g":{0:1}}}',
)
TEXTS = (None, "", '{"offsetTable":{"t@g":{0:7,1', "null", "{}", "[]", "  ", *TABLES)
"""A file that is missing, empty, cut, without such a table, and whole."""
FILE_NAMES = ("main", "backup", "temporary")


def answer_query(ask: Data) -> ExpectedAnswer:
    """QUERY_CONSUMER_OFFSET after some commits."""
    table: offset_table.OffsetTable = {}
    for topic, group, queue, offset in ask["commits"]:
        table = offset_table.commit(table, offset_table.name_key(topic, group), queue, offset)
    topic, group, queue = ask["query"]
    query = offset_table.QueryConsumerOffsetRequest(
        table,
        offset_table.name_key(topic, group),
        queue,
        ask["queueMinOffset"],
        ask["firstPhysicalOffset"],
        ask["logMaxOffset"],
        ask["memoryBytes"],
    )
    found = offset_table.answer_query(query)
    told = {"code": int(found.code), "offset": found.offset}
    return ExpectedAnswer(told, found.decided_by, "progress.md#queries")


def answer_begin(ask: Data) -> ExpectedAnswer:
    """Where a consumer begins to read a queue."""
    reply = ask["reply"]
    told = None if reply is None else client_offsets.OffsetReply(reply["code"], reply["offset"])
    stored = client_offsets.read_stored(told)
    beginning = client_offsets.Beginning(
        stored,
        client_offsets.read_strategy(ask["consumeFromWhere"]),
        ask["isRetryTopic"],
        ask["masterMaxOffset"],
        ask["masterTimeOffset"],
    )
    decided = client_offsets.compute_pull_from_where(beginning)
    found = {"stored": stored, "offset": decided.value}
    return ExpectedAnswer(found, decided.by, "progress.md#where-reading-begins")


def read_content(text: str | None) -> Content:
    """The content of a file with this text; None: it is missing."""
    if text is None:
        return BrokenFile.MISSING
    return classify(OFFSETS, text or BrokenFile.EMPTY, NOW_MS)


def answer_load(ask: Data) -> ExpectedAnswer:
    """Which file's text a start uses; a file that can be read may name no table."""
    texts = ask["files"]
    files = Files(*(read_content(texts[name]) for name in FILE_NAMES))
    loaded = config_file.load(files)
    table = None if loaded.text is None else loaded.text
    told = {"isStarted": loaded.is_broker_started, "text": table}
    return ExpectedAnswer(told, "load", "progress.md#the-file")


def answer_persist(ask: Data) -> ExpectedAnswer:
    """The files after a table was written, and what a start reads at each instant of it."""
    kept = {None: BrokenFile.MISSING, "": BrokenFile.EMPTY}
    files = Files(*(kept.get(ask["files"][name], ask["files"][name]) for name in FILE_NAMES))
    after = config_file.persist(files, ask["text"])
    texts = {name: getattr(after, name) for name in FILE_NAMES}
    back = {BrokenFile.MISSING: None, BrokenFile.EMPTY: ""}
    told = {"files": {n: back.get(c, c) for n, c in texts.items()}}
    return ExpectedAnswer(told, "persist", "progress.md#the-file")


KINDS: Mapping[str, Callable[[Data], ExpectedAnswer]] = {
    "query": answer_query,
    "begin": answer_begin,
    "load": answer_load,
    "persist": answer_persist,
}


def answer(_release: str, ask: Data) -> ExpectedAnswer:
    """The answer to a question of any kind."""
    if ask["kind"] not in KINDS:
        raise QuestionError(f"there is no kind {ask['kind']!r}")
    return KINDS[ask["kind"]](ask)


def list_queries() -> Iterator[Ask]:
    """Commits to two groups, topics and queues, and a query of one of them."""
    draw = random.Random(SEED)
    for _ in range(QUERIES):
        place = [draw.choice(("t", "u")), draw.choice(("g", "h")), draw.choice((0, 1))]
        commits = [
            [draw.choice(("t", "u")), draw.choice(("g", "h")), draw.choice((0, 1)), offset]
            for offset in draw.choices((0, 1, 5, 99, -1), k=draw.choice((0, 0, 1, 2, 6)))
        ]
        memory = draw.choice((0, 1, 4096))
        first = draw.choice((None, 0, 0, 100))
        distance = memory + draw.choice((-1, 0, 1, 2))
        ask = {
            "kind": "query",
            "commits": commits,
            "query": place,
            "queueMinOffset": draw.choice((0, 0, 0, 1, 20)),
            "firstPhysicalOffset": first,
            "logMaxOffset": max(0, (first or 0) + distance),
            "memoryBytes": memory,
        }
        yield Ask(f"query after {len(commits)} commits", ask)


REPLIES: tuple[Data | None, ...] = (
    None,
    {"code": 0, "offset": 0},
    {"code": 0, "offset": 7},
    {"code": 0, "offset": -1},
    {"code": 0, "offset": -2},
    {"code": 0, "offset": None},
    {"code": 22, "offset": None},
    {"code": 1, "offset": None},
)
STRATEGIES = (
    *(each.value for each in client_offsets.ConsumeFromWhere),
    *client_offsets.OUTDATED_STRATEGIES,
)


def list_begins() -> Iterator[Ask]:
    """Every reply with every strategy; with and without a master's answer where it is used."""
    ends = ((100, 40), (0, 0), (-1, -1))
    for reply, strategy, is_retry, (end, place) in itertools.product(
        REPLIES, STRATEGIES, (False, True), ends
    ):
        ask = {
            "kind": "begin",
            "reply": reply,
            "consumeFromWhere": strategy,
            "isRetryTopic": is_retry,
            "masterMaxOffset": end,
            "masterTimeOffset": place,
        }
        yield Ask(f"begin with {strategy}", ask)


def list_files() -> Iterator[Ask]:
    """Every pair of contents at a start, and writes over what may be there."""
    for main, backup in itertools.product(TEXTS, TEXTS):
        files = {"main": main, "backup": backup, "temporary": None}
        yield Ask("load", {"kind": "load", "files": files})
    for main, backup, temporary in itertools.product(
        (None, "", TABLES[0]), (None, TABLES[1]), (None, TABLES[2])
    ):
        files = {"main": main, "backup": backup, "temporary": temporary}
        for text in TABLES[:2]:
            yield Ask("persist", {"kind": "persist", "files": files, "text": text})


def list_asks(_release: str) -> Iterator[Ask]:
    """Queries are drawn; all else is enumerated."""
    yield from list_queries()
    yield from list_begins()
    yield from list_files()


FILES = schema.make_object(dict.fromkeys(FILE_NAMES, schema.OPTIONAL_TEXT))
REPLY = schema.make_object({"code": schema.INTEGER, "offset": schema.OPTIONAL_INTEGER})
ASKS: Mapping[str, Data] = {
    "query": schema.make_object(
        {
            "commits": schema.describe(
                schema.make_list({"type": "array"}), "Each is topic, group, queue, offset."
            ),
            "query": schema.describe({"type": "array"}, "Topic, group, queue."),
            "queueMinOffset": schema.INTEGER,
            "firstPhysicalOffset": schema.describe(
                schema.OPTIONAL_INTEGER, "Where queue offset 0 lies in the log; null: it is gone."
            ),
            "logMaxOffset": schema.INTEGER,
            "memoryBytes": schema.describe(
                schema.INTEGER, "How far behind the log's end messages count as in memory."
            ),
        }
    ),
    "begin": schema.make_object(
        {
            "reply": schema.make_nullable(REPLY),
            "consumeFromWhere": schema.make_choice(*STRATEGIES),
            "isRetryTopic": schema.FLAG,
            "masterMaxOffset": schema.describe(schema.INTEGER, "-1: no master answers."),
            "masterTimeOffset": schema.describe(schema.INTEGER, "-1: no master answers."),
        }
    ),
    "load": schema.make_object({"files": FILES}),
    "persist": schema.make_object({"files": FILES, "text": schema.TEXT}),
}
ANSWERS: tuple[Data, ...] = (
    schema.make_object({"code": schema.COUNT, "offset": schema.OPTIONAL_INTEGER}),
    schema.make_object({"stored": schema.INTEGER, "offset": schema.OPTIONAL_INTEGER}),
    schema.make_object({"isStarted": schema.FLAG, "text": schema.OPTIONAL_TEXT}),
    schema.make_object({"files": FILES}),
)

PROGRESS = VectorSet(
    "progress",
    "Commits and a query, a consumer's beginning, and the files that keep progress.",
    list_asks,
    answer,
    schema.make_kinds(ASKS),
    {"anyOf": list(ANSWERS)},
    {"4.4.0": "4.4.0", "4.9.8": "4.4.0"},
    SEED,
    "From 5.0.0 on progress has rules that the model leaves out (V-44, V-52).",
)
