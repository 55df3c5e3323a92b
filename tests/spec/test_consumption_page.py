"""The chapter on consumption says what rules and certificates say."""

from __future__ import annotations

from properties.consumption import page
from properties.consumption.world import CONSUMPTION_RULES, PROGRESS_LEMMAS

UPDATE = "run python -m properties.consumption.page, read the difference, and correct the prose"


def read() -> str:
    """The text of the chapter."""
    return page.CHAPTER.read_text(encoding="utf-8")


def test_generated_parts_are_those_of_the_code() -> None:
    """Rendering them anew changes nothing."""
    assert page.update(read()) == read(), UPDATE


def test_a_drift_is_put_right() -> None:
    """What stands between the marks is replaced."""
    spoilt = read().replace("- **Who:** slave", "- **Who:** salve")
    assert spoilt != read()
    assert read() == page.update(spoilt)


def test_every_rule_and_lemma_is_told() -> None:
    """With its name, and its conditions."""
    for name, rule in CONSUMPTION_RULES.items():
        section = read().partition(f"### `{name}`\n")[2].partition("\n### ")[0]
        assert all(f"`{condition}`" in section for condition in page.list_conditions(rule)[0])
    assert all(f"| `{name}` |" in read() for name in PROGRESS_LEMMAS)
