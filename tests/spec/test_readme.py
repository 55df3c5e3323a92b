"""README.md names only verbs that exist."""

from __future__ import annotations

import re

from command_line.answers.shown_outputs import README
from command_line.main import VERBS


def test_every_verb_exists_and_is_named() -> None:
    """Verbs in the text and verbs of the program are the same."""
    named = set(re.findall(r"\./rmqspec (\w+)", README.read_text()))
    assert set(VERBS) == named
