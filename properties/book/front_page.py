"""The generated parts of the front chapter: what stock brokers lose, and the table of contents.

``rmqspec docs --write spec/README.md`` writes them anew.
"""

from __future__ import annotations

from properties.book import stock_page
from properties.book.contents import FRONT, render_contents
from properties.generated_text import replace_parts

CHAPTER = FRONT

PARTS = {**stock_page.PARTS, "contents": render_contents}
"""The generated parts by their marker."""


def update(text: str) -> str:
    """The front chapter with its generated parts as they should be."""
    return replace_parts(text, lambda name: PARTS[name]())
