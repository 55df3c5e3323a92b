"""What the site adds to Sphinx: drawn diagrams, TLA+, and a search that knows Chinese."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish
from sphinx.util.logging import getLogger

from book.site.diagrams import DiagramError, draw_diagram
from book.site.tla_lexer import TlaLexer

_NAME = re.compile(r'(?<=<span class="pre">)[^<]{24,}(?=</span>)')
_WORD = re.compile(r"[\u4e00-\u9fff]+|[^\W\u4e00-\u9fff]+")


class BookSearch(SearchEnglish):
    """English words by their stems; of Chinese, which has no blanks, every two adjacent signs."""

    lang = "book"
    language_name = "English"  # after which Sphinx calls the stemmer in its script
    js_splitter_code = r"""
var splitQuery = (query) =>
    (query.match(/[\u4e00-\u9fff]+|(?:(?![\u4e00-\u9fff])[\p{L}\p{N}_])+/gu) ?? [])
        .flatMap((word) =>
            word.length > 1 && /^[\u4e00-\u9fff]/.test(word)
                ? Array.from({ length: word.length - 1 }, (_, i) => word.slice(i, i + 2))
                : [word]);
"""

    def split(self, input: str) -> list[str]:
        """The words of a text, as the script above splits a query."""
        return [part for word in _WORD.findall(input) for part in split_pairs(word)]


def split_pairs(word: str) -> list[str]:
    """Every two adjacent signs of a Chinese word; any other word as it is."""
    if len(word) > 1 and "\u4e00" <= word[0] <= "\u9fff":
        return [word[i : i + 2] for i in range(len(word) - 1)]
    return [word]


def draw_diagrams(_app: Sphinx, doctree: nodes.document) -> None:
    """Put the drawing of every Mermaid block in its place; one that is wrong is a warning."""
    blocks = [b for b in doctree.findall(nodes.literal_block) if b.get("language") == "mermaid"]
    for number, block in enumerate(blocks, start=1):
        try:
            drawing = draw_diagram(block.astext(), f"diagram-{number}")
        except DiagramError as problem:
            getLogger(__name__).warning("%s", problem, location=block)
            continue
        html = f'<figure class="diagram">{drawing}</figure>'
        block.replace_self(nodes.raw("", html, format="html"))


def name_sections(_app: Sphinx, doctree: nodes.document) -> None:
    """Make the anchor that repository viewers give a heading its first one, which pages show."""
    for section in doctree.findall(nodes.section):
        slug = section.get("slug")
        if slug in section["ids"]:
            section["ids"] = [slug, *(name for name in section["ids"] if name != slug)]


def let_names_wrap(
    _app: Sphinx, _page: str, _template: str, context: dict[str, Any], _tree: nodes.document | None
) -> None:
    """Long names in text, tables and the page's contents may go on in a new line after a ``_``."""
    for part in ("body", "toc"):
        if part in context:
            context[part] = _NAME.sub(lambda name: name[0].replace("_", "_<wbr>"), context[part])


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx when it loads this module."""
    app.add_search_language(BookSearch)
    app.add_lexer("tla", TlaLexer)
    app.connect("doctree-read", draw_diagrams)
    app.connect("html-page-context", let_names_wrap)
    app.connect("doctree-read", name_sections, priority=0)  # before headings are collected
    return {"parallel_read_safe": True, "parallel_write_safe": True}
