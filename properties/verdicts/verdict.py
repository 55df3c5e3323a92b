"""Verdicts: one per guarantee, structure and fault class, always decided from the rules."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import evolve, frozen

from properties.fault_model import FaultModel
from properties.schedules.judgement import (
    is_refuted_by,
    lower_numbers,
    remove_needless_steps,
    shorten_refutation,
)
from properties.schedules.related_structures import carry_over, fill_in, hold_back
from properties.worlds import find_world
from properties.z3.bounded_search import (
    DEPTH_LIMIT,
    LARGE_VARIANT_DEPTH_LIMIT,
    VARIANT_DEPTH_LIMIT,
    VARIANT_SLAVES_MAX,
    BoundedSearch,
)
from properties.z3.fault_sets import FaultSetProver
from properties.z3.induction import InductionResult, prove_lemmas
from reference.language.machine import Action, record_predicate
from reference.language.operators import negate
from reference.language.terms import Term


class VerdictWord(enum.Enum):
    """The words of the guarantee table."""

    PROVED = "proved"
    """Holds for all offsets and sizes, by induction."""
    BOUNDED = "bounded"
    """No failure within a stated exhaustive bound."""
    REFUTED = "refuted"
    """Fails, by the shortest schedule."""
    UNDECIDED = "undecided"
    """Neither; how far it was searched is told."""
    NOT_REFUTED = "not_refuted"
    """Only random schedules were tried."""


class InternalDisagreementError(Exception):
    """Raised when two engines contradict each other; never hidden, never resolved by preference."""


@frozen
class Verdict:
    """One cell of the table."""

    guarantee: str
    fault: str
    word: VerdictWord
    schedule: tuple[Action, ...] = ()
    """The shortest schedule, for a refuted cell."""
    lemmas: tuple[str, ...] = ()
    """The inductive set, for a proved cell."""
    depth: int | None = None
    """How deep was searched, for an undecided cell."""
    is_scaled: bool = False
    """Its schedule takes more than one file and was judged in files of a few bytes."""
    is_vacuous: bool = False
    """For a proved cell: its premise can never hold here, so it promises nothing."""
    is_shortest: bool = True
    """For a refuted cell: a search with these very rules found nothing shorter (of large groups
    nobody claims it). For an undecided one: so deep was searched with these very rules."""
    note: str = ""
    """Why a cell is undecided although it could be searched."""
    disputed: tuple[str, ...] = ()
    """The findings that say that real brokers do otherwise (``findings.disputes``)."""

    @property
    def dispute(self) -> str:
        """``disputed (L1)`` by the first finding; empty for a cell that none disputes."""
        return f"disputed ({self.disputed[0]})" if self.disputed else ""

    @property
    def is_relied_on(self) -> bool:
        """It is proved, says something, and no finding disputes it."""
        return self.word is VerdictWord.PROVED and not self.is_vacuous and not self.disputed

    @property
    def steps(self) -> int | None:
        """Number of steps of the shortest schedule; None where there is none."""
        return len(self.schedule) if self.word is VerdictWord.REFUTED else None

    def is_shorter_than(self, other: Verdict) -> bool:
        """Its schedule takes fewer steps."""
        return len(self.schedule) < len(other.schedule)


def make_proved(name: str, fault_model: FaultModel, result: InductionResult) -> Verdict:
    """The cell of a guarantee that induction has proved."""
    return Verdict(
        name,
        fault_model.name,
        VerdictWord.PROVED,
        lemmas=result.lemmas,
        is_vacuous=name in result.vacuous,
    )


@frozen
class Hints:
    """Cells whose schedules are tried before anything is searched."""

    cells: tuple[Verdict, ...] = ()
    """Of a group with one slave less, or without a variant, or of older rules."""
    find_more: Callable[[Mapping[str, tuple[str, ...]]], tuple[Verdict, ...]] = lambda left: ()
    """More of them, for the claims that in a column are neither proved nor refuted by the first."""


def search_structure(
    structure: Any,
    on_progress: Callable[[str], None] = lambda text: None,
    *,
    depth_limit: int = 0,
    sizes: Any = None,
    hints: Hints | None = None,
) -> tuple[Verdict, ...]:
    """Decide every cell of a structure anew: induction first, bounded search for the rest.

    A schedule that refutes under fewer faults refutes under more, so there only shorter ones are
    searched, to ``depth_limit`` steps or as deep as is usual. ``sizes`` are those of the searched
    log, a few bytes. With ``hints``, what refutes elsewhere, and here too, is taken over, and no
    shorter schedule is searched then. Raises InternalDisagreementError when the reference rejects
    what a solver found, or confirms what refutes a proved cell.
    """
    usual = compute_depth_limit(structure)
    deepest = usual and (depth_limit or usual)
    sizes = sizes or find_world(structure).sizes.search
    hints = hints or Hints()
    refuted = _take_over(structure, hints.cells, sizes)
    on_progress(f"{structure.name}: induction")
    lemmas = prove_lemmas(structure)
    prover = FaultSetProver(structure, lemmas)
    claims = find_world(structure).claims
    results = {c.name: prover.decide(c) for c in find_world(structure).fault_models}
    if left := _list_open(structure, results, refuted):
        refuted += _take_over(structure, _find_more(structure, left, hints, on_progress), sizes)
    verdicts: list[Verdict] = []
    for fault_model in find_world(structure).fault_models:
        result = results[fault_model.name]
        proved = {n: make_proved(n, fault_model, result) for n in result.proved}
        known = _inherit(refuted, fault_model)
        _check_consistency(structure, fault_model, proved, known)
        depth_limits = {
            n: len(known[n].schedule) - 1 if n in known else deepest
            for n in claims
            if n not in proved and not (hints.cells and n in known)
        }
        found = {n: _leave_open(n, fault_model) for n in depth_limits if n not in known}
        if depth_limits and deepest:
            search = BoundedSearch(structure, fault_model, (*lemmas, *proved), sizes)
            found = _search(search, depth_limits, known, on_progress)
        refuted += [(fault_model, v) for v in found.values() if v.word is VerdictWord.REFUTED]
        verdicts += [proved.get(n) or found.get(n) or known[n] for n in claims]
    return tuple(verdicts)


def _list_open(
    structure: Any,
    results: Mapping[str, InductionResult],
    refuted: list[tuple[FaultModel, Verdict]],
) -> dict[str, tuple[str, ...]]:
    """By column the claims that are neither proved nor refuted; columns without one left out."""
    columns = find_world(structure).fault_models
    decided = {c.name: {*results[c.name].proved, *_inherit(refuted, c)} for c in columns}
    claims = find_world(structure).claims
    left = {name: tuple(n for n in claims if n not in known) for name, known in decided.items()}
    return {name: names for name, names in left.items() if names}


def _find_more(
    structure: Any,
    left: Mapping[str, tuple[str, ...]],
    hints: Hints,
    on_progress: Callable[[str], None],
) -> tuple[Verdict, ...]:
    """More schedules against what is open, by column."""
    claims = dict.fromkeys(itertools.chain(*left.values()))
    on_progress(f"{structure.name}: other schedules against {', '.join(claims)}")
    return hints.find_more(left)


def _check_consistency(
    structure: Any,
    fault_model: FaultModel,
    proved: Mapping[str, Verdict],
    known: Mapping[str, Verdict],
) -> None:
    """No cell is both. Raises InternalDisagreementError."""
    if both := sorted(proved.keys() & known.keys()):
        raise InternalDisagreementError(
            f"{both[0]} of {structure.name} under {fault_model.name} is refuted by a schedule, yet "
            "follows from the lemmas: the prover is unsound"
        )


def compute_depth_limit(structure: Any) -> int:
    """How deep a structure is usually searched."""
    if (limit := find_world(structure).depth_limit) is not None:
        return limit
    if not structure.variants:
        return DEPTH_LIMIT
    is_small = structure.slaves <= VARIANT_SLAVES_MAX
    return VARIANT_DEPTH_LIMIT if is_small else LARGE_VARIANT_DEPTH_LIMIT


def _take_over(
    structure: Any, cells: tuple[Verdict, ...], sizes: Any
) -> list[tuple[FaultModel, Verdict]]:
    """The refutations of a kindred group that the reference confirms for this one.

    Whether they are the shortest ones here, nobody has asked.
    """
    taken: list[tuple[FaultModel, Verdict]] = []
    usual = compute_depth_limit(structure)
    for verdict in (v for v in cells if v.word is VerdictWord.REFUTED):
        fault_model = find_world(structure).get_fault_model(verdict.fault)
        same = (v for _, v in taken if (v.guarantee, v.fault) == (verdict.guarantee, verdict.fault))
        if not all(map(verdict.is_shorter_than, same)):
            continue
        parameters = evolve(sizes, limits=fault_model.search_limits)

        def is_refuting(trial: Sequence[Action], v: Verdict = verdict, p: Any = parameters) -> bool:
            return is_refuted_by(v.guarantee, structure, p, trial)

        trials = carry_over(structure, parameters, verdict.schedule)
        others = (hold_back, fill_in) if usual == 0 else (hold_back,)
        patient = (change(structure, parameters, verdict.schedule) for change in others)
        for schedule in itertools.chain(trials, patient):
            if is_refuting(schedule):
                needed = remove_needless_steps(schedule, is_refuting)
                if usual == 0:
                    fewer = shorten_refutation(verdict.guarantee, structure, parameters, needed)
                    needed = lower_numbers(fewer, is_refuting)
                taken.append((fault_model, evolve(verdict, schedule=needed, is_shortest=False)))
                break
    return taken


def _inherit(
    refuted: list[tuple[FaultModel, Verdict]], fault_model: FaultModel
) -> dict[str, Verdict]:
    """The shortest known refutations that are possible under this fault class."""
    known: dict[str, Verdict] = {}
    for weaker, verdict in refuted:
        name = verdict.guarantee
        is_possible = weaker.is_contained_in(fault_model)
        if is_possible and (name not in known or verdict.is_shorter_than(known[name])):
            known[name] = evolve(verdict, fault=fault_model.name)
    return known


def _search(
    search: BoundedSearch,
    depth_limits: dict[str, int],
    known: dict[str, Verdict],
    on_progress: Callable[[str], None],
) -> dict[str, Verdict]:
    structure, fault = search.structure, search.fault_model
    answers = search.find_shortest(
        {n: record_violation(structure, n) for n in depth_limits},
        depth_limits=depth_limits,
        on_progress=lambda depth, left: on_progress(
            f"{structure.name}, {fault.name}: depth {depth}, {left} open"
        ),
    )
    verdicts = {}
    for name, answer in answers.items():
        if answer.schedule is not None:
            schedule = _rejudge(name, search, answer.schedule)
            verdicts[name] = Verdict(name, fault.name, VerdictWord.REFUTED, schedule)
        elif name in known:
            verdicts[name] = known[name]
        else:
            word = VerdictWord.UNDECIDED
            verdicts[name] = Verdict(name, fault.name, word, depth=answer.depth)
    return verdicts


def record_violation(structure: Any, name: str) -> Term:
    """That a guarantee does not hold, as a term."""
    predicate = find_world(structure).claims[name].predicate
    return record_predicate(structure, lambda cluster: negate(predicate(cluster)))


def _leave_open(name: str, fault_model: FaultModel) -> Verdict:
    """A cell for which nothing is searched step by step."""
    return Verdict(name, fault_model.name, VerdictWord.UNDECIDED, is_shortest=False)


def _rejudge(name: str, search: BoundedSearch, schedule: tuple[Action, ...]) -> tuple[Action, ...]:
    """The schedule with its numbers lowered, after the reference has confirmed it."""

    def is_refuting(trial: Sequence[Action]) -> bool:
        return is_refuted_by(name, search.structure, search.parameters, trial)

    if not is_refuting(schedule):
        steps = "; ".join(map(str, schedule))
        raise InternalDisagreementError(
            f"bounded search refutes {name} of {search.structure.name} under "
            f"{search.fault_model.name}, the reference does not: {steps}"
        )
    return lower_numbers(schedule, is_refuting)
