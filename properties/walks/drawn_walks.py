"""Walks that a test draws itself, and how early walks violate claims that nothing asserts."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from attrs import frozen
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

from properties.language.property import Predicate
from properties.language.world import ClaimedStructure
from properties.walks.compiled_predicates import CompiledPredicates
from properties.walks.failed_walk import ViolatedClaimError
from properties.walks.hypothesis_machine import (
    Claim,
    Sizes,
    make_state_machine,
    run_walks,
    walk_and_shrink,
)
from reference.language.machine import Action, Enabled, compute_machine
from reference.language.parameters import BaseParameters


def draw_action(data: st.DataObject, enabled: list[Enabled]) -> Action | None:
    """One of the enabled actions with arguments from its ranges; None if nothing is enabled."""
    if not enabled:
        return None
    by_name = {e.instance.name: e for e in enabled}
    name = data.draw(st.sampled_from(list(by_name)), "rule")
    ranges = by_name[name].ranges
    return Action(name, {r.name: data.draw(st.integers(r.low, r.high), r.name) for r in ranges})


def draw_walk(
    data: st.DataObject, structure: ClaimedStructure, parameters: BaseParameters, steps: int
) -> list[tuple[Any, Action]]:
    """The states of a walk that Hypothesis draws, as (cluster, action taken there) pairs.

    All steps are equally likely.
    """
    machine = compute_machine(structure)
    cluster = structure.make_initial(parameters)
    walk = []
    for _ in range(data.draw(st.integers(1, steps), "steps")):
        action = draw_action(data, machine.enabled(cluster))
        if action is None:
            break
        walk.append((cluster, action))
        cluster = machine.step(cluster, action).cluster
    return walk


def find_earliest_violations(
    structure: ClaimedStructure,
    parameters: BaseParameters,
    claims: Mapping[str, Predicate],
    examples: int,
    steps: int,
) -> dict[str, int]:
    """The fewest steps after which each claim is violated in some walks; seeded.

    A claim that no walk violates is missing.
    """
    earliest: dict[str, int] = {}
    base = make_state_machine(structure, parameters, {})
    judged = CompiledPredicates(base.plan.structure, claims)

    class ViolationRecorder(base):  # type: ignore[misc, valid-type, unused-ignore]
        """Records violations and continues."""

        def look(self, instance: str | None) -> None:
            super().look(instance)
            taken = len(self.schedule)
            for name in claims if instance is None else judged.touched[instance]:
                if not judged.compiled[name].holds(self.walk.state):
                    earliest[name] = min(taken, earliest.get(name, taken))

    chosen = make_repeatable_settings((examples, steps), Phase.generate)
    run_walks(ViolationRecorder, chosen)
    return earliest


def make_repeatable_settings(length: tuple[int, int], *phases: Phase) -> settings:
    """So many examples of so many steps, the same every time, however slow they are."""
    examples, steps = length
    return settings(
        max_examples=examples,
        stateful_step_count=steps,
        derandomize=True,
        database=None,
        deadline=None,
        phases=phases,
        suppress_health_check=list(HealthCheck),
    )


@frozen
class FirstViolation:
    """The first walk that violated a claim, and what shrinking made of it."""

    example: int
    """The number of the walk, from 1."""
    step: int
    """The step of that walk."""
    claim: str
    shrunk: int
    """The number of steps of the walk that is reported."""
    seconds: float
    """From the first violation to the report."""


def find_first_violation(
    structure: ClaimedStructure,
    sizes: Sizes,
    claims: Mapping[str, Claim],
    length: tuple[int, int],
    seed: int | None = None,
) -> FirstViolation | None:
    """What a machine finds in so many examples of so many steps; None if nothing.

    Without a seed it is derandomized and shrinks; with one it stops at the first violation.
    """
    machine = make_state_machine(structure, sizes, claims)
    machine._hypothesis_internal_use_seed = seed  # type: ignore[attr-defined, unused-ignore]
    shrinking = [Phase.shrink] if seed is None else []
    usual = make_repeatable_settings(length, Phase.generate, *shrinking)
    chosen = settings(usual, derandomize=seed is None, report_multiple_bugs=False)
    try:
        walk_and_shrink(machine, chosen)
    except ViolatedClaimError as failure:
        first = machine.plan.found.first
        assert first is not None, "a walk of no step violates a claim"
        seconds = round(time.perf_counter() - first.at_s, 1)
        steps = len(failure.schedule)
        return FirstViolation(first.example, first.step, failure.claim, steps, seconds)
    return None
