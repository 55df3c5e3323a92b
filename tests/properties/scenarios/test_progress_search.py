"""Progress under faults: what holds in every sequence of steps, and the shortest ones where not."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from properties.scenarios.progress_search import (
    STEPS,
    Limits,
    ProgressSituation,
    compute_repeated,
    explore,
    get_stored,
    is_message_repeated,
    is_message_skipped,
    is_returned_master_behind,
    is_skipped_after_commit,
    is_slave_set_back,
    is_takeover_behind,
)
from reference.decisions.progress.client_offsets import ConsumeFromWhere

ENOUGH = 40
"""More steps than any sequence has that leads to something new."""


@pytest.mark.parametrize(("faults", "messages"), [(0, 2), (1, 2), (2, 2), (1, 3)])
def test_nothing_is_skipped_in_a_young_queue(faults: int, messages: int) -> None:
    """At least once, whatever is lost: without progress reading begins at 0 (R-CO-06)."""
    limits = Limits(messages=messages, faults=faults, steps=ENOUGH)
    explored = explore(limits, is_message_skipped)
    assert explored.found is None
    assert explored.is_complete
    assert explored.situations > 100


def test_nothing_is_skipped_from_the_first_offset() -> None:
    """The same in an old queue, for a group that is told to begin at the first message."""
    strategy = ConsumeFromWhere.FIRST_OFFSET
    limits = Limits(faults=2, steps=ENOUGH, is_queue_young=False, strategy=strategy)
    explored = explore(limits, is_message_skipped)
    assert explored.found is None
    assert explored.is_complete


def test_an_old_queue_is_skipped_by_default() -> None:
    """A consumer that ends before its first commit leaves messages to nobody (K-34)."""
    explored = explore(Limits(faults=0, is_queue_young=False), is_message_skipped)
    assert explored.found == ("stop_consumer", "start_consumer")


def test_one_kill_skips_an_old_queue_although_progress_was_stored() -> None:
    """Progress that only memory had is gone, and a new consumer begins at the end (K-30, K-34)."""
    limits = Limits(steps=ENOUGH, is_queue_young=False)
    explored = explore(limits, is_skipped_after_commit)
    assert explored.found == (
        "commit",
        "kill_master",
        "restart_master",
        "stop_consumer",
        "start_consumer",
    )
    without = Limits(faults=0, steps=ENOUGH, is_queue_young=False)
    assert explore(without, is_skipped_after_commit).found is None


@pytest.mark.parametrize(
    ("is_wanted", "found"),
    [
        (is_takeover_behind, ("commit", "kill_master", "refresh_route")),
        (is_returned_master_behind, ("commit", "kill_master", "restart_master")),
        (
            is_slave_set_back,
            (
                "commit",
                "consume",
                "persist",
                "commit",
                "copy",
                "kill_master",
                "restart_master",
                "copy",
            ),
        ),
    ],
)
def test_progress_moves_back(
    is_wanted: Callable[[ProgressSituation], bool], found: tuple[str, ...]
) -> None:
    """Where it does after one kill (K-30 to K-32), and that it never does without."""
    assert explore(Limits(steps=ENOUGH), is_wanted).found == found
    peaceful = explore(Limits(steps=ENOUGH, faults=0), is_wanted)
    assert peaceful.found is None
    assert peaceful.is_complete


@pytest.mark.parametrize("messages", [1, 2, 3])
def test_everything_may_be_repeated(messages: int) -> None:
    """A new consumer may take as many messages again as the group has consumed, and no more."""
    limits = Limits(messages=messages, steps=ENOUGH)
    assert explore(limits, lambda s: compute_repeated(s) == messages).found is not None
    assert explore(limits, lambda s: compute_repeated(s) > messages).found is None


def test_a_consumer_that_runs_on_repeats_nothing() -> None:
    """It goes on from its own memory, whatever becomes of the tables (K-31, K-32)."""
    for is_queue_young in (False, True):
        limits = Limits(
            faults=2, steps=ENOUGH, is_queue_young=is_queue_young, is_consumer_replaced=False
        )
        explored = explore(limits, is_message_repeated)
        assert explored.found is None
        assert explored.is_complete
        assert explored.situations > 1_000
    assert explore(Limits(faults=0), is_message_repeated).found == (
        "consume",
        "stop_consumer",
        "start_consumer",
    )


def test_a_consumer_that_runs_on_corrects_the_master() -> None:
    """With its next commit after it has seen the master again; the next copy takes that over."""
    limits, situation = Limits(), ProgressSituation()
    path = (
        *("consume", "kill_master", "refresh_route", "consume", "commit"),
        *("restart_master", "copy", "refresh_route", "commit", "copy"),
    )
    stored = []
    for name in path:
        after = STEPS[name](situation, limits)
        assert after is not None
        situation = after
        stored.append((get_stored(situation.master), get_stored(situation.slave)))
    assert stored[-6:] == [(-1, 2), (-1, 2), (-1, 2), (-1, 2), (2, 2), (2, 2)]


@pytest.mark.parametrize(
    ("remedy", "last_step"),
    [
        ({}, "copy"),
        ({"is_larger_kept": True}, "commit"),
        ({"is_larger_kept": True, "is_brought_back": True}, "commit"),
    ],
)
def test_keeping_the_larger_progress_ends_what_the_copy_does(
    remedy: dict[str, bool], last_step: str
) -> None:
    """A commit still overwrites: request 1 is not met by either remedy."""
    explored = explore(Limits(steps=ENOUGH, **remedy), is_slave_set_back)
    assert explored.found is not None
    assert explored.found[-1] == last_step


def test_limits_are_kept() -> None:
    """No sequence is longer than it may be."""
    explored = explore(Limits(steps=2), lambda s: s.consumed == 2)
    assert explored.found == ("consume", "consume")
    assert not explore(Limits(steps=1), lambda s: s.consumed == 2).found
