"""Where walks begin beside the initial state: on the way of schedules that are stored.

They are hints: whatever rules they were made from, each is followed as far as it is possible.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from properties.property import Predicate
from properties.schedules.judgement import follow_while_possible
from properties.schedules.related_structures import Schedule
from properties.verdicts.certificates import load_schedules
from properties.walks.premises import find_reached
from properties.z3.vacuity import load_witness_schedules
from reference.language.machine import Action

STARTS_MAX = 3
"""How many ways to one milestone are kept, the shortest ones."""


@frozen
class WalkStarts:
    """Schedules that are possible from the initial state on."""

    ways: tuple[Schedule, ...]
    """Stored ones, as far as they go."""
    leading_to: Mapping[str, tuple[Schedule, ...]]
    """Their beginnings up to a milestone, by its name; one that holds initially has none."""


def load_starts(structure: Any, parameters: Any, milestones: Mapping[str, Predicate]) -> WalkStarts:
    """What the certificate and the witnesses of a structure hold, followed under these sizes."""
    stored = (*load_schedules(structure), *load_witness_schedules(structure))
    ways: list[Schedule] = []
    found: dict[str, list[Schedule]] = {name: [] for name in milestones}
    for schedule in sorted(stored, key=len):
        steps: list[Action] = []
        ahead = {n: m for n, m in milestones.items() if len(found[n]) < STARTS_MAX}
        for action, state in follow_while_possible(structure, parameters, schedule):
            steps += [] if action is None else [action]
            for name in find_reached(ahead, state):
                del ahead[name]
                if tuple(steps) not in found[name]:
                    found[name].append(tuple(steps))
        ways.append(tuple(steps))
    return WalkStarts(
        tuple({str(way): way for way in ways if way}.values()),
        {name: tuple(starts) for name, starts in found.items() if any(starts)},
    )
