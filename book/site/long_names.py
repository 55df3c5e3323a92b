"""Long names on pages of the site wrap, so that tables of settings and statuses fit the page."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

_NAME = re.compile(r'(?<=<span class="pre">)[^<]{15,}(?=</span>)')
_SEAM = re.compile(r"(?<=_)|(?<=[a-z])(?=[A-Z])")

_TABLE = re.compile(r"<table\b.*?</table>", re.DOTALL)
_TAG_OR_WORD = re.compile(r"<[^>]*>|[\w./#]{15,}")
_PLAIN_SEAM = re.compile(r"(?<=[_/#])(?=\w)|(?<=[a-z])(?=[A-Z#])|(?<=\w\.)(?=[A-Z])")


def let_names_wrap(
    _app: Sphinx, _page: str, _template: str, context: dict[str, Any], _tree: nodes.document | None
) -> None:
    """Let long names in text, tables and contents wrap after ``_`` or before a capital.

    In tables so do methods, paths and names of recordings that are no code.
    """
    for part in ("body", "toc"):
        if part in context:
            context[part] = _NAME.sub(lambda name: _SEAM.sub("<wbr>", name[0]), context[part])
    if "body" in context:
        context["body"] = _TABLE.sub(let_words_wrap, context["body"])


def let_words_wrap(table: re.Match[str]) -> str:
    """A table whose long words may wrap at their seams; those of code may already."""
    return _TAG_OR_WORD.sub(
        lambda word: word[0] if word[0].startswith("<") else _PLAIN_SEAM.sub("<wbr>", word[0]),
        table[0],
    )


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx when it loads this module."""
    app.connect("html-page-context", let_names_wrap)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
