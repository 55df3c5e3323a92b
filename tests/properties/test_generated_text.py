"""Generated parts: what stands between the marks is replaced, what stands outside is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from properties.generated_text import Page, count_steps, render_table, set_apart

PAGE = Page(Path("a.md"), {"one": lambda: "new", "two words": set_apart(lambda: "apart")})

TEXT = """\
# Title, old

<!-- begin generated: one -->
old
old
<!-- end generated: one -->
old words by hand
<!-- begin generated: two words -->
<!-- end generated: two words -->
the end, old
"""

UPDATED = """\
# Title, old

<!-- begin generated: one -->
new
<!-- end generated: one -->
old words by hand
<!-- begin generated: two words -->

apart

<!-- end generated: two words -->
the end, old
"""


def test_parts_are_replaced_and_the_rest_is_kept() -> None:
    """Once and again."""
    assert UPDATED == PAGE.update(TEXT) == PAGE.update(UPDATED)


def test_a_part_of_nobody_is_an_error() -> None:
    """Its name is told."""
    with pytest.raises(KeyError, match="three"):
        PAGE.update(TEXT.replace("generated: one", "generated: three"))


def test_a_text_without_parts_stays() -> None:
    """So does a mark that is never closed."""
    text = "<!-- begin generated: one -->\nold\n<!-- end generated: two words -->\n"
    assert text == PAGE.update(text)


def test_a_table_has_a_line_for_each_row() -> None:
    """Below its head."""
    table = render_table(("Step", "Rule"), [(1, "append"), (2, "flush")])
    assert table.splitlines() == [
        "| Step | Rule |",
        "| --- | --- |",
        "| 1 | append |",
        "| 2 | flush |",
    ]


def test_one_step_is_no_plural() -> None:
    """All other numbers are."""
    assert ["0 steps", "1 step", "2 steps"] == [count_steps(n) for n in range(3)]
