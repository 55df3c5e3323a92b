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
    "state": {"nodeSpacing": 130},
}
"""Plain text in SVG, since HTML inside it is clipped where fonts differ; room for loops."""

SCALE = 0.8
"""Of Mermaid's text of 16 pixels, so that it is as large as that of tables."""

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
    return _SIZE.sub(lambda size: f'width="{float(size[2]) * SCALE:.0f}"{size[1]}', drawing, 1)
