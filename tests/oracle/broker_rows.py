"""Rows about brokers, consumers and the name server: of which table, and who answers them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

from tests.oracle.store_rows import RowError

Row: TypeAlias = Mapping[str, Any]
Found: TypeAlias = tuple[int | None, str, Any, Any]
"""A difference: the step from 0, if the row has steps; the field; what is expected, and what is
answered."""
Ask: TypeAlias = Callable[[Row, Path], Iterator[Found]]

ASKED: dict[str, str] = {
    "call": "get_message_rows",
    "request": "pull_rows",
    "query": "progress_rows",
}
"""The module that answers, by a field of the input that rows of one table have and no others."""
STORES = "get_message_rows"


def list_differences(row: Row, folder: Path) -> Iterator[Found]:
    """Every answer that differs. Raises RowError for a row of no table."""
    name = next((name for field, name in ASKED.items() if field in row["input"]), None)
    if name is None:
        raise RowError(f"no table has rows with {', '.join(row['input'])}")
    ask: Ask = import_module(f"tests.oracle.{name}").list_differences
    yield from ask(row, folder)


def list_store_differences(row: Row) -> Iterator[Found]:
    """Where queues differ that lie beside a table of reads."""
    ask = import_module(f"tests.oracle.{STORES}").list_store_differences
    yield from ask(row)


def list_fields(number: int | None, expected: Row, got: Row) -> Iterator[Found]:
    """Where two answers differ, field by field; what is not expected is not asked."""
    for field, value in expected.items():
        if got.get(field) != value:
            yield number, field, value, got.get(field)
