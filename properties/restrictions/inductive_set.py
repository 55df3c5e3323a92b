"""What a relaxed rule leaves of an inductive set, from the cores of the proofs that it is one.

Each step keeps each lemma because of a few others: those in the unsat core of that proof. After
some lemmas are lost, a step is asked only about the lemmas whose core for this step lacks one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import z3

from properties.z3.induction import InductionProblem, InductionStep, make_solver

Cores = Mapping[str, frozenset[str]]
"""For each lemma that a step could break, lemmas that suffice to keep it."""


class InductiveSet:
    """Lemmas that are inductive together, under every step of a problem."""

    def __init__(self, problem: InductionProblem, lemmas: Sequence[str]) -> None:
        self.problem = problem
        self.lemmas = lemmas

    @cached_property
    def cores(self) -> Mapping[str, Cores]:
        """The cores of each step, by its name."""
        return {n: self._find_cores(step) for n, step in self.problem.steps.items()}

    def _find_cores(self, step: InductionStep) -> Cores:
        """If Z3 gives up, no lemma counts as dispensable."""
        problem = self.problem
        holds = {name: z3.Bool(f"holds {name}") for name in self.lemmas}
        names = {str(literal): name for name, literal in holds.items()}
        solver = make_solver()
        solver.set(unsat_core=True)
        solver.add(problem.parameter_constraints)
        solver.add([*step.conditions.values(), *step.ranges.values(), *step.remainders])
        solver.add([z3.Implies(h, problem.now(problem.predicates[n])) for n, h in holds.items()])
        cores = {}
        for lemma in filter(step.touched.__contains__, self.lemmas):
            solver.push()
            solver.add(z3.Not(step.after(problem.predicates[lemma])), *problem.now.side_conditions)
            is_kept = solver.check(*holds.values()) == z3.unsat
            core = [names[str(literal)] for literal in solver.unsat_core()] if is_kept else holds
            cores[lemma] = frozenset(core)
            solver.pop()
        return cores

    def find_rest(
        self, problem: InductionProblem, relaxed: Iterable[InductionStep], among: Iterable[str]
    ) -> list[str]:
        """The largest part of ``among`` that is inductive with relaxed steps instead of theirs.

        ``problem`` has the same rules, perhaps with fewer faults. Raises SolverGaveUpError.
        """
        kept, anew = list(among), {step.recorded.instance.name: step for step in relaxed}
        steps = {**anew, **{n: s for n, s in problem.steps.items() if n not in anew}}
        is_changed = True
        while is_changed:
            is_changed = False
            for name, step in steps.items():
                while broken := step.find_broken(kept, self._list_asked(name, step, anew, kept)):
                    kept = [lemma for lemma in kept if lemma not in broken]
                    is_changed = True
        return kept

    def _list_asked(
        self, name: str, step: InductionStep, anew: Mapping[str, InductionStep], kept: Sequence[str]
    ) -> list[str]:
        """The lemmas that a step may break while these hold before it."""
        if name in anew:
            return [lemma for lemma in kept if lemma in step.touched]
        holds = frozenset(kept)
        cores = self.cores[name].items()
        return [lemma for lemma, core in cores if lemma in holds and not core <= holds]
