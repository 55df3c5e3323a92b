"""Recordings of real brokers under a mutant: the first one that the model no longer explains."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from attrs import evolve, frozen

from properties.mutants.derivation import RuleMutant
from properties.mutants.execution import make_mistake
from reference.machine import Action, Machine, Outcome
from reference.state import Cluster
from reference.trace.checking import check_recording
from reference.trace.reading import Recording, read_recording

RECORDINGS_MAX = 4
"""So many recordings are tried on one mutant: the shortest ones that need its rule."""


@frozen
class RefusedRecording:
    """A recording that the mutant cannot explain."""

    name: str
    seq: int | None
    """Of the first event that is not explained."""


@cache
def read_recordings(folder: Path) -> dict[str, Recording]:
    """The recordings of a folder by name, short ones first."""
    recordings = (read_recording(path) for path in folder.glob("*.jsonl"))
    ordered = sorted(recordings, key=lambda r: (len(r.events), r.file))
    return {Path(r.file).stem: evolve(r, file=Path(r.file).name) for r in ordered}


@cache
def find_needed_rules(folder: Path) -> dict[str, set[str]]:
    """By recording the rules that its explanation takes."""
    return {n: find_fired_rules(r) for n, r in read_recordings(folder).items()}


def find_fired_rules(recording: Recording) -> set[str]:
    """The rules by which a recording is explained."""
    fired: set[str] = set()
    with note_fired_rules(fired):
        check_recording(recording)
    return fired


@contextmanager
def note_fired_rules(fired: set[str]) -> Iterator[None]:
    """Inside, the rule of every step that any machine takes is noted."""
    true_step = Machine.step

    def step(self: Machine, cluster: Cluster, action: Action) -> Outcome:
        outcome = true_step(self, cluster, action)
        if not outcome.is_refused:
            fired.add(action.rule_name)
        return outcome

    Machine.step = step  # type: ignore[method-assign]
    try:
        yield
    finally:
        Machine.step = true_step  # type: ignore[method-assign]


def find_refused_recording(mutant: RuleMutant, folder: Path) -> RefusedRecording | None:
    """The first of the shortest recordings that need the rule which the mutant cannot explain."""
    needed = find_needed_rules(folder)
    with make_mistake(mutant):
        for name in [n for n in needed if mutant.rule in needed[n]][:RECORDINGS_MAX]:
            verdict = check_recording(read_recordings(folder)[name])
            if not verdict.is_conforming:
                return RefusedRecording(name, verdict.first_unexplained_seq)
    return None
