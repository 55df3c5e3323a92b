"""Pages of the site get the navigation of their language, and long names in them may wrap."""

from __future__ import annotations

from typing import Any, cast

import pytest
from sphinx.application import Sphinx

from book.chinese.contents import ENGLISH_MARK
from book.contents import BOOK
from book.site.chinese import guide
from book.site.long_names import let_names_wrap

APP = cast(Sphinx, None)
"""Neither function looks at it."""


def make_context() -> dict[str, Any]:
    """What the theme has prepared for a page."""
    other = {"title": "Other", "link": "other.html"}
    return {
        "language": "en",
        "docstitle": "Title",
        "master_doc": "index",
        "pathto": lambda page: f"/{page}.html",
        "furo_navigation_tree": "<ul></ul>",
        "prev": other,
        "next": other,
    }


def test_chinese_pages_lead_to_each_other_only() -> None:
    """The first has none before it, and the last none behind it."""
    first, last = make_context(), make_context()
    guide(APP, "zh/README", "page.html", first, None)
    guide(APP, "zh/after_the_master_is_gone", "page.html", last, None)
    assert (None, "/zh/operators.html") == (first["prev"], first["next"]["link"])
    assert ("/zh/operators.html", None) == (last["prev"]["link"], last["next"])


def test_chinese_pages_have_a_chinese_frame() -> None:
    """Language, title, front page, side bar and the words of the theme."""
    context = make_context()
    guide(APP, "zh/operators", "page.html", context, None)
    assert ("zh", "zh/README") == (context["language"], context["master_doc"])
    assert "RocketMQ 主从" in context["docstitle"]
    assert "搜索" == context["_"]("Search")
    assert "回到顶部" == context["gettext"]("Back to top")
    assert "Made with " == context["gettext"]("Made with ")
    bar = context["furo_navigation_tree"]
    assert f'href="/flush.html">刷盘 <span class="other-language">{ENGLISH_MARK}</span></a>' in bar
    assert '<li class="toctree-l1 current current-page"><a' in bar
    assert 1 == bar.count("current-page")
    assert 'href="/index.html">What a RocketMQ broker pair can lose <span' in bar


def test_the_last_english_page_leads_to_no_chinese_one() -> None:
    """All other English pages keep what they have."""
    last = BOOK[-2].chapters[-1].file.removesuffix(".md")
    context, untouched = make_context(), make_context()
    guide(APP, last, "page.html", context, None)
    guide(APP, "flush", "page.html", untouched, None)
    assert context["next"] is None
    assert context["prev"] == untouched["next"] == {"title": "Other", "link": "other.html"}
    assert "en" == untouched["language"]


@pytest.mark.parametrize(
    ("name", "wrapped"),
    [
        ("FLUSH_DISK_TIMEOUT", "FLUSH_<wbr>DISK_<wbr>TIMEOUT"),
        ("slaveReadEnable", "slave<wbr>Read<wbr>Enable"),
        ("PUT_OK", "PUT_OK"),
    ],
)
def test_long_names_wrap(name: str, wrapped: str) -> None:
    """After a stroke and before a capital; short ones stay whole."""
    context = {"body": f'<span class="pre">{name}</span>'}
    let_names_wrap(APP, "page", "page.html", context, None)
    assert f'<span class="pre">{wrapped}</span>' == context["body"]


@pytest.mark.parametrize(
    ("word", "wrapped"),
    [
        (
            "HAConnection.WriteSocketService#run",
            "HAConnection.<wbr>Write<wbr>Socket<wbr>Service<wbr>#<wbr>run",
        ),
        ("reference/worlds/put.py", "reference/<wbr>worlds/<wbr>put.py"),
        ("h_slave_ahead_aligned", "h_<wbr>slave_<wbr>ahead_<wbr>aligned"),
        ("acknowledgements", "acknowledgements"),
        ("HAClient#run", "HAClient#run"),
    ],
)
def test_long_words_of_tables_wrap(word: str, wrapped: str) -> None:
    """Methods, paths and recordings, in tables only; addresses of links stay as they are."""
    link = f'<a href="files/a_long_folder/name.py">{{}}</a> {word}'
    context = {"body": f"<p>{word}</p><table><td>{link.format(word)}</td></table>"}
    let_names_wrap(APP, "page", "page.html", context, None)
    cell = link.format(wrapped).replace(f" {word}", f" {wrapped}")
    assert f"<p>{word}</p><table><td>{cell}</td></table>" == context["body"]
