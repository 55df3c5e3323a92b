"""Recordings of real brokers under a mutant: the first one that the model no longer explains."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from attrs import evolve, frozen

from properties.mutants.derivation import RuleMutant
from properties.mutants.execution import make_mistake
from reference.language.machine import Action, Machine, Outcome
from reference.recordings.checking import check_recording
from reference.recordings.reading import Recording, read_recording
from reference.worlds.replication.state import Cluster

STEPS_FACTOR = 10
"""An explanation that takes so many times the steps of the true one counts as endless."""

RECORDINGS_MAX = 4
"""So many recordings are tried on one mutant: the shortest ones that need its rule."""


@frozen
class RefusedRecording:
    """A recording that the mutant cannot explain."""

    name: str
    seq: int | None
    """Of the first event that is not explained; None where the explanation would never end."""


@cache
def read_recordings(folder: Path) -> dict[str, Recording]:
    """The recordings of a folder by name, short ones first."""
    recordings = (read_recording(path) for path in folder.glob("*.jsonl"))
    ordered = sorted(recordings, key=lambda r: (len(r.events), r.file))
    return {Path(r.file).stem: evolve(r, file=Path(r.file).name) for r in ordered}


class EndlessError(RuntimeError):
    """Raised where an explanation takes far more steps than under the true rules."""


@frozen
class Explanation:
    """How a recording is explained by the true rules."""

    rules: frozenset[str]
    """The rules that it takes."""
    steps: int


@cache
def find_explanations(folder: Path) -> dict[str, Explanation]:
    """Every recording of a folder by name, short ones first."""
    return {name: explain(recording) for name, recording in read_recordings(folder).items()}


def explain(recording: Recording) -> Explanation:
    """What explains a recording."""
    fired: list[str] = []
    with watch_steps(fired.append):
        check_recording(recording)
    return Explanation(frozenset(fired), len(fired))


@contextmanager
def watch_steps(note: Callable[[str], None]) -> Iterator[None]:
    """Inside, ``note`` is told the rule of every step that any machine takes."""
    true_step = Machine.step

    def step(self: Machine, cluster: Cluster, action: Action) -> Outcome:
        outcome = true_step(self, cluster, action)
        if not outcome.is_refused:
            note(action.rule_name)
        return outcome

    Machine.step = step  # type: ignore[method-assign]
    try:
        yield
    finally:
        Machine.step = true_step  # type: ignore[method-assign]


@contextmanager
def limit_steps(steps_max: int) -> Iterator[None]:
    """Inside, EndlessError is raised at the step after so many."""
    left = iter(range(steps_max))

    def note(rule: str) -> None:
        if next(left, None) is None:
            raise EndlessError(rule)

    with watch_steps(note):
        yield


def find_refused_recording(mutant: RuleMutant, folder: Path) -> RefusedRecording | None:
    """The first of the shortest recordings that need the rule which the mutant cannot explain."""
    known = find_explanations(folder)
    with make_mistake(mutant):
        for name in [n for n in known if mutant.rule in known[n].rules][:RECORDINGS_MAX]:
            recording = read_recordings(folder)[name]
            try:
                with limit_steps(STEPS_FACTOR * known[name].steps):
                    verdict = check_recording(recording)
            except EndlessError:
                return RefusedRecording(name, None)
            if not verdict.is_conforming:
                return RefusedRecording(name, verdict.first_unexplained_seq)
    return None
