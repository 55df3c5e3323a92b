"""One question to Z3: whether facts imply a claim, and which of the facts are needed."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import z3
from attrs import frozen

from properties.z3.induction import limit_work


class FactKind(enum.Enum):
    """The kinds of facts that a proof may use."""

    LEMMA = "lemma"
    """A lemma or sanity check holds in the state before."""
    CONDITION = "condition"
    """A named condition of the rule holds."""
    RANGE = "range"
    """An argument of the rule is within its range."""
    REMAINDER = "remainder"
    """A remainder is neither negative nor as large as the divisor."""
    SIZE = "size"
    """A size is at least one byte."""
    LIMIT = "limit"
    """The number of times that a fault may happen is not negative."""
    ABSENCE = "absence"
    """A fault never happens."""


@frozen
class Fact:
    """Something that a proof may assume, by name."""

    kind: FactKind
    name: str
    """The name of the lemma, condition, argument, parameter or fault."""

    def __str__(self) -> str:
        return f"{self.kind.value} {self.name}"

    @classmethod
    def parse(cls, text: str) -> Fact:
        """The fact that ``str`` wrote; raises ValueError for an unknown kind."""
        kind, _, name = text.partition(" ")
        return cls(FactKind(kind), name)


@frozen(eq=False)
class ProofQuestion:
    """A question: whether the claim holds wherever all of the facts do."""

    facts: Mapping[Fact, Any]
    """The formula of each fact."""
    claim: Any
    """The formula of the claim."""


class DischargeOutcome(enum.Enum):
    """The outcome of a question."""

    HOLDS = "holds"
    """The claim follows from the facts."""
    FAILS = "fails"
    """A model has all of the facts and lacks the claim."""
    GAVE_UP = "gave up"
    """Z3 reached its work limit; never counted as a proof."""


@frozen(eq=False)
class SolverAnswer:
    """Z3's answer to a question."""

    outcome: DischargeOutcome
    work: int
    """The work in Z3's resource units; machine-independent, unlike seconds."""
    core: tuple[Fact, ...] = ()
    """For a claim that holds: facts that suffice, in the order of the question."""
    model: z3.ModelRef | None = None
    """For a claim that fails: the model in which it does."""


def ask(question: ProofQuestion) -> SolverAnswer:
    """Put a question to Z3, with every fact as an assumption that it may leave unused."""
    return _Asking(question).ask()


def ask_for_minimal_core(question: ProofQuestion, *, is_thorough: bool = False) -> SolverAnswer:
    """Put a question to Z3, with a core from which no fact can be left out.

    There may be other minimal cores. The last facts of the question are left out first; put the
    facts that you prefer in a core at the beginning. A thorough answer begins with all facts, a
    quick one with those that Z3 happened to use.
    """
    asking = _Asking(question)
    answer = asking.ask()
    if answer.outcome is not DischargeOutcome.HOLDS:
        return answer
    begin = tuple(question.facts) if is_thorough else answer.core
    core = compute_minimal_core(begin, asking.suffices)
    return SolverAnswer(answer.outcome, answer.work, core)


def compute_minimal_core(
    core: tuple[Fact, ...], suffices: Callable[[tuple[Fact, ...]], bool]
) -> tuple[Fact, ...]:
    """A part of a core that still suffices, and from which no fact can be left out."""
    for fact in reversed(core):
        less = tuple(f for f in core if f != fact)
        if suffices(less):
            core = less
    return core


def follows_from(question: ProofQuestion, core: Iterable[Fact]) -> bool:
    """The claim follows from these facts alone; Z3 gets no other facts.

    Raises KeyError for a fact that the question does not have.
    """
    solver = make_plain_solver()
    solver.add([question.facts[fact] for fact in core])
    solver.add(z3.Not(question.claim))
    return bool(solver.check() == z3.unsat)


def make_plain_solver(context: z3.Context | None = None) -> z3.Solver:
    """A solver for many small questions, without preprocessing that pays only for long ones."""
    return limit_work(z3.SimpleSolver(ctx=context))


class _Asking:
    """A solver with one question; each fact is guarded by a literal with the fact's name.

    Everything is in a context of its own, so that neither the work nor the core depends on earlier
    questions.
    """

    def __init__(self, question: ProofQuestion) -> None:
        context = z3.Context()
        self.solver = make_plain_solver(context)
        self.literals: dict[Fact, Any] = {}
        for fact, formula in question.facts.items():
            literal = z3.Bool(str(fact), context)
            self.literals[fact] = literal
            self.solver.add(z3.Implies(literal, formula.translate(context)))
        self.solver.add(z3.Not(question.claim.translate(context)))

    def ask(self) -> SolverAnswer:
        """Ask with all facts together."""
        before = self._get_work()
        result = self.solver.check(*self.literals.values())
        work = self._get_work() - before
        if result == z3.unknown:
            return SolverAnswer(DischargeOutcome.GAVE_UP, work)
        if result == z3.sat:
            return SolverAnswer(
                DischargeOutcome.FAILS, work, model=self.solver.model().translate(z3.main_ctx())
            )
        used = {str(literal) for literal in self.solver.unsat_core()}
        return SolverAnswer(
            DischargeOutcome.HOLDS, work, tuple(f for f in self.literals if str(f) in used)
        )

    def suffices(self, facts: Iterable[Fact]) -> bool:
        """The claim follows from these facts; False if Z3 gives up."""
        return bool(self.solver.check(*(self.literals[f] for f in facts)) == z3.unsat)

    def _get_work(self) -> int:
        return int(self.solver.statistics().get_key_value("rlimit count"))
