"""README.md shows what its commands print, and names only verbs that exist."""

from __future__ import annotations

import re

from command_line.main import VERBS
from command_line.readme import get_readme, update_readme


def test_outputs_are_what_the_commands_print() -> None:
    """Run ./rmqspec docs --write when this fails."""
    text = get_readme().read_text()
    assert update_readme(text) == text


def test_every_verb_exists_and_is_named() -> None:
    """Verbs in the text and verbs of the program are the same."""
    named = set(re.findall(r"\./rmqspec (\w+)", get_readme().read_text()))
    assert set(VERBS) == named
