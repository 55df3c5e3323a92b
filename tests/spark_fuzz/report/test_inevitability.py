"""When a violation became inevitable: the sampled share against all that can happen."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import evolve

from properties.schedules.judgement import judge
from properties.worlds.catalogue import STRUCTURES
from reference.language.machine import Action, compute_machine
from spark_fuzz.campaign.schedule import CampaignOptions
from spark_fuzz.kernel.kernel import compile_kernel
from spark_fuzz.report.class_files import Continuations
from spark_fuzz.report.violation_classes import sample_continuations
from tests.properties.refutations import list_known

DELAY = STRUCTURES["delay/4.4.0"]


def can_come_to_violate(guarantee: str, state: Any) -> bool:
    """Some schedule without further faults does; every reachable state is looked at."""
    machine = compute_machine(state.structure)
    begin = evolve(state, parameters=evolve(state.parameters, limits=state.faults))
    seen, waiting = {begin}, [begin]
    while waiting:
        here = waiting.pop()
        if judge(here, (guarantee,)):
            return True
        for enabled in machine.enabled(here):
            assert 2 > len(enabled.ranges)
            for values in _list_arguments(enabled.ranges):
                after = machine.step(here, Action(enabled.instance.name, values)).cluster
                if after not in seen:
                    seen.add(after)
                    waiting.append(after)
    return False


def _list_arguments(ranges: Any) -> list[dict[str, int]]:
    return [{r.name: v} for r in ranges for v in range(r.low, r.high + 1)] or [{}]


def test_no_continuation_violates_exactly_where_none_can() -> None:
    """After every step of every known schedule of delayed delivery."""
    told = set()
    for known in list_known(DELAY):
        asked = (known.guarantee, DELAY, known.parameters, known.schedule)
        found = sample_continuations(*asked)
        states = [step.cluster for step in known.steps]
        assert len(states) == len(found.violating)
        for state, violating in zip(states, found.violating, strict=True):
            assert (violating > 0) == can_come_to_violate(known.guarantee, state)
            told.add(0 if not violating else 2 if violating == found.drawn else 1)
        assert found.drawn == found.violating[-1]
        assert found == sample_continuations(*asked)
    assert {0, 1, 2} == told


def test_the_step_from_which_on_all_violate() -> None:
    """One that goes well later on counts against it."""
    found = Continuations((0, 10, 4, 6, 9, 10, 10), 10)
    assert 5 == found.inevitable_step
    assert 3 == found.likely_step
    assert 0 == Continuations((10, 10), 10).inevitable_step
    assert 1 == Continuations((5, 10), 10).likely_step
    assert 0 == Continuations((10,), 10).inevitable_step


def test_what_is_said_of_it() -> None:
    """With the numbers that were sampled."""
    late, early = Continuations((0, 3, 10), 10), Continuations((0, 10, 10), 10)
    assert "with the last step only; before it 3 of 10" in str(late)
    assert "only, but likely from step 1 on; before it 6" in str(Continuations((0, 7, 6, 10), 10))
    assert "from step 1 on: without further faults 10 of 10" in str(early)
    assert "from the beginning" in str(Continuations((10, 10), 10))
    assert "from the beginning" in str(Continuations((10,), 10))


def test_schedules_may_begin_anywhere() -> None:
    """In the first state they are those of the campaign; in another one under its parameters."""
    options, kernel = CampaignOptions(DELAY, steps=24), compile_kernel(DELAY)
    first = DELAY.make_initial(options.parameters)
    usual, same = kernel.run(options, 7, 40), kernel.run(options, 7, 40, begin=first)
    assert np.array_equal(usual.used, same.used)
    assert np.array_equal(usual.violations, same.violations)
    quiet = evolve(first, parameters=evolve(first.parameters, limits=first.faults))
    fired = kernel.unpack_used(kernel.run(options, 7, 40, begin=quiet).used).sum(axis=0)
    assert fired[kernel.names.index("put_delayed_message[0]")] == 40
    assert not fired[kernel.names.index("kill_broker[0]")]
