"""What becomes of a known issue elsewhere: in its own cell, under a variant, in another release."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from typing import Any

from attrs import evolve, frozen

from properties.comparison.difference_search import LOOKED_AT, SIGHT_STRUCTURE, load_differences
from properties.generated_text import count_steps
from properties.scenarios.known_issues.scenario import Scenario
from properties.verdicts.certificates import find_cells
from properties.verdicts.verdict import Verdict, VerdictWord
from properties.worlds import KNOWN_STRUCTURES
from properties.worlds.replication.convergence import PUT_STEPS
from reference.language.machine import Action, compute_machine
from reference.releases.versions import apply_rule_set, parse_version
from reference.worlds.replication.changes import VARIANTS
from reference.worlds.replication.structure import Structure


class Fate(enum.Enum):
    """What becomes of a scenario elsewhere."""

    PROVED = "proved"
    """Its steps do not show it, and nothing does: the cell is proved, the difference impossible."""
    REFUSED = "refused"
    """One of its steps is impossible."""
    HARMLESS = "harmless"
    """Its steps are possible, and do not show it."""
    SHOWN = "shown"
    """Its steps show it as before."""


@frozen
class Outcome:
    """What becomes of a scenario elsewhere, and how that is known."""

    fate: Fate
    stopped_at: Action | None
    """The step that is impossible."""
    cell: Verdict | None
    """What is known of all other schedules; None where nobody has decided it."""

    @property
    def is_refuted_otherwise(self) -> bool:
        """Another schedule breaks the same claim under the same faults."""
        return self.cell is not None and self.cell.word is VerdictWord.REFUTED

    def describe(self) -> str:
        """In a few words."""
        told = {
            Fate.PROVED: self._say_impossible(),
            Fate.REFUSED: f"`{str(self.stopped_at).removesuffix('()')}` is refused",
            Fate.HARMLESS: "the same steps do no harm",
            Fate.SHOWN: "it happens as before",
        }[self.fate]
        if self.fate is not Fate.SHOWN and self.cell is not None and self.cell.steps is not None:
            told += f", yet another way of {count_steps(self.cell.steps)} leads there"
        return told

    def _say_impossible(self) -> str:
        """That no schedule leads there, by the rules; and what real brokers say against it."""
        dispute = self.cell.dispute if self.cell is not None else ""
        return f"impossible by the rules, {dispute}" if dispute else "proved to be impossible"


def find_cell(scenario: Scenario, structure: Any) -> Verdict | None:
    """What the certificate of a structure says of the scenario's claim; None without one."""
    if not scenario.is_claim or scenario.messages > 1:
        return None
    return find_cells(structure).get((scenario.shows, scenario.fault))


def find_shortest_known(scenario: Scenario) -> int | None:
    """How many steps it takes at least, by the certificates; None where nobody has searched."""
    cell = find_cell(scenario, scenario.structure)
    if cell is not None:
        return cell.steps
    ways = [s.schedule for s in _load_differences(scenario, scenario.structure)]
    return next((len(way) for way in ways if way is not None), None)


def _load_differences(scenario: Scenario, structure: Any) -> Iterator[Any]:
    """What is known of the scenario's difference in a structure, if anybody has looked there."""
    if not isinstance(structure, Structure) or scenario.is_claim:
        return
    for name in LOOKED_AT:
        if _is_looked_at(name, structure):
            yield from (s for s in load_differences(name) if s.name == scenario.shows)


def _is_looked_at(name: str, structure: Structure) -> bool:
    """Differences were decided of this structure, under the rules of this name."""
    if name in VARIANTS:
        return evolve(SIGHT_STRUCTURE, variants=(name,)) == structure
    return apply_rule_set(SIGHT_STRUCTURE, name) == structure


def get_elsewhere(scenario: Scenario, name: str) -> Any:
    """The scenario's structure under a variant or a release, or another structure of its world.

    Raises VersionError for a name that is none of these.
    """
    if name in KNOWN_STRUCTURES:
        return KNOWN_STRUCTURES[name]
    plain = evolve(scenario.structure, variants=())
    if name in VARIANTS:
        return evolve(plain, variants=(name,))
    return parse_version(name).apply(plain)


def try_elsewhere(scenario: Scenario, name: str) -> Outcome:
    """The same steps under other rules, and the verdict that is known there."""
    return try_in(scenario, get_elsewhere(scenario, name))


def try_in(scenario: Scenario, structure: Any) -> Outcome:
    """The same steps in another structure of the scenario's world, and the verdict known there."""
    cell = find_cell(scenario, structure)
    taken, stopped_at = take_in_order(structure, scenario.parameters, scenario.schedule)
    if stopped_at is None and scenario.is_shown_by(structure, taken):
        return Outcome(Fate.SHOWN, None, cell)
    is_proved = cell is not None and cell.word is VerdictWord.PROVED
    if is_proved or any(s.is_impossible for s in _load_differences(scenario, structure)):
        return Outcome(Fate.PROVED, stopped_at, cell)
    return Outcome(Fate.HARMLESS if stopped_at is None else Fate.REFUSED, stopped_at, cell)


def take_in_order(
    structure: Any, parameters: Any, schedule: Sequence[Action]
) -> tuple[tuple[Action, ...], Action | None]:
    """The steps as far as they are possible, and the first one for which there is no place.

    Releases differ in the order of a put's own steps, from its append to its answer: such a step
    may come later than it stands.
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
    """The next step; behind steps of a put also those that may overtake it."""
    for action in left:
        yield action
        if action.rule_name not in PUT_STEPS:
            return
