"""The chapters on progress, copied tables, clients and limits have each table of the functions."""

from __future__ import annotations

from types import ModuleType

import pytest

from properties.book import (
    clients_page,
    ledger_page,
    metadata_page,
    progress_page,
)

PAGES = {
    "progress": progress_page,
    "metadata": metadata_page,
    "clients": clients_page,
    "ledger": ledger_page,
}


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_each_table_stands_once(page: ModuleType) -> None:
    """Between its marks."""
    text = page.CHAPTER.read_text(encoding="utf-8")
    for name in page.TABLES:
        assert text.count(f"<!-- begin generated: {name} -->\n") == 1
