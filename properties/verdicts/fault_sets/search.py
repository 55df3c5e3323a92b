"""Finds the border between survived and fatal fault sets: proofs, known schedules, then search."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from functools import partial

from properties.language.fault_model import FaultModel
from properties.language.property import Property
from properties.language.world import ClaimedStructure
from properties.schedules.judgement import (
    follow_while_possible,
    is_refuted_by,
    remove_needless_steps,
)
from properties.schedules.related_structures import Schedule, carry_over
from properties.verdicts.verdict import record_violation
from properties.z3.bounded_search import BoundedSearch
from properties.z3.fault_sets import (
    Border,
    FaultSet,
    FaultSetProver,
    Refutation,
    compute_faults,
    find_unexplored,
    get_all_faults,
    make_parameters,
)
from properties.z3.induction import prove_lemmas
from reference.language.parameters import BaseParameters

SEARCH_DEPTH = 20
"""The number of steps after which a set of faults counts as undecided."""

Search = Callable[[FaultModel, Collection[str], Callable[[str], None]], Mapping[str, Schedule]]
"""Searches schedules against some claims, under a set of faults, and reports its progress."""

Refutations = dict[str, dict[FaultSet, Schedule]]
"""Schedules by the guarantee that they refute and the faults that they need."""


def find_borders(
    structure: ClaimedStructure,
    known: Iterable[Schedule],
    on_progress: Callable[[str], None] = lambda text: None,
    search: Search | None = None,
    left_open: Iterable[tuple[FaultSet, str]] = (),
) -> tuple[Border, ...]:
    """Decide which sets of faults each guarantee survives. Raises SolverGaveUpError.

    ``search`` decides sets that neither a proof nor a known schedule does; without it, a step by
    step search. The sets of ``left_open``, each with a guarantee, are not searched.
    """
    on_progress(f"{structure.name}, fault sets: what known schedules refute")
    prover = FaultSetProver(structure, prove_lemmas(structure))
    parameters = make_parameters(structure, get_all_faults(structure))
    refuted = gather_refutations(structure, known, parameters)
    counts = structure.world.everything.counts
    look_for = search or partial(search_step_by_step, prover)
    searched: dict[FaultSet, set[str]] = {}
    for faults, name in left_open:
        searched.setdefault(faults, set()).add(name)
    while True:
        borders = [find_border(prover, name, refuted[name]) for name in refuted]
        asked = [
            (faults, border.guarantee)
            for border in borders
            for faults in border.undecided
            if border.guarantee not in searched.get(faults, ())
        ]
        if not asked:
            return tuple(borders)
        faults = min((faults for faults, _ in asked), key=lambda f: (len(f), sorted(f)))
        names = {name for candidate, name in asked if candidate == faults}
        searched.setdefault(faults, set()).update(names)
        fault_model = FaultModel(", ".join(sorted(faults)), tuple(sorted(faults)), counts)
        for name, schedule in look_for(fault_model, names, on_progress).items():
            refuted[name][compute_faults(structure, schedule)] = schedule


def find_border(prover: FaultSetProver, guarantee: str, known: dict[FaultSet, Schedule]) -> Border:
    """The border as far as proofs and these schedules decide it. Raises SolverGaveUpError."""
    proved: list[FaultSet] = []
    undecided: list[FaultSet] = []
    everything = get_all_faults(prover.structure)
    while (faults := find_unexplored(everything, proved, [*known, *undecided])) is not None:
        largest = prover.grow(guarantee, faults)
        if largest is None:
            undecided.append(prover.shrink(guarantee, faults))
        else:
            proved.append(largest)
    minimal = [f for f in known if not any(smaller < f for smaller in known)]
    return Border(
        guarantee,
        tuple(sorted(proved, key=sorted)),
        tuple(Refutation(f, known[f]) for f in sorted(minimal, key=sorted)),
        tuple(sorted(undecided, key=sorted)),
    )


def search_step_by_step(
    prover: FaultSetProver,
    fault_model: FaultModel,
    names: Collection[str],
    on_progress: Callable[[str], None],
) -> dict[str, Schedule]:
    """The shortest schedules against these guarantees with only these faults, up to a depth."""
    structure = prover.structure
    sizes = structure.world.sizes.fault_sets
    answers = BoundedSearch(structure, fault_model, prover.lemmas, sizes=sizes).find_shortest(
        {name: record_violation(structure, name) for name in names},
        depth_limits=dict.fromkeys(names, SEARCH_DEPTH),
        on_progress=lambda depth, left: on_progress(
            f"{structure.name}, {fault_model.name}: depth {depth}, {left} open"
        ),
    )
    return {name: a.schedule for name, a in answers.items() if a.schedule is not None}


def find_refutations(
    structure: ClaimedStructure,
    known: Iterable[Schedule],
    sizes: BaseParameters | None = None,
    *,
    names: Container[str] = (),
) -> Refutations:
    """Refutations of these guarantees, or all, by beginnings of these schedules, by their faults.

    ``sizes`` defaults to the small ones. For each guarantee only minimal sets are kept.
    """
    given = structure.world.sizes.search if sizes is None else sizes
    parameters = given.limit(structure.world.everything.search_limits)
    return gather_refutations(structure, known, parameters, names=names)


def gather_refutations(
    structure: ClaimedStructure,
    known: Iterable[Schedule],
    parameters: BaseParameters,
    *,
    names: Container[str] = (),
) -> Refutations:
    """The same at these sizes, and with each fault as often as these parameters admit."""
    claims = structure.world.claims
    asked = {n: claim for n, claim in claims.items() if not names or n in names}
    found: Refutations = {name: {} for name in asked}
    for schedule in sorted(known, key=len):
        for carried in carry_over(structure, parameters, schedule):
            for name, beginning in _find_violations(structure, parameters, carried, asked):
                _note(structure, parameters, found[name], name, beginning)
    return found


def _note(
    structure: ClaimedStructure,
    parameters: BaseParameters,
    found: dict[FaultSet, Schedule],
    name: str,
    beginning: Schedule,
) -> None:
    """Keep a refutation, without needless steps, unless a known one needs fewer faults."""
    if any(smaller <= compute_faults(structure, beginning) for smaller in found):
        return
    schedule = remove_needless_steps(
        beginning, lambda trial: is_refuted_by(name, structure, parameters, trial)
    )
    faults = compute_faults(structure, schedule)
    if not any(smaller <= faults for smaller in found):
        for larger in [f for f in found if faults < f]:
            del found[larger]
        found[faults] = schedule


def _find_violations(
    structure: ClaimedStructure,
    parameters: BaseParameters,
    schedule: Schedule,
    asked: Mapping[str, Property],
) -> Iterator[tuple[str, Schedule]]:
    """Each of these guarantees that the schedule violates, with its beginning up to there."""
    held = dict(asked)
    states = follow_while_possible(structure, parameters, schedule)
    for index, (_, cluster) in enumerate(states):
        for name in [n for n, claim in held.items() if not claim.predicate(cluster)]:
            yield name, schedule[:index]
            del held[name]
