"""A claim that no world has: proved, refuted by the shortest schedule, or left undecided.

For testers who ask about a predicate of their own. Nothing is stored: the claim is decided anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from properties.generated_text import count_steps
from properties.language.fault_model import FaultModel
from properties.language.property import Predicate, Property
from properties.language.world import ClaimedStructure
from properties.schedules.judgement import JudgedStep, follow, is_reached_by, lower_numbers
from properties.verdicts.verdict import (
    InternalDisagreementError,
    Verdict,
    VerdictWord,
    compute_depth_limit,
)
from properties.z3.bounded_search import BoundedSearch
from properties.z3.induction import InductionProblem, prove_lemmas
from reference.language.machine import Action, record_predicate
from reference.language.operators import negate
from reference.language.parameters import BaseParameters

DEPTH_LIMIT = 14
"""How many steps a search takes at most unless you ask for more; fewer in large structures.

Most failures of a group with one slave take fewer, and such a search takes a few seconds.
"""

LARGE_DEPTH_LIMIT = 8
"""The same for groups with more slaves."""

DEEPER = 4
"""How many more steps an undecided verdict suggests to search."""

UNDECIDED_NOTE = (
    "no failure within {depth} and not proved; search deeper, for example with "
    "depth_limit={deeper}, or add facts that the claim needs: lemmas={{name: predicate}}"
)
"""The note of an undecided verdict."""


def decide_claim(  # noqa: PLR0913
    structure: ClaimedStructure,
    fault_model: FaultModel,
    claim: Predicate,
    *,
    premise: Predicate | None = None,
    lemmas: Mapping[str, Predicate | Property] = MappingProxyType({}),
    depth_limit: int | None = None,
) -> Verdict:
    """Decide a claim of your own: by induction for all sizes, else by search in small ones.

    The world's lemmas are assumed, after they are proved again; ``lemmas`` of your own may help and
    are dropped where a step breaks them. A proved claim is vacuous (``is_vacuous``) where its
    ``premise`` cannot hold. A refuted one has the shortest schedule, which the reference confirms.
    An undecided one was searched ``depth`` steps deep, and its ``note`` says what may decide it.
    Predicates are written with ``&``, ``|``, ``negate`` and ``implies``, since they are also
    evaluated on symbols. A lemma may be a claim of the world, from ``claims``, under its own name;
    it is not assumed, but proved with yours or dropped.

    Raises ValueError for a name that the world has, TypeError for a predicate that symbols cannot
    pass and for a structure of no world, SolverGaveUpError where Z3 answers *unknown*, and
    InternalDisagreementError where the reference rejects what a solver found.
    """
    name = claim.__name__
    given = {name: claim, **_read_lemmas(lemmas)}
    _check_names(structure, given)
    facts = {n: record_predicate(structure, predicate) for n, predicate in given.items()}
    proved = prove_lemmas(structure)
    problem = InductionProblem(structure, fault_model, facts=facts)
    kept, _ = problem.run_houdini((*proved, *given))
    if name in kept or problem.follows(facts[name], kept):
        vacuous = premise is not None and problem.follows(_deny(structure, premise), kept)
        word = VerdictWord.PROVED
        return Verdict(name, fault_model.name, word, lemmas=tuple(kept), is_vacuous=vacuous)
    return _search(structure, fault_model, claim, proved, depth_limit)


def judge_claim(
    structure: ClaimedStructure,
    parameters: BaseParameters,
    schedule: Iterable[Action],
    claim: Predicate,
) -> list[JudgedStep]:
    """Every state of a schedule, judged by a claim of your own; ``draw_steps`` draws them.

    Raises ScheduleError at a step that the reference refuses.
    """
    return [
        JudgedStep(index, action, state, () if claim(state) else (claim.__name__,))
        for index, (action, state) in enumerate(follow(structure, parameters, schedule))
    ]


def _read_lemmas(lemmas: Mapping[str, Predicate | Property]) -> dict[str, Predicate]:
    """The predicates of lemmas; a claim of the world gets a name that the world does not have."""
    given: dict[str, Predicate] = {}
    for name, each in lemmas.items():
        if isinstance(each, Property):
            given[f"given_{name}" if each.name == name else name] = each.predicate
        else:
            given[name] = each
    return given


def _check_names(structure: ClaimedStructure, given: Mapping[str, Predicate]) -> None:
    if taken := sorted(given.keys() & structure.world.get_candidates(structure).keys()):
        raise ValueError(f"{taken[0]} is a property of {structure.name}; choose another name")


def _deny(structure: ClaimedStructure, predicate: Predicate) -> Any:
    return record_predicate(structure, lambda state: negate(predicate(state)))


def _search(
    structure: ClaimedStructure,
    fault_model: FaultModel,
    claim: Predicate,
    lemmas: tuple[str, ...],
    depth_limit: int | None,
) -> Verdict:
    """The shortest schedule against a claim that is not proved, or how deep was searched."""
    name, fault = claim.__name__, fault_model.name
    own = LARGE_DEPTH_LIMIT if structure.index_counts.get("slave", 1) > 1 else DEPTH_LIMIT
    usual = min(own, compute_depth_limit(structure))
    deepest = usual if depth_limit is None else depth_limit
    search = BoundedSearch(structure, fault_model, lemmas)
    questions = {name: _deny(structure, claim)}
    answer = search.find_shortest(questions, depth_limits={name: deepest})[name]
    if answer.schedule is None:
        depth = answer.depth or 0
        note = UNDECIDED_NOTE.format(depth=count_steps(depth), deeper=depth + DEEPER)
        return Verdict(name, fault, VerdictWord.UNDECIDED, depth=answer.depth, note=note)

    def is_refuting(trial: Sequence[Action]) -> bool:
        return is_reached_by(lambda s: not claim(s), structure, search.parameters, trial)

    if not is_refuting(answer.schedule):
        steps = "; ".join(map(str, answer.schedule))
        raise InternalDisagreementError(
            f"bounded search refutes {name} of {structure.name} under {fault}, the reference does "
            f"not: {steps}"
        )
    schedule = lower_numbers(answer.schedule, is_refuting)
    return Verdict(name, fault, VerdictWord.REFUTED, schedule)
