"""The foundations of every proof, checked by meaning: simplification, translation, premises.

A proof is only as good as the step from a term to Z3. Three things could be wrong there and would
be noticed nowhere else: the simplification of terms, the translation of operators, and the facts
assumed of a remainder with a symbolic divisor. Each is compared here with
``reference.language.terms.evaluate``, the one meaning of every operator, or proved by Z3 for all
numbers.

A premise, too, can be wrong: it must be neither stronger nor weaker than its claim needs. A proved
verdict counts as vacuous if its premise never holds. A premise that holds too often hides vacuous
verdicts; one that holds too rarely calls other verdicts vacuous. Therefore two things are checked.
Where runs meet the premise, the claim must be able to fail: in most of these situations, with the
premise's leaves unchanged, other values of the other leaves break it. And if the premise never
holds, the claim must hold for that reason alone, without any lemma.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import z3

from properties.language.property import Property, PropertyRole
from properties.language.world import ClaimedStructure
from properties.verdicts.verdict import InternalDisagreementError
from properties.z3.induction import InductionProblem, get_leaf_names, make_solver
from properties.z3.translation import BitVectorArithmetic, IntegerArithmetic, Translator
from reference.language.leaves import flatten, is_parameter
from reference.language.machine import record_predicate
from reference.language.operator_table import OPERATORS, Sort
from reference.language.terms import Term, constant, evaluate, leaf, make_raw, record, substitute

Value = int | bool

SMALL = {Sort.INTEGER: (-2, -1, 0, 1, 2, 3), Sort.BOOLEAN: (False, True)}
"""Values on which operators are compared one by one."""

DIVISIONS = ("quotient", "remainder")
"""Operators whose divisor is positive and whose dividend is not negative, as in all rules."""

LEAVES = {
    "x": Sort.INTEGER,
    "y": Sort.INTEGER,
    "p": Sort.BOOLEAN,
    "q": Sort.BOOLEAN,
}
"""The free variables of the terms whose simplification is checked."""


class UnsoundFoundationError(InternalDisagreementError):
    """Raised if a reading disagrees with ``evaluate``; one line."""


def check_foundations() -> dict[str, int]:
    """The number of checked cases of each kind. Raises UnsoundFoundationError."""
    return {
        "simplified terms": check_simplification(),
        "translated operations": check_translation(),
        "facts about remainders": check_remainder_facts(),
    }


def list_operands() -> dict[Sort, list[Term]]:
    """Leaves, constants, and every operator once over them: the input of simplification."""
    simple: dict[Sort, list[Term]] = {sort: [] for sort in Sort}
    for name, sort in LEAVES.items():
        simple[sort].append(leaf(name, sort))
    for number in (-1, 0, 1, 2):
        simple[Sort.INTEGER].append(constant(number))
    for flag in (False, True):
        simple[Sort.BOOLEAN].append(constant(flag))
    found = {sort: list(terms) for sort, terms in simple.items()}
    for operator, row in OPERATORS.items():
        leaves = [simple[sort][:2] for sort in row.sorts]
        for arguments in itertools.product(*leaves):
            found[row.result].append(make_raw(operator, *arguments))
    return found


def list_simplified() -> Iterator[tuple[Term, Term]]:
    """Every term over these operands that ``record`` simplifies, with the result."""
    operands = list_operands()
    for operator, row in OPERATORS.items():
        pools = [operands[sort] for sort in row.sorts]
        if len(row.sorts) > 2:
            pools = [pools[0], *(pool[:8] for pool in pools[1:])]
        for arguments in itertools.product(*pools):
            if is_defined(operator, arguments):
                raw, recorded = make_raw(operator, *arguments), record(operator, *arguments)
                if raw is not recorded:
                    yield raw, recorded


def is_defined(operator: str, arguments: tuple[Term, ...]) -> bool:
    """No division by a number that is not positive, nor of a negative one."""
    if operator not in DIVISIONS:
        return True
    dividend, divisor = arguments
    is_literal = dividend.operator == divisor.operator == "constant"
    return is_literal and divisor.payload > 0 and dividend.payload >= 0


def check_simplification() -> int:
    """Check that every simplified term equals its original, for all values of its leaves.

    Returns the number of simplified terms. Raises UnsoundFoundationError.
    """
    arithmetic = IntegerArithmetic()
    translate = Translator(arithmetic, {n: arithmetic.variable(n, s) for n, s in LEAVES.items()})
    solver = z3.Solver()
    count = 0
    for raw, recorded in list_simplified():
        count += 1
        solver.push()
        solver.add(translate(raw) != translate(recorded))
        solver.add(translate.side_conditions)
        if solver.check() != z3.unsat:
            raise UnsoundFoundationError(f"{raw!r} is simplified to {recorded!r}: not the same")
        solver.pop()
    return count


def check_translation() -> int:
    """Check that Z3 computes every operator as the reference does, on integers and bit vectors.

    Returns the number of compared operations. Raises UnsoundFoundationError.
    """
    count = 0
    for arithmetic in (IntegerArithmetic(), BitVectorArithmetic()):
        for operator, row in OPERATORS.items():
            for values in itertools.product(*(SMALL[sort] for sort in row.sorts)):
                if operator in DIVISIONS and (values[0] < 0 or values[1] <= 0):
                    continue
                compare_operation(arithmetic, operator, values)
                count += 1
    return count


def compare_operation(
    arithmetic: IntegerArithmetic, operator: str, values: tuple[Value, ...]
) -> None:
    """One operator on one choice of values. Raises UnsoundFoundationError."""
    names = [f"operand.{index}" for index in range(len(values))]
    sorts = OPERATORS[operator].sorts
    term = make_raw(operator, *map(leaf, names, sorts))
    given = {n: arithmetic.constant(v) for n, v in zip(names, values, strict=True)}
    translate = Translator(arithmetic, given)
    solver = z3.Solver()
    solver.add(translate(term) != arithmetic.constant(evaluate(operator, *values)))
    solver.add(translate.side_conditions)
    if solver.check() != z3.unsat:
        raise UnsoundFoundationError(f"Z3 reads {operator}{values} otherwise than the reference")


def check_remainder_facts() -> int:
    """Check the facts that proofs assume of a remainder, for all dividends and positive divisors.

    Returns the number of proved statements. Raises UnsoundFoundationError.
    """
    dividend, divisor, quotient = z3.Ints("dividend divisor quotient")
    fresh, facts = IntegerArithmetic().remainder(dividend, divisor)
    product = quotient * divisor
    is_division = z3.And(divisor >= 1, fresh >= 0, fresh < divisor, dividend == product + fresh)
    bounds: dict[str, Any] = {
        "a quotient above 0": z3.Implies(quotient >= 1, product >= divisor),
        "a quotient below 0": z3.Implies(quotient <= -1, product <= -divisor),
        "a quotient of 0": z3.Implies(quotient == 0, product == 0),
    }
    for name, bound in bounds.items():
        prove(z3.Implies(divisor >= 1, bound), f"a multiple of a divisor, {name}")
    prove(z3.Implies(z3.And(is_division, *bounds.values()), facts), "what is known of a remainder")
    return len(bounds) + 1


def prove(statement: Any, what: str) -> None:
    """Raises UnsoundFoundationError unless Z3 proves the statement."""
    solver = z3.Solver()
    solver.add(z3.Not(statement))
    if solver.check() != z3.unsat:
        raise UnsoundFoundationError(f"{what}: Z3 does not prove it")


PROJECTIONS_MAX = 40
"""The number of different situations of a premise that are examined."""


def find_wrong_premises(
    structure: ClaimedStructure, lemmas: Iterable[str], states: Iterable[Any]
) -> Iterator[str]:
    """A line for each claim with a wrong premise; ``states`` are some that runs reach.

    Raises SolverGaveUpError.
    """
    problem = InductionProblem(structure, structure.world.everything)
    kept, reached = tuple(lemmas), [flatten(state) for state in states]
    for name, claim in structure.world.claims.items():
        if claim.premise is None:
            yield f"{name} of {structure.name} has no premise"
            continue
        premise = record_predicate(structure, claim.premise)
        holds = problem.predicates[name]
        is_vacuous = problem.follows(record("not", premise), kept)
        if is_vacuous and not problem.follows(record("or", premise, holds), ()):
            yield f"{name} of {structure.name} counts as vacuous, and says something"
        if holds.operator != "constant":
            yield from _find_idle_premise(problem, claim, premise, reached)
        elif claim.role is PropertyRole.CONVERGENCE and not is_vacuous:
            yield f"{name} of {structure.name} says nothing, and does not count as vacuous"


def _find_idle_premise(
    problem: InductionProblem, claim: Property, premise: Term, reached: list[dict[str, Any]]
) -> Iterator[str]:
    """A message if the premise mostly holds in situations in which the claim cannot fail."""
    denied = record("not", problem.predicates[claim.name])
    asked = sorted(get_leaf_names(premise))
    read = [path for path in asked if not is_parameter(path)]
    alike = {tuple(state[path] for path in asked): state for state in reached}
    holding = [state for state in alike.values() if substitute(premise, state)]
    met = {tuple(state[path] for path in read) for state in holding}
    if claim.role is PropertyRole.CONVERGENCE:
        # Nearly all leaves decide rest, so none is left to vary.
        met, read, denied = ({()} if met else set()), [], record("and", premise, denied)
    looked_at = sorted(met)[:PROJECTIONS_MAX]
    given = [dict(zip(read, situation, strict=True)) for situation in looked_at]
    idle = [situation for situation in given if not _is_possible(problem, denied, situation)]
    if 2 * len(idle) > len(given):
        yield (
            f"the premise of {claim.name} of {problem.structure.name} holds in {len(given)} "
            f"situations, in {len(idle)} of which the claim cannot fail"
        )


def _is_possible(problem: InductionProblem, question: Term, given: dict[str, Any]) -> bool:
    """The condition holds in some state with these leaves."""
    solver = make_solver()
    solver.add([problem.variables[path] == value for path, value in given.items()])
    solver.add(problem.now(question))
    solver.add(problem.now.side_conditions)
    return bool(solver.check() == z3.sat)
