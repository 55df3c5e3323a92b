"""The set ``copying``: a slave copies its master's tables."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from properties.vectors import schema
from properties.vectors.question import Ask, Data, ExpectedAnswer, VectorSet
from reference.decisions.metadata import copying
from reference.decisions.metadata.broker_tables import BrokerTables, DataVersion, VersionedTable
from reference.decisions.reading.question import QuestionError
from reference.releases.releases import is_since

SEED = 4403
COPIES = 300
RESTARTS = 40
MASTER, OWN = "10.0.0.1:10911", "10.0.0.2:10911"


def find_form(release: str) -> copying.CopyForm:
    """How a release copies."""
    return copying.FORM_4_5_0 if is_since(release, "4.5.1") else copying.FORM_4_4_0


def read_offsets(table: Mapping[str, Mapping[str, int]] | None) -> Any:
    """Progress, of which JSON has queues as names."""
    if table is None:
        return None
    return {key: {int(q): offset for q, offset in each.items()} for key, each in table.items()}


def read_tables(told: Data) -> BrokerTables:
    """A broker's tables."""
    topics, groups = (
        VersionedTable(DataVersion(*told[name]["version"]), told[name]["entries"])
        for name in ("topics", "groups")
    )
    return BrokerTables(
        topics,
        groups,
        read_offsets(told["offsets"]),
        read_offsets(told["offsetFile"]),
        told["delayOffsets"],
        told["delayFile"],
        told["masterAddress"],
    )


def write_versioned(table: VersionedTable[Any]) -> Data:
    """A table of topics or groups."""
    version = table.version
    entries = dict(table.entries)
    return {"version": [version.timestamp_ms, version.counter], "entries": entries}


def write_offsets(table: Mapping[str, Mapping[int, int]] | None) -> Any:
    """Progress, or None."""
    if table is None:
        return None
    return {key: {str(q): offset for q, offset in each.items()} for key, each in table.items()}


def write_tables(tables: BrokerTables) -> Data:
    """A broker's tables as JSON."""
    return {
        "topics": write_versioned(tables.topics),
        "groups": write_versioned(tables.groups),
        "offsets": write_offsets(tables.offsets),
        "offsetFile": write_offsets(tables.offset_file),
        "delayOffsets": dict(tables.delay_offsets),
        "delayFile": None if tables.delay_file is None else dict(tables.delay_file),
        "masterAddress": tables.master_address,
    }


def answer_copy(release: str, ask: Data) -> ExpectedAnswer:
    """One copy: the slave's tables afterwards."""
    slave = read_tables(ask["slave"])
    master = None if ask["master"] is None else read_tables(ask["master"])
    form, own = find_form(release), ask["ownAddress"]
    after = copying.sync_all(slave, master, failing=ask["failing"], form=form, own_address=own)
    told = {"slave": write_tables(after)}
    return ExpectedAnswer(told, "sync_all", "metadata.md#a-copy-step-by-step")


def answer_restart(_release: str, ask: Data) -> ExpectedAnswer:
    """A new process over the same files."""
    tables = read_tables(ask["tables"]).restart(ask["nowMs"])
    told = {"tables": write_tables(tables)}
    return ExpectedAnswer(told, "restart", "metadata.md#a-copy-step-by-step")


def answer_schedule(release: str, ask: Data) -> ExpectedAnswer:
    """When a copy is due, and how long it may take at most."""
    form = find_form(release)
    told = {"dueMs": form.compute_copy_ms(ask["copy"]), "mostMs": copying.compute_worst_ms(form)}
    return ExpectedAnswer(told, "compute_copy_ms", "metadata.md#intervals")


KINDS: Mapping[str, Callable[[str, Data], ExpectedAnswer]] = {
    "copy": answer_copy,
    "restart": answer_restart,
    "schedule": answer_schedule,
}


def answer(release: str, ask: Data) -> ExpectedAnswer:
    """The answer to a question of any kind."""
    if ask["kind"] not in KINDS:
        raise QuestionError(f"there is no kind {ask['kind']!r}")
    return KINDS[ask["kind"]](release, ask)


def draw_versioned(draw: random.Random, names: tuple[str, ...]) -> Data:
    """A table of topics or groups; versions are few, so that they are often equal."""
    chosen = [name for name in names if draw.random() < 0.5]
    version = [draw.choice((1000, 1000, 2000)), draw.choice((0, 0, 1))]
    return {
        "version": version,
        "entries": {n: {"readQueueNums": draw.choice((4, 8))} for n in chosen},
    }


def draw_offsets(draw: random.Random) -> dict[str, dict[str, int]]:
    """Progress of few groups in few queues."""
    keys = [key for key in ("t@g", "t@h", "u@g") if draw.random() < 0.6]
    return {
        key: {q: draw.choice((0, 5, 9)) for q in ("0", "1") if draw.random() < 0.7} for key in keys
    }


def draw_tables(draw: random.Random, address: str | None) -> Data:
    """A broker's tables."""
    delays = {level: draw.choice((0, 3, 8)) for level in ("1", "2") if draw.random() < 0.6}
    return {
        "topics": draw_versioned(draw, ("ta", "tb")),
        "groups": draw_versioned(draw, ("ga", "gb")),
        "offsets": draw_offsets(draw),
        "offsetFile": draw_offsets(draw) if draw.random() < 0.6 else None,
        "delayOffsets": delays,
        "delayFile": {"1": 1} if draw.random() < 0.5 else None,
        "masterAddress": address,
    }


def list_asks(_release: str) -> Iterator[Ask]:
    """Every pattern of failing steps comes first; the rest is drawn."""
    draw = random.Random(SEED)
    patterns = [
        [step for step, is_failing in zip(copying.STEPS, pattern, strict=True) if is_failing]
        for pattern in itertools.product((False, True), repeat=len(copying.STEPS))
    ]
    for number in range(COPIES):
        address = draw.choice((MASTER, MASTER, MASTER, MASTER, OWN, None))
        failing = patterns[number % len(patterns)] if draw.random() < 0.6 else []
        ask: Data = {
            "kind": "copy",
            "slave": draw_tables(draw, address),
            "master": draw_tables(draw, None) if draw.random() < 0.9 else None,
            "failing": failing,
            "ownAddress": OWN,
        }
        yield Ask(f"copy without {', '.join(failing) or 'failures'}", ask)
    for _ in range(RESTARTS):
        tables = draw_tables(draw, MASTER)
        yield Ask("restart", {"kind": "restart", "tables": tables, "nowMs": 5000})
    for number in (0, 1, 2, 10):
        yield Ask(f"copy {number}", {"kind": "schedule", "copy": number})


VERSIONED = schema.make_object(
    {
        "version": schema.describe(schema.make_list(schema.INTEGER), "Time stamp (ms), counter."),
        "entries": schema.make_table({"type": "object"}),
    }
)
OFFSETS = schema.describe(
    schema.make_table(schema.make_table(schema.INTEGER)), "By topic@group and queue."
)
TABLES = schema.make_object(
    {
        "topics": VERSIONED,
        "groups": VERSIONED,
        "offsets": OFFSETS,
        "offsetFile": schema.make_nullable(OFFSETS),
        "delayOffsets": schema.make_table(schema.INTEGER),
        "delayFile": schema.make_nullable(schema.make_table(schema.INTEGER)),
        "masterAddress": schema.OPTIONAL_TEXT,
    }
)
ASKS: Mapping[str, Data] = {
    "copy": schema.make_object(
        {
            "slave": TABLES,
            "master": schema.describe(schema.make_nullable(TABLES), "Null: it does not answer."),
            "failing": schema.make_list(schema.make_choice(*copying.STEPS)),
            "ownAddress": schema.TEXT,
        }
    ),
    "restart": schema.make_object({"tables": TABLES, "nowMs": schema.INTEGER}),
    "schedule": schema.make_object({"copy": schema.COUNT}),
}
ANSWERS: tuple[Data, ...] = (
    schema.make_object({"slave": TABLES}),
    schema.make_object({"tables": TABLES}),
    schema.make_object({"dueMs": schema.COUNT, "mostMs": schema.COUNT}),
)

COPYING = VectorSet(
    "copying",
    "A slave's tables after a copy of its master's, after a restart, and when copies are due.",
    list_asks,
    answer,
    schema.make_kinds(ASKS),
    {"anyOf": list(ANSWERS)},
    {"4.4.0": "4.4.0", "4.9.8": "4.9.8"},
    SEED,
    "5.x copies in other ways, which the world of tables has (tables.md), not these functions.",
)
