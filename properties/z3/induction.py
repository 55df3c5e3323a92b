"""Proof by induction for all offsets: initiation, consecution rule by rule, safety.

Houdini: begin with every lemma and every guarantee, and drop whatever the start or a step
falsifies, until nothing more is dropped. The rest is inductive, and what follows from it is proved.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache, cached_property
from types import MappingProxyType
from typing import Any

import z3
from attrs import field, frozen

from properties.language.fault_model import FaultModel, is_admitted
from properties.language.world import ClaimedStructure
from properties.z3.translation import IntegerArithmetic, Translator, conjoin, disjoin
from reference.language.leaves import compute_leaf_sorts, flatten, is_parameter
from reference.language.machine import RecordedInstance, record_machine, record_predicate
from reference.language.operator_table import Sort
from reference.language.operators import negate
from reference.language.parameters import BaseParameters
from reference.language.terms import Term, walk

LIMIT_PREFIX = "parameters.limits."
"""The prefix of the parameters that limit how often each fault may happen."""

RLIMIT_PER_QUERY = 60_000_000
"""Z3 resource units per query: machine-independent, unlike seconds. The hardest question takes a
quarter of them; how many depends on what a process was asked before."""


_CERTIFIED: ContextVar[Callable[[Any], tuple[str, ...]]] = ContextVar(
    "certified", default=lambda structure: ()
)


class SolverGaveUpError(Exception):
    """Raised when Z3 answers *unknown*; never counted as a proof."""

    def __init__(self, query: str, reason: str = "unknown") -> None:
        """``query`` names the question, ``reason`` is Z3's own: ``canceled`` at a limit of work."""
        super().__init__(f"Z3 gave up ({reason}) on the question {query}")
        self.query, self.reason = query, reason


@contextmanager
def naming(query: str) -> Iterator[None]:
    """Inside, a solver that gives up does so on the question of this name."""
    try:
        yield
    except SolverGaveUpError as problem:
        raise SolverGaveUpError(query, problem.reason) from problem


@frozen
class CounterexampleToInduction:
    """A step from a state that has every lemma to one that lacks this one."""

    lemma: str
    instance: str
    before: Mapping[str, int | bool] = field(repr=False)
    arguments: Mapping[str, int]
    after: Mapping[str, int | bool] = field(repr=False)
    """The leaves that the step changes, with their new value."""


@frozen
class InductionResult:
    """The result of induction for one structure and fault model."""

    proved: tuple[str, ...]
    """Guarantees that hold in every reachable state."""
    vacuous: tuple[str, ...]
    """Proved guarantees whose premise can never hold: they are vacuous here."""
    lemmas: tuple[str, ...]
    """The inductive set that proves them: lemmas, sanity checks and guarantees."""
    dropped: tuple[CounterexampleToInduction, ...]
    """The dropped candidates, and the first step that broke each; empty when lemmas were given."""
    queries: int
    """The number of questions put to Z3."""
    gave_up: Mapping[str, str] = field(factory=dict)
    """The claims of which Z3 found out neither, each with the query that it gave up on."""


def prove_lemmas(structure: ClaimedStructure, names: Iterable[str] = ()) -> tuple[str, ...]:
    """The largest inductive set of these lemmas, or of all, under every fault and event.

    Raises SolverGaveUpError.
    """
    given = tuple(names)
    if not given and (certified := _CERTIFIED.get()(structure)):
        return certified
    return _prove_lemmas(structure, given or tuple(structure.world.get_lemmas(structure)))


@contextmanager
def take_certified(find: Callable[[Any], tuple[str, ...]]) -> Iterator[None]:
    """Inside this context all lemmas of a structure are not proved again where ``find`` has them.

    It is for programs that make many things from the same certificates, and whose results are
    checked again without it.
    """
    token = _CERTIFIED.set(find)
    try:
        yield
    finally:
        _CERTIFIED.reset(token)


@cache
def _prove_lemmas(structure: ClaimedStructure, names: tuple[str, ...]) -> tuple[str, ...]:
    """Only rules and lemmas decide this, and they do not change while a program runs."""
    inductive = _list_inductive(structure)
    known = frozenset[str]().union(*(found for found in inductive if found <= set(names)))
    if known == set(names):
        return names
    problem = InductionProblem(structure, structure.world.everything, known=known)
    kept, _ = problem.run_houdini(names)
    inductive.add(frozenset(kept))
    return tuple(kept)


def keep_inductive(
    structure: ClaimedStructure, names: Collection[str], changed: Collection[str]
) -> None:
    """Remember as inductive what was so before some rules changed, if their steps keep it.

    All of it must have been proved together, under every fault, from the same initial states. Where
    a step breaks a lemma, or Z3 gives up, nothing is remembered.
    """
    problem = InductionProblem(structure, structure.world.everything)
    steps = (
        InductionStep(problem, r) for r in problem.instances if r.instance.rule.name in changed
    )
    with suppress(SolverGaveUpError):
        if not any(step.find_falsified(list(names)) for step in steps):
            _list_inductive(structure).add(frozenset(names))


@cache
def _list_inductive(_structure: ClaimedStructure) -> set[frozenset[str]]:
    """The sets that are known to be inductive, whatever they were found among.

    Sets that are inductive, taken together, are inductive too.
    """
    return set()


class InductionProblem:
    """One structure under one fault model, with sizes, thresholds and limits symbolic."""

    def __init__(
        self,
        structure: ClaimedStructure,
        fault_model: FaultModel,
        *,
        sizes: BaseParameters | None = None,
        facts: Mapping[str, Term] = MappingProxyType({}),
        known: frozenset[str] = frozenset(),
    ) -> None:
        """``sizes`` make sizes and limits numbers, for small examples.

        ``facts`` are more properties, by name. Those that are ``known`` to be inductive together
        must be among the candidates of every run; no step is asked whether it breaks them.
        """
        self.structure = structure
        self.known = known
        self.fault_model = fault_model
        self.arithmetic = IntegerArithmetic()
        self.queries = 0
        self.variables = {
            path: self.arithmetic.variable(path, sort)
            for path, sort in compute_leaf_sorts(structure).items()
        }
        if sizes is not None:
            given = flatten(structure.make_initial(sizes))
            self.variables |= {
                p: self.arithmetic.constant(v) for p, v in given.items() if is_parameter(p)
            }
        self.now = Translator(self.arithmetic, self.variables)
        self.instances = [r for r in record_machine(structure) if is_admitted(r, fault_model)]
        self.predicates = {
            name: record_predicate(structure, p.predicate)
            for name, p in structure.world.get_candidates(structure).items()
        } | dict(facts)

    @cached_property
    def parameter_constraints(self) -> list[Any]:
        """The facts about the parameters under the fault model of this problem."""
        return list(self.compute_parameter_facts(self.fault_model).values())

    def compute_parameter_facts(self, fault_model: FaultModel) -> dict[str, Any]:
        """Sizes are positive, the fall-behind limit is any number, other faults never happen.

        The facts are keyed by the path of their parameter.
        """
        facts = {}
        for path, variable in self.variables.items():
            if not is_parameter(path):
                continue
            fault = path.removeprefix(LIMIT_PREFIX)
            if path.startswith(LIMIT_PREFIX):
                facts[path] = variable >= 0 if fault in fault_model.admitted else variable == 0
            elif path not in self.structure.world.numbers.unlimited:
                facts[path] = variable >= 1
        return facts

    @cached_property
    def leaf_names(self) -> dict[str, set[str]]:
        """The leaves that each property reads."""
        return {name: get_leaf_names(term) for name, term in self.predicates.items()}

    @cached_property
    def steps(self) -> dict[str, InductionStep]:
        """Every rule instance that this fault model admits, by its name."""
        return {r.instance.name: InductionStep(self, r) for r in self.instances}

    @cached_property
    def initially(self) -> Translator:
        """A translator to terms over the initial state, with symbolic parameters."""
        initial = flatten(self.structure.template)
        leaves = {
            path: self.variables[path] if is_parameter(path) else self.arithmetic.constant(value)
            for path, value in initial.items()
        }
        return Translator(self.arithmetic, leaves)

    def read_state(self, model: z3.ModelRef) -> dict[str, int | bool]:
        """The state that a model describes, by leaf."""
        return {path: self.arithmetic.value(model, v) for path, v in self.variables.items()}

    def find_inductive_set(self, names: Iterable[str]) -> InductionResult:
        """Run Houdini from these candidates, then find consequences. Raises SolverGaveUpError."""
        kept, dropped = self.run_houdini(names)
        claims = self.structure.world.claims
        proved = tuple(g for g in claims if g in kept or self._implies(kept, g))
        vacuous = tuple(g for g in proved if self._is_vacuous(g, kept))
        return InductionResult(proved, vacuous, tuple(kept), tuple(dropped), self.queries)

    def run_houdini(
        self, names: Iterable[str]
    ) -> tuple[list[str], list[CounterexampleToInduction]]:
        """The largest inductive set of these candidates, and the steps that broke the others.

        Raises SolverGaveUpError.
        """
        kept = [n for n in names if self._holds_initially(n)]
        dropped: list[CounterexampleToInduction] = []
        is_changed = True
        while is_changed:
            is_changed = False
            for step in self.steps.values():
                while True:
                    fallen = step.find_falsified(kept)
                    if not fallen:
                        break
                    dropped.extend(fallen)
                    names_fallen = {f.lemma for f in fallen}
                    kept = [n for n in kept if n not in names_fallen]
                    is_changed = True
        return kept, dropped

    def find_consequences(self, lemmas: tuple[str, ...]) -> InductionResult:
        """The consequences, under this fault model, of lemmas that hold under all faults.

        One inductive set, proved once under every fault, serves all classes: a class only adds that
        its other faults never happen. Raises SolverGaveUpError.
        """
        claims = self.structure.world.claims
        proved = tuple(g for g in claims if self._implies(lemmas, g))
        vacuous = tuple(g for g in proved if self._is_vacuous(g, list(lemmas)))
        return InductionResult(proved, vacuous, lemmas, (), self.queries)

    def check(self, solver: z3.Solver, question: Any) -> z3.ModelRef | None:
        """A model of the solver's assertions and the question, or None when there is none.

        Raises SolverGaveUpError with the name of the solver's question.
        """
        self.queries += 1
        solver.push()
        try:
            solver.add(question)
            answer = solver.check()
            if answer == z3.unknown:
                raise SolverGaveUpError(solver.query, solver.reason_unknown())
            return solver.model() if answer == z3.sat else None
        finally:
            solver.pop()

    def _holds_initially(self, name: str) -> bool:
        solver = make_solver()
        solver.add(self.parameter_constraints)
        return self.check(solver, z3.Not(self.initially(self.predicates[name]))) is None

    def _is_vacuous(self, name: str, kept: list[str]) -> bool:
        premise = self.structure.world.claims[name].premise
        if premise is None:
            return False
        never = record_predicate(self.structure, lambda c: negate(premise(c)))
        with naming(f"whether the premise of {name} can hold"):
            return self.follows(never, kept)

    def _implies(self, kept: Iterable[str], claim: str) -> bool:
        with naming(f"whether {claim} follows"):
            return self.follows(self.predicates[claim], kept)

    def follows(self, claim: Term, kept: Iterable[str]) -> bool:
        """The claim holds in every state in which all of these properties do."""
        solver = make_solver()
        solver.add(self.parameter_constraints)
        solver.add([self.now(self.predicates[n]) for n in kept])
        denied = z3.Not(self.now(claim))
        solver.add(self.now.side_conditions)
        return self.check(solver, denied) is None


class InductionStep:
    """One rule instance as formulas: its conditions, and every property after it."""

    def __init__(self, problem: InductionProblem, recorded: RecordedInstance) -> None:
        self.problem = problem
        self.recorded = recorded
        arithmetic = problem.arithmetic
        self.arguments = {
            f"argument.{name}": arithmetic.variable(f"argument.{name}", Sort.INTEGER)
            for name, *_ in recorded.arguments
        }
        now = Translator(arithmetic, {**problem.variables, **self.arguments})
        self.effects = {path: now(term) for path, term in recorded.effects.items()}
        self.after = Translator(arithmetic, {**problem.variables, **self.effects})
        self.conditions = {name: now(term) for name, term in recorded.conditions.items()}
        self.ranges = {
            name: z3.And(now(low) <= now(argument), now(argument) <= now(high))
            for name, argument, low, high in recorded.arguments
        }
        self.remainders = now.side_conditions
        """The facts about the fresh numbers that represent remainders."""
        self.touched = {
            name
            for name, leaves in problem.leaf_names.items()
            if name not in problem.known and not recorded.effects.keys().isdisjoint(leaves)
        }
        """The properties that read a leaf the step changes, and are not known to be kept."""

    @cached_property
    def solver(self) -> z3.Solver:
        """A solver with the instance's conditions; kept through a whole Houdini run."""
        solver = make_solver(f"whether {self.recorded.instance.name} keeps the lemmas")
        solver.add(self.problem.parameter_constraints)
        solver.add([*self.conditions.values(), *self.ranges.values(), *self.remainders])
        return solver

    def find_falsified(self, kept: list[str]) -> list[CounterexampleToInduction]:
        """The candidates that one step of this rule can falsify when all of them hold before."""
        model, broken = self._look(kept, (n for n in kept if n in self.touched))
        return [self.read_counterexample(model, n) for n in broken]

    def find_broken(self, kept: Iterable[str], asked: Iterable[str]) -> list[str]:
        """Some of the properties asked for that a step can falsify when all ``kept`` hold before.

        None only if it can falsify none of them. Raises SolverGaveUpError.
        """
        return self._look(kept, asked)[1]

    def _look(self, kept: Iterable[str], asked: Iterable[str]) -> tuple[Any, list[str]]:
        """A model of a step that falsifies some of these properties, and which; or none."""
        problem = self.problem
        claims = {n: self.after(problem.predicates[n]) for n in asked}
        if not claims:
            return None, []
        assumed = [problem.now(problem.predicates[n]) for n in kept]
        broken = disjoin(*[z3.Not(c) for c in claims.values()])
        model = problem.check(self.solver, conjoin(*assumed, broken))
        if model is None:
            return None, []
        value = problem.arithmetic.value
        return model, [n for n, claim in claims.items() if not value(model, claim)]

    def read_counterexample(self, model: z3.ModelRef, lemma: str) -> CounterexampleToInduction:
        """The step that a model describes, after which a lemma does not hold."""
        value = self.problem.arithmetic.value
        return CounterexampleToInduction(
            lemma,
            self.recorded.instance.name,
            self.problem.read_state(model),
            {n.removeprefix("argument."): int(value(model, v)) for n, v in self.arguments.items()},
            {path: value(model, effect) for path, effect in self.effects.items()},
        )


def make_solver(query: str = "whether a property holds") -> z3.Solver:
    """A solver with a limit on work, not on time; ``query`` names what it is asked."""
    solver = limit_work(z3.Solver())
    solver.query = query
    return solver


def limit_work(solver: z3.Solver) -> z3.Solver:
    """The solver with a work limit per query and without random choices."""
    solver.set("rlimit", RLIMIT_PER_QUERY)
    solver.set("random_seed", 0)
    return solver


def get_leaf_names(term: Term) -> set[str]:
    """The paths of the leaves in a term."""
    return {node.payload for node in walk([term]) if node.operator == "leaf"}
