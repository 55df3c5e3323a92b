"""Courses after an outage of the master: proofs, refutations, and that they do not contradict."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from attrs import evolve

from properties.scenarios.courses.certificates import (
    COURSES_FILE,
    GROUPS,
    load_courses,
    save_courses,
)
from properties.scenarios.courses.courses import (
    COURSES,
    KEPT,
    NEW,
    OUTAGES,
    MasterEnd,
    OutageCourse,
    is_undamaged,
    make_group,
)
from properties.scenarios.courses.proofs import CourseProver
from properties.scenarios.courses.refutations import (
    CASES,
    CourseQuestion,
    CourseTrials,
    list_moments,
    list_strays,
)
from properties.scenarios.courses.verdicts import CourseVerdicts, prove_case
from properties.scenarios.procedures.procedures import compute_operated_machine
from properties.schedules.known_schedules import load_known_schedules
from properties.verdicts.certificates import get_world_folder
from properties.verdicts.verdict import InternalDisagreementError, VerdictWord
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.replication.fault_models import FAULT_MODEL_BY_NAME, FAULT_MODELS
from properties.worlds.replication.world import ClaimedGroup
from properties.z3.fault_sets import FaultSet, compute_faults, get_all_faults, make_parameters
from properties.z3.induction import SolverGaveUpError
from reference.releases.releases import CONTROLLER
from reference.releases.versions import RULE_SETS
from reference.worlds.replication.state import empty_log

STOCK, ASYNCHRONOUS = GROUPS[0], GROUPS[2]
NOTHING: FaultSet = frozenset()
OUTAGE_BY_KEY = {each.key: each for each in OUTAGES}
COURSE_BY_KEY = {each.key: each for each in COURSES}


def find(structure: ClaimedGroup, outage: str, course: str, question: str) -> CourseVerdicts:
    """The stored verdicts on one question."""
    (found,) = (e for e in load_courses(structure) if e.case.key == (outage, course, question))
    return found


def prove(outage: MasterEnd, course: OutageCourse, faults: FaultSet, prover: CourseProver) -> bool:
    """Every question about a course has the answer yes."""
    return all(
        prover.find_survived(prover.list_failures(outage, course, question), faults) is not None
        for question in course.questions
    )


@pytest.fixture(scope="module")
def prover() -> CourseProver:
    """That of the stock pair."""
    return CourseProver(make_group(STOCK))


@pytest.mark.parametrize("structure", GROUPS, ids=lambda s: s.name)
def test_each_refutation_is_one(structure: ClaimedGroup) -> None:
    """Its steps are possible one after another, and the question's answer is no at their end."""
    group = make_group(structure)
    machine = compute_operated_machine(group)
    for each in load_courses(structure):
        lengths = {len(s) for s in each.case.course.sequences}
        for refutation in each.refuted:
            state = group.make_initial(make_parameters(group, get_all_faults(group)))
            for action in refutation.schedule:
                outcome = machine.step(state, action)
                assert not outcome.is_refused, (each.case.key, action)
                state = outcome.cluster
            assert not each.case.question.holds(state), each.case.key
            ends = [a.instance for a in refutation.schedule[-max(lengths) :]]
            assert any(ends[-len(s) :] == list(s) for s in each.case.course.sequences)


@pytest.mark.parametrize("structure", GROUPS, ids=lambda s: s.name)
def test_no_verdict_is_both(structure: ClaimedGroup) -> None:
    """And each question of each course is asked: every course is possible after every outage."""
    verdicts = load_courses(structure)
    assert [each.case.key for each in verdicts] == [case.key for case in CASES]
    for each in verdicts:
        for refutation in each.refuted:
            assert not any(refutation.faults <= faults for faults in each.proved), each.case.key


def test_a_copy_of_the_started_master_is_as_good_as_new(prover: CourseProver) -> None:
    """Proved anew, whatever happened before, and whatever ended the master."""
    failures = [
        failure
        for outage in OUTAGES
        for failure in prover.list_failures(outage, COURSE_BY_KEY["copy to slave"], NEW)
    ]
    assert prover.find_survived(failures, get_all_faults(STOCK) - {"role_switches"}) is not None


def test_a_promotion_keeps_what_was_answered(prover: CourseProver) -> None:
    """After kills, not after a power loss of the slave, which takes the only copy."""
    kept = prover.list_failures(OUTAGE_BY_KEY["power loss"], COURSE_BY_KEY["promote"], KEPT)
    failures = list(kept)
    assert prover.find_survived(failures, frozenset({"slave_kills", "master_kills"})) is not None
    assert prover.find_survived(failures, frozenset({"slave_power_losses"})) is None


def test_equal_bytes_are_worth_more_than_equal_ends() -> None:
    """An ASYNC_MASTER's slave may end like its master with zeros in the last message."""
    asynchronous = CourseProver(make_group(ASYNCHRONOUS))
    stop = OUTAGE_BY_KEY["stop"]
    equal = list(asynchronous.list_failures(stop, COURSE_BY_KEY["equal logs, promote"], KEPT))
    alike = list(asynchronous.list_failures(stop, COURSE_BY_KEY["equal ends, promote"], KEPT))
    assert asynchronous.find_survived(equal, NOTHING) is not None
    assert asynchronous.find_survived(alike, NOTHING) is None


@pytest.mark.parametrize("structure", GROUPS, ids=lambda s: s.name)
def test_what_the_page_says_of_ends_and_bytes(structure: ClaimedGroup) -> None:
    """Equal ends change no verdict on a promotion but after the loss of the disk; bytes do."""
    for outage in ("stop", "kill", "power loss"):
        alone = find(structure, outage, "promote", "kept").get_word(NOTHING)
        assert find(structure, outage, "equal ends, promote", "kept").get_word(NOTHING) is alone
    for outage in ("stop", "kill"):
        equal = find(structure, outage, "equal logs, promote", "kept")
        assert equal.get_word(NOTHING) is VerdictWord.PROVED


@pytest.mark.parametrize("structure", GROUPS, ids=lambda s: s.name)
def test_what_the_page_says_of_good_courses(structure: ClaimedGroup) -> None:
    """Two courses leave a pair that is as good as new, after whatever."""
    everything = frozenset(FAULT_MODEL_BY_NAME["every fault"].admitted)
    for course in ("copy to slave", "compare, promote, copy back"):
        for outage in OUTAGE_BY_KEY:
            assert find(structure, outage, course, "new").get_word(everything) is VerdictWord.PROVED
    kept = {find(structure, o, "promote", "kept").get_word(NOTHING) for o in OUTAGE_BY_KEY}
    is_kept = structure.is_sync_master and not structure.is_sync_flush
    assert kept == {VerdictWord.PROVED if is_kept else VerdictWord.REFUTED}


def test_an_empty_range_hides_no_impossible_course(prover: CourseProver) -> None:
    """What a course cannot choose from makes it impossible, and no contradiction."""
    stale = evolve(COURSE_BY_KEY["start"], sequences=(("restart_master_with_stale_bytes",),))
    failures = prover.list_failures(OUTAGE_BY_KEY["kill"], stale, KEPT)
    assert prover.find_survived(failures, NOTHING) is None


def test_a_course_that_may_be_impossible_is_not_proved(prover: CourseProver) -> None:
    """Its questions hold after it, but it cannot be taken in each state."""
    course = evolve(COURSE_BY_KEY["copy to master"], premise=None)
    assert not prove(OUTAGE_BY_KEY["kill"], course, NOTHING, prover)
    assert prove(OUTAGE_BY_KEY["kill"], COURSE_BY_KEY["copy to master"], NOTHING, prover)


def test_a_step_left_out_is_noticed(prover: CourseProver) -> None:
    """Without `sync` the copied master's bytes may be in no file of its disk."""
    course = COURSE_BY_KEY["copy to slave"]
    hasty = tuple(tuple(n for n in s if n != "sync_master") for s in course.sequences)
    kill = OUTAGE_BY_KEY["kill"]
    assert prove(kill, evolve(course, questions=(NEW,)), NOTHING, prover)
    assert not prove(kill, evolve(course, questions=(NEW,), sequences=hasty), NOTHING, prover)


def test_random_walks_contradict_no_proof() -> None:
    """They try every course in states that no known schedule has."""
    group = make_group(ASYNCHRONOUS)
    known = load_known_schedules(get_world_folder(ASYNCHRONOUS))[::6]
    moments, trials = list_moments(group, known), CourseTrials(group)
    faults = FAULT_MODEL_BY_NAME["slave kill"]
    for moment in list(list_strays(group, moments, faults, Random(7)))[::8]:
        assert compute_faults(group, moment.steps) <= {"slave_kills"}
        trials.try_all(moment)
    stored = {each.case: each for each in load_courses(ASYNCHRONOUS)}
    refuted = [case for case in CASES if trials.found[case.key]]
    assert ("stop", "promote", "kept") in {case.key for case in refuted}
    for case in refuted:
        for found in trials.found[case.key]:
            assert not any(found <= each for each in stored[case].proved), case.key


def test_an_empty_log_is_undamaged() -> None:
    """And one whose only damage was cut off again."""
    log = empty_log(3)
    assert is_undamaged(log)
    assert is_undamaged(evolve(log, ghost_foreign_start_offset=4, ghost_foreign_end_offset=4))
    assert not is_undamaged(evolve(log, ghost_torn_start_offset=3, ghost_torn_end_offset=4))


def test_what_is_stored_is_read_again(tmp_path: Path) -> None:
    """For each fault model the same word; a refutation that no fault model needs is left out."""
    verdicts = load_courses(STOCK)
    save_courses(STOCK, verdicts, tmp_path)
    again = load_courses(STOCK, tmp_path)
    columns = [frozenset(each.admitted) for each in FAULT_MODELS]
    for one, other in zip(verdicts, again, strict=True):
        assert one.case == other.case
        assert [one.get_word(f) for f in columns] == [other.get_word(f) for f in columns]


@pytest.mark.parametrize("change", ["digest", "verdicts", "all"])
def test_damaged_verdicts_are_not_believed(tmp_path: Path, change: str) -> None:
    """Nor those of other rules."""
    save_courses(STOCK, load_courses(STOCK), tmp_path)
    path = tmp_path / COURSES_FILE
    if change == "all":
        path.write_text("{", encoding="utf-8")
    else:
        document = json.loads(path.read_text(encoding="utf-8"))
        document["entries"][STOCK.name][change] = "other"
        path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(InternalDisagreementError, match="renew"):
        load_courses(STOCK, tmp_path)


def test_unknown_is_no_proof() -> None:
    """A solver that gives up raises."""
    impatient = CourseProver(make_group(STOCK))
    impatient.solver.set("rlimit", 1)
    with pytest.raises(SolverGaveUpError):
        prove_case(impatient, CASES[0])


def test_words_follow_from_sets() -> None:
    """A proof covers fewer faults, a refutation more."""
    found = find(STOCK, "kill", "promote", "kept")
    assert found.get_word(NOTHING) is VerdictWord.PROVED
    assert found.get_word(frozenset({"master_kills"})) is VerdictWord.PROVED
    assert found.get_word(frozenset({"late_joins", "link_cuts"})) is VerdictWord.REFUTED
    assert CourseVerdicts(found.case).get_word(NOTHING) is VerdictWord.UNDECIDED


@pytest.mark.nightly
@pytest.mark.parametrize("structure", GROUPS, ids=lambda s: s.name)
def test_each_proof_is_found_again(structure: ClaimedGroup) -> None:
    """For every case, with exactly the stored sets of faults as what is asked."""
    prover = CourseProver(make_group(structure))
    for each in load_courses(structure):
        case: CourseQuestion = each.case
        failures = list(prover.list_failures(case.outage, case.course, case.question))
        for faults in each.proved:
            assert prover.find_survived(failures, faults) is not None, case.key


@pytest.mark.nightly
@pytest.mark.parametrize("release", [name for name in RULE_SETS if CONTROLLER not in name])
def test_good_courses_are_good_in_later_releases(release: str) -> None:
    """What leaves a pair as good as new does so without a controller, whatever the release."""
    for structure in GROUPS:
        later = STRUCTURES[f"{structure.name} at {release}"]
        prover = CourseProver(make_group(later))
        everything = frozenset(FAULT_MODEL_BY_NAME["every fault"].admitted)
        for course in ("copy to slave", "compare, promote, copy back"):
            for outage in OUTAGES:
                failures = prover.list_failures(outage, COURSE_BY_KEY[course], NEW)
                assert prover.find_survived(failures, everything) is not None, (course, outage.key)
