"""Stored schedules and recordings of real brokers, replayed under a mutant.

The schedules are those of the certificates: each refutes a guarantee, or reaches a witness. A
mutant is found if one of them is refused, or no longer shows what it showed, or if the model no
longer explains a recording; the first such recording is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from properties.mutants.derivation import RuleMutant
from properties.mutants.execution import make_mistake
from properties.schedules.judgement import is_refuted_by
from properties.verdicts.certificates import decode_cells, load
from properties.verdicts.verdict import VerdictWord
from properties.worlds import MUTATED_STRUCTURES, find_world
from properties.worlds.replication.structures import CERTIFIED_BY_NAME
from properties.z3.vacuity import compute_questions, is_witnessed, load_witnesses
from reference.language.machine import Action, Machine, Outcome
from reference.recordings.checking import check_recording
from reference.recordings.reading import Recording, read_recording
from reference.worlds.replication.state import Cluster

REPLAYED = (
    "SYNC_MASTER/ASYNC_FLUSH/1 slave",
    "SYNC_MASTER/SYNC_FLUSH/1 slave",
    "ASYNC_MASTER/ASYNC_FLUSH/1 slave",
    "SYNC_MASTER/SYNC_FLUSH/0 slaves",
)
"""The structures of replication whose schedules are replayed; the others have similar ones."""


@frozen
class StoredSchedule:
    """A stored schedule with its purpose."""

    what: str
    """For example ``acknowledgement_is_truthful, late join``."""
    structure: Any
    schedule: tuple[Action, ...] = field(repr=False)
    is_good: Callable[[], bool] = field(repr=False)
    """Under the present rules, it serves its purpose."""


def list_structures(world: str) -> tuple[Any, ...]:
    """The structures whose schedules are replayed."""
    if world == "replication":
        return tuple(CERTIFIED_BY_NAME[name] for name in REPLAYED)
    return MUTATED_STRUCTURES[world]


def find_lost_schedule(world: str, mutant: RuleMutant, name: str = "") -> StoredSchedule | None:
    """The first stored schedule that the mutant breaks; None if all still serve their purpose."""
    with make_mistake(mutant, world):
        for stored in _list_by_rule(world).get(mutant.rule, ()):
            if name in ("", stored.structure.name) and not stored.is_good():
                return stored
    return None


@cache
def _list_by_rule(world: str) -> dict[str, list[StoredSchedule]]:
    """Every distinct schedule by each of its rules, shortest first."""
    found: dict[str, list[StoredSchedule]] = {}
    stored = (s for structure in list_structures(world) for s in _list_stored(structure))
    for entry in sorted(stored, key=lambda s: len(s.schedule)):
        for rule in dict.fromkeys(action.rule_name for action in entry.schedule):
            found.setdefault(rule, []).append(entry)
    return found


def _list_stored(structure: Any) -> Iterator[StoredSchedule]:
    yield from _list_refutations(structure)
    yield from _list_witnesses(structure)


def _list_refutations(structure: Any) -> Iterator[StoredSchedule]:
    document = load(structure)
    assert document is not None, f"{structure.name} has no certificate"
    seen: set[str] = set()
    for cell in decode_cells(structure, document):
        key = f"{cell.guarantee} {'; '.join(map(str, cell.schedule))}"
        if cell.word is not VerdictWord.REFUTED or key in seen:
            continue
        seen.add(key)
        sizes = find_world(structure).make_search_parameters(
            find_world(structure).get_fault_model(cell.fault)
        )

        def is_good(guarantee: str = cell.guarantee, sizes: Any = sizes, cell: Any = cell) -> bool:
            return is_refuted_by(guarantee, structure, sizes, cell.schedule)

        yield StoredSchedule(f"{cell.guarantee}, {cell.fault}", structure, cell.schedule, is_good)


def _list_witnesses(structure: Any) -> Iterator[StoredSchedule]:
    """Conditions to fire come from the true rule, whose terms were recorded before."""
    questions = compute_questions(structure)
    for answer in load_witnesses(structure):
        if answer.schedule:

            def is_good(question: Any = questions[answer.question], answer: Any = answer) -> bool:
                return is_witnessed(structure, question, answer)

            yield StoredSchedule(answer.question, structure, answer.schedule, is_good)


STEPS_FACTOR = 10
"""An explanation with this many times the steps of the true one counts as endless."""

RECORDINGS_MAX = 4
"""The number of recordings tried on one mutant: the shortest ones that need its rule."""


@frozen
class RefusedRecording:
    """A recording that the mutant cannot explain."""

    name: str
    seq: int | None
    """The first event that is not explained; None if the explanation would never end."""


@cache
def read_recordings(folder: Path) -> dict[str, Recording]:
    """The recordings of a folder by name, short ones first."""
    recordings = (read_recording(path) for path in folder.glob("*.jsonl"))
    ordered = sorted(recordings, key=lambda r: (len(r.events), r.file))
    return {Path(r.file).stem: evolve(r, file=Path(r.file).name) for r in ordered}


class EndlessError(RuntimeError):
    """Raised if an explanation takes far more steps than under the true rules."""


@frozen
class Explanation:
    """The explanation of a recording by the true rules."""

    rules: frozenset[str]
    """The rules that it uses."""
    steps: int


@cache
def find_explanations(folder: Path) -> dict[str, Explanation]:
    """Every recording of a folder by name, short ones first."""
    return {name: explain(recording) for name, recording in read_recordings(folder).items()}


def explain(recording: Recording) -> Explanation:
    """The explanation of a recording."""
    fired: list[str] = []
    with watch_steps(fired.append):
        check_recording(recording)
    return Explanation(frozenset(fired), len(fired))


@contextmanager
def watch_steps(note: Callable[[str], None]) -> Iterator[None]:
    """Inside this context, ``note`` gets the rule of every step of any machine."""
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
    """Inside this context, EndlessError is raised after this many steps."""
    left = iter(range(steps_max))

    def note(rule: str) -> None:
        if next(left, None) is None:
            raise EndlessError(rule)

    with watch_steps(note):
        yield


def find_refused_recording(mutant: RuleMutant, folder: Path) -> RefusedRecording | None:
    """The first of the shortest recordings with the rule that the mutant cannot explain."""
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
