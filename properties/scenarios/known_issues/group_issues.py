"""Which known issues can happen to a broker group: each is tried in the group's own structures."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any

from attrs import frozen

from properties.generated_text import count_steps
from properties.language.world import ClaimedStructure
from properties.scenarios.analysis.log import compute_structure
from properties.scenarios.analysis.reading import ReadingQuestion, list_reading_structures
from properties.scenarios.analysis.tables import get_tables
from properties.scenarios.known_issues.repair import Fate, RepairOutcome, try_in
from properties.scenarios.known_issues.scenario import Scenario
from properties.worlds.delay.world import DELAY_STRUCTURES
from properties.worlds.tables.world import ClaimedTables
from reference.configuration.broker_group import BrokerGroup
from reference.worlds.replication.parameters import SLAVES_MAX


class Chance(enum.Enum):
    """Whether a known issue can happen to a group."""

    POSSIBLE = "possible"
    """The steps of the issue are possible in the group's structure, and show it."""
    OTHERWISE = "otherwise"
    """Its steps are not, but other ones break the same guarantee under the same faults."""
    IMPOSSIBLE = "impossible"
    """No steps lead there: that is proved."""
    UNDECIDED = "undecided"
    """Its steps are not possible; nothing is known of others. Or the model lacks such a group."""


@frozen
class GroupIssue:
    """A known issue in a group."""

    scenario: Scenario
    chance: Chance
    structure: ClaimedStructure | None
    """Where it was tried; None where the model has no such structure for the group."""
    reason: str
    """How that is known, in a few words."""


def list_group_issues(
    scenarios: Iterable[Scenario], group: BrokerGroup, question: ReadingQuestion
) -> tuple[GroupIssue, ...]:
    """Every scenario in a group, in the given order."""
    structures = list_structures(group, question)
    return tuple(judge(scenario, structures) for scenario in scenarios)


def list_structures(group: BrokerGroup, question: ReadingQuestion) -> tuple[Any, ...]:
    """The group in every world that it has a structure in; none where it is outside the model.

    Its log comes first. Only a group with a slave has consumers, tables and delayed messages.
    """
    if group.outside_the_model() or len(group.slaves) > SLAVES_MAX:
        return ()
    log = compute_structure(group)
    if not group.slaves:
        return (log,)
    readings = (
        structure
        for is_from_first in ((True,) if question.is_from_first else (False, True))
        for structure in list_reading_structures(group, question, is_from_first=is_from_first)
    )
    return (log, *readings, *get_tables(group.version), DELAY_STRUCTURES[0])


def judge(scenario: Scenario, structures: Iterable[Any]) -> GroupIssue:
    """A scenario in the structures of a group: in the one in which it fares worst for the group."""
    found = [
        judge_in(scenario, structure)
        for structure in structures
        if is_comparable(scenario.structure, structure)
    ]
    if not found:
        world = scenario.structure.world.topic
        reason = f"the model has no structure of this group in its world of {world}"
        return GroupIssue(scenario, Chance.UNDECIDED, None, reason)
    order = (Chance.POSSIBLE, Chance.OTHERWISE, Chance.UNDECIDED, Chance.IMPOSSIBLE)
    return min(found, key=lambda issue: order.index(issue.chance))


def is_comparable(one: Any, other: Any) -> bool:
    """They belong to one world; tables are of one kind, and consumers begin at one place."""
    if type(one) is not type(other):
        return False
    if isinstance(one, ClaimedTables):
        return one.name.rpartition("/")[0] == str(other.name).rpartition("/")[0]
    beginning = getattr(one, "is_from_first", None)
    return bool(beginning == getattr(other, "is_from_first", None))


def judge_in(scenario: Scenario, structure: ClaimedStructure) -> GroupIssue:
    """A scenario in one structure of its world."""
    if scenario.messages > 1:
        structure = structure.follow_messages(scenario.messages)
    outcome = try_in(scenario, structure)
    return GroupIssue(scenario, find_chance(outcome), structure, describe(scenario, outcome))


def find_chance(outcome: RepairOutcome) -> Chance:
    """What an outcome says of an issue."""
    if outcome.fate is Fate.SHOWN:
        return Chance.POSSIBLE
    if outcome.is_refuted_otherwise:
        return Chance.OTHERWISE
    return Chance.IMPOSSIBLE if outcome.fate is Fate.PROVED else Chance.UNDECIDED


def describe(scenario: Scenario, outcome: RepairOutcome) -> str:
    """How the chance of an issue is known."""
    if outcome.fate is Fate.SHOWN:
        return count_steps(len(scenario.schedule))
    told = outcome.describe()
    if outcome.fate is Fate.PROVED and outcome.cell is not None and outcome.cell.is_vacuous:
        return f"{told}: the guarantee has no case here"
    return told
