"""The chapter about lemmas is the one that the data gives."""

import re

from book.model import lemma_page
from properties.z3.triage import TriageWord


def test_answers_of_triage_are_explained() -> None:
    """Every answer has its line, and no other."""
    _, _, section = lemma_page.PAGE.path.read_text(encoding="utf-8").partition("## Triage\n")
    answers = re.findall(r"^\| `([\w ]+)` \|", section.partition("\n## ")[0], re.MULTILINE)
    assert [word.value for word in TriageWord] == answers
