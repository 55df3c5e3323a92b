"""The observable differences of each release: reached by a schedule, or proved impossible.

The schedules are certificates: data, replayed by the reference at every check. ``python -m
properties.comparison.difference_search`` decides them anew, for one release with ``--release
NAME``.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from properties.checkout import PROGRAM
from properties.language.property import PropertyRole
from properties.schedules.judgement import is_reached_by
from properties.schedules.known_schedules import load_known_schedules, search_known_schedules
from properties.verdicts.certificates import (
    CERTIFICATE_FOLDER,
    decode_schedule,
    encode_schedule,
    get_world_folder,
)
from properties.verdicts.fingerprint import compute_digest
from properties.verdicts.storage.certificate_files import read_entries, write_entry
from properties.verdicts.verdict import InternalDisagreementError
from properties.worlds.replication.change_lemmas import highest_report_covers_all_that_were_read
from properties.worlds.replication.fault_models import EVERY_FAULT
from properties.worlds.replication.structures import CERTIFIED_BY_NAME
from properties.worlds.replication.world import DIFFERENCES, REPLICATION, ClaimedGroup
from properties.z3.bounded_search import BoundedSearch
from properties.z3.induction import InductionProblem, prove_lemmas
from reference.language.machine import Action, record_predicate
from reference.language.terms import record
from reference.releases.versions import RULE_SETS, USUAL, apply_rule_set

DIFFERENCES_FILE = CERTIFICATE_FOLDER / "differences.json"
SIGHT_STRUCTURE = CERTIFIED_BY_NAME["SYNC_MASTER/SYNC_FLUSH/1 slave"]
"""A structure with both waits, where every observable difference can be checked."""
SIGHT_DEPTH_LIMIT = 14
RULE_SET_NAMES = (USUAL, *RULE_SETS)
"""The releases with rules of their own."""
REPAIRS = ("ack_above_transfer_start", "full_log_transfer", "report_capped", "epoch_check")
"""The variants proposed against false acknowledgements."""
LOOKED_AT = (*RULE_SET_NAMES, *REPAIRS)
"""The versions with decided observable differences: the releases, and the repairs in 4.4.0."""
LEMMA = REPLICATION.lemmas[highest_report_covers_all_that_were_read.__name__]
AIDS = {**REPLICATION.select(PropertyRole.AID), LEMMA.name: LEMMA}
"""What proofs of impossibility may need beside the guarantees' lemmas, where it holds. One is a
lemma of some variants as well."""


@frozen
class ObservableDifference:
    """The answer for one observable difference under one release."""

    name: str
    schedule: tuple[Action, ...] | None
    """A schedule that reaches it; None if none is known."""
    is_impossible: bool
    """Induction proves that nothing reaches it."""

    def describe(self) -> str:
        """``after 7 steps``, ``impossible`` or ``not found``."""
        if self.schedule is not None:
            return f"after {len(self.schedule)} steps"
        return "impossible" if self.is_impossible else "not found"


def get_released(name: str, structure: ClaimedGroup = SIGHT_STRUCTURE) -> ClaimedGroup:
    """A structure under the rules of a release, or of 4.4.0 with a repair."""
    return apply_rule_set(structure, name)


def search_differences(name: str) -> tuple[ObservableDifference, ...]:
    """Every observable difference of a release decided anew: proof, known schedules, search."""
    structure = get_released(name)
    terms = {n: record_predicate(structure, each.predicate) for n, each in DIFFERENCES.items()}
    impossible = find_impossible(structure)
    wanted = {n: t for n, t in terms.items() if n not in impossible}
    sizes = structure.world.make_search_parameters(EVERY_FAULT)
    folders = dict.fromkeys(map(get_world_folder, (structure, SIGHT_STRUCTURE)))
    known = tuple(s for folder in folders for s in load_known_schedules(folder))
    found = search_known_schedules(structure, sizes, wanted, known)
    limits = {n: min(len(found[n]) - 1 if n in found else 99, SIGHT_DEPTH_LIMIT) for n in wanted}
    answers = BoundedSearch(structure, EVERY_FAULT, prove_lemmas(structure)).find_shortest(
        wanted, depth_limits=limits
    )
    found |= {n: a.schedule for n, a in answers.items() if a.schedule is not None}
    return tuple(ObservableDifference(n, found.get(n), n in impossible) for n in DIFFERENCES)


def renew_differences(name: str, path: Path = DIFFERENCES_FILE) -> tuple[ObservableDifference, ...]:
    """The stored differences of a release under changed rules, proved or replayed again.

    One that was not found is not searched, and a schedule need not be the shortest any more. All
    are decided anew where one is reached no more, or was never asked for.
    """
    try:
        before = {known.name: known for known in _read_differences(name, path)}
    except InternalDisagreementError:
        before = {}
    structure = get_released(name)
    sizes = structure.world.make_search_parameters(EVERY_FAULT)
    impossible = find_impossible(structure)
    renewed = []
    for asked, difference in DIFFERENCES.items():
        known = before.get(asked)
        if known is None or (known.is_impossible and asked not in impossible):
            return search_differences(name)
        schedule = None if asked in impossible else known.schedule
        if schedule and not is_reached_by(difference.predicate, structure, sizes, schedule):
            return search_differences(name)
        renewed.append(ObservableDifference(asked, schedule, asked in impossible))
    return tuple(renewed)


def find_impossible(structure: ClaimedGroup) -> set[str]:
    """The observable differences that no run reaches, by induction."""
    aids = {n: record_predicate(structure, aid.predicate) for n, aid in AIDS.items()}
    problem = InductionProblem(structure, EVERY_FAULT, facts=aids)
    kept, _ = problem.run_houdini((*prove_lemmas(structure), *aids))
    terms = {n: record_predicate(structure, each.predicate) for n, each in DIFFERENCES.items()}
    return {n for n, term in terms.items() if problem.follows(record("not", term), kept)}


def check_differences(name: str, differences: tuple[ObservableDifference, ...]) -> Iterator[str]:
    """The differences of a release whose stored answer fails: no proof, or no schedule."""
    structure = get_released(name)
    sizes = structure.world.make_search_parameters(EVERY_FAULT)
    impossible = find_impossible(structure)
    for known in differences:
        is_wrong_way = known.schedule is not None and not is_reached_by(
            DIFFERENCES[known.name].predicate, structure, sizes, known.schedule
        )
        if is_wrong_way or known.is_impossible != (known.name in impossible):
            yield known.name


def save_differences(
    found: Mapping[str, tuple[ObservableDifference, ...]], path: Path = DIFFERENCES_FILE
) -> None:
    """Write the observable differences of these releases; those of others are kept."""
    for name, differences in found.items():
        entry = {
            "digest": compute_digest(get_released(name)),
            "impossible": [s.name for s in differences if s.is_impossible],
            "schedules": {
                s.name: encode_schedule(s.schedule) for s in differences if s.schedule is not None
            },
        }
        write_entry(path, name, entry, LOOKED_AT)


def load_differences(name: str, path: Path = DIFFERENCES_FILE) -> tuple[ObservableDifference, ...]:
    """The differences of a release.

    Raises InternalDisagreementError if its rules have changed, or what is stored is damaged.
    """
    if _read_entry(name, path).get("digest") != compute_digest(get_released(name)):
        raise _make_disagreement(name, "were decided for other rules")
    return _read_differences(name, path)


def _read_entry(name: str, path: Path) -> dict[str, Any]:
    try:
        entry = read_entries(path).get(name, {})
    except (OSError, ValueError):
        return {}
    return entry if isinstance(entry, dict) else {}


def _read_differences(name: str, path: Path) -> tuple[ObservableDifference, ...]:
    """What is stored, perhaps of other rules; nothing if nothing is."""
    entry = _read_entry(name, path)
    if not entry:
        return ()
    try:
        schedules = {n: decode_schedule(data) for n, data in entry["schedules"].items()}
        return tuple(
            ObservableDifference(n, schedules.get(n), n in entry["impossible"]) for n in DIFFERENCES
        )
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise _make_disagreement(name, f"are damaged ({problem!r})") from problem


def _make_disagreement(name: str, reason: str) -> InternalDisagreementError:
    """The error that says what is wrong with the stored differences, and what to do."""
    return InternalDisagreementError(
        f"the differences of {name} {reason}; run `{PROGRAM} renew --for answers`"
    )


def main() -> None:
    """Decide the observable differences of releases anew, and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--release", action="append", choices=LOOKED_AT)
    for name in parser.parse_args().release or LOOKED_AT:
        differences = search_differences(name)
        save_differences({name: differences})
        print(name)
        for found in differences:
            print(f"  {found.name}: {found.describe()}", flush=True)


if __name__ == "__main__":
    main()
