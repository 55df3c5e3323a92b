"""Signs of failures with a controller: lines that brokers write, advice that was tried."""

from __future__ import annotations

import json

import pytest

from command_line.answers.story.afterwards import BrokenGroup, tell_signs
from properties.generated_text import SPEC
from properties.scenarios.known_issues.catalogue import find_entries
from properties.scenarios.procedures.signs import (
    Sign,
    find_sign,
    find_signs,
    load_pair_signs,
    load_signs,
)
from properties.verdicts.certificates import load_cells
from properties.worlds.replication.world import CLAIMS, ClaimedGroup
from tests.brokers.recordings.shared import LATEST


@pytest.mark.parametrize("sign", [s for s in load_signs() if s.seen], ids=lambda s: s.name)
def test_a_recording_has_the_line(sign: Sign) -> None:
    """At that seq, by a broker's log."""
    assert sign.seen
    name, seq = sign.seen
    events = map(json.loads, (LATEST / f"{name}.jsonl").read_text("utf-8").splitlines())
    (event,) = [e for e in events if e.get("seq") == seq]
    assert event["ev"] == "log"
    assert sign.log in event["msg"]


@pytest.mark.parametrize("sign", [*load_pair_signs(), *load_signs()], ids=lambda s: s.name)
def test_signs_are_about_claims_and_have_advice(sign: Sign) -> None:
    """Known guarantees and issues, each with something to do."""
    assert set(sign.claims) <= set(CLAIMS)
    assert all(find_entries(issue) for issue in sign.issues)
    assert sign.advice
    assert bool(sign.do) is not bool(sign.procedure)
    assert find_sign(sign.name) is sign


@pytest.mark.parametrize("sign", [*load_pair_signs(), *load_signs()], ids=lambda s: s.name)
def test_the_chapter_of_a_sign_has_the_heading(sign: Sign) -> None:
    """As a link names it."""
    page, _, anchor = sign.chapter.partition("#")
    lines = (SPEC / page).read_text("utf-8").splitlines()
    heads = {make_anchor(line.lstrip("# ")) for line in lines if line.startswith("#")}
    assert not anchor or anchor in heads


def make_anchor(head: str) -> str:
    """A heading as links name it."""
    return "".join(c for c in head.lower() if c.isalnum() or c in " -_").replace(" ", "-")


def test_only_groups_with_a_controller_show_them() -> None:
    """None for the same pair without one, or for another claim."""
    claims = ("slaves_reach_the_masters_end",)
    controlled = ClaimedGroup(variants=("5.0.0-controller",))
    assert list(find_signs(controlled, claims))
    assert [] == list(find_signs(ClaimedGroup(), claims))
    assert [] == list(find_signs(controlled, ("message_is_stored_once",)))


def test_explain_tells_the_signs() -> None:
    """Before the recoveries, each with what to do."""
    structure = ClaimedGroup(variants=("5.0.0-controller",))
    verdict = load_cells(structure)["slaves_reach_the_masters_end", "none"]
    lines = tell_signs(BrokenGroup(structure, verdict, ("slaves_reach_the_masters_end",), ()))
    told = " ".join(lines)
    assert "slave logs “Failed to find a consistent point between masterEpoch”" in told
    assert "mqadmin getBrokerEpoch: " in told
