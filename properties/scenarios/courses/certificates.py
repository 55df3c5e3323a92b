"""The verdicts on courses as data, of no use once rules, steps of operators or questions change."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from properties.checkout import PROGRAM
from properties.scenarios.courses.courses import (
    COURSES,
    OUTAGES,
    CourseClaim,
    OutageCourse,
    make_group,
)
from properties.scenarios.courses.refutations import CASES, CourseQuestion, Key
from properties.scenarios.courses.verdicts import CourseVerdicts
from properties.scenarios.procedures.procedures import compute_operated_machine
from properties.verdicts.certificates import (
    CERTIFICATE_FOLDER,
    decode_schedule,
    encode_schedule,
    get_world_folder,
)
from properties.verdicts.fingerprint import compute_digest
from properties.verdicts.storage.certificate_files import read_entries, write_entry
from properties.verdicts.verdict import InternalDisagreementError, VerdictWord
from properties.worlds.replication.fault_models import FAULT_MODELS
from properties.worlds.replication.world import CERTIFIED_GROUPS, ClaimedGroup
from properties.z3.fault_sets import FaultSet, Refutation, get_all_faults
from reference.language.machine import record_instance, record_predicate

COURSES_FILE = "courses.json"

GROUPS = tuple(
    sorted(
        (group for group in CERTIFIED_GROUPS if group.slaves == 1),
        key=lambda group: not group.is_sync_master,
    )
)
"""The groups whose courses are decided: a master with one slave."""


@cache
def compute_courses_digest(structure: ClaimedGroup) -> str:
    """A digest of all that decides the verdicts on courses of a structure."""
    group = make_group(structure)
    machine = compute_operated_machine(group)
    text = compute_digest(group)
    sequences = [s for each in (*OUTAGES, *COURSES) for s in each.sequences]
    for name in sorted({name for sequence in sequences for name in sequence}):
        step = record_instance(group, machine.instances[name])
        text += f"\n{name} {dict(step.conditions)} {step.arguments} {dict(step.effects)}"
    for outage in OUTAGES:
        text += f"\n{outage.key} {outage.sequences}"
    for course in COURSES:
        premise = course.premise and record_predicate(group, course.premise)
        text += f"\n{course.key} {course.sequences} {premise}"
    questions = dict.fromkeys(case.question for case in CASES)
    text += "".join(f"\n{q.key} {record_predicate(group, q.holds)}" for q in questions)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def save_courses(
    structure: ClaimedGroup,
    verdicts: tuple[CourseVerdicts, ...],
    folder: Path = CERTIFICATE_FOLDER,
) -> None:
    """Write the verdicts of a structure; those of others are kept. Raises OSError."""
    everything = get_all_faults(structure)
    decided = [
        {
            "case": list(each.case.key),
            "proved_without": [sorted(everything - faults) for faults in each.proved],
            "refuted": [
                {"faults": sorted(r.faults), "schedule": encode_schedule(r.schedule)}
                for r in keep_needed(each)
            ],
        }
        for each in verdicts
    ]
    entry = {"digest": compute_courses_digest(structure), "verdicts": decided}
    write_entry(get_world_folder(structure, folder) / COURSES_FILE, structure.name, entry)


def keep_needed(verdicts: CourseVerdicts) -> list[Refutation]:
    """For each fault model that is refuted one refutation, and each of these once."""
    needed: dict[frozenset[str], Refutation] = {}
    for fault_model in FAULT_MODELS:
        faults = frozenset(fault_model.admitted)
        if any(known <= faults for known in needed):
            continue
        fitting = [each for each in verdicts.refuted if each.faults <= faults]
        if fitting:
            best = min(fitting, key=lambda each: (len(each.faults), len(each.schedule)))
            needed[best.faults] = best
    return list(needed.values())


def load_courses(
    structure: ClaimedGroup, folder: Path = CERTIFICATE_FOLDER
) -> tuple[CourseVerdicts, ...]:
    """The stored verdicts of a structure.

    Raises InternalDisagreementError if there are none for these rules, or they are malformed.
    """
    path = get_world_folder(structure, folder) / COURSES_FILE
    everything = get_all_faults(structure)
    cases: dict[Key, CourseQuestion] = {case.key: case for case in CASES}
    try:
        entry = read_entries(path)[structure.name]
        verdicts = tuple(
            CourseVerdicts(
                cases[_as_key(each["case"])],
                tuple(everything - frozenset(absent) for absent in each["proved_without"]),
                tuple(
                    Refutation(frozenset(r["faults"]), decode_schedule(r["schedule"]))
                    for r in each["refuted"]
                ),
            )
            for each in entry["verdicts"]
        )
        digest = entry["digest"]
    except (OSError, KeyError, TypeError, ValueError, AttributeError) as problem:
        raise make_disagreement(structure, f"missing or malformed ({problem!r})") from problem
    if digest != compute_courses_digest(structure):
        raise make_disagreement(structure, "made from other rules")
    return verdicts


def list_proved(
    structure: ClaimedGroup, faults: FaultSet
) -> list[tuple[OutageCourse, tuple[CourseClaim, ...]]]:
    """The courses of which something is proved, however the master ends, after these faults.

    Raises InternalDisagreementError.
    """
    missing = {
        (each.case.course.key, each.case.question.key)
        for each in load_courses(structure)
        if each.get_word(faults) is not VerdictWord.PROVED
    }
    told = (
        (course, tuple(q for q in course.questions if (course.key, q.key) not in missing))
        for course in COURSES
    )
    return [(course, claims) for course, claims in told if claims]


def _as_key(stored: Any) -> Key:
    outage, course, question = stored
    return (outage, course, question)


def make_disagreement(structure: ClaimedGroup, reason: str) -> InternalDisagreementError:
    """The error that reports what is wrong with the stored verdicts, and what to do."""
    return InternalDisagreementError(
        f"the courses of {structure.name}: {reason}; run `{PROGRAM} renew`"
    )
