"""The generated parts of the front chapter: what stock brokers lose, and the table of contents.

``rmqspec docs --write spec/README.md`` writes them anew.
"""

from __future__ import annotations

from book.contents import FRONT, render_contents
from book.usage import stock_page
from properties.generated_text import Page

PAGE = Page(FRONT, {**stock_page.PARTS, "contents": render_contents})
"""The chapter."""
