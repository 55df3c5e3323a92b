"""The chapter on known issues says what the catalogue says."""

import re

import pytest

from properties.known_issues import page
from properties.known_issues.catalogue import load_decisions, load_scenarios


def read() -> str:
    """The text of the chapter."""
    return page.CHAPTER.read_text(encoding="utf-8")


def test_every_entry_has_its_section() -> None:
    """Scenarios and decisions stand once, in the order of the data; every part is there."""
    names = [entry.name for entry in (*load_scenarios(), *load_decisions())]
    assert names == re.findall(r"^### (\w+)$", read(), re.MULTILINE)
    assert list(page.PARTS) == re.findall(r"<!-- begin generated: (\w+) -->", read())


def test_a_drift_is_put_right() -> None:
    """What stands between the marks is replaced; a mark of nobody is an error."""
    spoilt = read().replace("## POWER LOSS", "## RAIN")
    assert spoilt != read()
    assert page.update(spoilt) == read()
    with pytest.raises(KeyError):
        page.update(read().replace("generated: outside", "generated: inside"))
