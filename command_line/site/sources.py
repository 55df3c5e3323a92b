"""The texts from which the site is built: a copy of the book, and pages for the files it names.

The chapters stay as they are but for their links. What lies outside the book, such as a module or
the ledger, becomes a page that shows it. Tables of contents for the side bar are added at the end.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from os.path import relpath
from pathlib import Path, PurePosixPath

from properties.book import BOOK, SPEC, Chapter, list_chapters

ROOT = SPEC.parent

FRONT = "index.md"
"""The front chapter in the site."""

IMAGES = {".gif", ".jpg", ".png", ".svg", ".webp"}

LANGUAGES = {
    ".cfg": "tla",
    ".json": "json",
    ".md": "markdown",
    ".py": "python",
    ".tla": "tla",
    ".toml": "toml",
}
"""How files are highlighted, by their endings; others are plain text."""

_LINK = re.compile(r"(?P<code>^```.*?^```$|`[^`\n]*`)|\]\((?P<target>[^)\s]+)\)", re.M | re.S)
_CONTENTS = "\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{pages}\n```\n"
_NOT_READ = "---\norphan: true\nnosearch: true\n---\n"


def write_sources(folder: Path) -> None:
    """Write the whole source tree of the site into a folder that is empty."""
    for chapter in list_chapters():
        page = folder / get_page(chapter)
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(translate(chapter) + render_side_bar(chapter), encoding="utf-8")
    for path in find_linked_files():
        if path.suffix in IMAGES:
            copy = folder / path.relative_to(SPEC)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        else:
            write_file_page(folder, path)


def get_page(chapter: Chapter) -> str:
    """Where a chapter lies in the source tree of the site."""
    return FRONT if chapter.file == "README.md" else chapter.file


def get_file_page(path: Path) -> str:
    """Where the page that shows a file or folder lies in the source tree of the site."""
    name = path.relative_to(ROOT).as_posix()
    return f"files/{name}/index.md" if path.is_dir() else f"files/{name}.md"


def find_targets(chapter: Chapter) -> Iterator[Path]:
    """The files and folders to which the links of a chapter lead."""
    for match in _LINK.finditer(chapter.path.read_text(encoding="utf-8")):
        if (target := match["target"]) and is_relative(target):
            yield (chapter.path.parent / target.partition("#")[0]).resolve()


def find_linked_files() -> set[Path]:
    """Images and files outside the book to which its chapters link, with those in folders."""
    chapters = {chapter.path for chapter in list_chapters()}
    found = {t for c in list_chapters() for t in find_targets(c) if t.exists()} - chapters
    return found | {file for path in found if path.is_dir() for file in path.iterdir()}


def is_relative(target: str) -> bool:
    """Leads to another file: neither a page of the web nor a heading of the same text."""
    return not re.match(r"[a-z]+:|#", target)


def translate(chapter: Chapter) -> str:
    """A chapter's text with its links as the site needs them."""
    pages = {c.path: get_page(c) for c in list_chapters()}
    folder = PurePosixPath(get_page(chapter)).parent

    def translate_link(match: re.Match[str]) -> str:
        target = match["target"]
        if not target or not is_relative(target):
            return match[0]
        file, mark, anchor = target.partition("#")
        path = (chapter.path.parent / file).resolve()
        if path.suffix in IMAGES or not path.exists():
            return match[0]
        return f"]({relpath(pages.get(path) or get_file_page(path), folder)}{mark}{anchor})"

    return _LINK.sub(translate_link, chapter.path.read_text(encoding="utf-8"))


def write_file_page(folder: Path, path: Path) -> None:
    """Write the page that shows a file, or lists a folder's files."""
    page = folder / get_file_page(path)
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(f"{_NOT_READ}# {path.relative_to(ROOT).as_posix()}\n\n{show(path)}\n")


def show(path: Path) -> str:
    """A file as a block of code; a folder as a list of links to its files."""
    if path.is_dir():
        files = sorted(file.name for file in path.iterdir())
        return "\n".join(f"- [{name}]({name}.md)" for name in files)
    fence = "`" * 8
    return f"{fence}{LANGUAGES.get(path.suffix, 'text')}\n{path.read_text('utf-8')}{fence}"


def render_side_bar(chapter: Chapter) -> str:
    """Tables of contents: the whole book below the front chapter, else what lies below a folder."""
    if chapter.file == "README.md":
        return "".join(
            _CONTENTS.format(caption=part.title, pages="\n".join(pages))
            for part in BOOK
            if (pages := [get_page(c) for c in part.chapters if is_in_side_bar(c)])
        )
    below = [c.file.rpartition("/")[2] for c in list_chapters() if get_parent(c) == chapter.file]
    return _CONTENTS.replace(":caption: {caption}\n", "").format(pages="\n".join(below)) * bool(
        below
    )


def is_in_side_bar(chapter: Chapter) -> bool:
    """Stands below the title of its part: neither the front chapter nor below another one."""
    return chapter.file != "README.md" and get_parent(chapter) is None


def get_parent(chapter: Chapter) -> str | None:
    """The README.md of the chapter's folder, if that is another chapter; not for the book's own."""
    folder, _, name = chapter.file.rpartition("/")
    parent = f"{folder}/README.md"
    is_below = bool(folder) and name != "README.md"
    return parent if is_below and any(c.file == parent for c in list_chapters()) else None
