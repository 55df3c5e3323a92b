"""The compiled walk with small numbers and with large ones, and where no compiler works."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from properties.worlds.delay.world import DELAY
from reference.worlds.replication.parameters import SMALL_PARAMETERS
from spark_fuzz.campaign.coverage import make_observations
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.kernel.ancestry import Lineage, Parent
from spark_fuzz.kernel.kernel import Kernel, NumberOverflowError, compile_kernel
from spark_fuzz.kernel.native import compiler
from spark_fuzz.kernel.native.compiler import MissingCompilerError
from spark_fuzz.kernel.native.walk import LARGE_BITS, SMALL_BITS, choose_bits, load_walk
from spark_fuzz.kernel.walk import Observations, WalkResults
from tests.structures import SYNCHRONOUS_PAIR

FIRST, COUNT = 7, 333
"""Schedules that fill no whole group, and begin in the middle of one of those watched closely."""

VARIED = {
    "alike": {},
    "swarm": {"is_swarm": True, "healing_steps": 60},
    "pct": {"scheduler": "pct", "healing_steps": 3},
    "pct swarm": {"scheduler": "pct", "is_swarm": True},
}

PARENTS = (
    Parent(Lineage((7,)), 10),
    Parent(Lineage((7, 100), (10,)), 30),
    Parent(Lineage((9,)), 47),
)


def walk(
    kernel: Kernel, options: CampaignOptions, parents: tuple[Parent, ...], bits: int
) -> tuple[WalkResults, Observations]:
    """The results with numbers of so many bits."""
    record, met = kernel.make_record(COUNT), make_observations(kernel.layout)
    load_walk(kernel.layout, bits).run(kernel.make_plan(options, FIRST, parents, None), record, met)
    return record, met


def assert_equal(one: tuple[Any, ...], other: tuple[Any, ...]) -> None:
    """Every array is the same."""
    for mine, theirs in zip(one, other, strict=True):
        for name in mine._fields:
            assert np.array_equal(getattr(mine, name), getattr(theirs, name)), name


@pytest.mark.parametrize("parents", [(), PARENTS], ids=["unguided", "guided"])
@pytest.mark.parametrize("varied", VARIED.values(), ids=VARIED)
def test_small_and_large_numbers_walk_alike(
    varied: dict[str, Any], parents: tuple[Parent, ...]
) -> None:
    """The same records, rules, pairs, situations and outcomes far from the bounds of either."""
    options = CampaignOptions(SYNCHRONOUS_PAIR, steps=48, campaign_seed=2**61 + 5, **varied)
    kernel = compile_kernel(SYNCHRONOUS_PAIR)
    small, large = (walk(kernel, options, parents, bits) for bits in (SMALL_BITS, LARGE_BITS))
    assert small[0].steps.sum() > COUNT
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


@pytest.fixture
def _nothing_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine on which no kernel was compiled yet."""
    monkeypatch.setattr(compiler, "get_cache_folder", lambda: tmp_path)
    compiler.find_compiler.cache_clear()
    yield
    compiler.find_compiler.cache_clear()


@pytest.mark.usefixtures("_nothing_is_compiled")
@pytest.mark.parametrize(
    ("compiler_name", "told"),
    [("no-such-cc", "CC is no-such-cc"), ("false", "does not say its version")],
)
def test_a_compiler_that_does_not_work_is_told(
    compiler_name: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one line, with what to install."""
    monkeypatch.setenv("CC", compiler_name)
    with pytest.raises(MissingCompilerError, match=told) as caught:
        Kernel(DELAY.structures[0]).describe_engine()
    assert "apt-get install gcc" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("_nothing_is_compiled")
def test_a_compiler_that_cannot_compile_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it says first."""
    broken = tmp_path / "broken-cc"
    broken.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && exit 0\necho "no such flag" >&2\nexit 1\n'
    )
    broken.chmod(0o755)
    monkeypatch.setenv("CC", str(broken))
    with pytest.raises(MissingCompilerError, match="no such flag"):
        Kernel(DELAY.structures[0]).describe_engine()


def test_without_a_system_compiler_one_from_pypi_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    """If its package is installed; else it is named."""
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(compiler.shutil, "which", lambda name: None)
    monkeypatch.setattr(compiler.importlib.util, "find_spec", lambda name: object())
    assert compiler.find_command()[1:] == ("-m", "ziglang", "cc")
    monkeypatch.setattr(compiler.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingCompilerError, match="rmqspec\\[compiler\\]"):
        compiler.find_command()
