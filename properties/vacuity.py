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
from properties.induction import InductionProblem, prove_lemmas
from properties.judgement import is_reached_by
from properties.witnesses import compute_questions
from reference.leaves import flatten
from reference.machine import RULES, Action
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
    smaller_group: tuple[WitnessAnswer, ...] = (),
) -> tuple[WitnessAnswer, ...]:
    """Decide every question of a structure anew: proof of impossibility first, then search.

    ``smaller_group`` are the answers of a group with fewer slaves: what a schedule reaches there it
    reaches here too, with slaves that do nothing, and slaves may change places.
    """
    questions = compute_questions(structure)
    problem = InductionProblem(structure, EVERYTHING)
    lemmas = prove_lemmas(structure)
    impossible = {n for n, t in questions.items() if problem.follows(record("not", t), lemmas)}
    taken = {
        name: answer
        for name, term in questions.items()
        if name not in impossible
        and (answer := _take_over(structure, name, term, smaller_group)) is not None
    }
    open_questions = {n: t for n, t in questions.items() if n not in {*impossible, *taken}}
    answers = BoundedSearch(structure, EVERYTHING, lemmas).find_shortest(
        open_questions,
        depth_limits=dict.fromkeys(open_questions, WITNESS_DEPTH_LIMIT),
        on_progress=lambda depth, left: on_progress(
            f"{structure.name}, witnesses: depth {depth}, {left} open"
        ),
    )
    return tuple(
        WitnessAnswer(n, None, is_impossible=True)
        if n in impossible
        else taken.get(n) or WitnessAnswer(n, answers[n].schedule)
        for n in questions
    )


def _take_over(
    structure: Structure, name: str, question: Term, smaller_group: tuple[WitnessAnswer, ...]
) -> WitnessAnswer | None:
    """The answer of a smaller group, as it is or with its first slave in another's place."""
    first, _, last = name.partition("[")
    slave = last.rstrip("]")
    known = {a.question: a.schedule for a in smaller_group}
    for source in (name, f"{first}[0]"):
        schedule = known.get(source)
        if schedule is None:
            continue
        moved = schedule if source == name else tuple(_move(a, slave) for a in schedule)
        answer = WitnessAnswer(name, moved)
        if is_witnessed(structure, question, answer):
            return answer
    return None


def _move(action: Action, slave: str) -> Action:
    """The step of the first slave as a step of another one."""
    rule, bracket, index = action.instance.partition("[")
    if not bracket or RULES[rule].indexes != ("slave",) or index != "0]":
        return action
    return evolve(action, instance=f"{rule}[{slave}]")


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
