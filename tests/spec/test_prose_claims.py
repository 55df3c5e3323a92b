"""Sentences written by hand that claim something of verdicts say what the certificates say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from properties.generated_text import SPEC
from properties.verdicts.certificates import load_cells
from properties.verdicts.verdict import VerdictWord
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.delay.world import DELAY
from properties.worlds.reading.world import READING
from properties.worlds.replication.structures import STOCK_PAIR
from properties.worlds.tables.world import TABLES

README = SPEC.parent / "README.md"
PAIR = STOCK_PAIR.name
SYSTEM = "system/sync master/async flush/closed/no offset check/first"
PROVED, REFUTED = VerdictWord.PROVED, VerdictWord.REFUTED

SENTENCES = [
    (
        README,
        "keeps every acknowledged message through stops and kills of both brokers",
        [
            (PAIR, "acknowledged_is_kept_on_master", "slave kill", PROVED),
            (PAIR, "acknowledged_is_kept_on_master", "master kill", PROVED),
            (SYSTEM, "promotion_loses_no_acknowledged_message", "both end", PROVED),
        ],
    ),
    (
        README,
        "loses acknowledged messages",
        [(PAIR, "acknowledged_is_kept_on_master", "master power loss", REFUTED)],
    ),
    (
        README,
        "answer `PUT_OK` for messages that no slave receives",
        [(PAIR, "acknowledgement_is_truthful", "master power loss", REFUTED)],
    ),
    (
        README,
        "if an empty slave replaces another one while a log file rolls over",
        [(PAIR, "acknowledged_is_held_twice", "late join", REFUTED)],
    ),
    (
        README,
        "to a slave that was away too long",
        [(PAIR, "slaves_reach_the_masters_end", "slave outrun by retention", REFUTED)],
    ),
    (
        SPEC / "README.md",
        "A synchronous master that has lost power may answer `PUT_OK`",
        [(PAIR, "acknowledgement_is_truthful", "master power loss", REFUTED)],
    ),
    (
        SPEC / "versions.md",
        "In 5.0.0 a SYNC_MASTER with stock settings waits for no slave",
        [(f"{PAIR} at 5.0.0", "acknowledged_is_held_twice", "none", REFUTED)],
    ),
    (
        SPEC / "versions.md",
        "`inSyncReplicas=2` restores the verdicts of 4.x",
        [(f"{PAIR} at 5.0.0-quorum", "acknowledged_is_held_twice", "none", PROVED)],
    ),
]
"""A text, a fragment of one of its sentences, and the verdicts that the sentence is about."""


@pytest.mark.parametrize(("page", "fragment", "cells"), SENTENCES, ids=[s[1] for s in SENTENCES])
def test_a_sentence_says_what_its_verdicts_say(
    page: Path, fragment: str, cells: list[tuple[str, str, str, VerdictWord]]
) -> None:
    """The sentence is there, and each verdict has its word and is not disputed."""
    assert fragment in strip_links(page.read_text(encoding="utf-8"))
    for name, claim, fault, word in cells:
        verdict = load_cells(STRUCTURES[name])[claim, fault]
        assert (verdict.word, verdict.disputed) == (word, ()), (name, claim, fault)


def strip_links(text: str) -> str:
    """A text on one line, with the words of its links only."""
    return " ".join(re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text).split())


@pytest.mark.parametrize("world", [READING, TABLES, DELAY], ids=lambda w: w.name)
def test_small_worlds_have_shortest_schedules_only(world: object) -> None:
    """Their chapters say so: every refuted verdict has the shortest schedule of its sizes."""
    for structure in world.structures:  # type: ignore[attr-defined]
        refuted = [v for v in load_cells(structure).values() if v.word is REFUTED]
        assert refuted
        assert all(v.is_shortest for v in refuted), structure.name


def test_no_text_claims_that_all_schedules_are_the_shortest() -> None:
    """Only the generated table of the front chapter counts them."""
    for page in (README, *SPEC.glob("*.md")):
        text = " ".join(page.read_text(encoding="utf-8").split())
        assert "no schedule at those sizes is shorter" not in text, page
        assert "no verdict of any structure changes" not in text, page
