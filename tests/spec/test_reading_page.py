"""The chapter on reading says what the functions say."""

from __future__ import annotations

from book.usage.reading_page import EXAMPLES
from reference.decisions.reading.get_message import UNSCANNED


def test_every_condition_has_an_example() -> None:
    """In the order of the code; the one for what is scanned stands last."""
    assert [condition.__name__ for condition, _ in UNSCANNED] == list(EXAMPLES)[:-1]
