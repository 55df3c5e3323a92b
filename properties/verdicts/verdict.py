"""Verdicts: one per guarantee, structure and fault model, always decided from the rules."""

from __future__ import annotations

import enum
import itertools
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from attrs import evolve, frozen

from properties.language.fault_model import FaultModel, unite
from properties.language.world import ClaimedStructure
from properties.schedules.judgement import (
    is_refuted_by,
    lower_numbers,
    remove_needless_steps,
    shorten_refutation,
)
from properties.schedules.related_structures import carry_over, fill_in, hold_back
from properties.z3.bounded_search import (
    DEPTH_LIMIT,
    LARGE_VARIANT_DEPTH_LIMIT,
    VARIANT_DEPTH_LIMIT,
    VARIANT_SLAVES_MAX,
    BoundedSearch,
)
from properties.z3.fault_sets import decide_fault_models, leave_all_open
from properties.z3.induction import InductionResult, SolverGaveUpError, prove_lemmas
from reference.language.machine import Action, record_predicate
from reference.language.operators import negate
from reference.language.parameters import BaseParameters
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
    """Neither; the search depth is reported."""
    NOT_REFUTED = "not_refuted"
    """Only random schedules were tried."""


class InternalDisagreementError(Exception):
    """Raised when two engines contradict each other; never hidden, never resolved by preference."""


@frozen
class Verdict:
    """One verdict of the table."""

    guarantee: str
    fault: str
    word: VerdictWord
    schedule: tuple[Action, ...] = ()
    """For a refuted verdict: the shortest schedule."""
    lemmas: tuple[str, ...] = ()
    """For a proved verdict: the inductive set."""
    depth: int | None = None
    """For an undecided verdict: the search depth."""
    is_scaled: bool = False
    """Its schedule needs more than one file and was judged in files of a few bytes."""
    is_vacuous: bool = False
    """For a proved verdict: its premise can never hold here, so it is vacuous."""
    is_shortest: bool = True
    """For a refuted verdict: a search with these very rules found no shorter schedule (not claimed
    for large groups). For an undecided one: these very rules were searched to its depth."""
    note: str = ""
    """Why a verdict is undecided, or what may decide it."""
    assumption: str = ""
    """For an undecided verdict: the assumption that its proof needs and the group does not meet."""
    gave_up: str = ""
    """For an undecided verdict: the question on which Z3 used up its work. Nothing of that is
    stored or remembered: another machine, or another limit, may decide it."""
    disputed: tuple[str, ...] = ()
    """The findings according to which real brokers behave otherwise (``findings.disputes``)."""

    @property
    def dispute(self) -> str:
        """``disputed (F101)`` by the first finding; empty for a verdict that none disputes."""
        return f"disputed ({self.disputed[0]})" if self.disputed else ""

    @property
    def is_relied_on(self) -> bool:
        """It is proved, not vacuous, and disputed by no finding."""
        return self.word is VerdictWord.PROVED and not self.is_vacuous and not self.disputed

    @property
    def steps(self) -> int | None:
        """The number of steps of the shortest schedule; None if there is none."""
        return len(self.schedule) if self.word is VerdictWord.REFUTED else None

    def is_shorter_than(self, other: Verdict) -> bool:
        """Its schedule takes fewer steps."""
        return len(self.schedule) < len(other.schedule)


def make_proved(name: str, fault_model: FaultModel, result: InductionResult) -> Verdict:
    """The verdict on a guarantee that induction has proved."""
    return Verdict(
        name,
        fault_model.name,
        VerdictWord.PROVED,
        lemmas=result.lemmas,
        is_vacuous=name in result.vacuous,
    )


GAVE_UP_NOTE = "Z3 gave up within its limit of work"
"""The note of a verdict that is undecided for that reason alone."""


def leave_open(
    name: str, fault: str, *, note: str = "", assumption: str = "", gave_up: str = ""
) -> Verdict:
    """No verdict on a guarantee about which nothing is searched; the rest says why."""
    return Verdict(
        name,
        fault,
        VerdictWord.UNDECIDED,
        is_shortest=False,
        note=note,
        assumption=assumption,
        gave_up=gave_up,
    )


def leave_exhausted(name: str, fault: str, query: str) -> Verdict:
    """The verdict on a guarantee about which Z3 gave up on a question."""
    return leave_open(name, fault, note=GAVE_UP_NOTE, gave_up=query)


@frozen
class Hints:
    """Verdicts whose schedules are tried before anything is searched."""

    cells: tuple[Verdict, ...] = ()
    """From a group with one slave less, one without a variant, or older rules."""
    find_more: Callable[[Mapping[str, tuple[str, ...]]], tuple[Verdict, ...]] = lambda left: ()
    """More of them, for claims that the first neither prove nor refute under a fault model."""
    lemmas: tuple[str, ...] = ()
    """Lemmas that are tried alone; all are tried if these leave a claim open."""
    open_cells: Mapping[tuple[str, str], Verdict] = MappingProxyType({})
    """By claim and fault model: the verdicts that stay open without a search."""
    has_no_needless_step: Callable[[Verdict], bool] = lambda verdict: False
    """It is known that every step of a verdict's schedule is needed, if it still refutes."""


def search_structure(
    structure: ClaimedStructure,
    on_progress: Callable[[str], None] = lambda text: None,
    *,
    depth_limit: int = 0,
    sizes: BaseParameters | None = None,
    hints: Hints | None = None,
) -> tuple[Verdict, ...]:
    """Decide every verdict of a structure anew: first by induction, the rest by bounded search.

    A schedule that refutes under fewer faults refutes under more; with more faults only shorter
    ones are searched, to ``depth_limit`` steps or the usual depth. ``sizes`` are those of the
    searched log, a few bytes. With ``hints``, schedules that refute elsewhere, and here too, are
    taken over, and no shorter ones are searched. A claim on which Z3 gives up, and that no known
    schedule refutes, is left open (``gave_up``). Raises InternalDisagreementError when the
    reference rejects a solver's schedule, or confirms one that refutes a proved verdict.
    """
    usual = compute_depth_limit(structure)
    deepest = usual and (depth_limit or usual)
    sizes = sizes or structure.world.sizes.search
    hints = hints or Hints()
    lemmas, results, refuted = _decide_at_once(structure, hints, sizes, on_progress)
    claims = structure.world.claims
    open_cells = dict(hints.open_cells)
    if hints.cells and deepest:
        left = _list_open(structure, results, refuted, open_cells)
        open_cells |= _search_together(structure, left, lemmas, sizes, deepest, on_progress)
    verdicts: list[Verdict] = []
    for fault_model in structure.world.fault_models:
        result = results[fault_model.name]
        proved = {n: make_proved(n, fault_model, result) for n in result.proved}
        known = inherit(refuted, fault_model)
        open_ones = {n: v for (n, f), v in open_cells.items() if f == fault_model.name}
        exhausted = _list_exhausted(result, fault_model.name, known)
        _check_consistency(structure, fault_model, proved, known)
        depth_limits = {
            n: len(known[n].schedule) - 1 if n in known else deepest
            for n in claims
            if n not in {*proved, *exhausted, *open_ones} and not (hints.cells and n in known)
        }
        found = {n: leave_open(n, fault_model.name) for n in depth_limits if n not in known}
        if depth_limits and deepest:
            search = BoundedSearch(structure, fault_model, (*lemmas, *proved), sizes=sizes)
            found = search_column(search, depth_limits, known, on_progress)
        refuted += [(fault_model, v) for v in found.values() if v.word is VerdictWord.REFUTED]
        verdicts += [{**open_ones, **known, **exhausted, **found, **proved}[n] for n in claims]
    return tuple(verdicts)


def _decide_at_once(
    structure: ClaimedStructure,
    hints: Hints,
    sizes: BaseParameters,
    on_progress: Callable[[str], None],
) -> tuple[tuple[str, ...], Mapping[str, InductionResult], list[tuple[FaultModel, Verdict]]]:
    """What is decided without a bounded search: lemmas, what follows, what schedules refute."""
    refuted = _take_over(structure, hints.cells, sizes, hints.has_no_needless_step)
    on_progress(f"{structure.name}: induction")
    lemmas, results = _prove_what_can_be(structure, hints.lemmas)
    if hints.lemmas and _list_open(structure, results, refuted, hints.open_cells):
        lemmas, results = _prove_what_can_be(structure)
    if left := _list_open(structure, results, refuted, hints.open_cells):
        refuted += _take_over(structure, _find_more(structure, left, hints, on_progress), sizes)
    return lemmas, results, refuted


def _prove_what_can_be(
    structure: ClaimedStructure, names: tuple[str, ...] = ()
) -> tuple[tuple[str, ...], Mapping[str, InductionResult]]:
    """The lemmas of a structure, all or of these, and by fault model what follows from them.

    There are no lemmas if Z3 gives up on a question about them, and nothing follows.
    """
    try:
        lemmas = prove_lemmas(structure, names)
    except SolverGaveUpError as problem:
        return (), leave_all_open(structure, problem.query)
    return lemmas, decide_fault_models(structure, lemmas)


def _list_exhausted(
    result: InductionResult, fault: str, known: Mapping[str, Verdict]
) -> dict[str, Verdict]:
    """The verdicts on what Z3 gave up and no known schedule refutes."""
    given_up = result.gave_up.items()
    return {n: leave_exhausted(n, fault, query) for n, query in given_up if n not in known}


def _list_open(
    structure: ClaimedStructure,
    results: Mapping[str, InductionResult],
    refuted: list[tuple[FaultModel, Verdict]],
    open_cells: Container[tuple[str, str]],
) -> dict[str, tuple[str, ...]]:
    """The claims neither proved, refuted nor left open, by fault model; models without one not."""
    fault_models = structure.world.fault_models
    decided = {c.name: {*results[c.name].proved, *inherit(refuted, c)} for c in fault_models}
    claims = structure.world.claims
    left = {
        name: tuple(n for n in claims if n not in known and (n, name) not in open_cells)
        for name, known in decided.items()
    }
    return {name: names for name, names in left.items() if names}


def _search_together(  # noqa: PLR0913, PLR0917
    structure: ClaimedStructure,
    left: Mapping[str, tuple[str, ...]],
    lemmas: Iterable[str],
    sizes: BaseParameters,
    depth_limit: int,
    on_progress: Callable[[str], None],
) -> dict[tuple[str, str], Verdict]:
    """Of claims that are open under several fault models, those that all their faults leave open.

    What nothing refutes under more faults nothing refutes under fewer. A claim that something does
    refute is left to a search of each model.
    """
    fault_models: dict[str, tuple[str, ...]] = {}
    for fault, names in left.items():
        fault_models |= {name: (*fault_models.get(name, ()), fault) for name in names}
    found: dict[tuple[str, str], Verdict] = {}
    for faults in dict.fromkeys(each for each in fault_models.values() if len(each) > 1):
        claims = [name for name, each in fault_models.items() if each == faults]
        united = unite(map(structure.world.get_fault_model, faults))
        search = BoundedSearch(structure, united, lemmas, sizes=sizes)
        answers = search_column(search, dict.fromkeys(claims, depth_limit), {}, on_progress)
        for verdict in answers.values():
            if verdict.word is VerdictWord.UNDECIDED:
                found |= {(verdict.guarantee, f): evolve(verdict, fault=f) for f in faults}
    return found


def _find_more(
    structure: ClaimedStructure,
    left: Mapping[str, tuple[str, ...]],
    hints: Hints,
    on_progress: Callable[[str], None],
) -> tuple[Verdict, ...]:
    """More schedules against the open claims, by fault model."""
    claims = dict.fromkeys(itertools.chain(*left.values()))
    on_progress(f"{structure.name}: other schedules against {', '.join(claims)}")
    return hints.find_more(left)


def _check_consistency(
    structure: ClaimedStructure,
    fault_model: FaultModel,
    proved: Mapping[str, Verdict],
    known: Mapping[str, Verdict],
) -> None:
    """No verdict is both. Raises InternalDisagreementError."""
    if both := sorted(proved.keys() & known.keys()):
        raise InternalDisagreementError(
            f"{both[0]} of {structure.name} under {fault_model.name} is refuted by a schedule, yet "
            "follows from the lemmas: the prover is unsound"
        )


def compute_depth_limit(structure: ClaimedStructure) -> int:
    """The usual search depth of a structure."""
    if (limit := structure.world.depth_limit) is not None:
        return limit
    if not structure.variants:
        return DEPTH_LIMIT
    is_small = structure.slaves <= VARIANT_SLAVES_MAX
    return VARIANT_DEPTH_LIMIT if is_small else LARGE_VARIANT_DEPTH_LIMIT


def _take_over(
    structure: ClaimedStructure,
    cells: tuple[Verdict, ...],
    sizes: BaseParameters,
    has_no_needless_step: Callable[[Verdict], bool] = lambda verdict: False,
) -> list[tuple[FaultModel, Verdict]]:
    """The refutations of a related group that the reference confirms for this one.

    They need not be the shortest ones here.
    """
    taken: list[tuple[FaultModel, Verdict]] = []
    usual = compute_depth_limit(structure)
    for verdict in (v for v in cells if v.word is VerdictWord.REFUTED):
        fault_model = structure.world.get_fault_model(verdict.fault)
        same = (v for _, v in taken if (v.guarantee, v.fault) == (verdict.guarantee, verdict.fault))
        if not all(map(verdict.is_shorter_than, same)):
            continue
        parameters = sizes.limit(fault_model.search_limits)

        def is_refuting(trial: Sequence[Action], v: Verdict = verdict, p: Any = parameters) -> bool:
            return is_refuted_by(v.guarantee, structure, p, trial)

        if has_no_needless_step(verdict) and is_refuting(verdict.schedule):
            taken.append((fault_model, evolve(verdict, is_shortest=False)))
            continue
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


def inherit(
    refuted: list[tuple[FaultModel, Verdict]], fault_model: FaultModel
) -> dict[str, Verdict]:
    """The shortest known refutations that are possible under this fault model."""
    known: dict[str, Verdict] = {}
    for weaker, verdict in refuted:
        name = verdict.guarantee
        is_possible = weaker.is_contained_in(fault_model)
        if is_possible and (name not in known or verdict.is_shorter_than(known[name])):
            known[name] = evolve(verdict, fault=fault_model.name)
    return known


def search_column(
    search: BoundedSearch,
    depth_limits: dict[str, int],
    known: dict[str, Verdict],
    on_progress: Callable[[str], None],
) -> dict[str, Verdict]:
    """The verdicts of one fault model on claims that are searched to these depths.

    A claim that nothing refutes keeps the verdict that is known of it. Raises
    InternalDisagreementError for a schedule that the reference rejects.
    """
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


def record_violation(structure: ClaimedStructure, name: str) -> Term:
    """The violation of a guarantee, as a term."""
    predicate = structure.world.claims[name].predicate
    return record_predicate(structure, lambda cluster: negate(predicate(cluster)))


def _rejudge(name: str, search: BoundedSearch, schedule: tuple[Action, ...]) -> tuple[Action, ...]:
    """The schedule with its numbers lowered, once the reference has confirmed it."""

    def is_refuting(trial: Sequence[Action]) -> bool:
        return is_refuted_by(name, search.structure, search.parameters, trial)

    if not is_refuting(schedule):
        steps = "; ".join(map(str, schedule))
        raise InternalDisagreementError(
            f"bounded search refutes {name} of {search.structure.name} under "
            f"{search.fault_model.name}, the reference does not: {steps}"
        )
    return lower_numbers(schedule, is_refuting)
