"""The failures of a refuting schedule in an operator's words: ``one power loss of the master``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import attrs
from attrs import frozen

from properties.language.world import ClaimedStructure
from properties.scenarios.summary.words import FailureKind, load_words
from properties.schedules.judgement import ScheduleError, follow
from properties.verdicts.findings.explanations import explain
from properties.verdicts.verdict import Verdict
from properties.worlds.reading.world import ClaimedReading
from properties.worlds.replication.world import ClaimedGroup
from reference.language.machine import Action


@frozen
class Blow:
    """The failures that refute a verdict."""

    words: str
    kind: FailureKind
    number: int
    """The number at the end of its code."""


def describe_blow(structure: ClaimedStructure, verdict: Verdict) -> Blow:
    """The failures in the schedule of a refuted verdict, and how common they are.

    Two failures of one kind count as several failures, whatever the fault model.
    """
    fault_model = load_words().fault_models[verdict.fault]
    counts = count_faults(structure, verdict)
    if len(counts) == 1:
        ((name, times),) = counts.items()
        fault = load_words().faults[name]
        number = fault.number or fault_model.number
        if times == 1:
            return Blow(fault.one, fault_model.kind, number)
        return Blow(fault.more.format(n=times), FailureKind.COMBINED, number)
    if counts or fault_model.kind is not FailureKind.UNFAILED:
        return Blow(fault_model.words, fault_model.kind, fault_model.number)
    claim = choose_claim(structure, verdict)
    explanation = find_class(structure, verdict)
    cause = load_words().find_cause(explanation, claim, structure.variants)
    found = cause or fault_model
    return Blow(found.words, fault_model.kind, found.number)


SKIPPED = "known_group_skips_no_message"
BROKEN_BY_FIRST_START = ("no_message_is_skipped", "stored_progress_covers_consumed_only")
"""Claims that break without a failure if a group begins at the end of its queue."""


def choose_claim(structure: ClaimedStructure, verdict: Verdict) -> str:
    """The claim by which the cause of a failure without faults is known.

    A group that begins at the first message skips none by that: if it does without a failure, then
    as a group does that is known to a broker.
    """
    is_from_first = isinstance(structure, ClaimedReading) and structure.is_from_first
    is_other = is_from_first and verdict.guarantee in BROKEN_BY_FIRST_START
    return SKIPPED if is_other else verdict.guarantee


def count_faults(structure: ClaimedStructure, verdict: Verdict) -> Mapping[str, int]:
    """How often each failure happens in a schedule, without those that never do.

    Also empty for a schedule that was found with other sizes than those of a search.
    """
    return _count_faults(structure, verdict.fault, verdict.schedule)


@cache
def _count_faults(
    structure: ClaimedStructure, fault: str, schedule: tuple[Action, ...]
) -> Mapping[str, int]:
    """The same; several claims and rows are refuted by one schedule, in every group alike."""
    world = structure.world
    parameters = world.make_search_parameters(world.get_fault_model(fault))
    try:
        *_, (_, state) = follow(structure, parameters, schedule)
    except ScheduleError:
        return {}
    return {name: times for name, times in attrs.asdict(state.faults).items() if times}


def find_class(structure: ClaimedStructure, verdict: Verdict) -> str:
    """The class of explanation of a verdict about the log; empty if none fits."""
    if not isinstance(structure, ClaimedGroup):
        return ""
    try:
        return explain(structure, verdict).name
    except (LookupError, ScheduleError):
        return ""
