"""A runnable mutant: the true rule runs, and the mistaken part is computed from its terms."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, cast

import attrs
from attrs import evolve

from properties.language.world import ClaimedStructure
from properties.mutants.derivation import RuleMutant, RulePart, mutate
from properties.mutants.places import remove_numbers
from properties.worlds.catalogue import WORLD_BY_TOPIC
from reference.language.leaves import flatten, unflatten
from reference.language.machine import Instance, RecordedInstance, compute_machine, record_instance
from reference.language.rule import Argument, Conditions, Rule, RuleBody
from reference.language.terms import Term, substitute
from reference.releases.versions import compute_rules
from reference.worlds.replication.rules import RULES
from reference.worlds.starts.structure import STARTS_RULES
from reference.worlds.tables.structure import TABLES_RULES

REGISTRIES: Mapping[str, Mapping[str, Rule]] = {
    "replication": RULES,
    "starts": STARTS_RULES,
    "tables": TABLES_RULES,
}
"""The registries of the worlds whose structures do not all have the same rules."""


def get_registry(world: str) -> dict[str, Rule]:
    """The registry of a world's rules that its machines read."""
    rules = REGISTRIES.get(world) or WORLD_BY_TOPIC[world].structures[0].rules
    return cast(dict[str, Rule], rules)


@contextlib.contextmanager
def make_mistake(mutant: RuleMutant, world: str = "replication") -> Iterator[None]:
    """Inside this context, every machine of the world has the mutant's rule."""
    registry = get_registry(world)
    true_rule = registry[mutant.rule]
    registry[mutant.rule] = evolve(true_rule, function=_make_function(true_rule, mutant))
    forget_machines()
    try:
        yield
    finally:
        registry[mutant.rule] = true_rule
        forget_machines()


def forget_machines() -> None:
    """Discard cached machines, so that the next one uses the current rules."""
    compute_rules.cache_clear()
    compute_machine.cache_clear()


def _make_function(rule: Rule, mutant: RuleMutant) -> Callable[..., RuleBody]:
    mutated: dict[Any, RecordedInstance] = {}

    def get_mutated(structure: ClaimedStructure, indexes: tuple[int, ...]) -> RecordedInstance:
        key = structure, indexes
        if key not in mutated:
            mutated[key] = mutate(_record(structure, rule, indexes), mutant)
        return mutated[key]

    def function(cluster: Any, *indexes: int) -> RuleBody:
        steps = rule.function(cluster, *indexes)
        if is_symbolic(cluster):
            return (yield from steps)
        recorded, values = get_mutated(cluster.structure, indexes), flatten(cluster)
        yield _change_conditions(next(steps), mutant, recorded, values)
        answer: Any = None
        while True:
            try:
                argument: Any = steps.send(answer)
            except StopIteration as finished:
                return _change_effects(finished.value, mutant, recorded, values)
            answer = yield _change_argument(argument, mutant, recorded, values)
            values[f"argument.{argument.name}"] = answer

    return function


@cache
def _record(structure: ClaimedStructure, rule: Rule, indexes: tuple[int, ...]) -> RecordedInstance:
    return record_instance(structure, Instance(rule, indexes))


def is_symbolic(cluster: Any) -> bool:
    """The state is the one that rules are recorded on."""
    parts = (cluster.parameters, cluster)
    return any(isinstance(v, Term) for p in parts for v in attrs.astuple(p, recurse=False))


def _change_conditions(
    conditions: Any, mutant: RuleMutant, recorded: RecordedInstance, values: Mapping[str, Any]
) -> Conditions:
    if mutant.part is not RulePart.CONDITION or mutant.where not in conditions.named:
        named: Conditions = conditions
        return named
    term = recorded.conditions.get(mutant.where)
    holds = True if term is None else bool(substitute(term, dict(values)))
    return Conditions({**conditions.named, mutant.where: holds})


def _change_argument(
    argument: Argument, mutant: RuleMutant, recorded: RecordedInstance, values: Mapping[str, Any]
) -> Argument:
    if mutant.part is not RulePart.RANGE or mutant.where.rpartition(".")[0] != argument.name:
        return argument
    low, high = next(ends for name, _, *ends in recorded.arguments if name == argument.name)
    known = dict(values)
    return Argument(argument.name, int(substitute(low, known)), int(substitute(high, known)))


def _change_effects(
    after: Any, mutant: RuleMutant, recorded: RecordedInstance, values: Mapping[str, Any]
) -> Any:
    if mutant.part is not RulePart.EFFECT:
        return after
    known, result = dict(values), flatten(after)
    for path in list_paths(mutant, result):
        term = recorded.effects.get(path)
        result[path] = known[path] if term is None else substitute(term, known)
    return unflatten(after.structure, result)


def list_paths(mutant: RuleMutant, leaves: Mapping[str, Any]) -> list[str]:
    """The leaves of the field that an effect's mistake is about."""
    return [path for path in leaves if remove_numbers(path) == mutant.where]
