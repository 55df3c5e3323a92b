"""Vacuity: every rule, premise and named witness is reached by a schedule, or proved unreachable.

The schedules are certificates like those of the guarantees: data, replayed by the reference.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from pathlib import Path
from typing import Any, cast

from attrs import frozen

from properties.language.world import ClaimedStructure
from properties.schedules.judgement import is_reached_by
from properties.schedules.known_schedules import search_known_schedules
from properties.verdicts.certificates import (
    CERTIFICATE_FOLDER,
    decode_schedule,
    encode_schedule,
    get_world_folder,
)
from properties.verdicts.fingerprint import compute_digest
from properties.verdicts.storage.certificate_files import read_entries, write_entry
from properties.z3.bounded_search import BoundedSearch
from properties.z3.induction import InductionProblem, prove_lemmas
from reference.language.leaves import flatten
from reference.language.machine import Action, RecordedInstance, record_machine, record_predicate
from reference.language.operators import all_of
from reference.language.terms import Term, record, substitute


def compute_questions(structure: ClaimedStructure) -> dict[str, Term]:
    """Everything that should be reachable in a structure, by a readable name."""
    questions = {f"rule {r.instance.name}": _enabled(r) for r in record_machine(structure)}
    for g in structure.world.claims.values():
        if g.premise is not None:
            questions[f"premise of {g.name}"] = record_predicate(structure, g.premise)
    for w in structure.world.witnesses.values():
        questions[f"witness {w.name}"] = record_predicate(structure, w.predicate)
    return {n: t for n, t in questions.items() if t.operator != "constant"}


def _enabled(recorded: RecordedInstance) -> Term:
    conditions: Any = all_of(*cast(Any, recorded.conditions.values()))
    return cast(Term, conditions)


WITNESS_FILE = "witnesses.json"
WITNESS_DEPTH_LIMIT = 18
"""Steps after which a witness counts as not found."""


@frozen
class WitnessAnswer:
    """The answer to one question: whether something that should be reachable is."""

    question: str
    schedule: tuple[Action, ...] | None
    """A schedule that reaches it; None if none is known."""
    is_impossible: bool = False
    """Induction proves that nothing reaches it in this structure."""

    @property
    def is_open(self) -> bool:
        """Nothing is known that reaches it, nor that nothing does."""
        return self.schedule is None and not self.is_impossible


def search_witnesses(
    structure: ClaimedStructure,
    on_progress: Callable[[str], None] = lambda text: None,
    *,
    known: tuple[tuple[Action, ...], ...] = (),
    depth_limit: int = WITNESS_DEPTH_LIMIT,
    names: Container[str] | None = None,
) -> tuple[WitnessAnswer, ...]:
    """Decide questions of a structure anew: proof of impossibility, known schedules, search.

    ``known`` are schedules of any group: what they reach on their way needs no search. ``names``
    defaults to all questions.
    """
    every = compute_questions(structure)
    questions = {n: t for n, t in every.items() if names is None or n in names}
    problem = InductionProblem(structure, structure.world.everything)
    lemmas = prove_lemmas(structure)
    impossible = {n for n, t in questions.items() if problem.follows(record("not", t), lemmas)}
    wanted = {n: t for n, t in questions.items() if n not in impossible}
    on_progress(f"{structure.name}, witnesses: what {len(known)} known schedules reach")
    found = find_known_witnesses(structure, wanted, known)
    open_questions = {n: t for n, t in wanted.items() if n not in found}
    if open_questions and structure.world.depth_limit != 0:
        found |= _search(structure, open_questions, lemmas, on_progress, depth_limit)
    return tuple(WitnessAnswer(n, found.get(n), is_impossible=n in impossible) for n in questions)


def find_known_witnesses(
    structure: ClaimedStructure, wanted: Mapping[str, Term], known: tuple[tuple[Action, ...], ...]
) -> dict[str, tuple[Action, ...]]:
    """What known schedules reach without configuration changes; the rest with changes.

    A premise that is met only after a change of role would be vacuous under every fault model.
    """
    found: dict[str, tuple[Action, ...]] = {}
    for fault_model in (structure.world.every_fault, structure.world.everything):
        left = {name: term for name, term in wanted.items() if name not in found}
        if left:
            found |= search_known_schedules(
                structure, structure.world.make_search_parameters(fault_model), left, known
            )
    return found


def _search(
    structure: ClaimedStructure,
    questions: dict[str, Term],
    lemmas: tuple[str, ...],
    on_progress: Callable[[str], None],
    depth_limit: int,
) -> dict[str, tuple[Action, ...]]:
    answers = BoundedSearch(structure, structure.world.everything, lemmas).find_shortest(
        questions,
        depth_limits=dict.fromkeys(questions, depth_limit),
        on_progress=lambda depth, left: on_progress(
            f"{structure.name}, witnesses: depth {depth}, {left} open"
        ),
    )
    return {n: a.schedule for n, a in answers.items() if a.schedule is not None}


def is_witnessed(structure: ClaimedStructure, question: Term, answer: WitnessAnswer) -> bool:
    """The reference follows the schedule, and the question's predicate holds at its end."""
    if answer.schedule is None:
        return False
    schedule, limits = answer.schedule, structure.world.everything.search_limits
    return any(
        is_reached_by(
            lambda cluster: bool(substitute(question, flatten(cluster))),
            structure,
            sizes.limit(limits),
            schedule,
        )
        for sizes in (structure.template.parameters, structure.world.sizes.search)
    )


def load_open_questions(
    structure: ClaimedStructure, folder: Path = CERTIFICATE_FOLDER
) -> list[str]:
    """The questions for which no schedule is known, and which the lemmas do not exclude.

    Raises KeyError when the structure was never searched.
    """
    return list(_load(structure, folder)["open"])


def find_unwitnessed(structure: ClaimedStructure) -> list[str]:
    """The questions that no stored schedule reaches and the lemmas do not exclude."""
    questions = compute_questions(structure)
    problem = InductionProblem(structure, structure.world.everything)
    lemmas = prove_lemmas(structure)
    return [
        a.question
        for a in load_witnesses(structure)
        if not (
            problem.follows(record("not", questions[a.question]), lemmas)
            if a.is_impossible
            else is_witnessed(structure, questions[a.question], a)
        )
    ]


def renew_witnesses(
    structure: ClaimedStructure,
    on_progress: Callable[[str], None],
    *,
    known: tuple[tuple[Action, ...], ...],
    depth_limit: int,
    left_open: Container[str] = (),
) -> tuple[WitnessAnswer, ...]:
    """The stored answers, with new ones for questions that they no longer reach or never did.

    Questions of ``left_open`` are not searched. Raises KeyError when the structure was never
    searched.
    """
    missing = [name for name in find_unwitnessed(structure) if name not in left_open]
    found = search_witnesses(
        structure, on_progress, known=known, depth_limit=depth_limit, names=missing
    )
    by_question = {a.question: a for a in (*load_witnesses(structure), *found)}
    return tuple(by_question.values())


def save_witnesses(
    found: Mapping[Any, tuple[WitnessAnswer, ...]], folder: Path = CERTIFICATE_FOLDER
) -> None:
    """Write the witnesses of these structures; those of other structures are kept."""
    for structure, answers in found.items():
        path = get_world_folder(structure, folder) / WITNESS_FILE
        entry = {
            "digest": compute_digest(structure),
            "impossible": [a.question for a in answers if a.is_impossible],
            "open": [a.question for a in answers if a.is_open],
            "schedules": {
                a.question: encode_schedule(a.schedule) for a in answers if a.schedule is not None
            },
        }
        write_entry(path, structure.name, entry)


def has_witnesses(structure: ClaimedStructure, folder: Path = CERTIFICATE_FOLDER) -> bool:
    """The structure was once searched, and the file that says so is whole."""
    path = get_world_folder(structure, folder) / WITNESS_FILE
    try:
        return structure.name in read_entries(path)
    except (OSError, ValueError):
        return False


def are_witnesses_current(structure: ClaimedStructure, folder: Path = CERTIFICATE_FOLDER) -> bool:
    """The structure was searched with its present rules, for all present questions."""
    if not has_witnesses(structure, folder):
        return False
    stored = _load(structure, folder)
    asked = {*stored["impossible"], *stored["open"], *stored["schedules"]}
    is_same = stored["digest"] == compute_digest(structure)
    return is_same and asked == set(compute_questions(structure))


def _load(structure: ClaimedStructure, folder: Path) -> dict[str, Any]:
    path = get_world_folder(structure, folder) / WITNESS_FILE
    if not has_witnesses(structure, folder):
        raise KeyError(f"{structure.name} was never searched for witnesses")
    stored: dict[str, Any] = read_entries(path)[structure.name]
    return stored


def load_witnesses(
    structure: ClaimedStructure, folder: Path = CERTIFICATE_FOLDER
) -> tuple[WitnessAnswer, ...]:
    """The stored answers of a structure; a question that is not stored has no schedule.

    Raises KeyError when the structure was never searched.
    """
    stored = _load(structure, folder)
    return tuple(
        WitnessAnswer(
            question,
            decode_schedule(stored["schedules"][question])
            if question in stored["schedules"]
            else None,
            is_impossible=question in stored["impossible"],
        )
        for question in compute_questions(structure)
    )


def load_witness_schedules(
    structure: ClaimedStructure, folder: Path = CERTIFICATE_FOLDER
) -> tuple[tuple[Action, ...], ...]:
    """The stored schedules of a structure; none where it was never searched."""
    if not has_witnesses(structure, folder):
        return ()
    return tuple(map(decode_schedule, _load(structure, folder)["schedules"].values()))
