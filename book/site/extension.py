"""What the site adds to Sphinx: drawn diagrams, TLA+, and a search for English and Chinese.

TLA+ modules and TLC's configurations are highlighted, which Pygments does not know. Mermaid's
diagrams are drawn as SVG when the site is built, so that pages need no script for them. Shapes and
widths are Mermaid's own; colours come from the site's style sheet, in light and dark. Text has the
font with which it was measured, or a narrower one.
"""

from __future__ import annotations

import re
from typing import ClassVar

import mermaidx
from docutils import nodes
from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Text
from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish
from sphinx.util.logging import getLogger

KEYWORDS = (
    *("ASSUME", "CASE", "CHOOSE", "CONSTANT", "CONSTANTS", "CONSTRAINT", "DOMAIN", "ELSE"),
    *("EXCEPT", "EXTENDS", "FALSE", "IF", "IN", "INIT", "INVARIANT", "INVARIANTS", "LET", "LOCAL"),
    *("MODULE", "NEXT", "OTHER", "RECURSIVE", "SPECIFICATION", "SUBSET", "THEN", "TRUE"),
    *("UNCHANGED", "UNION", "VARIABLE", "VARIABLES", "WITH"),
)


class TlaLexer(RegexLexer):
    """Comments, keywords, names, numbers and operators."""

    name = "TLA+"
    tokens: ClassVar = {
        "root": [
            (r"\\\*.*$|-{4,}|={4,}", Comment),
            (r"\(\*.*?\*\)", Comment.Multiline),
            (r'"[^"]*"', String),
            (words(KEYWORDS, prefix=r"\b", suffix=r"\b"), Keyword),
            (r"\b\d+\b", Number),
            (r"\w+'?", Name),
            (r"\\\w+|/\\|\\/|[^\w\s]", Operator),
            (r"\s+", Text),
        ]
    }


SETTINGS = {
    "fontFamily": "DejaVu Sans, Verdana, sans-serif",
    "htmlLabels": False,
    "flowchart": {"htmlLabels": False, "wrappingWidth": 600},
}
"""Plain text in SVG, since HTML inside it is clipped where fonts differ; names are not broken."""

SCALE, SCALE_MIN = 0.8, 0.62
"""Of Mermaid's text of 16 pixels: as large as that of tables, or smaller if the page is narrow."""

_COLOURS = re.compile(r"<style>.*?</style>", re.DOTALL)
_SIZE = re.compile(r'width="100%"(.*?)style="max-width: ([\d.]+)px[^"]*"', re.DOTALL)


class DiagramError(Exception):
    """A Mermaid block that cannot be drawn."""


def draw_diagram(source: str, name: str) -> str:
    """A diagram as an SVG element whose identifiers begin with ``name``; DiagramError if wrong."""
    try:
        drawing: str = mermaidx.render(source, config=SETTINGS).svg()
    except Exception as problem:
        raise DiagramError(f"Mermaid cannot draw it: {problem}") from problem
    drawing = _COLOURS.sub("", drawing).replace("my-svg", name)
    return _SIZE.sub(render_size, drawing, 1)


def render_size(size: re.Match[str]) -> str:
    """Attributes for a drawing that shrinks with the page while it is legible, then scrolls."""
    width = float(size[2])
    style = f"max-width: max(100%, {width * SCALE_MIN:.0f}px)"
    return f'width="{width * SCALE:.0f}"{size[1]}style="{style}"'


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


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx when it loads this module."""
    app.add_search_language(BookSearch)
    app.add_lexer("tla", TlaLexer)
    app.connect("doctree-read", draw_diagrams)
    app.connect("doctree-read", name_sections, priority=0)  # before headings are collected
    return {"parallel_read_safe": True, "parallel_write_safe": True}
