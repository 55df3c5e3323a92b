"""The master is gone: what each course gives from each situation."""

from __future__ import annotations

import pytest

from book.operators.outages import say_outcome
from properties.scenarios.procedures.outages import (
    COURSES,
    EQUAL,
    MasterOutage,
    load_outages,
)
from properties.scenarios.procedures.recoveries import RecoveryOutcome
from reference.releases.releases import CONTROLLER
from reference.releases.versions import RULE_SETS
from reference.worlds.replication.put import is_acknowledged

LEAVE, TO_SLAVE, TO_MASTER, AWAY, COPIED, EMPTIED, AS_IT_IS = range(7)
CASES = [(outage, role) for outage in load_outages() for role in outage.harm]

of_cases = pytest.mark.parametrize(
    ("outage", "role"), CASES, ids=[f"{o.name}-{role}" for o, role in CASES]
)


def find(name: str, role: str = "ASYNC_MASTER") -> tuple[RecoveryOutcome, ...]:
    """What each course gives in the situation of this name."""
    (outage,) = (each for each in load_outages() if each.name == name)
    return outage.list_outcomes(role)


def is_good(outcome: RecoveryOutcome) -> bool:
    """Nothing is broken, nothing is lost, and it is possible."""
    return say_outcome(outcome) == "good"


@of_cases
def test_the_master_is_gone_and_somebody_has_an_answer(outage: MasterOutage, role: str) -> None:
    """The followed message was answered PUT_OK, and the slave runs."""
    gone = outage.make_cluster(role)
    assert not gone.master.is_up
    assert gone.slaves[0].is_up
    assert is_acknowledged(gone.messages[0])


@of_cases
def test_a_copy_back_is_good_wherever_a_promotion_is(outage: MasterOutage, role: str) -> None:
    """So the guide says; and some course is good in every situation."""
    outcomes = outage.list_outcomes(role)
    assert is_good(outcomes[COPIED]) == is_good(outcomes[AWAY])
    if any(is_good(outcomes[n]) for n in (EMPTIED, AS_IT_IS)):
        assert is_good(outcomes[COPIED])
    assert any(map(is_good, outcomes))


@of_cases
def test_who_lost_power_or_disk_decides(outage: MasterOutage, role: str) -> None:
    """The master's store is what counts, unless its machine or disk failed: the guide's rule."""
    outcomes = outage.list_outcomes(role)
    is_masters_worse = outage.name in {"power", "back", "disk"}
    assert is_good(outcomes[TO_SLAVE]) is not is_masters_worse
    assert is_good(outcomes[COPIED]) or not is_masters_worse


LATER = [name for name in RULE_SETS if CONTROLLER not in name]
BY_DAY = ("4.9.3", "5.3.0-quorum")


@pytest.mark.parametrize(
    "release",
    [pytest.param(n, marks=[pytest.mark.nightly] * (n not in BY_DAY)) for n in LATER],
)
def test_releases_differ_in_a_slave_that_is_ahead(release: str) -> None:
    """From 4.9.3 until 5.0.0 it is refused; else every cell is that of 4.4.0."""
    for outage, role in CASES:
        usual = [say_outcome(each) for each in outage.list_outcomes(role)]
        later = [say_outcome(each) for each in outage.list_outcomes(role, release)]
        changed = {(one, other) for one, other in zip(usual, later, strict=True) if one != other}
        assert not changed or release == "4.9.3"
        assert {other for _, other in changed} <= {"**stuck**"}


def test_no_course_is_always_good() -> None:
    """Nor is any always bad: which one to take depends on the situation."""
    table = [outage.list_outcomes(role) for outage, role in CASES]
    for number in range(len(COURSES)):
        assert {is_good(row[number]) for row in table} == {True, False}


def test_equal_ends_are_not_enough() -> None:
    """A slave that was restarted in the middle of a message ends where its master does."""
    (outage,) = (each for each in load_outages() if each.name == "torn")
    gone = outage.make_cluster("ASYNC_MASTER")
    assert gone.master.log.max_offset == gone.slaves[0].log.max_offset
    outcomes = outage.list_outcomes("ASYNC_MASTER")
    assert outcomes[AWAY].is_lost
    assert outcomes[COPIED].is_lost
    assert "is_content_known" in outcomes[EMPTIED].refused


@pytest.mark.parametrize(
    ("name", "role"), [("rolled", "SYNC_MASTER"), ("unanswered", "SYNC_MASTER"), ("back", None)]
)
def test_an_old_master_over_its_own_store_differs(name: str, role: str | None) -> None:
    """It has the blank of a full file, or a message that the new master never had."""
    outcomes = find(name, role) if role else find(name)
    assert is_good(outcomes[AWAY])
    assert EQUAL in outcomes[AS_IT_IS].broken
    assert not outcomes[AS_IT_IS].is_as_good_as_new


def test_what_the_slave_lacks_is_lost_with_a_promotion() -> None:
    """An ASYNC_MASTER answers before any slave has the message; it is good to start it again."""
    outcomes = find("behind")
    assert is_good(outcomes[LEAVE])
    assert all(outcomes[number].is_lost for number in (AWAY, COPIED, EMPTIED))
