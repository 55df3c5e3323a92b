"""Two masters at once: what each way to end it gives, from each situation."""

from __future__ import annotations

import pytest

from book.operators.outages import say_outcome
from properties.scenarios.courses.two_masters import (
    ENDS_OF_TWO_MASTERS,
    list_ends,
    take_message,
)
from properties.scenarios.procedures.outages import EQUAL, KEPT, MasterOutage, load_outages
from properties.scenarios.procedures.recoveries import (
    leave_out_slaves,
    make_last_cluster,
    start_master,
)
from reference.worlds.replication.put import is_acknowledged
from reference.worlds.replication.state import SLAVE_NOT_AVAILABLE

NEW, OLD, AS_IT_IS = range(len(ENDS_OF_TWO_MASTERS))
AWAY = 3
"""The course that promotes and keeps the old master away."""
CASES = [(outage, role) for outage in load_outages() for role in outage.harm]

of_cases = pytest.mark.parametrize(
    ("outage", "role"), CASES, ids=[f"{o.name}-{role}" for o, role in CASES]
)


@of_cases
def test_only_a_synchronous_master_gets_away_with_it(outage: MasterOutage, role: str) -> None:
    """It answers nobody without a slave; an asynchronous one answers, and the answer is broken."""
    ends = list_ends(outage, role)
    is_promotion_good = say_outcome(outage.list_outcomes(role)[AWAY]) == "good"
    if role == "SYNC_MASTER":
        assert (say_outcome(ends[NEW]) == "good") is is_promotion_good
    else:
        assert KEPT[0] in ends[NEW].broken
        assert KEPT[0] in ends[OLD].broken


@of_cases
def test_the_old_master_never_becomes_a_slave_as_it_is(outage: MasterOutage, role: str) -> None:
    """Both have other bytes at one offset."""
    assert EQUAL in list_ends(outage, role)[AS_IT_IS].broken


@pytest.mark.parametrize(("role", "is_answered"), [("SYNC_MASTER", False), ("ASYNC_MASTER", True)])
def test_a_master_alone_takes_messages(role: str, is_answered: bool) -> None:
    """A synchronous one answers that no slave is available."""
    outage = load_outages()[0]
    gone = leave_out_slaves(outage.make_cluster(role))
    last = make_last_cluster(gone)
    assert last is not None
    states = [after for begun in start_master(last) for after in take_message(begun)]
    assert states
    for state in states:
        taken = next(m for m in reversed(state.messages) if m.end_offset)
        assert is_acknowledged(taken) is is_answered
        assert is_answered or taken.status == SLAVE_NOT_AVAILABLE


def test_no_end_is_good_everywhere() -> None:
    """And for a synchronous pair some end is."""
    table = [[say_outcome(each) for each in list_ends(*case)] for case in CASES]
    assert all(any(row[n] != "good" for row in table) for n in range(len(ENDS_OF_TWO_MASTERS)))
    assert any(row[NEW] == "good" for row in table)


@pytest.mark.nightly
@pytest.mark.parametrize("release", ["4.7.1", "4.8.0", "5.0.0-quorum", "5.3.0-quorum"])
def test_it_is_the_same_in_later_releases(release: str) -> None:
    """Without a controller, and where no slave that is ahead is refused."""
    for outage, role in CASES:
        usual = [say_outcome(each) for each in list_ends(outage, role)]
        assert [say_outcome(each) for each in list_ends(outage, role, release)] == usual
