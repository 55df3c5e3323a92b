"""The share of all states that a campaign reaches, against walks of the reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attrs import evolve

from properties.exports.instances import TINY
from properties.fault_class import FAULT_CLASS_BY_NAME
from properties.subject import get_fault_class
from properties.worlds import STRUCTURES
from reference.delay.structure import SMALL_DELAY
from spark_fuzz.breadth_first import BreadthFirstSearch
from spark_fuzz.reached_share import measure_reached_share
from spark_fuzz.schedule import CampaignOptions
from spark_fuzz.schedule_replay import replay_schedule
from tests.spark_fuzz.state_counts import MASTER_ALONE

DELAY = STRUCTURES["delay/4.4.0"]
STOP = get_fault_class(DELAY, "stop")


def pack(search: BreadthFirstSearch, state: Any) -> tuple[int, ...]:
    """A state of the reference in the words of a search."""
    words = np.zeros((1, search.packing.word_count), np.int64)
    values = search.kernel.encode_state(state)
    assert search.kernel.module.pack_state(values, search.space.fields, words, 0)
    return tuple(map(int, words[0]))


def test_the_states_are_those_that_replays_meet() -> None:
    """The same dice: what ten schedules of the reference meet, and nothing else."""
    search = BreadthFirstSearch(DELAY, STOP)
    states = search.collect_states()
    assert len(states) == len({tuple(row) for row in states})
    options = CampaignOptions(DELAY, STOP.search_limits, steps=24, campaign_seed=3)
    assert options.parameters == search.parameters
    met = {pack(search, s.cluster) for n in range(10) for s in replay_schedule(options, n)}
    found = measure_reached_share(search, states, 10, steps=24, campaign_seed=3)
    reached = {tuple(map(int, row)) for row in states[found.is_reached]}
    assert reached == met & {tuple(map(int, row)) for row in states}
    assert 1 < len(reached) < len(states)
    assert found.share == len(reached) / len(states)


def test_many_schedules_reach_everything() -> None:
    """Of an instance of a few states; more schedules never reach less."""
    sizes = evolve(SMALL_DELAY, ghost_queue_size_max=1)
    search = BreadthFirstSearch(DELAY, get_fault_class(DELAY, "none"), sizes)
    states = search.collect_states()
    shares = [measure_reached_share(search, states, n).share for n in (0, 1, 10, 10_000)]
    assert 0.0 == shares[0]
    assert 0.0 < shares[1] < shares[2]
    assert 1.0 == shares[-1]


def test_few_schedules_leave_most_unseen() -> None:
    """Of a lonely master's states a hundred meet some; a search afterwards is undisturbed."""
    search = BreadthFirstSearch(MASTER_ALONE, FAULT_CLASS_BY_NAME["none"], TINY)
    before = search.search(100_000)
    states = search.collect_states(100_000)
    assert before.states == len(states)
    assert 0.0 < measure_reached_share(search, states, 100).share < 0.5
    assert before == search.search(100_000)


def test_a_budget_that_does_not_suffice_is_no_set_of_all_states() -> None:
    """Part of the states would make the share too large."""
    with pytest.raises(ValueError, match="10 states or more"):
        BreadthFirstSearch(DELAY, STOP).collect_states(10)
