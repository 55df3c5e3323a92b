"""Mermaid's diagrams as SVG, drawn when the site is built, so that pages need no script for them.

Shapes and widths are Mermaid's own; colours come from the site's style sheet, which knows light
and dark. Text stands in the font with which it was measured, or in a narrower one.
"""

from __future__ import annotations

import re

import mermaidx

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
