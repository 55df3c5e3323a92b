"""A second opinion on certificates: breadth-first search against induction and bounded search.

A certificate claims that a guarantee holds, or that no schedule with fewer steps refutes it. Both
claims are compared with an exhaustive search of the same small sizes, within a budget of states.
"""

from __future__ import annotations

import enum
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from attrs import frozen

from properties.language.fault_model import FaultModel
from properties.language.world import ClaimedStructure
from properties.verdicts.certificates import decode_cells, load
from properties.verdicts.verdict import InternalDisagreementError, Verdict, VerdictWord
from properties.worlds.catalogue import STRUCTURES, Tag, list_tagged
from reference.language.machine import Action
from spark_fuzz.search.breadth_first import (
    STATES_MAX,
    BreadthFirstResult,
    BreadthFirstSearch,
    ShortestAnswer,
)
from spark_fuzz.search.influence import Influence, compute_influence


class Agreement(enum.Enum):
    """The second engine's opinion on a certified verdict."""

    CONFIRMED = "confirmed"
    """Refuted by both, with the same number of steps, or with fewer where the certificate claims no
    shortest one; or proved, and all states were searched."""
    NOT_CONTRADICTED = "not_contradicted"
    """Proved, and no violation was found within the budget."""
    NOT_REACHED = "not_reached"
    """Refuted with more steps than the budget covers, and not with fewer."""
    DISAGREEMENT = "disagreement"
    """The engines contradict each other."""


@frozen
class CrossCheck:
    """One certified verdict, and the result of breadth-first search."""

    structure: str
    """Name of the structure."""
    certified: Verdict
    found: ShortestAnswer
    is_complete: bool
    """The search met every state."""
    states: int
    """Distinct states that the search met."""

    @property
    def agreement(self) -> Agreement:
        """The agreement of the two."""
        if self.certified.word is not VerdictWord.REFUTED:
            if self.found.schedule is not None:
                return Agreement.DISAGREEMENT
            return Agreement.CONFIRMED if self.is_complete else Agreement.NOT_CONTRADICTED
        steps = len(self.certified.schedule)
        if self.found.schedule is not None:
            found = len(self.found.schedule)
            is_like = found == steps or (found < steps and not self.certified.is_shortest)
            return Agreement.CONFIRMED if is_like else Agreement.DISAGREEMENT
        is_missed = self.is_complete or self.found.depth >= steps
        return Agreement.DISAGREEMENT if is_missed else Agreement.NOT_REACHED

    def describe(self) -> str:
        """One line; for a disagreement with the schedules of both engines."""
        cell = f"{self.structure}, {self.certified.fault}, {self.certified.guarantee}"
        line = f"{cell}: {self.agreement.value}, {self.states} states"
        if self.agreement is not Agreement.DISAGREEMENT:
            return f"{line}, depth {self.found.depth}"
        certified = describe_schedule(self.certified.schedule)
        found = describe_schedule(self.found.schedule or ())
        searched = f"breadth-first search to depth {self.found.depth}: {found}"
        return f"{line}; certified as {self.certified.word.value}: {certified}; {searched}"


OnLevel: TypeAlias = Callable[[int, int, int], None]
"""Called with the depth, the number of distinct states so far, and the number of new ones."""

SearchEngine: TypeAlias = Callable[[Any, FaultModel, list[str], int, OnLevel], BreadthFirstResult]
"""Searches a structure under a fault model for violations of guarantees within a budget."""


def search_here(
    structure: ClaimedStructure,
    fault_model: FaultModel,
    guarantees: list[str],
    states_max: int,
    on_level: OnLevel,
) -> BreadthFirstResult:
    """The search in this process."""
    search = BreadthFirstSearch(structure, fault_model, guarantees=guarantees)
    return search.search(states_max, on_progress=on_level)


def compare_with_certificate(
    structure: ClaimedStructure,
    fault_model: FaultModel,
    states_max: int = STATES_MAX,
    on_progress: Callable[[str], None] = lambda text: None,
    engine: SearchEngine = search_here,
) -> tuple[CrossCheck, ...]:
    """Every certified verdict of a structure under one fault model, searched anew.

    Guarantees that depend on the same leaves are searched for together, each such group within its
    own budget of states. Raises InternalDisagreementError without a certificate of these rules.
    """
    document = load(structure)
    if document is None:
        raise InternalDisagreementError(f"there is no certificate of {structure.name}")
    cells = {
        c.guarantee: c for c in decode_cells(structure, document) if c.fault == fault_model.name
    }

    def report(depth: int, states: int, frontier: int) -> None:
        where = f"{structure.name}, {fault_model.name}"
        rate = states / max(time.monotonic() - started, 0.001)
        on_progress(
            f"{where}: depth {depth}, {states} states, {frontier} of them new, {rate:,.0f}/s"
        )

    rows: dict[str, CrossCheck] = {}
    for guarantees in group_by_influence(structure, fault_model):
        started = time.monotonic()
        result = engine(structure, fault_model, guarantees, states_max, report)
        for answer in result.answers:
            rows[answer.guarantee] = CrossCheck(
                structure.name, cells[answer.guarantee], answer, result.is_complete, result.states
            )
    return tuple(rows[name] for name in structure.world.guarantees)


def cross_check(
    names: Iterable[str] = (),
    states_max: int = STATES_MAX,
    on_progress: Callable[[str], None] = lambda text: None,
) -> Iterator[CrossCheck]:
    """Every verdict of these structures, or of all whose certificates claim shortest schedules."""
    for structure in [STRUCTURES[name] for name in names] or list_tagged(Tag.SMALL):
        for fault_model in structure.world.fault_models:
            yield from compare_with_certificate(structure, fault_model, states_max, on_progress)


def group_by_influence(structure: ClaimedStructure, fault_model: FaultModel) -> list[list[str]]:
    """The guarantees, grouped by the leaves and steps that they depend on."""
    parameters = structure.world.make_search_parameters(fault_model)
    groups: list[tuple[Influence, list[str]]] = []
    for name in structure.world.guarantees:
        influence = compute_influence(structure, fault_model, parameters, (name,))
        for known, members in groups:
            if known == influence:
                members.append(name)
                break
        else:
            groups.append((influence, [name]))
    return [members for _, members in groups]


def describe_schedule(schedule: tuple[Action, ...]) -> str:
    """Number of steps, and the steps."""
    return f"{len(schedule)} steps ({'; '.join(map(str, schedule))})" if schedule else "no schedule"
