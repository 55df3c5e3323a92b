"""The chapter about lemmas is the one that the data gives."""

import re

import reference.state
from properties.book import lemma_page
from properties.triage import TriageWord


def test_phases_have_their_names() -> None:
    """A phase's name is that of the constant with its value."""
    values = [getattr(reference.state, name) for name in lemma_page.PHASE_NAMES]
    assert list(range(reference.state.UNANSWERED + 1)) == values


def test_answers_of_triage_are_explained() -> None:
    """Every answer has its line, and no other."""
    _, _, section = lemma_page.PAGE.path.read_text(encoding="utf-8").partition("## Triage\n")
    answers = re.findall(r"^\| `([\w ]+)` \|", section.partition("\n## ")[0], re.MULTILINE)
    assert [word.value for word in TriageWord] == answers
