"""Links in the documents lead somewhere, and no document names a machine."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from book.contents import list_chapters
from properties.checkout import ROOT
from properties.generated_text import SPEC

SKIPPED_FOLDERS = {"campaigns", "node_modules", "site-packages", "spark-warehouse", "build"}
"""Folders besides the hidden ones whose documents are not ours."""

LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
MACHINE = re.compile(
    r"(?<![\w./-])/(?:home|work|tmp|root|usr|opt|var|mnt|data|Users)\b"
    r"|\b[A-Z]:\\|\blocalhost\b|\b\d{1,3}(?:\.\d{1,3}){3}\b"
)
"""Absolute paths, addresses and the name of the own host."""


def find_documents() -> list[Path]:
    """Every Markdown file of the repository."""
    return [
        path
        for path in sorted(ROOT.rglob("*.md"))
        if not any(
            part.startswith(".") or part in SKIPPED_FOLDERS
            for part in path.relative_to(ROOT).parts[:-1]
        )
    ]


def get_title(path: Path) -> str:
    """The path of a document below the root, for messages."""
    return str(path.relative_to(ROOT))


def find_links(path: Path) -> Iterator[str]:
    """The targets of the links of a document, those in code left out."""
    yield from LINK.findall(CODE.sub("", path.read_text(encoding="utf-8")))


def compute_anchors(path: Path) -> set[str]:
    """The anchors of a document's headings: small letters, blanks as hyphens, no punctuation."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    headings = (heading.strip().lower() for heading in HEADING.findall(text))
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in headings}


def leads_somewhere(path: Path, link: str) -> bool:
    """The file or folder exists, and the heading that the link names is in it."""
    target, _, anchor = link.partition("#")
    file = (path.parent / target).resolve() if target else path
    if not file.is_relative_to(ROOT.resolve()) or not file.exists():
        return False
    return not anchor or (file.is_file() and anchor in compute_anchors(file))


@pytest.mark.parametrize("path", find_documents(), ids=get_title)
def test_links_lead_somewhere(path: Path) -> None:
    """Every relative link and every anchor of a document resolves."""
    relative = [link for link in find_links(path) if not re.match(r"[a-z]+:", link)]
    assert [] == [link for link in relative if not leads_somewhere(path, link)]


@pytest.mark.parametrize("path", find_documents(), ids=get_title)
def test_no_document_names_a_machine(path: Path) -> None:
    """No absolute path, no address, no host."""
    assert [] == MACHINE.findall(path.read_text(encoding="utf-8"))


def test_every_chapter_is_in_the_book() -> None:
    """Each text of the specification stands in the table of contents, once."""
    files = [path.relative_to(SPEC).as_posix() for path in SPEC.rglob("*.md")]
    assert sorted(files) == sorted(chapter.file for chapter in list_chapters())
