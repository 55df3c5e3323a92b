"""The chapter on reading says what the functions say."""

from __future__ import annotations

from properties.book import reading_page
from properties.book.reading_page import EXAMPLES, TABLES
from reference.read.get_message import UNSCANNED


def read() -> str:
    """The text of the chapter."""
    return reading_page.CHAPTER.read_text(encoding="utf-8")


def test_every_table_is_in_the_chapter() -> None:
    """Once, between its marks; and what stands there is replaced."""
    for name in TABLES:
        assert read().count(f"<!-- begin generated: {name} -->\n") == 1
    spoilt = read().replace("OFFSET_OVERFLOW_BADLY", "OFFSET_OVERFLOW_MADLY")
    assert "| `OFFSET_OVERFLOW_MADLY` |" in spoilt
    assert "MADLY" not in reading_page.update(spoilt)


def test_every_condition_has_an_example() -> None:
    """In the order of the code; the one for what is scanned stands last."""
    assert [condition.__name__ for condition, _ in UNSCANNED] == list(EXAMPLES)[:-1]
