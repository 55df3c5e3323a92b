"""What code writes into the texts is what it would write today."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

import pytest

from book.model.code_page import TOPIC_PAGES
from command_line.docs import UPDATES
from properties.generated_text import ROOT
from properties.worlds import OTHER_WORLDS

EVERY_RUN = {
    "README.md",
    *(page.path.relative_to(ROOT).as_posix() for page in TOPIC_PAGES),
    *(f"spec/{world.topic}.md" for world in OTHER_WORLDS),
}
"""What a user reads first, and the rules; the other texts are nightly, and in `docs --check`."""


def as_parameter(name: str) -> Any:
    """A text, in a group of its own."""
    marks = [pytest.mark.nightly] * (name not in EVERY_RUN)
    return pytest.param(name, marks=[pytest.mark.xdist_group(name), *marks])


def test_texts_of_every_run_are_among_all() -> None:
    """Else a renamed chapter would only be compared at night."""
    assert set(UPDATES) >= EVERY_RUN


@pytest.mark.parametrize("name", [as_parameter(name) for name in UPDATES])
def test_writing_anew_changes_nothing(name: str) -> None:
    """No table, verdict, output or code in the text differs from what the program says."""
    before = (ROOT / name).read_text(encoding="utf-8")
    lines = zip_longest(before.splitlines(), UPDATES[name](before).splitlines())
    differing = next((pair for pair in lines if pair[0] != pair[1]), None)
    advice = f"run ./rmqspec docs --write {name}, read the difference, and correct the prose"
    assert differing is None, advice
