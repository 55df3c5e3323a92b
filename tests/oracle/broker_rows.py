"""Rows about brokers, consumers and the name server: of which table, and who answers them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from tests.oracle.store_rows import RowError

Row: TypeAlias = Mapping[str, Any]
Found: TypeAlias = tuple[int | None, str, Any, Any]
"""A difference: the step from 0, if the row has steps; the field; what is expected, and what is
answered."""
Ask: TypeAlias = Callable[[Row, Path], Iterator[Found]]

ASKED: dict[str, Ask] = {}
"""By a field of the input that rows of one table have and no others."""


def list_differences(row: Row, folder: Path) -> Iterator[Found]:
    """Every answer that differs. Raises RowError for a row of no table."""
    asked = next((ask for field, ask in ASKED.items() if field in row["input"]), None)
    if asked is None:
        raise RowError(f"no table has rows with {', '.join(row['input'])}")
    yield from asked(row, folder)


def list_fields(number: int | None, expected: Row, got: Row) -> Iterator[Found]:
    """Where two answers differ, field by field; what is not expected is not asked."""
    for field, value in expected.items():
        if got.get(field) != value:
            yield number, field, value, got.get(field)
