"""The sets of faults that a guarantee survives: the border between proved and refuted sets.

The fault models of the table are a choice of fault sets; here all sets are decided. A proof under a
set covers all smaller ones, and a schedule that needs certain faults covers all larger ones:
maximal proved sets and minimal refuted sets decide everything. They are found by querying for a set
on neither side until there is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from types import MappingProxyType
from typing import Any

import z3
from attrs import frozen

from properties.language.fault_model import FaultModel, get_fault_count_name
from properties.language.world import ClaimedStructure
from properties.schedules.related_structures import Schedule
from properties.z3.induction import (
    LIMIT_PREFIX,
    InductionProblem,
    InductionResult,
    SolverGaveUpError,
    make_solver,
)
from reference.language.machine import record_machine, record_predicate
from reference.language.operators import negate
from reference.language.parameters import BaseParameters
from reference.language.terms import Term

FaultSet = frozenset[str]
"""Names of faults, as in the class that counts the faults of a world."""


TIMES = 3
"""How often each fault may happen in a schedule against a set of faults.

A slave ends three times where it is damaged, repaired, and then promoted.
"""


def get_all_faults(structure: ClaimedStructure) -> FaultSet:
    """Every fault and environment event of a structure's world."""
    return frozenset(structure.world.everything.admitted)


def make_parameters(structure: ClaimedStructure, faults: FaultSet) -> BaseParameters:
    """The sizes at which sets of faults are judged, with these faults admitted."""
    limits = structure.world.everything.counts(**dict.fromkeys(faults, TIMES))
    return structure.world.sizes.fault_sets.limit(limits)


@frozen
class Refutation:
    """A schedule against a guarantee, and the faults that it needs."""

    faults: FaultSet
    schedule: Schedule


@frozen
class Border:
    """The fault sets that one guarantee of one structure survives, and those that break it."""

    guarantee: str
    proved: tuple[FaultSet, ...]
    """The largest sets whose faults may happen in any mixture."""
    refuted: tuple[Refutation, ...]
    """The smallest sets that refute it, each with a schedule."""
    undecided: tuple[FaultSet, ...] = ()
    """The smallest sets that are neither, as far as was searched."""

    def find_open_set(self, all_faults: FaultSet) -> FaultSet | None:
        """A set that this border does not decide; None if it decides every set."""
        above = [*(r.faults for r in self.refuted), *self.undecided]
        return find_unexplored(all_faults, self.proved, above)


def find_unexplored(
    all_faults: FaultSet, below: Iterable[FaultSet], above: Iterable[FaultSet]
) -> FaultSet | None:
    """A set of faults that is in none of the first sets and contains none of the others."""
    is_in = {name: z3.Bool(name) for name in sorted(all_faults)}
    solver = z3.Solver()
    solver.add([z3.Or([is_in[n] for n in all_faults - lower]) for lower in below])
    solver.add([z3.Or([z3.Not(is_in[n]) for n in upper]) for upper in above])
    if solver.check() != z3.sat:
        return None
    model = solver.model()
    return frozenset(n for n, v in is_in.items() if z3.is_true(model.eval(v)))


def find_harmless(
    solver: z3.Solver,
    absence: Mapping[str, Any],
    denied: Iterable[Any],
    faults: FaultSet,
    query: str,
) -> FaultSet | None:
    """A set of faults, with at least these, that leaves what is denied impossible; or None.

    ``absence`` has a literal of the solver for each fault, which says that there is none. Raises
    SolverGaveUpError with the name of the query.
    """
    solver.push()
    try:
        solver.add(*denied)
        answer = solver.check(*(absent for name, absent in absence.items() if name not in faults))
        if answer == z3.unknown:
            raise SolverGaveUpError(query, solver.reason_unknown())
        if answer == z3.sat:
            return None
        needed = {str(absent) for absent in solver.unsat_core()}
        return frozenset(name for name, absent in absence.items() if str(absent) not in needed)
    finally:
        solver.pop()


class FaultSetProver:
    """Decides under which faults the lemmas of a structure imply a guarantee."""

    def __init__(
        self,
        structure: ClaimedStructure,
        lemmas: Iterable[str],
        facts: Mapping[str, Term] = MappingProxyType({}),
    ) -> None:
        """``facts`` are properties besides the named ones, for lemmas without a name."""
        self.structure = structure
        everything = structure.world.everything
        self.problem = InductionProblem(structure, everything, facts=facts)
        self.lemmas = tuple(lemmas)
        self.absence = {n: z3.Bool(f"no {n}") for n in everything.admitted}
        self.survived: dict[str, list[FaultSet]] = {}
        """The sets of faults for which a claim is known to follow, by claim."""
        self.fallen: dict[str, list[FaultSet]] = {}
        """The sets of faults for which a claim is known not to follow, by claim."""

    @cached_property
    def solver(self) -> z3.Solver:
        """A solver with the lemmas, and with literals for the absence of each fault."""
        problem, solver = self.problem, make_solver()
        solver.set(unsat_core=True)
        solver.add(problem.parameter_constraints)
        solver.add([problem.now(problem.predicates[n]) for n in self.lemmas])
        solver.add(
            [
                z3.Implies(is_absent, problem.variables[LIMIT_PREFIX + name] == 0)
                for name, is_absent in self.absence.items()
            ]
        )
        return solver

    def decide(self, fault_model: FaultModel) -> InductionResult:
        """The claims that follow under this fault model. Raises SolverGaveUpError."""
        result = self.decide_each(fault_model)
        for query in result.gave_up.values():
            raise SolverGaveUpError(query)
        return result

    def decide_each(self, fault_model: FaultModel) -> InductionResult:
        """The same; a claim of which Z3 finds out neither costs no other claim its answer."""
        faults = frozenset(fault_model.admitted)
        proved, vacuous, gave_up = [], [], {}
        for claim in self.structure.world.claims:
            try:
                if self.find_survived(claim, faults) is None:
                    continue
                is_vacuous = self._is_vacuous(claim, faults)
            except SolverGaveUpError as problem:
                gave_up[claim] = f"{problem.query}, {fault_model.name}"
                continue
            proved.append(claim)
            vacuous += [claim] * is_vacuous
        queries = self.problem.queries
        return InductionResult(tuple(proved), tuple(vacuous), self.lemmas, (), queries, gave_up)

    def _is_vacuous(self, name: str, faults: FaultSet) -> bool:
        premise = self.structure.world.claims[name].premise
        if premise is None:
            return False
        never = record_predicate(self.structure, lambda cluster: negate(premise(cluster)))
        return self._find_survived(f"the premise of {name}", never, faults) is not None

    def find_survived(self, name: str, faults: FaultSet) -> FaultSet | None:
        """A set of faults, with at least these, under which it is proved; None without a proof.

        Raises SolverGaveUpError.
        """
        return self._find_survived(name, self.problem.predicates[name], faults)

    def _find_survived(self, name: str, claim: Term, faults: FaultSet) -> FaultSet | None:
        survived = self.survived.setdefault(name, [])
        for known in survived:
            if faults <= known:
                return known
        fallen = self.fallen.setdefault(name, [])
        if any(known <= faults for known in fallen):
            return None  # The state that refutes it with fewer faults is still possible.
        found = self._ask(name, claim, faults)
        if found is None:
            fallen.append(faults)
        else:
            survived.append(found)
        return found

    def _ask(self, name: str, claim: Term, faults: FaultSet) -> FaultSet | None:
        problem = self.problem
        problem.queries += 1
        denied = [z3.Not(problem.now(claim)), *problem.now.side_conditions]
        query = f"whether {name} follows"
        return find_harmless(self.solver, self.absence, denied, faults, query)

    def grow(self, guarantee: str, faults: FaultSet) -> FaultSet | None:
        """A largest survived set with these faults. None without a proof for them."""
        survived = self.find_survived(guarantee, faults)
        if survived is None:
            return None
        for name in sorted(self.absence.keys() - survived):
            survived = self.find_survived(guarantee, survived | {name}) or survived
        return survived

    def shrink(self, guarantee: str, faults: FaultSet) -> FaultSet:
        """A smallest part of a set without a proof that has no proof either."""
        for name in sorted(faults):
            if self.find_survived(guarantee, faults - {name}) is None:
                faults -= {name}
        return faults


def decide_fault_models(
    structure: ClaimedStructure, lemmas: Iterable[str]
) -> Mapping[str, InductionResult]:
    """The claims that follow from proved lemmas, by fault model."""
    prover = FaultSetProver(structure, lemmas)
    return {c.name: prover.decide_each(c) for c in structure.world.fault_models}


def leave_all_open(structure: ClaimedStructure, query: str) -> Mapping[str, InductionResult]:
    """No claim follows under any fault model, since Z3 gave up on a query about the lemmas."""
    world = structure.world
    nothing = InductionResult((), (), (), (), 0, dict.fromkeys(world.claims, query))
    return {c.name: nothing for c in world.fault_models}


def compute_faults(structure: ClaimedStructure, schedule: Schedule) -> FaultSet:
    """The faults that happen in a schedule."""
    counted = _get_fault_count_names(structure)
    return frozenset(name for a in schedule if (name := counted[a.instance]) is not None)


@cache
def _get_fault_count_names(structure: ClaimedStructure) -> dict[str, str | None]:
    """The fault count of each rule instance, or None if it is no fault."""
    return {r.instance.name: get_fault_count_name(r) for r in record_machine(structure)}
