"""The compiled reading against the reference: field by field, after every step."""

from __future__ import annotations

from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st

from properties.language.world import ClaimedStructure
from properties.schedules.judgement import judge
from properties.walks.drawn_walks import draw_walk
from properties.worlds.delay.world import DELAY
from properties.worlds.tables.world import TABLES
from reference.language.leaves import flatten, is_parameter
from reference.language.machine import compute_machine
from reference.worlds.replication.parameters import SMALL_PARAMETERS, FaultCounts
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.kernel.agreement import describe_replay, describe_row
from spark_fuzz.kernel.ancestry import Lineage, Parent, find_lineage
from spark_fuzz.kernel.kernel import SIZE_MAX, SizeError, compile_kernel
from tests.structures import (
    GROUPS,
    OTHER_STRUCTURES,
    SYNCHRONOUS_PAIR,
    allow_two_of_each,
    name_of,
)

COMPILED = [
    SYNCHRONOUS_PAIR,
    DELAY.structures[0],
    pytest.param(TABLES.structures[0], marks=pytest.mark.nightly),
]
"""Structures that are compiled in every run; the others are nightly."""


@pytest.mark.parametrize("structure", COMPILED, ids=name_of)
@given(data=st.data())
def test_kernel_agrees_with_reference(data: st.DataObject, structure: ClaimedStructure) -> None:
    """Enabled set, ranges, every leaf after the step, every verdict."""
    check_walk(data, structure)


@pytest.mark.nightly
@pytest.mark.parametrize("structure", [*GROUPS, *OTHER_STRUCTURES], ids=name_of)
@settings(max_examples=300)
@given(data=st.data())
def test_every_kernel_agrees_with_reference(
    data: st.DataObject, structure: ClaimedStructure
) -> None:
    """The same for every structure."""
    check_walk(data, structure)


def check_walk(data: st.DataObject, structure: ClaimedStructure) -> None:
    """One random walk, both readings side by side."""
    kernel, machine = compile_kernel(structure), compute_machine(structure)
    for cluster, action in draw_walk(data, structure, allow_two_of_each(structure), 30):
        enabled = machine.enabled(cluster)
        assert [e.instance.name for e in enabled] == kernel.find_enabled(cluster)
        for e in enabled:
            ranges = [(r.low, r.high) for r in e.ranges]
            assert ranges == kernel.find_ranges(cluster, e.instance.name)
        after = machine.step(cluster, action).cluster
        expected = {p: int(v) for p, v in flatten(after).items() if not is_parameter(p)}
        assert expected == kernel.fire(cluster, action)
        assert judge(after) == kernel.judge(after)


VARIED = {
    "alike": {},
    "swarm": {"is_swarm": True, "healing_steps": 200},
    "pct": {"scheduler": "pct", "healing_steps": 3},
    "pct swarm": {"scheduler": "pct", "is_swarm": True},
}
"""Schedulers, swarm, and healing that comes to its end and that does not."""


@pytest.mark.parametrize("varied", VARIED.values(), ids=VARIED)
@pytest.mark.parametrize("structure", COMPILED, ids=name_of)
def test_whole_schedules_agree(structure: ClaimedStructure, varied: dict[str, Any]) -> None:
    """All that a kernel says of 25 schedules, one compiled batch."""
    options = CampaignOptions(structure, steps=48, campaign_seed=11, **varied)
    kernel = compile_kernel(structure)
    batch = kernel.run(options, 0, 25)
    for number in range(25):
        assert describe_row(kernel, batch, number) == describe_replay(options, number)


def test_guided_schedules_agree() -> None:
    """Schedules that go on where others were left, those of two rounds."""
    options = CampaignOptions(steps=48, campaign_seed=3, is_swarm=True, healing_steps=50)
    kernel = compile_kernel(SYNCHRONOUS_PAIR)
    parents = (
        Parent(Lineage((7,)), 10),
        Parent(Lineage((7, 100), (10,)), 30),
        Parent(Lineage((9,)), 47),
    )
    batch = kernel.run(options, 200, 30, parents=parents)
    lineages = [find_lineage(options.campaign_seed, parents, number) for number in range(200, 230)]
    assert {len(each.numbers) for each in lineages} == {2, 3}
    for row, lineage in enumerate(lineages):
        assert describe_row(kernel, batch, row) == describe_replay(options, lineage)


def test_a_batch_may_be_split_anywhere() -> None:
    """A schedule does not depend on the batch that it is in."""
    options = CampaignOptions(limits=FaultCounts(1, 1, 1, 1, 1))
    kernel = compile_kernel(SYNCHRONOUS_PAIR)
    whole, part = kernel.run(options, 100, 50), kernel.run(options, 120, 10)
    assert (whole.steps[20:30] == part.steps).all()
    assert (whole.violations[20:30] == part.violations).all()
    assert (whole.used[20:30] == part.used).all()


@pytest.mark.parametrize("size", [SIZE_MAX + 1, 2**61, -(2**61)])
def test_sizes_that_could_overflow_are_refused(size: int) -> None:
    """64-bit numbers would wrap silently; the largest size that fits is taken."""
    kernel = compile_kernel(CampaignOptions().structure)
    begin = kernel.structure.make_initial(SMALL_PARAMETERS)
    large = evolve(SMALL_PARAMETERS, mapped_file_size_bytes=size)
    with pytest.raises(SizeError, match="mapped_file_size_bytes is"):
        kernel.encode_parameters(evolve(begin, parameters=large))
    fitting = evolve(SMALL_PARAMETERS, mapped_file_size_bytes=SIZE_MAX)
    assert SIZE_MAX in kernel.encode_parameters(evolve(begin, parameters=fitting))
