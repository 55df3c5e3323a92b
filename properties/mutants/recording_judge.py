"""Recordings of real brokers, explained by a mutant's rule.

They are explained with compiled rules, which are made of recorded terms: there the mistake is made.
A recording that the true rules explain, and the mutant does not, contradicts it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from attrs import evolve, frozen

from brokers.explaining.forwards import explain_forwards
from brokers.explaining.told.verdict import CONFORMS, GroupVerdict
from brokers.recordings.ahead.plan import make_plan
from brokers.recordings.groups import OutsideTheModel, split_groups
from brokers.recordings.judging import find_version
from brokers.recordings.reading import Recording, read_recording
from properties.mutants.derivation import RuleMutant, mutate
from reference.language.compiled import CompiledInstance, compute_compiled_machine
from reference.language.dependencies import Dependencies, compute_dependencies
from reference.language.machine import RecordedInstance
from reference.language.structure import BaseStructure
from reference.releases.versions import Version

STUMBLES = (ArithmeticError, AssertionError, LookupError)
"""What may be raised where a state cannot be one of the true rules."""

RECORDINGS_MAX = 4
"""The number of recordings tried on one mutant: the shortest ones that need its rule."""


@frozen
class Unexplained:
    """A recording that is not explained under a mutant."""

    name: str
    seq: int | None
    """The first event that is not explained; None: under the mutant there are states in which what
    is taken for granted is false."""


def find_unexplained(mutant: RuleMutant, folder: Path) -> Unexplained | None:
    """The first of the shortest recordings with the rule that is rejected under the mutant."""
    known = list_explained(folder)
    for name in [n for n, rules in known.items() if mutant.rule in rules][:RECORDINGS_MAX]:
        found = explain_mutated(mutant, read_recordings(folder)[name], name)
        if found is not None:
            return found
    return None


def explain_mutated(mutant: RuleMutant, recording: Recording, name: str) -> Unexplained | None:
    """What of a recording is not explained under a mutant; None if all is."""
    try:
        with make_compiled_mistake(mutant, recording):
            found = explain(recording)
    except STUMBLES:
        return Unexplained(name, None)
    bad = next((each for each in found if each.word != CONFORMS), None)
    return None if bad is None else Unexplained(name, bad.seq)


@cache
def list_explained(folder: Path) -> Mapping[str, frozenset[str]]:
    """The recordings of a folder that are explained, short ones first, with the rules that do."""
    found = {}
    for name, recording in read_recordings(folder).items():
        verdicts = explain(recording, is_schedule_kept=True)
        if verdicts and all(each.word == CONFORMS for each in verdicts):
            steps = (action for each in verdicts for action in each.schedule)
            found[name] = frozenset(action.rule_name for action in steps)
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


def explain(recording: Recording, *, is_schedule_kept: bool = False) -> list[GroupVerdict]:
    """The verdict on each group; none for a recording outside the model."""
    try:
        return [
            explain_forwards(group, get_version(group), is_schedule_kept=is_schedule_kept)
            for group in split_groups(recording)
        ]
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
