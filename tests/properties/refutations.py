"""Known schedules that violate a guarantee, to tell, write and draw: of every world the longest."""

from __future__ import annotations

from collections.abc import Iterator
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


def list_known(structure: Any) -> Iterator[KnownSchedule]:
    """The shortest schedule of every known way to fail, each fault allowed twice."""
    for border in load_borders(structure):
        if border.guarantee in get_guarantees(structure):
            for refutation in border.refuted:
                admitted = dict.fromkeys(refutation.faults, SEARCHED)
                limits = get_everything(structure).counts(**admitted)
                parameters = evolve(get_border_sizes(structure), limits=limits)
                yield KnownSchedule(structure, parameters, refutation.schedule, border.guarantee)


def find_longest(structure: Any) -> KnownSchedule:
    """Of the known ways to fail the one that takes the most steps."""
    return max(list_known(structure), key=lambda known: len(known.schedule))


KNOWN_SCHEDULES = [
    find_longest(next(s for s in reversed(structures) if s in BORDERED_STRUCTURES))
    for structures in STRUCTURES_BY_WORLD.values()
]
"""One of each world."""
