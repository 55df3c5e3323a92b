"""Stored schedules, replayed under a mutant.

They are those of the certificates: each refutes a guarantee, or reaches a witness. A mutant is
found if one of them is refused, or no longer shows what it showed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from attrs import field, frozen

from properties.language.world import ClaimedStructure
from properties.mutants.derivation import RuleMutant
from properties.mutants.execution import make_mistake
from properties.schedules.judgement import is_refuted_by
from properties.verdicts.certificates import decode_cells, load
from properties.verdicts.verdict import VerdictWord
from properties.worlds.catalogue import WORLD_BY_TOPIC
from properties.worlds.replication.structures import CERTIFIED_BY_NAME
from properties.z3.vacuity import compute_questions, is_witnessed, load_witnesses
from reference.language.machine import Action
from reference.language.parameters import BaseParameters

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
    structure: ClaimedStructure
    schedule: tuple[Action, ...] = field(repr=False)
    is_good: Callable[[], bool] = field(repr=False)
    """Under the present rules, it serves its purpose."""


def list_structures(world: str) -> tuple[Any, ...]:
    """The structures whose schedules are replayed."""
    if world == "replication":
        return tuple(CERTIFIED_BY_NAME[name] for name in REPLAYED)
    return WORLD_BY_TOPIC[world].mutated_structures


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


def _list_stored(structure: ClaimedStructure) -> Iterator[StoredSchedule]:
    yield from _list_refutations(structure)
    yield from _list_witnesses(structure)


def _list_refutations(structure: ClaimedStructure) -> Iterator[StoredSchedule]:
    document = load(structure)
    assert document is not None, f"{structure.name} has no certificate"
    seen: set[str] = set()
    for cell in decode_cells(structure, document):
        key = f"{cell.guarantee} {'; '.join(map(str, cell.schedule))}"
        if cell.word is not VerdictWord.REFUTED or key in seen:
            continue
        seen.add(key)
        sizes = structure.world.make_search_parameters(structure.world.get_fault_model(cell.fault))

        def is_good(
            guarantee: str = cell.guarantee, sizes: BaseParameters = sizes, cell: Any = cell
        ) -> bool:
            return is_refuted_by(guarantee, structure, sizes, cell.schedule)

        yield StoredSchedule(f"{cell.guarantee}, {cell.fault}", structure, cell.schedule, is_good)


def _list_witnesses(structure: ClaimedStructure) -> Iterator[StoredSchedule]:
    """Conditions to fire come from the true rule, whose terms were recorded before."""
    questions = compute_questions(structure)
    for answer in load_witnesses(structure):
        if answer.schedule:

            def is_good(question: Any = questions[answer.question], answer: Any = answer) -> bool:
                return is_witnessed(structure, question, answer)

            yield StoredSchedule(answer.question, structure, answer.schedule, is_good)
