"""Rows about brokers, consumers and the name server: of which table, and who answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from tests.oracle import (
    client_rows,
    delay_rows,
    get_message_rows,
    name_server_rows,
    progress_rows,
    pull_rows,
    table_rows,
)
from tests.oracle.found import Found, Row
from tests.oracle.store_rows import RowError

Ask: TypeAlias = Callable[[Row, Path], Iterator[Found]]

KINDS: dict[str, Ask] = {**client_rows.ASKED}
"""By the ``kind`` of the input, where a table asks different things; looked at first."""

ASKED: dict[str, Ask] = {
    "call": get_message_rows.list_differences,
    "request": pull_rows.list_differences,
    "query": progress_rows.list_differences,
    "steps": name_server_rows.list_differences,
    "master_address": table_rows.list_differences,
    "messageDelayLevel": delay_rows.list_differences,
}
"""By a field of the input that rows of one table have and no others."""


def list_differences(row: Row, folder: Path) -> Iterator[Found]:
    """Every answer that differs. Raises RowError for a row of no table."""
    asked = KINDS.get(row["input"].get("kind", "")) or next(
        (ask for field, ask in ASKED.items() if field in row["input"]), None
    )
    if asked is None:
        raise RowError(f"no table has rows with {', '.join(row['input'])}")
    yield from asked(row, folder)


def list_store_differences(row: Row) -> Iterator[Found]:
    """Where queues differ that lie beside a table of reads."""
    yield from get_message_rows.list_store_differences(row)
