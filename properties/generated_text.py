"""Text that code writes: what stands between two marks of a chapter, tables, numbers of steps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

_PART = re.compile(
    r"(<!-- begin generated: (?P<name>[\w -]+) -->\n).*?(<!-- end generated: (?P=name) -->)",
    re.DOTALL,
)


def replace_parts(text: str, render: Callable[[str], str]) -> str:
    """The text in which ``render`` has written every marked part anew, by the part's name.

    Raises what ``render`` raises, KeyError for a name that it does not know.
    """
    return _PART.sub(lambda part: f"{part[1]}{render(part['name'])}\n{part[3]}", text)


def count_steps(number: int) -> str:
    """``1 step``, ``2 steps``."""
    return f"{number} step" if number == 1 else f"{number} steps"


def render_table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A Markdown table; a bar inside a cell is escaped, also in code."""
    columns = list(head)
    cells = ([str(cell).replace("|", "\\|") for cell in row] for row in rows)
    lines = [columns, ["---"] * len(columns), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
