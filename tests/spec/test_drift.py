"""What code writes into the texts is what it would write today."""

from __future__ import annotations

from itertools import zip_longest

import pytest

from command_line.docs import UPDATES
from properties.generated_text import ROOT


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in UPDATES]
)
def test_writing_anew_changes_nothing(name: str) -> None:
    """No table, verdict, output or code in the text differs from what the program says."""
    before = (ROOT / name).read_text(encoding="utf-8")
    lines = zip_longest(before.splitlines(), UPDATES[name](before).splitlines())
    differing = next((pair for pair in lines if pair[0] != pair[1]), None)
    advice = f"run ./rmqspec docs --write {name}, read the difference, and correct the prose"
    assert differing is None, advice
