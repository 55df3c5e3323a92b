"""The verdicts on courses: proofs first, then refutations by what is known, then random walks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random

from attrs import frozen

from properties.scenarios.courses.courses import make_group
from properties.scenarios.courses.proofs import CourseProver
from properties.scenarios.courses.refutations import (
    CASES,
    CourseQuestion,
    CourseTrials,
    list_moments,
    list_strays,
)
from properties.schedules.related_structures import Schedule
from properties.verdicts.verdict import VerdictWord
from properties.worlds.replication.fault_models import FAULT_MODELS
from properties.worlds.replication.world import ClaimedGroup
from properties.z3.fault_sets import FaultSet, Refutation

SEED = 1
"""Of the random walks."""


@frozen
class CourseVerdicts:
    """What is known of one question about one course after one outage."""

    case: CourseQuestion
    proved: tuple[FaultSet, ...] = ()
    """Sets of faults: whatever mixture of them happened before, the answer is yes."""
    refuted: tuple[Refutation, ...] = ()
    """Schedules to an answer that is no, each with what happened before the outage."""

    def get_word(self, faults: FaultSet) -> VerdictWord:
        """The verdict if no other faults happened before the outage."""
        if any(faults <= each for each in self.proved):
            return VerdictWord.PROVED
        if any(each.faults <= faults for each in self.refuted):
            return VerdictWord.REFUTED
        return VerdictWord.UNDECIDED


def decide_courses(
    structure: ClaimedGroup, known: Iterable[Schedule], say: Callable[[str], None]
) -> tuple[CourseVerdicts, ...]:
    """Every question about every course, for a master with one slave. Raises SolverGaveUpError."""
    group = make_group(structure)
    prover = CourseProver(group)
    proved: dict[CourseQuestion, list[FaultSet]] = {}
    for number, case in enumerate(CASES, 1):
        say(f"{structure.name}: course {number} of {len(CASES)}")
        proved[case] = prove_case(prover, case)
    say(f"{structure.name}: courses after known schedules")
    trials = CourseTrials(group)
    moments = list_moments(group, known)
    for moment in moments:
        trials.try_all(moment)
    draw = Random(SEED)
    for fault_model in FAULT_MODELS:
        faults = frozenset(fault_model.admitted)
        asked = [case for case in CASES if not any(faults <= each for each in proved[case])]
        asked = [case for case in asked if not trials.is_refuted(case, faults)]
        if asked:
            say(f"{structure.name}: courses after {fault_model.name}")
            for moment in list_strays(group, moments, fault_model, draw):
                trials.try_all(moment, asked)
    return tuple(
        CourseVerdicts(
            case,
            tuple(proved[case]),
            tuple(Refutation(f, s) for f, s in trials.found[case.key].items()),
        )
        for case in CASES
        if (case.outage.key, case.course.key) in trials.possible
    )


def prove_case(prover: CourseProver, case: CourseQuestion) -> list[FaultSet]:
    """The largest sets of faults that a proof covers, among those of the fault models."""
    failures = list(prover.list_failures(case.outage, case.course, case.question))
    survived: list[FaultSet] = []
    fallen: list[FaultSet] = []
    for fault_model in sorted(FAULT_MODELS, key=lambda each: -len(each.admitted)):
        faults = frozenset(fault_model.admitted)
        if any(faults <= each for each in survived) or any(each <= faults for each in fallen):
            continue
        found = prover.find_survived(failures, faults)
        if found is None:
            fallen.append(faults)
        else:
            survived.append(found)
    return survived
