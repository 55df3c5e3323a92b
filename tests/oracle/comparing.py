"""Tables of rows: how many are answered alike, and where others differ."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from tests.compressed import read_compressed
from tests.oracle import broker_rows, transfer_rows
from tests.oracle.store_rows import RowError, Session

NOT_TOLD = "nothing"
SHOWN_CHARACTERS = 100
HERE = Path()


class UnreadableError(Exception):
    """A file that holds no rows of the oracle; the message is one line."""


@frozen
class Difference:
    """One answer that differs."""

    row_id: str
    op_number: int | None
    """From 0; None: after all of them."""
    field: str
    expected: Any
    got: Any

    def __str__(self) -> str:
        place = "end" if self.op_number is None else f"op {self.op_number}"
        expected, got = shorten(self.expected), shorten(self.got)
        return f"{self.row_id} {place} {self.field}: expected {expected}, got {got}"


@frozen
class Comparison:
    """A table against the store."""

    name: str
    row_count: int
    alike_count: int
    """Of all rows, those that may differ included."""
    may_differ_count: int
    """Rows whose answers the real threads race for."""
    differences: tuple[Difference, ...]
    """The first of each row that must be alike and is not."""
    may_differ: tuple[Difference, ...]
    """The first of each row that may differ and does."""


def shorten(value: Any) -> str:
    """A value in one short piece."""
    text = value if value is NOT_TOLD else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "..."


def read_rows(file: Path) -> Iterator[Mapping[str, Any]]:
    """The rows of a table. Raises UnreadableError."""
    try:
        lines = read_compressed(file).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise UnreadableError(f"{file}: {reason}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise UnreadableError(f"{file}:{number}: not JSON: {error.msg}") from error
        if missing := find_missing(row):
            raise UnreadableError(f"{file}:{number}: a row has no {missing}")
        yield row


def find_missing(row: Any) -> str | None:
    """What a row has to have and lacks."""
    if not isinstance(row, dict):
        return "fields"
    if "input" in row:
        return next((name for name in ("id", "output") if name not in row), None)
    if "queues" in row:
        return next((name for name in ("name", "store") if name not in row), None)
    is_script = "script" in row
    asked = ("service", "prepare", "answers", "script_lag_ms") if is_script else ("ops", "out")
    missing = next((name for name in ("id", "cfg", *asked) if name not in row), None)
    if missing is None and "file_size" not in row["cfg"]:
        missing = "cfg.file_size"
    return missing


def list_differences(row: Mapping[str, Any], folder: Path = HERE) -> Iterator[Difference]:
    """Every answer of a row that differs. Raises UnreadableError for what cannot be asked.

    ``folder`` is where files lie that a table needs beside its rows.
    """
    try:
        if "queues" in row:
            for number, field, expected, got in broker_rows.list_store_differences(row):
                yield Difference(row["name"], number, field, expected, got)
            return
        if "input" in row:
            for number, field, expected, got in broker_rows.list_differences(row, folder):
                yield Difference(row["id"], number, field, expected, got)
            return
        if "script" in row:
            for number, field, expected, got in transfer_rows.list_differences(row):
                yield Difference(row["id"], number, field, expected, got)
            return
        answers = json.loads(json.dumps(Session(row).run()))
    except RowError as error:
        raise UnreadableError(f"{row['id']}: {error}") from error
    except KeyError as error:
        raise UnreadableError(f"{row['id']}: {error} is missing or has no meaning") from error
    for number, (expected, got) in enumerate(zip(row["out"], answers, strict=False)):
        for field, one, other in list_fields(expected, got):
            yield Difference(row["id"], number, field, one, other)
    if len(row["out"]) != len(answers):
        yield Difference(row["id"], None, "answers", len(row["out"]), len(answers))


def list_fields(expected: Any, got: Any) -> Iterator[tuple[str, Any, Any]]:
    """Where two answers differ, field by field."""
    if not (isinstance(expected, dict) and isinstance(got, dict)):
        if expected != got:
            yield "answer", expected, got
        return
    for field in sorted(expected.keys() | got.keys()):
        one, other = expected.get(field, NOT_TOLD), got.get(field, NOT_TOLD)
        if one != other:
            yield field, one, other


def compare(file: Path) -> Comparison:
    """Ask every row of a table. Raises UnreadableError."""
    rows = alike = may_differ = 0
    found: dict[bool, list[Difference]] = {True: [], False: []}
    for row in read_rows(file):
        rows += 1
        is_race = bool(row.get("race"))
        may_differ += is_race
        first = next(list_differences(row, file.parent), None)
        alike += first is None
        found[is_race] += [first] if first else []
    return Comparison(
        file.name.partition(".")[0],
        rows,
        alike,
        may_differ,
        tuple(found[False]),
        tuple(found[True]),
    )
