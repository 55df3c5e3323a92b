"""Links of the book into the explorer, which is no text of the book but a page of the site.

In a text they lead to sections of the explorer's chapter; the site leads on from there.
"""

from __future__ import annotations

from os.path import relpath
from pathlib import PurePosixPath

CHAPTER = "explorer.md"
FOLDER = "explorer"
"""Where the page lies in the site."""

SCHEME = "explorer"
"""The mark by which the site's generator distinguishes these links from those between texts."""

OPEN_SECTION, COUNTEREXAMPLES_SECTION = "open-it", "counterexamples"


def link_counterexample(up: str, claim: str) -> str:
    """The link of a counterexample's page, and its address where the page is read as a text."""
    link = f"[Step through it in the explorer]({up}{CHAPTER}#{COUNTEREXAMPLES_SECTION})"
    return (
        f"{link}: `./rmqspec export explorer` writes it, and the address is\n"
        f"`.rmqspec/explorer/index.html#counterexample={claim}`"
    )


def find_address(page: str, section: str) -> str | None:
    """Where a link to a section of the chapter leads in the site; None if to the chapter.

    ``page`` is the text with the link. Of a counterexample's page it says which to open.
    """
    place = f"{SCHEME}:{relpath(f'{FOLDER}/index.html', PurePosixPath(page).parent)}"
    if section == OPEN_SECTION:
        return place
    is_told = page.startswith("counterexamples/") and section == COUNTEREXAMPLES_SECTION
    return f"{place}#counterexample={PurePosixPath(page).stem}" if is_told else None
