"""The chapter about TLA+, and the module beside it, are what the code says."""

from __future__ import annotations

from pathlib import Path

import pytest

from properties.tla import page


def test_chapter_has_not_drifted() -> None:
    """The example and the sizes are those of today's export."""
    text = page.CHAPTER.read_text(encoding="utf-8")
    assert page.update(text) == text


@pytest.mark.parametrize("path", page.FILES, ids=lambda path: path.name)
def test_kept_module_has_not_drifted(path: Path) -> None:
    """The module of the stock pair is that of today's rules."""
    text = path.read_text(encoding="utf-8")
    assert page.FILES[path](text) == text
