"""What a schedule of a swarm draws: within what was asked for, different, and the same again."""

from __future__ import annotations

import attrs
import pytest
from attrs import evolve

from properties.language.world import ClaimedStructure
from properties.worlds.catalogue import OTHER_WORLDS, Tag, list_tagged
from properties.worlds.replication.world import ClaimedGroup
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.kernel.scheduler import pick_limit, pick_weight
from spark_fuzz.kernel.swarm import compute_usual_weights
from tests.structures import SYNCHRONOUS_PAIR, name_of

ONE_OF_EACH_WORLD = [SYNCHRONOUS_PAIR, *(world.structures[0] for world in OTHER_WORLDS)]
SCHEDULES = 400


@pytest.mark.parametrize("structure", ONE_OF_EACH_WORLD, ids=name_of)
def test_draws_are_within_what_is_asked_for(structure: ClaimedStructure) -> None:
    """Sizes of the list, limits up to the given ones, weights up to the usual ones."""
    options = CampaignOptions(structure, is_swarm=True)
    most, usual = attrs.astuple(options.limits), compute_usual_weights(structure)
    for schedule in range(SCHEDULES):
        under = options.compute_environment(schedule)
        sizes = evolve(under.parameters, limits=type(options.limits)())
        assert sizes in [
            evolve(s, limits=type(options.limits)()) for s in structure.world.sizes.swarm
        ]
        limits = attrs.astuple(under.parameters.limits)
        assert all(0 <= n <= top for n, top in zip(limits, most, strict=True))
        assert all(1 <= w <= top for w, top in zip(under.weights, usual, strict=True))
        assert under == options.compute_environment(schedule)


@pytest.mark.parametrize("structure", ONE_OF_EACH_WORLD, ids=name_of)
def test_every_circumstance_is_drawn(structure: ClaimedStructure) -> None:
    """Each size, each number of each fault, none of it too; every weight usual and rare."""
    options = CampaignOptions(structure, is_swarm=True)
    drawn = [options.compute_environment(n) for n in range(SCHEDULES)]
    limits = [attrs.astuple(d.parameters.limits) for d in drawn]
    for fault, most in enumerate(attrs.astuple(options.limits)):
        assert {row[fault] for row in limits} == set(range(most + 1))
    sizes = {evolve(d.parameters, limits=options.limits) for d in drawn}
    assert len(sizes) == len(structure.world.sizes.swarm)
    for index, usual in enumerate(compute_usual_weights(structure)):
        weights = {d.weights[index] for d in drawn}
        assert weights == {pick_weight(usual, kind) for kind in range(8)}


def test_without_a_swarm_all_schedules_are_alike() -> None:
    """The sizes of the campaign, all limits, the usual weights."""
    options = CampaignOptions()
    under = options.compute_environment(3)
    assert under == options.compute_environment(4)
    assert under.parameters == options.parameters
    assert under.weights == compute_usual_weights(options.structure)


def test_a_fault_that_may_not_strike_never_does() -> None:
    """Whatever is drawn."""
    assert {0} == {pick_limit(0, word) for word in range(64)}
    assert {0, 1, 2, 3} == {pick_limit(3, word) for word in range(256)}


@pytest.mark.parametrize("structure", list_tagged(Tag.USUAL), ids=name_of)
def test_sizes_are_possible(structure: ClaimedStructure) -> None:
    """A message and its blank fit into a file, a batch has a byte, and the log several files."""
    for sizes in structure.world.sizes.swarm:
        if isinstance(structure, ClaimedGroup):
            room = sizes.mapped_file_size_bytes - sizes.end_file_min_blank_bytes
            assert 1 <= sizes.message_size_max_bytes <= room
            assert 1 <= sizes.ha_transfer_batch_size_bytes <= sizes.mapped_file_size_bytes
            assert 3 * sizes.mapped_file_size_bytes <= sizes.ghost_log_size_max_bytes
