"""The dice: reproducible, in range, spread."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from properties.language.world import ClaimedStructure
from properties.worlds.catalogue import Tag, list_tagged
from spark_fuzz.campaign.schedule import SEED_MAX
from spark_fuzz.kernel import scheduler
from tests.structures import name_of

SEEDS = st.integers(0, SEED_MAX - 1)


@given(SEEDS, SEEDS, st.integers(0, 9999), st.integers(0, 3))
def test_dice_are_words(seed: int, schedule: int, step: int, index: int) -> None:
    """Of 32 bits; that the compiled ones are the same, whole schedules show."""
    key = scheduler.compute_schedule_key(seed, schedule)
    assert 0 <= scheduler.draw(key, step, index) <= scheduler.WORD


@given(st.integers(-100, 100), st.integers(0, 2**30), st.integers(0, scheduler.WORD))
def test_arguments_stay_in_range(low: int, size: int, word: int) -> None:
    """A drawn argument lies between its ends."""
    assert low <= scheduler.pick_argument(low, low + size, word) <= low + size


def test_keys_of_many_schedules_differ() -> None:
    """A hundred thousand schedules, a hundred thousand keys."""
    keys = {scheduler.compute_schedule_key(7, n) for n in range(100_000)}
    assert len(keys) == 100_000


def test_words_are_spread() -> None:
    """Each of sixteen buckets gets its share of a schedule's words, within five per cent."""
    counts = [0] * 16
    for n in range(1000):
        key = scheduler.compute_schedule_key(1, n)
        for step in range(64):
            counts[scheduler.draw(key, step, 0) >> 28] += 1
    assert all(abs(c - 4000) < 200 for c in counts)


@pytest.mark.parametrize("structure", list_tagged(Tag.USUAL), ids=name_of)
def test_every_rule_has_a_weight(structure: ClaimedStructure) -> None:
    """Weights are positive, and those of faults the lowest."""
    for rule in structure.rules.values():
        assert rule.weight >= 1
        assert not rule.is_fault or rule.weight == 1
