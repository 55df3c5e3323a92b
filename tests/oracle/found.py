"""How rows about brokers, consumers and the name server differ from what is answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

Row: TypeAlias = Mapping[str, Any]
Found: TypeAlias = tuple[int | None, str, Any, Any]
"""A difference: the step from 0, if the row has steps; the field; what is expected, and what is
answered."""


def list_fields(number: int | None, expected: Row, got: Row) -> Iterator[Found]:
    """Where two answers differ, field by field; what is not expected is not asked."""
    for field, value in expected.items():
        if got.get(field) != value:
            yield number, field, value, got.get(field)
