"""The chapter on known issues says what the catalogue says."""

import re

from book.usage import known_issues_page as page
from properties.scenarios.known_issues.catalogue import load_decisions, load_scenarios


def read() -> str:
    """The text of the chapter."""
    return page.PAGE.path.read_text(encoding="utf-8")


def test_every_entry_has_its_section() -> None:
    """Scenarios and decisions stand once, in the order of the data."""
    names = [entry.name for entry in (*load_scenarios(), *load_decisions())]
    assert names == re.findall(r"^### (\w+)$", read(), re.MULTILINE)
