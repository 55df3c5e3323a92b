"""Which recordings conform under which versions, as `spec/recordings.md` shows it.

``python -m tests.reference.trace.version_page`` writes the table anew (half a minute).
"""

from __future__ import annotations

import re
from pathlib import Path

from reference.trace.reading import read_recording
from reference.trace.version_table import compute_row, render_table

DATA = Path(__file__).parents[2] / "data"
PATHS = (*sorted((DATA / "traces").glob("*.jsonl")), *sorted((DATA / "traces_498").glob("*.jsonl")))
PAGE = Path(__file__).parents[3] / "spec" / "recordings.md"
PART = re.compile(
    "(<!-- begin generated: versions -->\n).*?(\n<!-- end generated: versions -->)", re.S
)


def update_page(text: str) -> str:
    """The page with the table as it should be."""
    table = render_table(compute_row(read_recording(path)) for path in PATHS)
    return PART.sub(lambda found: f"{found[1]}{table}{found[2]}", text)


if __name__ == "__main__":
    PAGE.write_text(update_page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
