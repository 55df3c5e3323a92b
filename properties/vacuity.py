"""Vacuity: every rule, premise and named witness is reached by a schedule, or proved unreachable.

The schedules are certificates like those of the guarantees: data, replayed by the reference.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from attrs import evolve, frozen

from properties.bounded_search import BoundedSearch
from properties.certificates import (
    CERTIFICATE_FOLDER,
    compute_digest,
    decode_schedule,
    encode_schedule,
)
from properties.fault_class import EVERYTHING
from properties.harvest import harvest
from properties.induction import InductionProblem, prove_lemmas
from properties.judgement import is_reached_by
from properties.witnesses import compute_questions
from reference.leaves import flatten
from reference.machine import Action
from reference.structure import SMALL_PARAMETERS, Parameters, Structure
from reference.terms import Term, record, substitute

WITNESS_FILE = "witnesses.json"
WITNESS_DEPTH_LIMIT = 18
"""Steps after which a witness counts as not found."""


@frozen
class WitnessAnswer:
    """Whether something that should be reachable is."""

    question: str
    schedule: tuple[Action, ...] | None
    """A schedule that reaches it; None where none is known."""
    is_impossible: bool = False
    """Induction proves that nothing reaches it in this structure."""


def search_witnesses(
    structure: Structure,
    on_progress: Callable[[str], None] = lambda text: None,
    *,
    known: tuple[tuple[Action, ...], ...] = (),
) -> tuple[WitnessAnswer, ...]:
    """Decide every question of a structure anew: proof of impossibility, known ways, search.

    ``known`` are schedules of any group: what they reach on their way needs no search.
    """
    questions = compute_questions(structure)
    problem = InductionProblem(structure, EVERYTHING)
    lemmas = prove_lemmas(structure)
    impossible = {n for n, t in questions.items() if problem.follows(record("not", t), lemmas)}
    sizes = evolve(SMALL_PARAMETERS, limits=EVERYTHING.search_limits)
    wanted = {n: t for n, t in questions.items() if n not in impossible}
    on_progress(f"{structure.name}, witnesses: what {len(known)} known schedules reach")
    found = harvest(structure, sizes, wanted, known)
    open_questions = {n: t for n, t in wanted.items() if n not in found}
    if open_questions:
        found |= _search(structure, open_questions, lemmas, on_progress)
    return tuple(WitnessAnswer(n, found.get(n), is_impossible=n in impossible) for n in questions)


def _search(
    structure: Structure,
    questions: dict[str, Term],
    lemmas: tuple[str, ...],
    on_progress: Callable[[str], None],
) -> dict[str, tuple[Action, ...]]:
    answers = BoundedSearch(structure, EVERYTHING, lemmas).find_shortest(
        questions,
        depth_limits=dict.fromkeys(questions, WITNESS_DEPTH_LIMIT),
        on_progress=lambda depth, left: on_progress(
            f"{structure.name}, witnesses: depth {depth}, {left} open"
        ),
    )
    return {n: a.schedule for n, a in answers.items() if a.schedule is not None}


def is_witnessed(structure: Structure, question: Term, answer: WitnessAnswer) -> bool:
    """The reference follows the schedule, and what is asked for holds at its end."""
    if answer.schedule is None:
        return False
    schedule = answer.schedule
    return any(
        is_reached_by(
            lambda cluster: bool(substitute(question, flatten(cluster))),
            structure,
            evolve(sizes, limits=EVERYTHING.search_limits),
            schedule,
        )
        for sizes in (Parameters(), SMALL_PARAMETERS)
    )


def load_open_questions(structure: Structure, folder: Path = CERTIFICATE_FOLDER) -> list[str]:
    """The questions for which no schedule is known, and which the lemmas do not exclude.

    Raises KeyError when the structure was never searched.
    """
    stored = json.loads((folder / WITNESS_FILE).read_text())[structure.name]
    return list(stored["open"])


def find_unwitnessed(structure: Structure) -> list[str]:
    """What a stored schedule does not reach and the lemmas do not exclude."""
    questions = compute_questions(structure)
    problem = InductionProblem(structure, EVERYTHING)
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


def save_witnesses(
    found: dict[Structure, tuple[WitnessAnswer, ...]], folder: Path = CERTIFICATE_FOLDER
) -> None:
    """Write the witnesses of all structures."""
    document = {
        structure.name: {
            "digest": compute_digest(structure),
            "impossible": [a.question for a in answers if a.is_impossible],
            "open": [a.question for a in answers if not a.is_impossible and a.schedule is None],
            "schedules": {
                a.question: encode_schedule(a.schedule) for a in answers if a.schedule is not None
            },
        }
        for structure, answers in found.items()
    }
    (folder / WITNESS_FILE).write_text(json.dumps(document, indent=1) + "\n")


def load_witnesses(
    structure: Structure, folder: Path = CERTIFICATE_FOLDER
) -> tuple[WitnessAnswer, ...]:
    """The stored answers of a structure; a question that is not stored has no schedule.

    Raises KeyError when the structure was never searched.
    """
    stored = json.loads((folder / WITNESS_FILE).read_text())[structure.name]
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
