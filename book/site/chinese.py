"""Navigation of the Chinese pages of the site: side bar, neighbours and words of the frame.

Sphinx knows one language and one table of contents. A page below ``zh/`` therefore gets its own
side bar, with Chinese titles, and the words of the theme's frame in Chinese. Neither language leads
on to the other one: the pages before and after a page are in its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from book.chinese.contents import ENGLISH_MARK, FOLDER, FRONT, ContentsEntry, list_parts
from book.links import read_title
from properties.generated_text import SPEC

LANGUAGE = "zh"
"""What the pages say of themselves to browsers."""

WORDS: Mapping[str, str] = {
    "Back to top": "回到顶部",
    "Home": "首页",
    "Next": "下一页",
    "On this page": "本页目录",
    "Previous": "上一页",
    "Search": "搜索",
    "Skip to content": "跳到正文",
}
"""The frame's words in Chinese; the line about its makers stays as it is."""


def say(words: str) -> str:
    """Words of the frame in Chinese where they are known."""
    return WORDS.get(words.strip(), words)


def is_chinese(page: str) -> bool:
    """The page is one of the Chinese ones."""
    return page.startswith(f"{FOLDER}/")


def guide(
    _app: Sphinx, page: str, _template: str, context: dict[str, Any], _tree: nodes.document | None
) -> None:
    """Give a page of the site the navigation of its language."""
    if is_chinese(page):
        context["language"] = LANGUAGE
        context["docstitle"] = read_title(SPEC / FRONT)
        context["master_doc"] = get_page(FRONT)
        context["_"] = context["gettext"] = say
        context["furo_navigation_tree"] = render_side_bar(page, context["pathto"])
        context["prev"], context["next"] = find_neighbours(page, context["pathto"])
    elif page == find_last_english():
        context["next"] = None


def get_page(file: str) -> str:
    """The name that Sphinx has for the page of a text."""
    return "index" if file == "README.md" else file.removesuffix(".md")


def find_last_english() -> str:
    """The page before the first Chinese one."""
    *_, entry = (e for part in list_parts()[:-1] for e in part.entries if e.is_english)
    return get_page(entry.file)


def list_own() -> list[ContentsEntry]:
    """The Chinese pages in their order."""
    return [e for part in list_parts() for e in part.entries if not e.is_english]


def find_neighbours(page: str, pathto: Callable[[str], str]) -> list[dict[str, str] | None]:
    """The Chinese pages before and after one, as the theme wants them; None where there is none."""
    pages = [None, *list_own(), None]
    here = next(n for n, entry in enumerate(pages) if entry and get_page(entry.file) == page)
    return [describe(entry, pathto) for entry in (pages[here - 1], pages[here + 1])]


def describe(entry: ContentsEntry | None, pathto: Callable[[str], str]) -> dict[str, str] | None:
    """A neighbour's title and address."""
    if entry is None:
        return None
    return {"title": escape(entry.title), "link": pathto(get_page(entry.file))}


def render_side_bar(page: str, pathto: Callable[[str], str]) -> str:
    """The table of contents as the theme's side bar has it; English chapters say that they are."""
    return "\n".join(render_parts(page, pathto))


def render_parts(page: str, pathto: Callable[[str], str]) -> Iterator[str]:
    """Each part as a caption and a list."""
    for part in list_parts():
        caption = f'<span class="caption-text">{part.title}</span>'
        items = (render_entry(e, get_page(e.file) == page, pathto) for e in part.entries)
        yield f'<p class="caption" role="heading">{caption}</p>\n<ul>{"".join(items)}</ul>'


def render_entry(entry: ContentsEntry, is_here: bool, pathto: Callable[[str], str]) -> str:
    """A chapter as an item of a list."""
    item, link = "toctree-l1", "reference internal"
    if is_here:
        item, link = f"{item} current current-page", f"current {link}"
    title = escape(entry.title)
    if entry.is_english:
        title += f' <span class="other-language">{ENGLISH_MARK}</span>'
    target = pathto(get_page(entry.file))
    return f'<li class="{item}"><a class="{link}" href="{target}">{title}</a></li>'


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx when it loads this module."""
    app.connect("html-page-context", guide, priority=900)  # after the theme has made its own
    return {"parallel_read_safe": True, "parallel_write_safe": True}
