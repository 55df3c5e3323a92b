"""Claims about where pulls go, decided for every deployment, and the shortest runs against them."""

from __future__ import annotations

import pytest
from attrs import evolve

from properties.scenarios.reading_claims import (
    CIRCUMSTANCES,
    DEFAULTS,
    DEPLOYMENTS,
    READING_CLAIMS,
    ReadingDeployment,
    decide,
    list_steps,
)
from reference.decisions.reading.pull import ResponseCode
from reference.decisions.reading.read import GetMessageStatus

CORRECT = ReadingDeployment(True, True, 1, 1)
GROUP_DEFAULTS = ReadingDeployment(True, True, 0, 1)


@pytest.mark.parametrize("name", READING_CLAIMS)
def test_claims_hold_exactly_where_they_are_said_to(name: str) -> None:
    """In every deployment for which a claim is made."""
    claim = READING_CLAIMS[name]
    meant = [each for each in DEPLOYMENTS if claim.is_meant(each)]
    assert meant
    wrong = [each for each in meant if (decide(name, each) is None) != claim.is_kept(each)]
    assert wrong == []


def test_the_correct_way_is_the_only_one() -> None:
    """Both settings and both ids; what a slave does with impossible offsets does not matter."""
    name = "reads_move_to_the_slave"
    kept = [d for d in DEPLOYMENTS if READING_CLAIMS[name].is_meant(d) and not decide(name, d)]
    assert {evolve(d, route=(0, 1), is_offset_checked_in_slave=False) for d in kept} == {CORRECT}
    assert len(kept) == 4


def asked(name: str, deployment: ReadingDeployment) -> list[int]:
    """The brokers of the shortest run that breaks a claim, with the one that is asked next."""
    run = decide(name, deployment)
    assert run is not None
    return [*(step.broker for step in run), run[-1].next_broker]


def test_group_defaults_bounce_back_after_one_pull() -> None:
    """A slow reader goes to the slave, is not slow there, and comes back."""
    assert asked("readers_of_the_slave_stay", GROUP_DEFAULTS) == [0, 1, 0]


def test_another_id_than_0_is_not_enough() -> None:
    """With brokerId 1 and slow readers sent to the master, it is the slow ones that come back."""
    deployment = ReadingDeployment(True, True, 1, 0)
    run = decide("readers_of_the_slave_stay", deployment)
    assert run is not None
    assert run[-1].circumstance.is_slow
    assert asked("readers_of_the_slave_stay", deployment) == [0, 1, 0]


def test_one_side_is_not_enough() -> None:
    """The master's setting alone alternates; the slave's alone changes nothing."""
    assert asked("readers_of_the_slave_stay", ReadingDeployment(True, False, 1, 1)) == [0, 1, 0]
    slave_only = ReadingDeployment(False, True, 1, 1)
    assert decide("reads_stay_at_the_master", slave_only) is None
    assert asked("slow_readers_leave_the_master", slave_only) == [0, 0]


def test_a_closed_slave_serves() -> None:
    """With messages and SUCCESS, to whom has no other address."""
    run = decide("a_closed_slave_hands_out_nothing", evolve(DEFAULTS, route=(1,)))
    assert run is not None
    (step,) = run
    assert (step.code, step.messages, step.next_broker) == (ResponseCode.SUCCESS, 1, 1)
    assert step.circumstance.status is GetMessageStatus.FOUND


def test_a_broker_that_does_not_exist() -> None:
    """The suggestion is remembered, and the first address is asked."""
    run = decide("suggestions_are_followed", ReadingDeployment(True, True, 0, 2))
    assert run is not None
    assert (run[-1].suggested, run[-1].next_broker) == (2, 0)


def test_circumstances_are_all_and_all_matter() -> None:
    """Every status, slow ones where something was looked at, and each gives a step everywhere."""
    assert {each.status for each in CIRCUMSTANCES} == set(GetMessageStatus)
    assert len(CIRCUMSTANCES) == len(set(CIRCUMSTANCES))
    for deployment in DEPLOYMENTS:
        for broker in deployment.route:
            assert len(list_steps(deployment, broker)) == len(CIRCUMSTANCES)
    assert len(set(DEPLOYMENTS)) == len(DEPLOYMENTS) == 2 * 2 * 3 * 3 * 2 * 4
