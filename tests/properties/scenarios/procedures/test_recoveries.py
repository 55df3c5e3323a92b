"""Recoveries after schedules: what leaving, restarting and copying give, and that they agree."""

from __future__ import annotations

import pytest

from properties.scenarios.procedures.procedures import Procedure, load_procedures
from properties.scenarios.procedures.recoveries import (
    RECOVERIES,
    Outcome,
    choose_judged,
    try_recoveries,
)
from properties.verdicts.certificates import load_cells
from properties.worlds import KNOWN_STRUCTURES

PAIR = "SYNC_MASTER/ASYNC_FLUSH/1 slave"
SYSTEM = "system/sync master/async flush/closed/no offset check/first"
LEAVE, MASTER, SLAVE, TO_SLAVE, TO_MASTER = range(5)


def try_all(structure: str, claim: str, fault: str) -> list[Outcome]:
    """What each recovery gives after a certified schedule."""
    found = KNOWN_STRUCTURES[structure]
    verdict = load_cells(found)[claim, fault]
    return list(try_recoveries(found, verdict, choose_judged((claim,))))


@pytest.mark.parametrize(
    ("structure", "claim", "fault", "helping"),
    [
        (PAIR, "equal_offsets_mean_equal_bytes", "none", {TO_SLAVE}),
        (PAIR, "slaves_reach_the_masters_end", "slave power loss", {TO_SLAVE}),
        (PAIR, "slaves_reach_the_masters_end", "slave outrun by retention", {TO_SLAVE}),
        (PAIR, "acknowledged_is_kept_on_master", "master power loss", {TO_MASTER}),
        (PAIR, "acknowledged_is_kept_on_master", "master disk loss", {TO_MASTER}),
        (PAIR, "dispatch_reaches_the_end", "none", {SLAVE, TO_SLAVE, TO_MASTER}),
        (PAIR, "flush_reaches_the_end", "nearly full disk", {MASTER, TO_SLAVE, TO_MASTER}),
        (SYSTEM, "acknowledged_is_consumed_or_to_come", "master power loss", {TO_MASTER}),
    ],
)
def test_what_helps(structure: str, claim: str, fault: str, helping: set[int]) -> None:
    """These recoveries and no others; each leaves a group that is as good as new."""
    outcomes = try_all(structure, claim, fault)
    assert [r.title for r in RECOVERIES] == [o.title for o in outcomes]
    assert helping == {n for n, outcome in enumerate(outcomes) if outcome.is_mending}
    assert all(outcomes[n].is_as_good_as_new for n in helping)


def test_a_copy_of_the_masters_store_may_lose_what_the_slave_had() -> None:
    """The only copy of an acknowledged message is overwritten."""
    outcomes = try_all(PAIR, "acknowledged_is_kept_on_master", "master power loss")
    assert outcomes[TO_SLAVE].is_lost
    assert not outcomes[LEAVE].is_lost


def test_what_is_gone_stays_gone() -> None:
    """No recovery brings back a message that no broker has."""
    outcomes = try_all(PAIR, "acknowledged_is_kept_on_some_broker", "master power loss")
    assert not any(outcome.is_mending for outcome in outcomes)


def test_a_recovery_that_is_impossible_says_why() -> None:
    """By the condition that does not hold."""
    outcomes = try_all(PAIR, "equal_offsets_mean_equal_bytes", "none")
    assert outcomes[TO_MASTER].refused == "is_slave_longer does not hold"


@pytest.mark.parametrize("procedure", load_procedures(), ids=lambda each: each.name)
def test_recoveries_agree_with_procedures(procedure: Procedure) -> None:
    """Where the advice is to copy one way, and the same claim is at stake, that copy helps."""
    structure = KNOWN_STRUCTURES[procedure.structure_name]
    key = (procedure.claim, procedure.fault)
    names = {act.instance for act in procedure.advice.acts}
    ways = {"copy_store_to_slave[0]": TO_SLAVE, "copy_store_to_master[0]": TO_MASTER}
    outcomes = try_recoveries(structure, load_cells(structure)[key], choose_judged(key[:1]))
    for name in names & ways.keys():
        if outcomes:
            assert outcomes[ways[name]].is_mending


def test_worlds_without_a_log_have_no_recoveries() -> None:
    """Neither have claims that are not about the log."""
    name = "reading/closed/no offset check/last"
    assert [] == try_all(name, "no_message_is_skipped", "none")
    assert () == choose_judged(("promotion_repeats_no_message",))
