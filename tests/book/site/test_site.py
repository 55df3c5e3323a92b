"""The site has every chapter in order, leads nowhere in vain, and needs no network."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from html import escape
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from book.chinese.contents import FOLDER as CHINESE
from book.chinese.contents import list_parts
from book.chinese.pages import PAIRS, TranslatedPage
from book.contents import list_chapters
from book.explorer.places import FOLDER
from properties.generated_text import SPEC
from properties.scenarios.counterexamples.cases import find_case
from tests.book.browser import MISSING, open_browser
from tests.command_line.run import assert_one_line, run

TEXTS = [chapter.file for chapter in list_chapters()]

LOADED = ("script", "img", "iframe", "source", "embed")
"""Elements whose ``src`` a browser loads by itself."""

LOADED_LINKS = {"stylesheet", "icon", "preload", "modulepreload", "manifest"}
"""Relations of ``link`` whose ``href`` it loads."""

FROM_NETWORK = re.compile(r"""@import\s|url\(\s*["']?(?:https?:)?//|\bimport\(|["'`]https?://""")
"""How a style sheet or a script names something to load."""

NAMESPACES = re.compile(r"""["']https?://www\.w3\.org/[^"']*["']""")


class Page(HTMLParser):
    """The elements of a page with their attributes, and its anchors."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.feed(path.read_text(encoding="utf-8"))
        self.anchors = {values["id"] for _, values in self.elements if "id" in values}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember an element."""
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def find(self, tag: str, attribute: str) -> Iterator[str]:
        """The values of an attribute of all elements of a kind."""
        for name, values in self.elements:
            if name == tag and attribute in values:
                yield values[attribute]

    def find_loaded(self) -> Iterator[str]:
        """What a browser loads when it shows the page."""
        for tag in LOADED:
            yield from self.find(tag, "src")
        for name, values in self.elements:
            if name == "link" and values["rel"] in LOADED_LINKS:
                yield values["href"]

    def find_relation(self, relation: str) -> str | None:
        """Where ``<link rel=...>`` leads."""
        leads = (v["href"] for name, v in self.elements if name == "link" and v["rel"] == relation)
        return next(leads, None)


@cache
def read_page(path: Path) -> Page:
    """A page, read once."""
    return Page(path)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a site that was built without a warning."""
    out = tmp_path_factory.mktemp("site")
    result = run("docs", "--out", out)
    assert (0, "") == (result.returncode, result.stderr)
    assert result.stdout.startswith(f"{out / 'index.html'}: {len(TEXTS)} pages, ")
    return out


def find_pages(site: Path) -> list[Path]:
    """Every page of the site."""
    return sorted(site.rglob("*.html"))


def get_page(site: Path, file: str) -> Path:
    """The page of a text; the front chapter is what a browser opens first."""
    name = "index.md" if file == "README.md" else file
    return site / name.replace(".md", ".html")


@pytest.mark.nightly
def test_pages_follow_one_another(site: Path) -> None:
    """In each language next leads from page to page in the book's order, and previous back."""
    chinese = [file for file in TEXTS if file.startswith(f"{CHINESE}/")]
    for texts in ([file for file in TEXTS if file not in chinese], chinese):
        pages = [get_page(site, file) for file in texts]
        assert len(pages) > 1
        for before, after in pairwise(pages):
            ahead, back = (
                read_page(before).find_relation("next"),
                read_page(after).find_relation("prev"),
            )
            assert ahead is not None
            assert back is not None
            assert after == (before.parent / ahead).resolve()
            assert before == (after.parent / back).resolve()
        assert read_page(pages[0]).find_relation("prev") is None
        assert read_page(pages[-1]).find_relation("next") is None


@pytest.mark.nightly
@pytest.mark.parametrize("file", TEXTS)
def test_pages_name_their_language(site: Path, file: str) -> None:
    """To browsers, in the hint of the search, and in the side bar's way to the front."""
    page = read_page(get_page(site, file))
    language, hint = ("zh", "搜索") if file.startswith(f"{CHINESE}/") else ("en", "Search")
    assert [language] == list(page.find("html", "lang"))
    assert [hint] == list(page.find("input", "placeholder"))
    front = "zh/README.md" if language == "zh" else "README.md"
    (brand,) = (
        v["href"] for _, v in page.elements if "sidebar-brand" in v.get("class", "").split()
    )
    leads = get_page(site, file).parent / brand.partition("#")[0]
    assert get_page(site, front) == (leads.resolve() if brand != "#" else get_page(site, file))


@pytest.mark.nightly
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.translation.name)
def test_the_side_bar_of_chinese_pages_is_chinese(site: Path, pair: TranslatedPage) -> None:
    """Each chapter is in it, with a Chinese title, and those in English say so."""
    page = get_page(site, pair.translation.relative_to(SPEC).as_posix())
    html = page.read_text(encoding="utf-8").partition('<div class="sidebar-tree">')[2]
    for entry in (e for part in list_parts() for e in part.entries):
        mark = ' <span class="other-language">' if entry.is_english else "</a>"
        assert f">{escape(entry.title)}{mark}" in html


@pytest.mark.nightly
def test_links_lead_somewhere(site: Path) -> None:
    """Every link and every anchor inside the site resolves, and none leads out to a file."""
    assert [] == [
        (page.relative_to(site).as_posix(), target)
        for page in find_pages(site)
        for target in read_page(page).find("a", "href")
        if not re.match(r"https?:", target) and not leads_somewhere(site, page, target)
    ]


def leads_somewhere(site: Path, page: Path, target: str) -> bool:
    """The file is in the site, and the anchor is in the file."""
    name, _, anchor = unquote(target).partition("#")
    file = (page.parent / name).resolve() if name else page
    if not file.is_file() or not file.is_relative_to(site):
        return False
    if file.parent.name == FOLDER and "=" in anchor:
        return find_case(anchor.removeprefix("counterexample=")) is not None
    return not anchor or anchor in read_page(file).anchors


@pytest.mark.nightly
def test_headings_have_the_anchors_of_repository_viewers(site: Path) -> None:
    """What links in the texts name is what a heading of a page offers to copy."""
    offered = set(read_page(site / "replication.html").find("a", "href"))
    assert {"#position_at_last_file", "#transfer_batch"} <= offered


@pytest.mark.nightly
def test_nothing_is_loaded_from_the_network(site: Path) -> None:
    """Scripts, styles and images lie in the site; no style sheet and no script names another."""
    for page in find_pages(site):
        for target in read_page(page).find_loaded():
            file = (page.parent / target.partition("?")[0]).resolve()
            assert file.is_file(), (page.name, target)
            assert file.is_relative_to(site)
    for file in (f for f in site.rglob("*") if f.suffix in {".css", ".js"}):
        text = re.sub(r"/\*.*?\*/", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)
        if file.name != "searchindex.js":
            assert [] == FROM_NETWORK.findall(NAMESPACES.sub("", text)), file.name


@pytest.mark.nightly
def test_diagrams_are_drawn(site: Path) -> None:
    """Each block of Mermaid is a picture with the words of the block, and none is left as text."""
    for file in TEXTS:
        count = (SPEC / file).read_text(encoding="utf-8").count("\n```mermaid\n")
        html = get_page(site, file).read_text(encoding="utf-8")
        assert count == html.count('<figure class="diagram"><svg'), file
    assert ">connect_slave (the master counts it)<" in (site / "replication.html").read_text()


WIDE = """[...document.querySelectorAll('article table')].filter((table) => {
  const box = table.closest('.table-wrapper');
  return box.scrollWidth > box.clientWidth + 1;
}).map((table) => table.innerText.slice(0, 60))"""
"""The tables of which a part is hidden in their boxes."""

OUTSIDE = "document.documentElement.scrollWidth - innerWidth"
"""How far something reaches beyond the window, in pixels; not positive where nothing does."""


@pytest.mark.nightly
@pytest.mark.skipif(bool(MISSING), reason=MISSING or "a browser is there")
def test_tables_fit(site: Path, tmp_path: Path) -> None:
    """Each is no wider than its text on a desktop and a tablet; on a phone no page is wider."""
    with open_browser(tmp_path / "profile") as browser:
        for width in (1400, 820):
            page = browser.open("about:blank", width=width)
            for text in TEXTS:
                page.show(get_page(site, text).as_uri())
                assert [] == page.ask(WIDE), (width, text)
        page.resize(390, 900)
        for text in TEXTS:
            page.show(get_page(site, text).as_uri())
            assert page.ask(OUTSIDE) <= 0, text


def read_index(site: Path) -> Any:
    """The index that the search loads."""
    text = (site / "searchindex.js").read_text(encoding="utf-8")
    return json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("word", "page"),
    [
        ("position_at_last_fil", "replication"),  # as the stemmer has it
        ("slave_is_prefix_of_mast", "guarantees"),
        ("haslavefallbehindmax", "put"),
        ("从节", "glossary"),
        ("主从", "glossary"),
    ],
)
def test_search_finds(site: Path, word: str, page: str) -> None:
    """Rules, guarantees, settings and Chinese terms are in the index of the search."""
    index = read_index(site)
    for kind in ("terms", "titleterms"):
        found = index[kind].get(word, [])
        names = [index["docnames"][n] for n in (found if isinstance(found, list) else [found])]
        if page in names:
            return
    pytest.fail(f"{page} is not among the pages with {word}")


@pytest.mark.nightly
def test_a_former_site_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a site in it is good for another one, and nothing of the first one stays."""
    for page in ("first.html", "second.html"):

        def make_pages(_source: Path, pages: Path, _show: object, page: str = page) -> None:
            pages.mkdir()
            (pages / page).touch()

        monkeypatch.setattr("book.site.build.run_generator", make_pages)
        assert 0 == run("docs", "--out", tmp_path).returncode
    assert ["second.html"] == [path.name for path in tmp_path.glob("*.html")]
    assert (tmp_path / "explorer" / "index.html").is_file()


def test_a_warning_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A warning of the generator is one line, and nothing is written."""

    def write_doubtful(folder: Path, *_: object) -> None:
        (folder / "index.md").write_text("# Doubtful\n\n```mermaid\nnothing that it knows\n```\n")

    monkeypatch.setattr("book.site.build.write_sources", write_doubtful)
    message = assert_one_line(run("docs", "--out", tmp_path / "site"), 3)
    assert "the site is not built: spec/index.md:3: WARNING: Mermaid cannot draw it" in message
    assert [] == list(tmp_path.iterdir())


def test_other_folders_are_left_alone(tmp_path: Path) -> None:
    """A folder with anything else in it is refused, and a file."""
    kept = tmp_path / "kept.txt"
    kept.touch()
    message = assert_one_line(run("docs", "--out", tmp_path), 3)
    assert "holds other things than a site" in message
    assert_one_line(run("docs", "--out", kept), 3)
    assert [kept] == list(tmp_path.iterdir())


def test_a_text_is_printed_with_what_only_the_site_has() -> None:
    """The rows in place of the sentence that points at them."""
    kept = (SPEC / "code_ledger.md").read_text(encoding="utf-8")
    printed = run("docs", "--print", "spec/code_ledger.md").stdout
    assert "docs --print spec/code_ledger.md" in kept
    assert "docs --print" not in printed
    assert len(printed) > 10 * len(kept)
    assert "--print needs a TEXT" in assert_one_line(run("docs", "--print"), 3)
    assert "has no generated parts" in assert_one_line(run("docs", "--print", "x.md"), 3)


@pytest.mark.parametrize(
    "words", [("--check", "--write"), ("spec/proofs.md",), ("--check", "--out", "x")]
)
def test_jobs_exclude_each_other(words: tuple[str, ...]) -> None:
    """One job at a time; texts belong to --write and --print."""
    assert "exclude each other" in assert_one_line(run("docs", *words), 3)
