"""The page about upgrades: rows are the verdicts of certificates, advice relies on what it says."""

from __future__ import annotations

import re

import pytest

from book.operators import upgrading
from book.operators.upgrading import GROUPS, STARTS, UpgradedGroup, compute_group_changes
from properties.comparison.advice import Advice, find_change, list_advice, load_advice
from properties.comparison.upgrades import Turn, list_turned
from properties.verdicts.certificates import load_cells
from properties.worlds.catalogue import CLAIM_NAMES, STRUCTURES
from reference.configuration.later_keys import is_known_in
from reference.releases.releases import CONTROLLER, QUORUM, RELEASES
from reference.releases.versions import Version, parse_version

AS_INSTALLED = GROUPS[1]
"""The stock synchronous pair."""


def list_worse(group: UpgradedGroup, start: str) -> set[tuple[str, str]]:
    """Guarantee and fault model of what an upgrade makes worse."""
    worse = list_turned(compute_group_changes(group, start), Turn.WORSE)
    return {(c.after.guarantee, c.after.fault) for c in worse}


@pytest.mark.parametrize("advice", load_advice(), ids=lambda a: a.do[:40])
def test_advice_has_what_it_relies_on(advice: Advice) -> None:
    """Its changes exist, its keys are known to the newest release, its verdicts are certified."""
    assert advice.when in ("before", "after")
    assert advice.known_from
    for name in (*advice.changes, *advice.lost, *advice.between):
        assert find_change(name).name == name
    assert all(is_known_in(key, Version(RELEASES[-1])) for key in advice.keys)
    assert all(f"`{key}" in f"{advice.do} {advice.why}" for key in advice.keys)
    for structure, claim, fault, word in advice.verdicts:
        cell = load_cells(STRUCTURES[structure])[claim, fault]
        assert word == cell.word.value, (structure, claim, fault)
    assert any(upgrading.is_for_any(advice, start) for start in STARTS)


@pytest.mark.parametrize(
    ("before", "after", "told", "is_told"),
    [
        ("4.9.8", "5.5.1", "set `inSyncReplicas=2`", True),
        ("4.9.8", "5.5.1-quorum", "set `inSyncReplicas=2`", False),
        ("4.9.8", "5.5.1-controller", "`minInSyncReplicas=2`", True),
        ("5.1.4", "5.5.1", "Remove `haMasterAddress`", False),
        ("4.9.8", "5.1.4", "Do not stop at 5.3.2", False),
        ("5.1.4", "5.5.1", "Do not stop at 5.3.2", True),
        ("4.9.8", "5.5.1", "one p", False),
        ("4.4.0", "5.5.1", "one p", True),
        ("4.4.0", "5.5.1", "refuse a slave that is ahead", False),
    ],
)
def test_advice_is_given_where_there_is_reason(
    before: str, after: str, told: str, is_told: bool
) -> None:
    """Only for an upgrade that brings, takes or passes what it is about."""
    found = list_advice(parse_version(before), parse_version(after))
    assert is_told is any(told in f"{each.do} {each.why}" for each in found)


def test_what_the_page_says_in_words() -> None:
    """A pair as installed, as a quorum, and with a controller."""
    quorum, controlled = (
        next(g for g in GROUPS if (g.structure, g.mode) == (AS_INSTALLED.structure, mode))
        for mode in (QUORUM, CONTROLLER)
    )
    assert ("acknowledged_is_held_twice", "none") in list_worse(AS_INSTALLED, "4.9.8")
    assert not list_worse(quorum, "4.9.8")
    full_disk = {("dispatch_reaches_the_end", "nearly full disk")}
    flushing = [g for g in GROUPS if g.structure.is_sync_flush and g.mode != CONTROLLER]
    assert all(full_disk <= list_worse(g, "5.1.4") for g in flushing)
    cells = load_cells(Version("5.5.1", CONTROLLER).apply(controlled.structure))
    words = {
        cells["acknowledged_is_kept_on_some_broker", f].word.value for f in ("none", "master kill")
    }
    assert words == {"undecided"}


def test_rows_name_what_is_worse() -> None:
    """In words of an operator: the fear, and the commonest failures first."""
    rows = dict(zip((g.title for g in GROUPS), upgrading.list_rows("4.9.8"), strict=False))
    _, better, worse = rows[AS_INSTALLED.title]
    assert better == "nothing"
    assert worse.startswith("Fewer copies than promised: no failure at all, ")


def test_the_page_has_no_name_of_a_proof() -> None:
    """Its reader is an operator."""
    text = upgrading.PAGE.path.read_text("utf-8")
    assert text == upgrading.PAGE.update(text)
    assert not set(re.findall(r"\w+", text)) & set(CLAIM_NAMES)
