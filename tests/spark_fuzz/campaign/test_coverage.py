"""What the kernel counts as met is what a look at every state in the reference finds."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import Any

import pytest

from properties.language.fault_model import get_fault_count_name
from properties.language.world import ClaimedStructure
from properties.worlds.catalogue import STRUCTURES
from reference.language.machine import compute_machine, record_machine
from spark_fuzz.campaign import coverage
from spark_fuzz.campaign.coverage import (
    LOST,
    OUTCOME,
    PAIR,
    SITUATION,
    list_observations,
    make_observations,
)
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.campaign.schedule_replay import replay_schedule
from spark_fuzz.kernel.kernel import compile_kernel
from spark_fuzz.kernel.walk import CLOSE_LOOK, Observations
from spark_fuzz.report.campaign_summary import estimate_unseen
from tests.structures import SYNCHRONOUS_PAIR

SCHEDULES = 33
RANGE = ": is_range_of_"
"""In conditions that the machine adds; no rule has them under that name."""
Met = dict[Any, list[tuple[int, int]]]
"""Of each thing the schedules that met it, with the step at which each first did."""


@pytest.mark.parametrize("structure", [SYNCHRONOUS_PAIR, STRUCTURES["delay/4.4.0"]])
def test_everything_that_is_met_is_counted(structure: ClaimedStructure) -> None:
    """By how many schedules, by which first, and when; of 33 schedules in two batches."""
    options = CampaignOptions(structure, steps=40, campaign_seed=2, is_swarm=True)
    kernel = compile_kernel(structure)
    observations = make_observations(kernel.layout)
    kernel.run(options, 0, 20, observations=observations)
    kernel.run(options, 20, SCHEDULES - 20, observations=observations)
    pairs, situations, outcomes = look_at_everything(options)
    rows = list_observations(kernel.layout, observations).to_pylist()
    counted = {(r["kind"], r["name"]): r for r in rows}
    assert len(counted) == len(rows)
    assert {name for kind, name in counted if kind == PAIR} == set(pairs)
    for name, places in pairs.items():
        check(counted[PAIR, name], places)
    unnamed = [r for r in rows if r["kind"] == SITUATION]
    assert sorted((r["schedules"], r["first_schedule"], r["first_step"]) for r in unnamed) == (
        sorted((len(met), *met[0]) for met in situations.values())
    )
    met = {name for kind, name in counted if kind == OUTCOME and RANGE not in name}
    assert met == set(outcomes)
    for name, numbers in outcomes.items():
        row = counted[OUTCOME, name]
        assert (len(numbers), min(numbers)) == (row["schedules"], row["first_schedule"])


def check(row: dict[str, Any], met: list[tuple[int, int]]) -> None:
    """A row says what was found."""
    assert (len(met), *met[0]) == (row["schedules"], row["first_schedule"], row["first_step"])


def look_at_everything(options: CampaignOptions) -> tuple[Met, Met, dict[str, set[int]]]:
    """Pairs, situations and outcomes of the same schedules, by the reference."""
    machine = compute_machine(options.structure)
    counted = {
        r.instance.name
        for r in record_machine(options.structure)
        if get_fault_count_name(r) is not None
    }
    pairs: Met = defaultdict(list)
    situations: Met = defaultdict(list)
    outcomes: dict[str, set[int]] = defaultdict(set)
    for number in range(SCHEDULES):
        steps = replay_schedule(options, number)
        names = [s.action.instance for s in steps if s.action]
        for index, (one, other) in enumerate(pairwise(names)):
            note(pairs, f"{one} -> {other}", number, index + 2)
        for step in steps[:-1]:
            enabled = {e.instance.name for e in machine.enabled(step.cluster)}
            note(situations, frozenset(enabled - counted), number, step.index)
            if number % CLOSE_LOOK == 0:
                for name in find_outcomes(step.cluster):
                    outcomes[name].add(number)
    return pairs, situations, outcomes


def note(met: Met, name: Any, number: int, step: int) -> None:
    """The first time in a schedule."""
    if not met[name] or met[name][-1][0] != number:
        met[name].append((number, step))


def find_outcomes(cluster: Any) -> set[str]:
    """Every watched condition and premise, by its value in a state."""
    layout = compile_kernel(cluster.structure).layout
    instances = compute_machine(cluster.structure).instances
    premises = {f"premise of {n}": g.premise for n, g in cluster.structure.world.guarantees.items()}
    found = set()
    for name in layout.watched:
        if name in premises:
            holds = premises[name](cluster)  # type: ignore[misc]
        else:
            instance, _, condition = name.partition(": ")
            holds = next(instances[instance].start(cluster)).named.get(condition)
            if holds is None:
                continue
        found.add(f"{name} is {'true' if holds else 'false'}")
    return found


def test_situations_without_room_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that is too small says so, and everything else is as it was."""
    options = CampaignOptions(is_swarm=True)
    kernel = compile_kernel(SYNCHRONOUS_PAIR)
    whole = make_observations(kernel.layout)
    kernel.run(options, 0, 50, observations=whole)
    monkeypatch.setattr(coverage, "SITUATIONS_MAX", 64)
    small = make_observations(kernel.layout)
    kernel.run(options, 0, 50, observations=small)
    assert 0 == whole.lost[0] < small.lost[0]
    rows = list_observations(kernel.layout, small).to_pylist()
    assert [int(small.lost[0])] == [r["schedules"] for r in rows if r["kind"] == LOST]
    assert count(small, PAIR) == count(whole, PAIR)
    assert len(small.situations) >= count(small, SITUATION) > 0


def count(observations: Observations, kind: str) -> int:
    """How many things of a kind were met."""
    rows = list_observations(compile_kernel(SYNCHRONOUS_PAIR).layout, observations).to_pylist()
    return sum(row["kind"] == kind for row in rows)


def test_the_estimate_of_the_unseen() -> None:
    """Nothing is unseen where nothing was seen just once; else the more, the fewer were twice."""
    assert 0 == estimate_unseen(0, 0) == estimate_unseen(1, 5)
    assert 45 == estimate_unseen(10, 0) > estimate_unseen(10, 4) == 9
