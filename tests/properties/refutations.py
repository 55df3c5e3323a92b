"""Known schedules that violate a guarantee, to tell, write and draw: of every world the longest."""

from __future__ import annotations

from typing import Any

from attrs import evolve, frozen

from properties.fault_class import SEARCHED
from properties.fault_set_certificates import BORDERED_STRUCTURES, load_borders
from properties.fault_sets import get_border_sizes
from properties.judgement import JudgedStep, replay
from properties.subject import get_everything, get_guarantees
from properties.worlds import STRUCTURES_BY_WORLD
from reference.machine import Action


@frozen
class KnownSchedule:
    """What violates a guarantee at its last step, and not before."""

    structure: Any
    parameters: Any
    schedule: tuple[Action, ...]
    guarantee: str

    @property
    def name(self) -> str:
        """For a test's identifier."""
        return f"{self.structure.name} {self.guarantee}"

    @property
    def steps(self) -> list[JudgedStep]:
        """Every state on the way, judged."""
        return list(replay(self.structure, self.parameters, self.schedule))


def find_longest(structure: Any) -> KnownSchedule:
    """Of the known ways to fail the one that takes the most steps."""
    refutations = [
        (refutation, border.guarantee)
        for border in load_borders(structure)
        for refutation in border.refuted
        if border.guarantee in get_guarantees(structure)
    ]
    longest, guarantee = max(refutations, key=lambda pair: len(pair[0].schedule))
    limits = get_everything(structure).counts(**dict.fromkeys(longest.faults, SEARCHED))
    parameters = evolve(get_border_sizes(structure), limits=limits)
    return KnownSchedule(structure, parameters, longest.schedule, guarantee)


KNOWN_SCHEDULES = [
    find_longest(next(s for s in reversed(structures) if s in BORDERED_STRUCTURES))
    for structures in STRUCTURES_BY_WORLD.values()
]
"""One of each world."""
