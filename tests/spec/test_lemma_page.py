"""The chapter about lemmas is the one that the data gives."""

import re

from properties.book import lemma_page
from properties.triage import TriageWord


def test_every_generated_part_has_its_marks() -> None:
    """Each part stands once between its marks."""
    text = lemma_page.CHAPTER.read_text(encoding="utf-8")
    for name in lemma_page.GENERATED:
        assert 1 == text.count(f"<!-- begin generated: {name} -->")
        assert 1 == text.count(f"<!-- end generated: {name} -->")


def test_answers_of_triage_are_explained() -> None:
    """Every answer has its line, and no other."""
    _, _, section = lemma_page.CHAPTER.read_text(encoding="utf-8").partition("## Triage\n")
    answers = re.findall(r"^\| `([\w ]+)` \|", section.partition("\n## ")[0], re.MULTILINE)
    assert [word.value for word in TriageWord] == answers
