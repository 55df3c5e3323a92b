"""The Chinese pages say what their originals say: section by section, cell by cell."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator

import pytest

from book.chinese.contents import FOLDER, TITLES_FILE, list_parts, load_titles
from book.chinese.pages import (
    NOT_SHORTEST_CHINESE,
    PAIRS,
    PHRASES,
    Section,
    TranslatedPage,
    UntranslatedError,
    split_sections,
)
from book.contents import BOOK
from book.links import read_title
from properties.generated_text import SPEC

CHINESE = re.compile(r"[\u4e00-\u9fff]")
CODE = re.compile(r"`[^`]*`")
NUMBER = re.compile(r"\d+")
PART = re.compile(r"<!-- begin generated: ([\w -]+) -->\n(.*?)<!-- end generated", re.DOTALL)

(GUIDE,) = (pair for pair in PAIRS if pair.original.name == "operators.md")

every_pair = pytest.mark.parametrize("pair", PAIRS, ids=lambda p: p.translation.name)


def read(pair: TranslatedPage) -> tuple[str, str]:
    """Both texts."""
    return pair.original.read_text("utf-8"), pair.translation.read_text("utf-8")


@every_pair
def test_sections_correspond(pair: TranslatedPage) -> None:
    """As many, of the same levels, with the same generated parts."""
    for ours, theirs in pair.sections:
        assert (ours.level, ours.parts) == (theirs.level, theirs.parts), ours.heading


@every_pair
def test_sections_cite_the_same(pair: TranslatedPage) -> None:
    """Recordings and threads, links, and all that is code."""
    for ours, theirs in pair.sections:
        assert ours.citations == theirs.citations, ours.heading
        linked = [link for link in ours.links if not pair.is_of_either(pair.original, link)]
        links = [link for link in theirs.links if not pair.is_of_either(pair.translation, link)]
        assert sorted(map(pair.retarget, linked)) == links, ours.heading
        assert ours.code == theirs.code, ours.heading


@every_pair
def test_tables_have_the_same_cells(pair: TranslatedPage) -> None:
    """As many rows and cells, with the same code and the same numbers in each."""
    ours, theirs = ([line for line in text.splitlines() if line[:1] == "|"] for text in read(pair))
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        for cell, translated in zip(one.split("|"), other.split("|"), strict=True):
            assert CODE.findall(cell) == CODE.findall(translated)
            assert NUMBER.findall(cell) == NUMBER.findall(translated)


@every_pair
def test_prose_is_chinese(pair: TranslatedPage) -> None:
    """Each heading, and each paragraph outside generated parts."""
    for section in split_sections(read(pair)[1]):
        assert CHINESE.search(section.heading)
        bare = re.sub(r"<!-- begin.*?<!-- end[^\n]*", "", section.text, flags=re.DOTALL)
        bare = re.sub(r"^```.*?^```$", "", bare, flags=re.DOTALL | re.MULTILINE)
        assert all(CHINESE.search(p) for p in bare.split("\n\n") if p.strip()), section.heading


@every_pair
def test_every_phrase_is_used(pair: TranslatedPage) -> None:
    """By the original's generated parts, without those that are not translated."""
    parts = {name: part for name, part in PART.findall(read(pair)[0]) if name not in pair.own}
    generated = "\n".join(parts.values())
    for phrase in pair.phrases:
        pattern = phrase[1:] if phrase.startswith("^") else re.escape(phrase)
        assert re.search(pattern, generated), phrase


def test_threads_of_every_tracker_are_citations() -> None:
    """So a translation must name them too; a number in a word or in a link is none."""
    text = "RMQ-184 and (ali#81), #3482; `a_sync_healthy` seq 17 (`put`). RMQ184, x#5, page/#6"
    expected = ["#3482", "RMQ-184", "`a_sync_healthy` seq 17 (`put`)", "ali#81"]
    assert expected == Section(1, "", text).citations


def test_every_chinese_page_has_its_original() -> None:
    """In the folder above, and a file of phrases of its own."""
    assert {p.translation for p in PAIRS} == set((SPEC / "zh").glob("*.md"))
    assert {p.phrases_file for p in PAIRS} == set(PHRASES.glob("*.toml")) - {TITLES_FILE}


def test_unknown_words_are_refused() -> None:
    """Code, numbers and threads need none."""
    pair = GUIDE
    words, semicolon = pair.phrases, pair.phrases["; "]
    translated = pair.translate("| `code` | 12 | #6767; ali#81 |")
    assert translated == f"| `code` | 12 | #6767{semicolon}ali#81 |"
    assert (
        pair.translate("| **is broken**; yes |")
        == f"| {words['**is broken**']}{semicolon}{words['yes']} |"
    )
    with pytest.raises(UntranslatedError, match="never heard"):
        pair.translate("| yes, never heard |")


def test_a_length_that_is_not_established_again_is_told() -> None:
    """Pages have it between a renewal and a search."""
    told = GUIDE.translate_phrase("refuted, 16 steps (shortest not re-established)")
    assert told == "已证伪\uff0c16 步" + NOT_SHORTEST_CHINESE


def test_phrases_are_chinese() -> None:
    """But for what is code, and separators."""
    for pair in PAIRS:
        phrases = tomllib.loads(pair.phrases_file.read_text(encoding="utf-8"))
        assert all(CHINESE.search(v) or not re.search(r"\w", k) for k, v in phrases.items())


def test_no_chinese_is_slanted() -> None:
    """Italics are not for Chinese: quotation marks are, or bold."""
    for pair in PAIRS:
        bare = CODE.sub("", read(pair)[1]).replace("**", "")
        assert [] == re.findall(r"\*[^*\n]*[\u4e00-\u9fff][^*\n]*\*", bare)


def find_links(pair: TranslatedPage) -> Iterator[tuple[str, str]]:
    """Text and page title of each link to a whole page in two languages, on both pages."""
    titles = {p: read_title(p) for each in PAIRS for p in (each.original, each.translation)}
    for page in (pair.original, pair.translation):
        for text, target in re.findall(r"\[([^\]]*)\]\(([\w./]+)\)", page.read_text("utf-8")):
            if (title := titles.get((page.parent / target).resolve())) is not None:
                yield text, title


@every_pair
def test_links_say_the_title_of_a_translated_page(pair: TranslatedPage) -> None:
    """Capitals aside, which go with the sentence."""
    found = list(find_links(pair))
    assert found
    assert [] == [(t, title) for t, title in found if t.lower() != title.lower()]


def test_chinese_contents_have_every_chapter() -> None:
    """In the order of the book, each with a Chinese title, which a Chinese page has as its own."""
    *parts, originals = list_parts()
    entries = [entry for part in parts for entry in part.entries]
    files = [chapter.file for part in BOOK[:-1] for chapter in part.chapters]
    assert files == [entry.file.removeprefix(f"{FOLDER}/") for entry in entries]
    assert set(files) == set(load_titles()["chapters"])
    for entry in entries:
        assert CHINESE.search(entry.title + entry.about)
        assert entry.is_english or entry.title == read_title(SPEC / entry.file)
    assert [pair.original for pair in PAIRS[::-1]] == [SPEC / e.file for e in originals.entries]
