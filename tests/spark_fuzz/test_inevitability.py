"""When a violation became inevitable: the sampled share against all that can happen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import evolve

from properties.fault_class import SEARCHED
from properties.fault_set_certificates import load_borders
from properties.fault_sets import get_border_sizes
from properties.judgement import follow, judge
from properties.subject import get_everything, get_guarantees
from properties.worlds import STRUCTURES
from reference.machine import Action, compute_machine
from spark_fuzz.continuations import Continuations
from spark_fuzz.inevitability import sample_continuations

DELAY = STRUCTURES["delay/4.4.0"]


def list_refutations() -> Iterator[tuple[str, Any, tuple[Action, ...]]]:
    """Every known way in which delayed delivery fails: guarantee, parameters, schedule."""
    for border in load_borders(DELAY):
        for refutation in border.refuted:
            if border.guarantee in get_guarantees(DELAY):
                limits = get_everything(DELAY).counts(**dict.fromkeys(refutation.faults, SEARCHED))
                parameters = evolve(get_border_sizes(DELAY), limits=limits)
                yield border.guarantee, parameters, refutation.schedule


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
    for guarantee, parameters, schedule in list_refutations():
        found = sample_continuations(guarantee, DELAY, parameters, schedule)
        states = [state for _, state in follow(DELAY, parameters, schedule)]
        assert len(states) == len(found.violating)
        for state, violating in zip(states, found.violating, strict=True):
            assert (violating > 0) == can_come_to_violate(guarantee, state)
            told.add(0 if not violating else 2 if violating == found.drawn else 1)
        assert found.drawn == found.violating[-1]
        assert found == sample_continuations(guarantee, DELAY, parameters, schedule)
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
    assert "from step 1 on: without further faults 10 of 10" in str(early)
    assert "from the beginning" in str(Continuations((10, 10), 10))
    assert "from the beginning" in str(Continuations((10,), 10))
