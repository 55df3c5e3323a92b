"""The chapters on progress and on copied tables say what the functions say."""

from __future__ import annotations

from types import ModuleType

import pytest

from properties import metadata_page, progress_page


@pytest.mark.parametrize("page", [progress_page, metadata_page], ids=["progress", "metadata"])
def test_the_tables_are_those_of_the_functions(page: ModuleType) -> None:
    """Rendering them anew changes nothing, and each stands there once."""
    text = page.CHAPTER.read_text(encoding="utf-8")
    assert page.update(text) == text, f"run python -m {page.__name__}, and read the difference"
    for name in page.TABLES:
        assert text.count(f"<!-- begin generated: {name} -->\n") == 1
