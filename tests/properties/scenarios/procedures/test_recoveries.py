"""Recoveries after schedules: what leaving, restarting and copying give, and that they agree."""

from __future__ import annotations

import pytest
from attrs import evolve

from command_line.answers.story.afterwards import describe
from properties.scenarios.procedures.procedures import (
    Procedure,
    fit,
    load_procedures,
    try_out,
)
from properties.scenarios.procedures.readers import try_reader_recoveries
from properties.scenarios.procedures.recoveries import (
    CLAIMS_ABOUT_SLAVES,
    PROMOTED_CLAIM,
    PROMOTIONS,
    RECOVERIES,
    WITH_CONTROLLER,
    RecoveryOutcome,
    choose_judged,
    try_recoveries,
)
from properties.verdicts.certificates import load_cells
from properties.worlds.catalogue import STRUCTURES

PAIR = "SYNC_MASTER/ASYNC_FLUSH/1 slave"
SYSTEM = "system/sync master/async flush/closed/no offset check/first"
LEAVE, MASTER, SLAVE, TO_SLAVE, TO_MASTER = range(5)
EMPTY, WITHOUT_EPOCHS, IN_NEXT_EPOCH = range(TO_MASTER + 1, TO_MASTER + 4)
"""Those with a controller."""
AWAY, COPIED, EMPTIED, AS_IT_IS = range(TO_MASTER + 1, TO_MASTER + 5)
"""Those that promote the slave, without a controller."""
PROMOTED = (AWAY, COPIED, EMPTIED, AS_IT_IS)
CONTROLLED = f"{PAIR} at 5.0.0-controller"


def try_all(
    structure: str, claim: str, fault: str, also: tuple[str, ...] = ()
) -> list[RecoveryOutcome]:
    """What each recovery gives after a certified schedule."""
    found = STRUCTURES[structure]
    verdict = load_cells(found)[claim, fault]
    return list(try_recoveries(found, verdict, (claim,), also).outcomes)


@pytest.mark.parametrize(
    ("structure", "claim", "fault", "helping"),
    [
        (PAIR, "equal_offsets_mean_equal_bytes", "none", {TO_SLAVE}),
        (PAIR, "slaves_reach_the_masters_end", "slave power loss", {TO_SLAVE}),
        (PAIR, "slaves_reach_the_masters_end", "slave outrun by retention", {TO_SLAVE}),
        (PAIR, "acknowledged_is_kept_on_master", "master power loss", {TO_MASTER, *PROMOTED}),
        (PAIR, "acknowledged_is_kept_on_master", "master disk loss", {TO_MASTER, *PROMOTED}),
        (
            PAIR,
            "dispatch_reaches_the_end",
            "none",
            {SLAVE, TO_SLAVE, TO_MASTER, AWAY, COPIED, EMPTIED},
        ),
        (
            PAIR,
            "flush_reaches_the_end",
            "nearly full disk",
            {MASTER, TO_SLAVE, TO_MASTER, AWAY, COPIED, EMPTIED},
        ),
        (
            SYSTEM,
            "acknowledged_is_consumed_or_to_come",
            "master power loss",
            {TO_MASTER},
        ),
    ],
)
def test_what_helps(structure: str, claim: str, fault: str, helping: set[int]) -> None:
    """These recoveries and no others; each leaves a group that is as good as new."""
    outcomes = try_all(structure, claim, fault)
    has_promotions = structure == PAIR and claim not in CLAIMS_ABOUT_SLAVES
    promotions = PROMOTIONS if has_promotions else ()
    assert [r.title for r in (*RECOVERIES, *promotions)] == [o.title for o in outcomes]
    assert helping == {n for n, outcome in enumerate(outcomes) if outcome.is_mending}
    assert all(outcomes[n].is_as_good_as_new for n in helping - {AWAY})


@pytest.mark.parametrize(
    ("claim", "fault", "helping"),
    [
        ("slaves_reach_the_masters_end", "none", {EMPTY, IN_NEXT_EPOCH}),
        ("equal_offsets_mean_equal_bytes", "none", {TO_SLAVE, EMPTY, IN_NEXT_EPOCH}),
        ("acknowledged_is_kept_on_some_broker", "link cut", set()),
    ],
)
def test_what_helps_with_a_controller(claim: str, fault: str, helping: set[int]) -> None:
    """An old master with other bytes is emptied; without its epoch file it keeps them."""
    outcomes = try_all(CONTROLLED, claim, fault)
    assert [r.title for r in (*RECOVERIES, *WITH_CONTROLLER)] == [o.title for o in outcomes]
    assert helping == {n for n, outcome in enumerate(outcomes) if outcome.is_mending}


def test_a_copy_of_the_masters_store_may_lose_what_the_slave_had() -> None:
    """The only copy of an acknowledged message is overwritten."""
    outcomes = try_all(PAIR, "acknowledged_is_kept_on_master", "master power loss")
    assert outcomes[TO_SLAVE].is_lost
    assert not outcomes[LEAVE].is_lost


HARMS = {
    "loses": {"is_lost": True},
    "no": {"broken": ("slave_is_prefix_of_master",)},
    "n/a": {"refused": "is_slave_longer does not hold"},
}


@pytest.mark.parametrize("word", HARMS)
def test_each_harm_alone_is_no_help(word: str) -> None:
    """Above all a message answered PUT_OK that is lost: `explain` and `check` propose no such."""
    harmless = RecoveryOutcome("Restart the master")
    assert (harmless.is_mending, describe(harmless, ())[0]) == (True, "helps")
    harmful = evolve(harmless, **HARMS[word])
    assert (harmful.is_mending, describe(harmful, ())[0]) == (False, word)
    later = evolve(harmless, later=harmful)
    assert (later.is_mending, describe(later, ())[0]) == (False, "not sure")


def test_what_is_gone_stays_gone() -> None:
    """No recovery brings back a message that no broker has."""
    outcomes = try_all(PAIR, "acknowledged_is_kept_on_some_broker", "master power loss")
    assert not any(outcome.is_mending for outcome in outcomes)


def test_a_group_without_rest_is_not_mended() -> None:
    """4.9.8 refuses a slave that is ahead, which connects again and again; a copy ends that."""
    later = f"{PAIR} at 4.9.3"
    outcomes = try_all(later, "acknowledged_is_kept_on_master", "master power loss")
    for number in (LEAVE, MASTER, SLAVE):
        assert outcomes[number].is_restless
        assert not outcomes[number].refused
        assert not outcomes[number].is_mending
    assert outcomes[TO_MASTER].is_mending


@pytest.mark.parametrize("name", ["slave_has_the_tail", "master_disk_lost"])
@pytest.mark.parametrize("release", ["", " at 4.9.3", " at 5.3.0-quorum"])
def test_procedures_are_tried_in_the_order_of_the_release(name: str, release: str) -> None:
    """The wait for a slave comes before the disk step in later ones; the advice helps there too."""
    (procedure,) = (each for each in load_procedures() if each.name == name)
    fitting = fit(procedure, PAIR + release)
    assert bool(release) == (fitting.harm != procedure.harm)
    assert sorted(map(str, fitting.harm)) == sorted(map(str, procedure.harm))
    assert try_out(fitting, fitting.advice).is_claim_kept
    assert not any(try_out(fitting, mistake).is_claim_kept for mistake in fitting.mistakes)


def test_a_recovery_that_is_impossible_says_why() -> None:
    """By the condition that does not hold."""
    outcomes = try_all(PAIR, "equal_offsets_mean_equal_bytes", "none")
    assert outcomes[TO_MASTER].refused == "is_slave_longer does not hold"


@pytest.mark.parametrize("procedure", load_procedures(), ids=lambda each: each.name)
def test_recoveries_agree_with_procedures(procedure: Procedure) -> None:
    """Where the advice is to copy one way, and the same claim is at stake, that copy helps."""
    structure = STRUCTURES[procedure.structure_name]
    key = (procedure.claim, procedure.fault)
    names = {act.instance for act in procedure.advice.acts}
    is_next = "restart_master_in_next_epoch" in names
    to_slave = IN_NEXT_EPOCH if is_next else TO_SLAVE
    ways = {"copy_store_to_slave[0]": to_slave, "copy_store_to_master[0]": TO_MASTER}
    outcomes = try_recoveries(structure, load_cells(structure)[key], key[:1]).outcomes
    for name in names & ways.keys():
        if outcomes:
            assert outcomes[ways[name]].is_mending


def test_worlds_without_a_log_have_no_recoveries() -> None:
    """Neither have claims that are not about the log."""
    name = "reading/closed/no offset check/last"
    assert [] == try_all(name, "no_message_is_skipped", "none")
    assert () == choose_judged(("promotion_repeats_no_message",))


def test_what_helps_at_the_very_end_alone_does_not_help() -> None:
    """The master's log ends with a blank that its restart cuts off; another message keeps it."""
    claim, *also = (
        "slaves_reach_the_masters_end",
        "slave_is_prefix_of_master",
        "slaves_come_to_hold_everything",
    )
    outcomes = try_all("SYNC_MASTER/SYNC_FLUSH/1 slave", claim, "late join", tuple(also))
    assert outcomes[MASTER].is_mending_here
    assert {TO_SLAVE} == {n for n, outcome in enumerate(outcomes) if outcome.is_mending}
    later = outcomes[MASTER].later
    assert later is not None
    assert set(also) == set(later.broken)


def test_claims_that_nothing_mends_are_not_judged() -> None:
    """Unless it is the claim that was asked about."""
    structure = STRUCTURES[PAIR]
    lost, kept = "acknowledged_is_kept_on_some_broker", "slave_is_prefix_of_master"
    verdict = load_cells(structure)[kept, "power loss of both"]
    assert (kept,) == try_recoveries(structure, verdict, (kept,)).judged
    worst = load_cells(structure)[lost, "power loss of both"]
    assert lost not in try_recoveries(structure, worst, (kept,), (lost,)).judged


def test_readers_are_judged_by_their_own_guarantee() -> None:
    """Progress beyond a new message stays beyond it until it is set back."""
    claim = "acknowledged_is_consumed_or_to_come"
    flushed = "system/sync master/sync flush/closed/no offset check/first"
    leave, *_ = try_all(flushed, claim, "master power loss", ("acknowledgement_is_truthful",))
    assert ("acknowledgement_is_truthful",) == leave.broken
    assert (claim,) == leave.readers.broken
    assert () == leave.readers.broken_after_reset
    assert not leave.is_mending


@pytest.mark.parametrize(
    ("claim", "fault"),
    [("no_message_is_skipped", "none"), ("known_group_skips_no_message", "master stop")],
)
def test_progress_that_is_set_back_skips_nothing(claim: str, fault: str) -> None:
    """A restart of the group alone does not help."""
    structure = STRUCTURES["reading/closed/no offset check/last"]
    tried = try_reader_recoveries(structure, load_cells(structure)[claim, fault])
    assert [False, True] == list(tried.values())
    pair = STRUCTURES[PAIR]
    verdict = load_cells(pair)["slaves_reach_the_masters_end", "late join"]
    assert {} == try_reader_recoveries(pair, verdict)


def test_who_asks_about_a_promotion_is_told_what_it_gives() -> None:
    """Nothing was copied: whatever becomes of the old master, what it answered is lost or apart."""
    name = "system/async master/async flush/closed/no offset check/first"
    outcomes = try_all(name, PROMOTED_CLAIM, "both end")
    assert outcomes[LEAVE].is_mending
    assert [outcomes[i].is_lost for i in PROMOTED] == [True, True, True, False]
    assert not outcomes[AS_IT_IS].is_mending
    others = try_all(name, "acknowledged_is_consumed_or_to_come", "master power loss")
    assert not any(outcome.is_promotion for outcome in others)
