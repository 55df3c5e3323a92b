"""The client: whom it asks next, and where its progress goes."""

from __future__ import annotations

import pytest

from reference.decisions.reading.client import (
    Client,
    ClientError,
    PullTarget,
    choose_offset_store,
    choose_target,
    compute_commit_flag,
    find_master,
    find_only,
    get_wanted_id,
    note_suggestion,
    order_as_hash_map,
)


@pytest.mark.parametrize(
    ("client", "target"),
    [
        (Client(), PullTarget(0, "is_wanted_there")),
        (Client(suggested_id=1), PullTarget(1, "is_wanted_there")),
        (Client(suggested_id=1, forced_id=0), PullTarget(0, "is_wanted_there")),
        (Client(suggested_id=2), PullTarget(0, "is_other_there")),
        (Client(suggested_id=0, brokers=(3, 2)), PullTarget(2, "is_other_there")),
    ],
)
def test_targets(client: Client, target: PullTarget) -> None:
    """The suggested broker, or the first one that has an address."""
    assert choose_target(client) == target
    assert target.is_slave is (target.broker_id > 0)


def test_no_broker_at_all() -> None:
    """Neither pulls nor progress go anywhere."""
    for choose in (choose_target, choose_offset_store):
        with pytest.raises(ClientError):
            choose(Client(brokers=()))


def test_progress_goes_to_the_first_address() -> None:
    """The master if it is listed, wherever pulls go; but ids of one bucket keep their order."""
    assert choose_offset_store(Client(suggested_id=1)) == 0
    assert choose_offset_store(Client(brokers=(2, 1))) == 1
    assert choose_offset_store(Client(brokers=(16, 0))) == 16
    assert order_as_hash_map((16, 3, 0, 17, 1)) == (16, 0, 17, 1, 3)


def test_a_master_is_asked_or_nobody() -> None:
    """For what only a master tells (R-CC-03)."""
    assert find_master(Client(suggested_id=1)) == 0
    assert find_master(Client(brokers=(1, 2))) is None
    assert find_only((1, 2), 2) == 2


def test_a_suggestion_is_remembered() -> None:
    """One number for the queue (R-CC-05)."""
    assert get_wanted_id(note_suggestion(Client(), 2)) == 2
    assert get_wanted_id(note_suggestion(Client(forced_id=0), 2)) == 0


def test_the_commit_flag_is_cleared_towards_a_slave() -> None:
    """And it is not set before there is any progress."""
    assert compute_commit_flag(4, PullTarget(0, "")) == 4
    assert compute_commit_flag(4, PullTarget(1, "")) is None
    assert compute_commit_flag(0, PullTarget(0, "")) is None
    assert compute_commit_flag(None, PullTarget(0, "")) is None
