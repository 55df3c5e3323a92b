"""README.md names only verbs that exist."""

from __future__ import annotations

import re

from command_line.answers.shown_outputs import README
from command_line.main import VERBS
from properties.scenarios.summary.words import load_words


def test_every_verb_exists_and_is_named() -> None:
    """Verbs in the text and verbs of the program are the same."""
    named = set(re.findall(r"\./rmqspec (\w+)", README.read_text()))
    assert set(VERBS) == named


def test_every_fault_that_a_screen_names_is_explained_where_it_says() -> None:
    """The section that the text links to has a row for each fault model of the screen."""
    assert "(spec/guarantees.md#fault-models)" in README.read_text()
    chapter = (README.parent / "spec" / "guarantees.md").read_text()
    section = chapter.partition("## Fault models\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \|$", section, re.MULTILINE)
    assert set(load_words().fault_models) <= set(rows)
