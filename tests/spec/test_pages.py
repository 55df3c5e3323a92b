"""Every text has the parts that the code writes into it, and each of them once."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from command_line.renewal.pages import PAGES
from properties.checkout import ROOT
from properties.generated_text import Page


def name_text(page: Page) -> str:
    """The path of a text from the root, for a test's identifier."""
    return page.path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name_text)
def test_every_part_is_marked_once(page: Page) -> None:
    """Its beginning and its end; and nothing else is marked as generated."""
    text = page.path.read_text(encoding="utf-8")
    for edge in ("begin", "end"):
        marked = re.findall(rf"^<!-- {edge} generated: (.+) -->$", text, re.MULTILINE)
        assert Counter(marked) == dict.fromkeys(page.parts, 1), edge


def test_no_text_has_two_pages() -> None:
    """Else one of them would write what the other one does not know."""
    assert max(Counter(page.path for page in PAGES).values()) == 1
