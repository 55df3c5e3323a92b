"""Recordings of real brokers, searched under a mutant's rule.

The search runs compiled rules, which are made of recorded terms: there the mistake is made. A
recording that the search explains by the true rules, and does not under the mutant, contradicts it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from attrs import evolve, frozen

from brokers.recordings.ahead.plan import make_plan
from brokers.recordings.groups import OutsideTheModel, split_groups
from brokers.recordings.judging import find_version
from brokers.recordings.log.explain import CONFORMS, UNDECIDED, LogVerdict, explain
from brokers.recordings.reading import Recording, read_recording
from properties.mutants.derivation import RuleMutant, mutate
from reference.language.compiled import CompiledInstance, compute_compiled_machine
from reference.language.dependencies import Dependencies, compute_dependencies
from reference.language.machine import RecordedInstance
from reference.language.structure import BaseStructure
from reference.releases.versions import Version

STUMBLES = (ArithmeticError, AssertionError, LookupError)
"""What the search may raise where a state cannot be one of the true rules."""

RECORDINGS_MAX = 4
"""The number of recordings tried on one mutant: the shortest ones that need its rule."""

STEPS_FACTOR = 10
"""A search ends undecided after this many times the steps of the true one."""

STEPS_MIN = 2_000
"""So many steps may be tried under a mutant at least."""

STEPS_MAX = 60_000
"""A recording for which the true rules need more is left out."""


@frozen
class Unexplained:
    """A recording that the search does not explain under a mutant."""

    name: str
    seq: int | None
    """The first event that is not explained; None if the search stumbled: under the mutant there
    are states in which what it takes for granted is false."""
    is_undecided: bool
    """The budget was spent: not everything was tried."""


@frozen
class Explained:
    """What the search finds by the true rules."""

    rules: frozenset[str]
    """The rules of the schedule."""
    steps: int
    """How many steps were tried."""


def find_unexplained(mutant: RuleMutant, folder: Path) -> Unexplained | None:
    """The first of the shortest recordings with the rule that is rejected under the mutant.

    If there is none, the first of which the search finds no explanation within its budget.
    """
    known, undecided = find_explained(folder), None
    for name in [n for n in known if mutant.rule in known[n].rules][:RECORDINGS_MAX]:
        steps_max = max(STEPS_MIN, STEPS_FACTOR * known[name].steps)
        found = search_mutated(mutant, read_recordings(folder)[name], name, steps_max)
        if found is not None and not found.is_undecided:
            return found
        undecided = undecided or found
    return undecided


def search_mutated(
    mutant: RuleMutant, recording: Recording, name: str, steps_max: int
) -> Unexplained | None:
    """What of a recording is not explained under a mutant; None if all is."""
    try:
        with make_compiled_mistake(mutant, recording):
            found = search(recording, steps_max)
    except STUMBLES:
        return Unexplained(name, None, is_undecided=False)
    bad = next((each for each in found if each.word != CONFORMS), None)
    return None if bad is None else Unexplained(name, bad.seq, bad.word == UNDECIDED)


@cache
def find_explained(folder: Path) -> Mapping[str, Explained]:
    """The recordings of a folder that the search explains, short ones first."""
    found = {}
    for name, recording in read_recordings(folder).items():
        verdicts = search(recording, STEPS_MAX)
        if verdicts and all(each.word == CONFORMS for each in verdicts):
            rules = {action.rule_name for each in verdicts for action in each.schedule}
            found[name] = Explained(frozenset(rules), sum(map(count_steps, verdicts)))
    return found


@cache
def read_recordings(folder: Path) -> dict[str, Recording]:
    """The recordings of a folder by name, short ones first."""
    recordings = (read_recording(path) for path in folder.glob("*.jsonl"))
    ordered = sorted(recordings, key=lambda r: (len(r.events), r.file))
    return {Path(r.file).stem: evolve(r, file=Path(r.file).name) for r in ordered}


def get_version(recording: Recording) -> Version:
    """The version that a recording names; 4.4.0 where nobody knows that."""
    return find_version(recording) or Version()


def count_steps(verdict: LogVerdict) -> int:
    """How many steps were tried for a verdict."""
    total = verdict.timeline.total if verdict.timeline is not None else None
    return STEPS_MAX - total.steps_left if total is not None else STEPS_MAX


def search(recording: Recording, steps_max: int) -> list[LogVerdict]:
    """The verdict on each group; none for a recording outside the model."""
    try:
        groups = split_groups(recording)
        return [explain(group, get_version(group), steps_max) for group in groups]
    except OutsideTheModel:
        return []


@contextmanager
def make_compiled_mistake(mutant: RuleMutant, recording: Recording) -> Iterator[None]:
    """Inside this context, the compiled machines of a recording's groups have the mutant's rule."""
    structures = {
        make_plan(group, get_version(group)).structure for group in split_groups(recording)
    }
    true = {each: dict(compute_dependencies(each).recorded) for each in structures}
    for structure, recorded in true.items():
        replace_instances(structure, mutant, recorded)
    try:
        yield
    finally:
        for structure, recorded in true.items():
            put_instances(structure, recorded)


def replace_instances(
    structure: BaseStructure, mutant: RuleMutant, recorded: Mapping[str, RecordedInstance]
) -> None:
    """The instances of the mutant's rule get its mistake."""
    put_instances(
        structure,
        {
            name: mutate(each, mutant) if each.instance.rule.name == mutant.rule else each
            for name, each in recorded.items()
        },
    )


def put_instances(structure: BaseStructure, recorded: Mapping[str, RecordedInstance]) -> None:
    """The machine that is kept of a structure runs these instances from now on."""
    kept, made = compute_dependencies(structure), Dependencies(structure, dict(recorded))
    machine = compute_compiled_machine(structure)
    for name, each in recorded.items():
        if kept.recorded[name] is not each:
            machine.instances[name] = CompiledInstance(structure, each)  # type: ignore[index]
    kept.__dict__.clear()
    kept.__dict__.update(made.__dict__)
