"""The walk compiled by C against the one compiled by numba: all rows and all observations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from attrs import evolve

from properties.language.world import ClaimedStructure
from properties.worlds.delay.world import DELAY
from properties.worlds.reading.world import READING
from properties.worlds.tables.world import TABLES
from reference.worlds.replication.parameters import SMALL_PARAMETERS
from spark_fuzz.campaign.coverage import make_observations
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.kernel.ancestry import Lineage, Parent
from spark_fuzz.kernel.kernel import Kernel, NumberOverflowError, compile_kernel
from spark_fuzz.kernel.native import compiler
from spark_fuzz.kernel.native.compiler import find_compiler
from spark_fuzz.kernel.native.walk import LARGE_BITS, SMALL_BITS, choose_bits, load_walk
from spark_fuzz.kernel.walk import Observations, Record
from tests.structures import SYNCHRONOUS_PAIR, name_of

pytestmark = pytest.mark.skipif(find_compiler() is None, reason="there is no C compiler")

FIRST, COUNT = 7, 333
"""Schedules that fill no whole group, and begin in the middle of one of those watched closely."""

VARIED = {
    "alike": {},
    "swarm": {"is_swarm": True, "healing_steps": 60},
    "pct": {"scheduler": "pct", "healing_steps": 3},
    "pct swarm": {"scheduler": "pct", "is_swarm": True},
}

COMPARED = [
    DELAY.structures[0],
    pytest.param(SYNCHRONOUS_PAIR, marks=pytest.mark.nightly),
    pytest.param(TABLES.structures[0], marks=pytest.mark.nightly),
    pytest.param(READING.structures[0], marks=pytest.mark.nightly),
]
"""Numba compiles the others for too long for every run."""

PARENTS = (
    Parent(Lineage((7,)), 10),
    Parent(Lineage((7, 100), (10,)), 30),
    Parent(Lineage((9,)), 47),
)


def walk(
    kernel: Kernel, options: CampaignOptions, parents: tuple[Parent, ...], bits: int | None
) -> tuple[Record, Observations]:
    """The results of one engine: C with numbers of so many bits, or numba."""
    record, met = kernel.make_record(COUNT), make_observations(kernel.layout)
    plan = kernel.make_plan(options, FIRST, parents, None)
    if bits is None:
        desk = kernel.make_desk(plan.parents.shape[1] // 2 + 1)
        kernel.numba_module.run_schedules(plan, desk, record, met)
    else:
        compiled = load_walk(kernel.layout, bits)
        assert compiled is not None
        compiled.run(plan, record, met)
    return record, met


def assert_equal(one: tuple[Any, ...], other: tuple[Any, ...]) -> None:
    """Every array is the same."""
    for mine, theirs in zip(one, other, strict=True):
        for name in mine._fields:
            assert np.array_equal(getattr(mine, name), getattr(theirs, name)), name


@pytest.mark.parametrize("parents", [(), PARENTS], ids=["unguided", "guided"])
@pytest.mark.parametrize("varied", VARIED.values(), ids=VARIED)
@pytest.mark.parametrize("structure", COMPARED, ids=name_of)
def test_both_engines_walk_alike(
    structure: ClaimedStructure, varied: dict[str, Any], parents: tuple[Parent, ...]
) -> None:
    """Records, rules, pairs, situations and outcomes, with small numbers and with large ones."""
    options = CampaignOptions(structure, steps=48, campaign_seed=2**61 + 5, **varied)
    kernel = compile_kernel(structure)
    expected = walk(kernel, options, parents, None)
    assert expected[0].steps.sum() > COUNT
    for bits in (SMALL_BITS, LARGE_BITS):
        assert_equal(walk(kernel, options, parents, bits), expected)


@pytest.mark.parametrize("varied", VARIED.values(), ids=VARIED)
def test_small_and_large_numbers_walk_alike(varied: dict[str, Any]) -> None:
    """The same where nothing comes near the bounds of either."""
    options = CampaignOptions(SYNCHRONOUS_PAIR, steps=48, campaign_seed=3, **varied)
    kernel = compile_kernel(SYNCHRONOUS_PAIR)
    small, large = (walk(kernel, options, (), bits) for bits in (SMALL_BITS, LARGE_BITS))
    assert (small[0].violations >= 0).any()
    assert_equal(small, large)


def test_large_sizes_take_large_numbers() -> None:
    """Files of a GiB do not fit into 32 bits for long, and a number that outgrows all is told."""
    kernel = compile_kernel(SYNCHRONOUS_PAIR)
    options = CampaignOptions(SYNCHRONOUS_PAIR, steps=64)
    plan = kernel.make_plan(options, 0, (), None)
    assert choose_bits(kernel.layout, plan) == SMALL_BITS
    sizes = {"mapped_file_size_bytes": 2**40, "message_size_max_bytes": 2**39}
    large = evolve(SMALL_PARAMETERS, ghost_log_size_max_bytes=2**42, **sizes)
    begin = kernel.structure.make_initial(large)
    plan = kernel.make_plan(options, 0, (), begin)
    assert choose_bits(kernel.layout, plan) == LARGE_BITS
    with pytest.raises(NumberOverflowError, match="outgrew"):
        kernel.run(options, 0, 50, begin=begin)


@pytest.mark.parametrize("broken", ["missing", "failing", "unwanted"])
def test_without_a_compiler_numba_walks(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine is told, and the rows are the same."""
    structure = DELAY.structures[0]
    options = CampaignOptions(structure, steps=20)
    expected = compile_kernel(structure).run(options, 0, 40)
    change = {"missing": ("CC", "no-such-cc"), "failing": ("CC", "false")}
    monkeypatch.setenv(*change.get(broken, (compiler.ENGINE, "numba")))
    compiler.find_compiler.cache_clear()
    kernel = Kernel(structure)
    assert kernel.describe_engine() == "numba"
    batch = kernel.run(options, 0, 40)
    compiler.find_compiler.cache_clear()
    assert (batch.used == expected.used).all()
    assert (batch.violations == expected.violations).all()
