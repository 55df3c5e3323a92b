"""A known issue elsewhere: other schedules, a variant, another release."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from typing import Any

from attrs import evolve, frozen

from properties.comparison.difference_search import LOOKED_AT, SIGHT_STRUCTURE, load_differences
from properties.generated_text import count_steps
from properties.language.world import ClaimedStructure
from properties.scenarios.known_issues.scenario import Scenario
from properties.verdicts.certificates import find_cells
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.replication.convergence import PUT_STEPS
from properties.worlds.replication.world import ClaimedGroup
from reference.language.machine import Action, compute_machine
from reference.language.parameters import BaseParameters
from reference.releases.versions import VersionError, apply_rule_set, parse_version
from reference.worlds.replication.changes import VARIANTS


class Fate(enum.Enum):
    """The outcome of a scenario elsewhere."""

    PROVED = "proved"
    """No schedule shows it: the verdict is proved, or the difference impossible."""
    REFUSED = "refused"
    """One of its steps is impossible."""
    HARMLESS = "harmless"
    """Its steps are possible, and do not show it."""
    SHOWN = "shown"
    """Its steps still show it."""


@frozen
class RepairOutcome:
    """What becomes of a scenario elsewhere, and how that is known."""

    fate: Fate
    stopped_at: Action | None
    """The step that is impossible."""
    cell: Verdict | None
    """The verdict on all other schedules; None if it was not decided."""

    @property
    def is_refuted_otherwise(self) -> bool:
        """Another schedule breaks the same claim under the same faults."""
        return self.cell is not None and self.cell.word is VerdictWord.REFUTED

    def describe(self) -> str:
        """In a few words."""
        told = {
            Fate.PROVED: self._say_impossible(),
            Fate.REFUSED: f"`{str(self.stopped_at).removesuffix('()')}` is refused",
            Fate.HARMLESS: "the same steps are harmless",
            Fate.SHOWN: "it still happens",
        }[self.fate]
        if self.fate is not Fate.SHOWN and self.cell is not None and self.cell.steps is not None:
            told += f", but another schedule of {count_steps(self.cell.steps)} shows it"
        return told

    def _say_impossible(self) -> str:
        """The phrase for an impossible issue, with the dispute by real brokers, if any."""
        dispute = self.cell.dispute if self.cell is not None else ""
        return f"impossible by the rules, {dispute}" if dispute else "proved to be impossible"


def find_cell(scenario: Scenario, structure: ClaimedStructure) -> Verdict | None:
    """The verdict on the scenario's claim in a structure's certificate; None without one."""
    if not scenario.is_claim or scenario.messages > 1:
        return None
    return find_cells(structure).get((scenario.shows, scenario.fault))


def find_shortest_known(scenario: Scenario) -> int | None:
    """The fewest steps that show it, by the certificates; None if that was not searched."""
    cell = find_cell(scenario, scenario.structure)
    if cell is not None:
        return cell.steps
    ways = [s.schedule for s in _load_differences(scenario, scenario.structure)]
    return next((len(way) for way in ways if way is not None), None)


def _load_differences(scenario: Scenario, structure: ClaimedStructure) -> Iterator[Any]:
    """The answer for the scenario's difference in a structure, if it was decided there."""
    if not isinstance(structure, ClaimedGroup) or scenario.is_claim:
        return
    for name in LOOKED_AT:
        if _is_looked_at(name, structure):
            yield from (s for s in load_differences(name) if s.name == scenario.shows)


def _is_looked_at(name: str, structure: ClaimedGroup) -> bool:
    """Differences were decided for this structure, under the rules of this name."""
    if name in VARIANTS:
        return evolve(SIGHT_STRUCTURE, variants=(name,)) == structure
    return apply_rule_set(SIGHT_STRUCTURE, name) == structure


def get_elsewhere(scenario: Scenario, name: str) -> ClaimedStructure:
    """The scenario's structure under a variant or a release, or another structure of its world.

    Raises VersionError for a name that is none of these.
    """
    if name in STRUCTURES:
        return STRUCTURES[name]
    group = scenario.structure
    if not isinstance(group, ClaimedGroup):
        raise VersionError(f"{group.name} is not known at {name}")
    plain = evolve(group, variants=())
    if name in VARIANTS:
        return apply_rule_set(evolve(plain, variants=(name,)), VARIANTS[name].on)
    return parse_version(name).apply(plain)


def try_elsewhere(scenario: Scenario, name: str) -> RepairOutcome:
    """The scenario's steps under other rules, and the known verdict there."""
    return try_in(scenario, get_elsewhere(scenario, name))


def try_in(scenario: Scenario, structure: ClaimedStructure) -> RepairOutcome:
    """The scenario's steps in another structure of its world, and the known verdict there."""
    cell = find_cell(scenario, structure)
    taken, stopped_at = take_in_order(structure, scenario.parameters, scenario.schedule)
    if stopped_at is None and scenario.is_shown_by(structure, taken):
        return RepairOutcome(Fate.SHOWN, None, cell)
    is_proved = cell is not None and cell.word is VerdictWord.PROVED
    if is_proved or any(s.is_impossible for s in _load_differences(scenario, structure)):
        return RepairOutcome(Fate.PROVED, stopped_at, cell)
    return RepairOutcome(Fate.HARMLESS if stopped_at is None else Fate.REFUSED, stopped_at, cell)


def take_in_order(
    structure: ClaimedStructure, parameters: BaseParameters, schedule: Sequence[Action]
) -> tuple[tuple[Action, ...], Action | None]:
    """The steps as far as they are possible, and the first one that never is.

    Releases differ in the order of a put's own steps, from its append to its answer: such a step
    may take place later than in the schedule.
    """
    machine, state = compute_machine(structure), structure.make_initial(parameters)
    taken: list[Action] = []
    left = list(schedule)
    while left:
        for action in _list_next(left):
            if action.instance in machine.instances:
                outcome = machine.step(state, action)
                if not outcome.is_refused:
                    break
        else:
            return tuple(taken), action
        state = outcome.cluster
        taken.append(action)
        left.remove(action)
    return tuple(taken), None


def _list_next(left: Sequence[Action]) -> Iterator[Action]:
    """The next step; after steps of a put also those that may overtake them."""
    for action in left:
        yield action
        if action.rule_name not in PUT_STEPS:
            return
