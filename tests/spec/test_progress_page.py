"""The chapters on progress, copied tables, clients and limits say what the functions say."""

from __future__ import annotations

from types import ModuleType

import pytest

from properties import clients_page, metadata_page, progress_page, source_page

PAGES = {
    "progress": progress_page,
    "metadata": metadata_page,
    "clients": clients_page,
    "sources": source_page,
}


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_the_tables_are_those_of_the_functions(page: ModuleType) -> None:
    """Rendering them anew changes nothing, and each stands there once."""
    text = page.CHAPTER.read_text(encoding="utf-8")
    assert page.update(text) == text, f"run python -m {page.__name__}, and read the difference"
    for name in page.TABLES:
        assert text.count(f"<!-- begin generated: {name} -->\n") == 1
