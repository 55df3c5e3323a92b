"""Refutations of courses: known schedules to an outage, then the outage and the course."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

from attrs import evolve, frozen

from properties.language.fault_model import FaultModel
from properties.scenarios.courses.courses import (
    COURSES,
    OUTAGES,
    SLAVE_STOP,
    CourseClaim,
    MasterEnd,
    OutageCourse,
    Sequence,
)
from properties.scenarios.procedures.procedures import compute_operated_machine
from properties.schedules.judgement import follow_while_possible
from properties.schedules.other_ends import MASTER_STARTS
from properties.schedules.related_structures import Schedule
from properties.walks.steps import choose_evenly
from properties.worlds.replication.world import ClaimedGroup
from properties.z3.fault_sets import TIMES, FaultSet, compute_faults, make_parameters
from reference.language.machine import Action, compute_machine, probe
from reference.worlds.replication.state import Cluster

WALKS, WALK_STEPS = 60, 20
"""The number and the length of random walks for a fault model that leaves a question open."""

Key = tuple[str, str, str]
"""Outage, course and question."""

Found = dict[Key, dict[FaultSet, Schedule]]
"""Refutations by what happened before the outage."""


@frozen
class CourseQuestion:
    """An outage, a course and what is asked of it."""

    outage: MasterEnd
    course: OutageCourse
    question: CourseClaim

    @property
    def key(self) -> Key:
        """Its name in a table."""
        return (self.outage.key, self.course.key, self.question.key)


CASES = tuple(CourseQuestion(o, c, q) for o in OUTAGES for c in COURSES for q in c.questions)


@frozen
class ReachedState:
    """A state, and the steps that led to it."""

    state: Cluster
    steps: Schedule = ()


def list_moments(structure: ClaimedGroup, known: Iterable[Schedule]) -> list[ReachedState]:
    """Each state along these schedules in which the master runs, once, the nearest first."""
    parameters = make_parameters(structure, frozenset(structure.world.everything.admitted))
    told: set[Cluster] = set()
    moments = []
    for schedule in sorted(known, key=len):
        steps: tuple[Action, ...] = ()
        for action, state in follow_while_possible(structure, parameters, schedule):
            steps = steps if action is None else (*steps, action)
            moment = ReachedState(state, steps)
            starts = [] if state.master.is_up else MASTER_STARTS
            for each in (moment, *(after for name in starts for after in take(moment, (name,)))):
                if each.state.master.is_up and each.state not in told:
                    told.add(each.state)
                    moments.append(each)
    return sorted(moments, key=lambda moment: len(moment.steps))


def take(moment: ReachedState, sequence: Sequence) -> list[ReachedState]:
    """What may follow: each argument as low or as high as possible; empty if a step is not."""
    moments = [moment]
    for name in sequence:
        moments = [after for each in moments for after in _step(each, name)]
    return moments


def _step(moment: ReachedState, name: str) -> Iterator[ReachedState]:
    machine = compute_operated_machine(moment.state.structure)
    failed, ranges = probe(machine.instances[name], moment.state)
    if failed:
        return
    lowest = {r.name: r.low for r in ranges}
    highest = {r.name: r.high for r in ranges}
    for arguments in [lowest] if lowest == highest else [lowest, highest]:
        action = Action(name, arguments)
        outcome = machine.step(moment.state, action)
        if not outcome.is_refused:
            yield ReachedState(outcome.cluster, (*moment.steps, action))


def list_outages(moment: ReachedState, outage: MasterEnd) -> list[ReachedState]:
    """What follows when the master ends, and the slave is stopped if it runs."""
    ready = take(moment, ("begin_master_stop",)) if outage.key == "stop" else [moment]
    ended = [after for each in ready for s in outage.sequences for after in take(each, s)]
    return [
        after
        for each in ended
        for after in (take(each, SLAVE_STOP) if each.state.slaves[0].is_up else [each])
    ]


class CourseTrials:
    """Tries every course in one state after another, and keeps what refutes a question."""

    def __init__(self, structure: ClaimedGroup) -> None:
        self.structure = structure
        self.found: Found = {case.key: {} for case in CASES}
        """Refutations by what happened before the outage; only minimal sets of faults."""
        self.possible: set[tuple[str, str]] = set()
        """The outages and courses, by their keys, that were possible in some state."""

    def is_refuted(self, case: CourseQuestion, faults: FaultSet) -> bool:
        """A known schedule refutes it after no other faults than these."""
        return any(fewer <= faults for fewer in self.found[case.key])

    def try_all(self, moment: ReachedState, asked: Iterable[CourseQuestion] = CASES) -> None:
        """Every outage and every course in one state, as far as something new can come of it."""
        faults = compute_faults(self.structure, moment.steps)
        left = [case for case in asked if not self.is_refuted(case, faults)]
        for outage in dict.fromkeys(case.outage for case in left):
            begun = list_outages(moment, outage)
            cases = [case for case in left if case.outage is outage]
            for course in dict.fromkeys(case.course for case in cases):
                questions = [case for case in cases if case.course is course]
                for after in _follow(begun, course):
                    self.possible.add((outage.key, course.key))
                    for case in questions:
                        if not case.question.holds(after.state):
                            _note(self.found[case.key], faults, after.steps)


def list_strays(
    structure: ClaimedGroup, moments: Iterable[ReachedState], fault_model: FaultModel, draw: Random
) -> Iterator[ReachedState]:
    """States on random walks from these, with no faults but those of the fault model."""
    admitted = frozenset(fault_model.admitted)
    begins = [m for m in moments if compute_faults(structure, m.steps) <= admitted]
    for _ in range(WALKS):
        moment = draw.choice(begins)
        machine = compute_machine(structure)
        parameters = moment.state.parameters.limit(evolve(fault_model, times=TIMES).search_limits)
        state, steps = evolve(moment.state, parameters=parameters), moment.steps
        for _ in range(WALK_STEPS):
            action = choose_evenly(machine.enabled(state), draw)
            state, steps = machine.step(state, action).cluster, (*steps, action)
            if state.master.is_up:
                yield ReachedState(state, steps)


def _follow(begun: Iterable[ReachedState], course: OutageCourse) -> Iterator[ReachedState]:
    for moment in begun:
        if course.premise is None or course.premise(moment.state):
            for sequence in course.sequences:
                yield from take(moment, sequence)


def _note(known: dict[FaultSet, Schedule], faults: FaultSet, steps: Schedule) -> None:
    """Keep a refutation unless one needs fewer faults; forget those that need more."""
    if any(fewer <= faults for fewer in known):
        return
    for more in [each for each in known if faults < each]:
        del known[more]
    known[faults] = steps
