"""Generated text: the parts between two marks of a chapter, tables, numbers of steps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

from attrs import field, frozen

from properties.checkout import ROOT

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
    site_only: Mapping[str, Callable[[], str]] = field(factory=dict, kw_only=True)
    """The parts that the site alone has whole, and the functions of what the text has instead."""

    def update(self, text: str) -> str:
        """The text with every generated part up to date, as it is kept.

        Raises KeyError for a part without a function, and whatever a part's own function raises.
        """
        return replace_parts(text, lambda name: {**self.parts, **self.site_only}[name]())

    def complete(self, text: str) -> str:
        """The text as the site has it: parts that only the site has are whole, others as they are.

        Raises whatever a part's own function raises.
        """
        return _PART.sub(self._complete_part, text)

    def _complete_part(self, part: re.Match[str]) -> str:
        if part["name"] not in self.site_only:
            return part[0]
        return f"{part[1]}\n{self.parts[part['name']]()}\n\n{part[3]}"


def point_at_rows(page: Path) -> str:
    """What a text has instead of rows that only the site has: how to see them."""
    name = page.relative_to(ROOT).as_posix()
    return f"\n*Not kept here: `./rmqspec docs --print {name}` prints it; the site has it.*\n"


def compute_anchor(heading: str) -> str:
    """What a link to a heading names: small letters, blanks as hyphens, no punctuation."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def leave_to_site(page: Path, names: Iterable[str]) -> dict[str, Callable[[], str]]:
    """For each of these parts: what the text has instead."""
    return dict.fromkeys(names, partial(point_at_rows, page))


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
