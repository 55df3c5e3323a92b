"""Witnesses without a search: what known schedules reach on their way, or shortly after."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from properties.language.world import ClaimedStructure
from properties.schedules.judgement import (
    follow_while_possible,
    is_reached_by,
    remove_needless_steps,
)
from properties.schedules.related_structures import Schedule, carry_over
from properties.verdicts.certificates import CERTIFICATE_FOLDER, decode_schedule
from properties.verdicts.storage.certificate_files import read_document
from properties.walks.steps import choose_evenly
from reference.language.leaves import flatten
from reference.language.machine import Action, compute_machine
from reference.language.parameters import BaseParameters
from reference.language.terms import Term, substitute

STRAY_WALKS = 200
"""The number of walks that leave a known schedule somewhere and continue at random."""
STRAY_STEPS = 30
"""The maximal number of steps of such a walk."""


class KnownScheduleSearch:
    """Follows schedules in one structure, and keeps the first schedule to each question."""

    def __init__(
        self, structure: ClaimedStructure, parameters: BaseParameters, questions: dict[str, Term]
    ) -> None:
        self.structure = structure
        self.parameters = parameters
        self.questions = dict(questions)
        self.machine = compute_machine(structure)
        self.open = dict(questions)
        self.found: dict[str, Schedule] = {}

    def replay(self, schedule: Schedule) -> tuple[Any, list[Action]]:
        """Follow a schedule as far as it is possible; the last state, and the steps to it."""
        steps: list[Action] = []
        for action, cluster in follow_while_possible(self.structure, self.parameters, schedule):
            if action is not None:
                steps.append(action)
            self._note(cluster, steps)
        return cluster, steps

    def stray(self, schedule: Schedule, draw: Random) -> None:
        """Follow the beginning of a schedule, then take random steps."""
        cluster, steps = self.replay(schedule[: draw.randrange(len(schedule) + 1)])
        for _ in range(STRAY_STEPS):
            enabled = self.machine.enabled(cluster)
            if not enabled or not self.open:
                break
            action = choose_evenly(enabled, draw)
            cluster = self.machine.step(cluster, action).cluster
            steps.append(action)
            self._note(cluster, steps)

    def _note(self, cluster: Any, steps: list[Action]) -> None:
        leaves = flatten(cluster)
        for name in [n for n, question in self.open.items() if substitute(question, leaves)]:
            self.found[name] = tuple(steps)
            del self.open[name]

    def compute_answers(self) -> dict[str, Schedule]:
        """The answers found, without needless steps."""
        return {n: self._shorten(self.questions[n], s) for n, s in self.found.items()}

    def _shorten(self, question: Term, schedule: Schedule) -> Schedule:
        def is_reaching(trial: list[Action] | Schedule) -> bool:
            return is_reached_by(
                lambda cluster: bool(substitute(question, flatten(cluster))),
                self.structure,
                self.parameters,
                trial,
            )

        return remove_needless_steps(schedule, is_reaching)  # type: ignore[arg-type]


def search_known_schedules(
    structure: ClaimedStructure,
    parameters: BaseParameters,
    questions: dict[str, Term],
    known: Iterable[Schedule],
    *,
    seed: int = 1,
) -> dict[str, Schedule]:
    """Schedules to the questions that known schedules, of any group, reach."""
    gathered = KnownScheduleSearch(structure, parameters, questions)
    known = sorted(known, key=len)
    for schedule in known:
        for carried in carry_over(structure, parameters, schedule):
            if gathered.open:
                gathered.replay(carried)
    draw = Random(seed)
    for _ in range(STRAY_WALKS):
        if gathered.open:
            gathered.stray(draw.choice(known), draw)
    return gathered.compute_answers()


def load_known_schedules(folder: Path = CERTIFICATE_FOLDER) -> tuple[Schedule, ...]:
    """Every schedule in a certificate or a witness of a world, whatever its purpose.

    ``folder`` is that of the world.
    """
    texts = dict.fromkeys(
        json.dumps(schedule)
        for path in sorted(folder.glob("*.json"))
        for schedule in _find_schedules(read_document(path))
    )
    return tuple(decode_schedule(json.loads(text)) for text in texts)


def _find_schedules(document: object) -> Iterator[object]:
    """The lists under a key ``schedule`` or ``schedules``, however deep."""
    if isinstance(document, list):
        for part in document:
            yield from _find_schedules(part)
    elif isinstance(document, dict):
        for key, part in document.items():
            if key == "schedule":
                yield part
            elif key == "schedules":
                yield from part.values()
            else:
                yield from _find_schedules(part)
