"""The table of contents of the Chinese pages: the book's chapters in order, with Chinese titles.

A chapter that has a Chinese page leads there; every other one is marked as English. The last part
leads to the originals of the Chinese pages.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from attrs import frozen

from book.contents import BOOK, Chapter
from properties.generated_text import SPEC

FOLDER = "zh"
"""The folder of the Chinese pages below ``spec/``."""

FRONT = f"{FOLDER}/README.md"
"""The page that they begin with."""

TITLES_FILE = Path(__file__).parent / "titles.toml"

ENGLISH_MARK = "英文"
"""The mark beside the title of an English chapter."""

ORIGINALS = "English"
"""The last part."""


@frozen
class ContentsEntry:
    """A chapter in the table."""

    file: str
    """Below ``spec/``: of the Chinese page where there is one."""
    title: str
    about: str

    @property
    def is_english(self) -> bool:
        """It has no Chinese page, or it is the original of one."""
        return not self.file.startswith(f"{FOLDER}/")


@frozen
class ChinesePart:
    """Chapters with the same purpose."""

    title: str
    entries: tuple[ContentsEntry, ...]


@cache
def load_titles() -> Mapping[str, Any]:
    """The titles of parts, and title and subject of each chapter by its file."""
    titles: Mapping[str, Any] = tomllib.loads(TITLES_FILE.read_text(encoding="utf-8"))
    return titles


@cache
def list_parts() -> tuple[ChinesePart, ...]:
    """The whole table. Raises KeyError for a chapter without a title, ValueError for a part."""
    own = [part for part in BOOK if not part.chapters[0].file.startswith(f"{FOLDER}/")]
    translated = (c for part in own for c in part.chapters if find_page(c) != c.file)
    return (
        *(
            ChinesePart(title, tuple(map(translate, part.chapters)))
            for title, part in zip(load_titles()["parts"], own, strict=True)
        ),
        ChinesePart(ORIGINALS, tuple(ContentsEntry(c.file, c.title, c.about) for c in translated)),
    )


def translate(chapter: Chapter) -> ContentsEntry:
    """A chapter's entry."""
    title, about = load_titles()["chapters"][chapter.file]
    return ContentsEntry(find_page(chapter), title, about)


def find_page(chapter: Chapter) -> str:
    """The file of a chapter's Chinese page, or its own where it has none."""
    file = f"{FOLDER}/{chapter.file}"
    return file if (SPEC / file).is_file() else chapter.file


def render_contents() -> str:
    """The table as the Chinese front page has it, which itself is left out."""
    lines: list[str] = []
    for number, part in enumerate(list_parts(), start=1):
        lines.append(f"{number}. **{part.title}**")
        lines += [render_entry(e, part.title) for e in part.entries if e.file != FRONT]
    return "\n".join(lines)


def render_entry(entry: ContentsEntry, part_title: str) -> str:
    """A line of the table, its link as a page in the folder of the Chinese pages needs it."""
    link = f"../{entry.file}" if entry.is_english else entry.file.removeprefix(f"{FOLDER}/")
    if part_title == ORIGINALS:
        return f"    - [{entry.title}]({link}): {entry.about}"
    mark = f"（{ENGLISH_MARK}）" if entry.is_english else ""  # noqa: RUF001
    return f"    - [{entry.title}]({link}){mark}：{entry.about}"  # noqa: RUF001
