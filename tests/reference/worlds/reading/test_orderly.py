"""Consumers that keep to the order of their queue: they can do less, and nothing else."""

from __future__ import annotations

from attrs import evolve

from properties.worlds.reading.world import ClaimedReading
from reference.language.machine import Action, compute_machine
from reference.worlds.reading.state import MASTER, SMALL_READING, FollowedMessage, Reading
from tests.properties.worlds.test_walks import walk

ORDERLY = ClaimedReading(is_master_open=True, is_slave_open=True, is_orderly=True)
CONCURRENT = evolve(ORDERLY, is_orderly=False)
WALKS, STEPS = 12, 120


def list_enabled(state: Reading) -> dict[str, tuple[tuple[str, int, int], ...]]:
    """What may happen in a state, with the ranges of arguments."""
    enabled = compute_machine(state.structure).enabled(state)
    return {e.instance.name: tuple((r.name, r.low, r.high) for r in e.ranges) for e in enabled}


def is_refused(state: Reading, *names: str) -> bool:
    """The last of these steps is refused, and those before it are not."""
    machine = compute_machine(state.structure)
    outcomes = []
    for name in names:
        outcomes.append(machine.step(state, Action(name)))
        state = outcomes[-1].cluster
    assert not any(outcome.is_refused for outcome in outcomes[:-1])
    return outcomes[-1].is_refused


def test_concurrent_consumers_can_do_whatever_orderly_ones_can() -> None:
    """Step by step, with the same arguments and the same state after it."""
    compared = 0
    for seed in range(WALKS):
        for state, action in walk(ORDERLY, seed, STEPS):
            other = evolve(state, structure=CONCURRENT)
            assert list_enabled(state).items() <= list_enabled(other).items()
            after, other_after = (
                compute_machine(each.structure).step(each, action).cluster
                for each in (state, other)
            )
            assert evolve(after, structure=CONCURRENT) == other_after
            compared += 1
    assert compared == WALKS * STEPS


def test_messages_are_handed_over_in_turn() -> None:
    """The followed message waits for the one before it."""
    for structure in (ORDERLY, CONCURRENT):
        state = structure.make_initial(SMALL_READING)
        state = evolve(
            state,
            consumer=evolve(
                state.consumer, is_running=True, next_offset=2, cache_first=0, cache_end=2
            ),
            message=FollowedMessage(1, cached_offset=1, is_cached=True),
        )
        assert structure.is_orderly is is_refused(state, "hand_over")
        assert not is_refused(state, "finish_first", "hand_over")
        assert structure.is_orderly is is_refused(
            state, "finish_first", "hand_over", "give_queue_back"
        )


def test_a_queue_is_taken_under_the_master_s_lock() -> None:
    """While the master does not run, nobody takes it; others ask the slave."""
    for structure in (ORDERLY, CONCURRENT):
        state = structure.make_initial(SMALL_READING)
        brokers = (evolve(state.brokers[MASTER], is_up=False), state.brokers[1])
        routes = evolve(state.routes, is_master_listed=False)
        away = evolve(state, brokers=brokers, routes=routes)
        assert structure.is_orderly is is_refused(away, "start_consumer", "take_queue")
        assert not is_refused(state, "start_consumer", "take_queue")
