"""Building the site: Sphinx runs in a process of its own, and every warning is an error.

It is built from a copy of the book, and pages for the files it names. The texts stay as they are
but for their links. What lies outside the book, such as a module or the ledger, becomes a page that
shows it. Tables of contents for the side bar are added at the end.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from os.path import relpath
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from book.contents import BOOK, Chapter, list_chapters
from book.explorer.page import write_explorer
from book.explorer.places import CHAPTER, FOLDER, find_address
from properties.checkout import PROGRAM, ROOT
from properties.generated_text import SPEC
from spark_fuzz.campaign.java import MissingPrerequisiteError

FRONT = "README.md"
"""The front chapter; a browser begins with index.html."""

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
_NOT_SEARCHED = "---\norphan: true\nnosearch: true\n---\n"


Read = Callable[[Path], str]
"""Reads a text of the book, with all that the site has of it."""


Pictures = Mapping[Path, Callable[[], str]]
"""What draws the pictures that are not kept, by where the texts find them."""


def write_sources(folder: Path, read: Read, pictures: Pictures) -> None:
    """Write the whole source tree of the site into a folder that is empty."""
    for path, draw in pictures.items():
        picture = make_parent(folder / path.relative_to(SPEC))
        picture.write_text(draw(), encoding="utf-8")
    for chapter in list_chapters():
        page = make_parent(folder / get_page(chapter.file))
        text = translate(chapter.file, read(chapter.path))
        page.write_text(text + render_side_bar(chapter), encoding="utf-8")
    for path in sorted(find_linked_files(read)):
        if path.suffix in IMAGES:
            shutil.copyfile(path, make_parent(folder / path.relative_to(SPEC)))
        else:
            page = make_parent(folder / get_file_page(path))
            page.write_text(show_file(path), encoding="utf-8")


def make_parent(path: Path) -> Path:
    """The path itself, whose folder now exists."""
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def get_page(file: str) -> str:
    """Where a text lies in the source tree of the site."""
    return "index.md" if file == FRONT else file


def get_file_page(path: Path) -> str:
    """Where the page that shows a file or folder lies in the source tree of the site."""
    name = path.relative_to(ROOT).as_posix()
    return f"files/{name}/index.md" if path.is_dir() else f"files/{name}.md"


def find_targets(path: Path, text: str) -> Iterator[Path]:
    """The files and folders to which the links and images of a text lead."""
    for match in _LINK.finditer(text):
        if (target := match["target"]) and is_relative(target):
            yield path.parent.joinpath(target.partition("#")[0]).resolve()


def find_linked_files(read: Read) -> set[Path]:
    """Images and files outside the book to which its texts link; of folders all their files."""
    chapters = {chapter.path for chapter in list_chapters()}
    linked = {target for path in chapters for target in find_targets(path, read(path))}
    found = {path for path in linked if path.exists()} - chapters
    return found | {file for path in found if path.is_dir() for file in list_files(path)}


def list_files(folder: Path) -> list[Path]:
    """The files in a folder, by name."""
    return sorted(path for path in folder.iterdir() if path.is_file())


def is_relative(target: str) -> bool:
    """Whether it leads to another file: not to the web, and not to a heading of its own text."""
    return not re.match(r"[a-z]+:|#", target)


def translate(file: str, text: str) -> str:
    """A text with its links as the site needs them."""
    pages = {chapter.path: get_page(chapter.file) for chapter in list_chapters()}
    folder = PurePosixPath(get_page(file)).parent

    def translate_link(match: re.Match[str]) -> str:
        target = match["target"]
        if not target or not is_relative(target):
            return match[0]
        name, mark, anchor = target.partition("#")
        path = (SPEC / file).parent.joinpath(name).resolve()
        if path == SPEC / CHAPTER and (address := find_address(file, anchor)):
            return f"]({address})"
        if path.suffix in IMAGES or not path.exists():
            return match[0]
        return f"]({relpath(pages.get(path) or get_file_page(path), folder)}{mark}{anchor})"

    return _LINK.sub(translate_link, text)


def show_file(path: Path) -> str:
    """The page that shows a file as a block of code, or a folder as a list of its files."""
    head = f"{_NOT_SEARCHED}# {path.relative_to(ROOT).as_posix()}\n\n"
    if path.is_dir():
        return head + "".join(f"- [{f.name}]({f.name}.md)\n" for f in list_files(path))
    fence = "`" * 8
    language = LANGUAGES.get(path.suffix, "text")
    return f"{head}{fence}{language}\n{path.read_text(encoding='utf-8')}\n{fence}\n"


def render_side_bar(chapter: Chapter) -> str:
    """Tables of contents: of the book below the front chapter, of its own pages below another."""
    if chapter.file != FRONT:
        folder = PurePosixPath(chapter.file).parent
        return render_contents("", [relpath(page, folder) for page in chapter.pages])
    return "".join(
        render_contents(
            f":caption: {part.title}\n", [c.file for c in part.chapters if c.file != FRONT]
        )
        for part in BOOK
    )


def render_contents(caption: str, pages: list[str]) -> str:
    """A table of contents that is seen in the side bar only; nothing without pages."""
    listed = "\n".join(pages)
    return f"\n```{{toctree}}\n:hidden:\n{caption}\n{listed}\n```\n" if pages else ""


NEEDED = ("sphinx", "myst_parser", "furo", "mermaidx")

MARK = ".rmqspec-site"
"""A file that marks a folder with a former site."""


class SiteError(Exception):
    """The generator refuses or doubts a text, or the folder is not one for a site."""


def build_site(out: Path, show: Callable[[str], None], read: Read, pictures: Pictures) -> None:
    """Build the book into a folder, in place of a former site; ``read`` reads its texts.

    Raises SiteError for a folder with other things or when the generator warns,
    MissingPrerequisiteError without the generator, OSError when the folder cannot be written.
    """
    check_folder(out)
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        raise MissingPrerequisiteError(
            f"{missing[0]} is not installed; {PROGRAM} docs installs what the site needs"
        )
    with TemporaryDirectory(prefix="rmqspec-site-") as folder:
        source, pages = Path(folder, "source"), Path(folder, "pages")
        source.mkdir()
        write_sources(source, read, pictures)
        run_generator(source, pages, show)
        write_explorer(pages / FOLDER, "..", show)
        (pages / MARK).touch()
        if out.exists():
            shutil.rmtree(out)
        shutil.copytree(pages, out)


def check_folder(out: Path) -> None:
    """Raises SiteError unless the folder is new, empty or a former site."""
    if out.exists() and not out.is_dir():
        raise SiteError(f"{out} is a file; choose another --out")
    if out.exists() and any(out.iterdir()) and not (out / MARK).exists():
        raise SiteError(f"{out} holds other things than a site; choose another --out")


def run_generator(source: Path, pages: Path, show: Callable[[str], None]) -> None:
    """Run Sphinx on a source tree, showing what it says; raises SiteError on its first warning."""
    log = source.parent / "warnings"
    settings = Path(__file__).parent
    words = [sys.executable, "-m", "sphinx", "-b", "html", "-j", "auto", "--no-color"]
    folders = ["-c", settings, "-d", source.parent / "read", "-w", log, source, pages]
    with subprocess.Popen(
        [*words, *map(str, folders)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as process:
        for line in process.stdout or ():
            show(line.strip()[:78])
    warnings = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    if warnings or process.returncode:
        first = warnings[0] if warnings else f"Sphinx ended with {process.returncode}"
        more = f" (and {len(warnings) - 1} lines more)" if len(warnings) > 1 else ""
        raise SiteError(f"the site is not built: {first.replace(f'{source}/', 'spec/')}{more}")
