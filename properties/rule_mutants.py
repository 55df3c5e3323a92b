"""Rule mutants: each rule with one small mistake, made mechanically from the registry.

A check that no mutant fails proves little. A mutant works through the protocol of rules: it runs
the true rule and changes what it yields, so that no rule is ever copied. Here are the mistakes that
a recording of real brokers can show: a condition forgotten, a bound off by one, ``<`` for ``<=``.
"""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from attrs import evolve, frozen

from properties.mutants.places import COMPARISONS
from reference.leaves import flatten
from reference.machine import Instance, compute_machine, record_instance
from reference.rule import Argument, Conditions, Rule, RuleBody
from reference.rules import RULES
from reference.state import Cluster
from reference.structure import Structure
from reference.terms import Term, constant, record, substitute, walk
from reference.version import compute_rules

GHOST_CONDITIONS = frozenset(
    {
        "has_copy_left",
        "has_modelled_life_left",
        "is_below_modelled_end",
        "is_next_message",
        "is_old_file_copied",
        "is_old_file_not_copied",
        "is_within_limit",
    }
)
"""Conditions that exist in the specification only: no broker could show a mistake in them."""

WIDEST = Structure(slaves=1, messages=2)
"""The structure from which mutants are derived: every rule has an instance in it."""


class MutantKind(enum.Enum):
    """What mistake a mutant makes."""

    CONDITION_DROPPED = "condition dropped"
    STRICTNESS_FLIPPED = "strictness flipped"
    RANGE_WIDER = "range wider by one"
    RANGE_NARROWER = "range narrower by one"


@frozen
class RuleMutant:
    """One rule with one mistake."""

    rule: str
    kind: MutantKind
    where: str
    """The condition, or ``low`` or ``high`` of an argument, for example ``size_bytes.high``."""
    occurrence: int = 0
    """Which comparison of the condition, counted in the order of evaluation."""

    @property
    def name(self) -> str:
        """For example ``request_slave_wait: is_slave_ok, strictness flipped (1)``."""
        which = f" ({self.occurrence + 1})" if self.kind is MutantKind.STRICTNESS_FLIPPED else ""
        return f"{self.rule}: {self.where}, {self.kind.value}{which}"


def list_mutants() -> tuple[RuleMutant, ...]:
    """Every mutant of every rule, in the order of the rules."""
    found: list[RuleMutant] = []
    for rule, body in RULES.items():
        recorded = record_instance(WIDEST, Instance(body, (0,) * len(body.indexes)))
        for name, condition in recorded.conditions.items():
            if name.startswith("is_range_of_") or name in GHOST_CONDITIONS:
                continue
            found.append(RuleMutant(rule, MutantKind.CONDITION_DROPPED, name))
            found += [
                RuleMutant(rule, MutantKind.STRICTNESS_FLIPPED, name, index)
                for index in range(len(_find_comparisons(condition)))
            ]
        for name, *_ in recorded.arguments:
            for end in ("low", "high"):
                found.append(RuleMutant(rule, MutantKind.RANGE_WIDER, f"{name}.{end}"))
                found.append(RuleMutant(rule, MutantKind.RANGE_NARROWER, f"{name}.{end}"))
    return tuple(found)


@contextlib.contextmanager
def make_mistake(mutant: RuleMutant) -> Iterator[None]:
    """Inside, every machine has the mutant's rule instead of the true one."""
    true_rule = RULES[mutant.rule]
    RULES[mutant.rule] = evolve(true_rule, function=_mutate(true_rule.function, mutant))
    compute_rules.cache_clear()
    compute_machine.cache_clear()
    try:
        yield
    finally:
        RULES[mutant.rule] = true_rule
        compute_rules.cache_clear()
        compute_machine.cache_clear()


def _mutate(function: Callable[..., RuleBody], mutant: RuleMutant) -> Callable[..., RuleBody]:
    true_rule = RULES[mutant.rule]

    def mutated(cluster: Cluster, *indexes: int) -> RuleBody:
        steps = function(cluster, *indexes)
        conditions: Any = next(steps)
        yield _change_conditions(conditions, mutant, Instance(true_rule, indexes), cluster)
        answer: Any = None
        while True:
            try:
                argument: Any = steps.send(answer)
            except StopIteration as finished:
                result: Cluster = finished.value
                return result
            answer = yield _change_argument(argument, mutant)

    return mutated


def _change_conditions(
    conditions: Conditions, mutant: RuleMutant, instance: Instance, cluster: Cluster
) -> Conditions:
    if mutant.where not in conditions.named or isinstance(conditions.named[mutant.where], Term):
        return conditions
    if mutant.kind is MutantKind.CONDITION_DROPPED:
        return Conditions({**conditions.named, mutant.where: True})
    flipped = _flip(cluster.structure, instance.rule, instance.indexes, mutant)
    holds = bool(substitute(flipped, flatten(cluster)))
    return Conditions({**conditions.named, mutant.where: holds})


def _change_argument(argument: Argument, mutant: RuleMutant) -> Argument:
    name, _, end = mutant.where.partition(".")
    if argument.name != name:
        return argument
    outward = 1 if end == "high" else -1
    change = outward if mutant.kind is MutantKind.RANGE_WIDER else -outward
    if end == "high":
        return Argument(name, argument.low, argument.high + change)
    return Argument(name, argument.low + change, argument.high)


@cache
def _flip(structure: Structure, rule: Rule, indexes: tuple[int, ...], mutant: RuleMutant) -> Term:
    """The condition with one comparison's strictness exchanged; as it is where it has fewer."""
    conditions = record_instance(structure, Instance(rule, indexes)).conditions
    condition = conditions.get(mutant.where, constant(True))
    comparisons = _find_comparisons(condition)
    is_there = mutant.occurrence < len(comparisons)
    chosen = comparisons[mutant.occurrence] if is_there else None
    results: dict[int, Term] = {}
    for node in walk([condition]):
        if not node.arguments:
            results[id(node)] = node
            continue
        operator = COMPARISONS[node.operator] if node is chosen else node.operator
        results[id(node)] = record(operator, *(results[id(a)] for a in node.arguments))
    return results[id(condition)]


def _find_comparisons(condition: Term) -> list[Term]:
    """The comparisons of the condition itself, not those inside the numbers that it compares."""
    if condition.operator in COMPARISONS:
        return [condition]
    if condition.operator in ("and", "or", "not"):
        return [found for each in condition.arguments for found in _find_comparisons(each)]
    return []
