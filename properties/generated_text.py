"""Generated text: the parts between two marks of a chapter, tables, numbers of steps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from attrs import frozen

ROOT = Path(__file__).parents[1]
"""The folder of README.md."""
SPEC = ROOT / "spec"
"""The folder of the book."""

_PART = re.compile(
    r"(<!-- begin generated: (?P<name>[\w -]+) -->\n).*?(<!-- end generated: (?P=name) -->)",
    re.DOTALL,
)


def replace_parts(text: str, render: Callable[[str], str]) -> str:
    """The text with every marked part rewritten by ``render``, by the part's name.

    Raises whatever ``render`` raises: KeyError for an unknown name.
    """
    return _PART.sub(lambda part: f"{part[1]}{render(part['name'])}\n{part[3]}", text)


@frozen
class Page:
    """A text, and the functions that write its generated parts."""

    path: Path
    parts: Mapping[str, Callable[[], str]]
    """The functions, by the name between the marks."""

    def update(self, text: str) -> str:
        """The text with every generated part up to date.

        Raises KeyError for a part without a function, and whatever a part's own function raises.
        """
        return replace_parts(text, lambda name: self.parts[name]())


def compute_anchor(heading: str) -> str:
    """What a link to a heading names: small letters, blanks as hyphens, no punctuation."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def set_apart(render: Callable[[], str]) -> Callable[[], str]:
    """The part with an empty line between it and each of its marks."""
    return lambda: f"\n{render()}\n"


def count_steps(number: int) -> str:
    """``1 step``, ``2 steps``."""
    return f"{number} step" if number == 1 else f"{number} steps"


def render_table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A Markdown table; a bar inside a cell is escaped, also in code."""
    columns = list(head)
    cells = ([str(cell).replace("|", "\\|") for cell in row] for row in rows)
    lines = [columns, ["---"] * len(columns), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
