"""Long names on pages of the site wrap, so that tables of settings and statuses fit the page."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

_NAME = re.compile(r'(?<=<span class="pre">)[^<]{15,}(?=</span>)')
_SEAM = re.compile(r"(?<=_)|(?<=[a-z])(?=[A-Z])")


def let_names_wrap(
    _app: Sphinx, _page: str, _template: str, context: dict[str, Any], _tree: nodes.document | None
) -> None:
    """Let long names in text, tables and contents wrap after ``_`` or before a capital."""
    for part in ("body", "toc"):
        if part in context:
            context[part] = _NAME.sub(lambda name: _SEAM.sub("<wbr>", name[0]), context[part])


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx when it loads this module."""
    app.connect("html-page-context", let_names_wrap)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
