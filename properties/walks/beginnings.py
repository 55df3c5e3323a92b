"""Where walks begin: in the initial state, mostly, or along a stored schedule."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from attrs import frozen
from hypothesis.internal.conjecture.data import ConjectureData

from properties.language.property import Predicate
from properties.language.world import ClaimedStructure
from properties.schedules.judgement import follow_while_possible
from properties.schedules.related_structures import Schedule
from properties.verdicts.certificates import load_schedules
from properties.z3.vacuity import load_witness_schedules
from reference.language.machine import Action
from reference.language.parameters import BaseParameters

STORED_SHARE = 5
"""Of so many walks one begins along a stored schedule, the others in the initial state."""


@frozen(eq=False, slots=False)
class Beginnings:
    """The stored schedules of a structure: hints, each followed as far as it is possible."""

    structure: ClaimedStructure
    aimed: tuple[Schedule, ...] = ()
    """The only schedules to begin with, if there are any; then every walk begins along one."""

    @cached_property
    def stored(self) -> tuple[Schedule, ...]:
        """Those of its certificate and of its witnesses, the shortest first, each once."""
        found = (*load_schedules(self.structure), *load_witness_schedules(self.structure))
        return tuple({str(each): each for each in sorted(found, key=len) if each}.values())

    @property
    def none(self) -> tuple[int, ...]:
        """The draws by which a walk begins in its initial state."""
        return (0,) if self.aimed or self.stored else ()

    def draw(self, data: ConjectureData) -> Schedule:
        """Nothing, or a stored schedule, whole or in part."""
        if self.aimed:
            number = data.draw_integer(0, len(self.aimed))
            return self.aimed[number - 1] if number else ()
        if not self.stored or data.draw_integer(0, STORED_SHARE - 1) < STORED_SHARE - 1:
            return ()
        schedule = self.stored[data.draw_integer(0, len(self.stored) - 1)]
        return schedule[: data.draw_integer(0, len(schedule))]

    def aim(self, sizes: Iterable[BaseParameters], premise: Predicate) -> tuple[Schedule, ...]:
        """The beginnings of stored schedules up to a state that meets a premise, in some size."""
        found: dict[str, Schedule] = {}
        for parameters in sizes:
            for schedule in self.stored:
                steps: list[Action] = []
                for action, state in follow_while_possible(self.structure, parameters, schedule):
                    steps += [] if action is None else [action]
                    if premise(state):
                        found[str(steps)] = tuple(steps)
                        break
        return tuple(found.values())
