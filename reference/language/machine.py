"""The machine that combines the rules: which actions are enabled, and what each one does.

The machine has two interpretations: on numbers it executes, on free variables it records.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from attrs import field, frozen

from reference.language.leaves import flatten, is_parameter, set_leaves, symbolic_cluster
from reference.language.operator_table import Sort
from reference.language.rule import Argument, Conditions, Rule
from reference.language.structure import BaseStructure
from reference.language.terms import Term, as_term, leaf

ARGUMENT_PREFIX = "argument."
"""How the leaf of an argument begins; no leaf of a state does."""


@frozen(eq=False)
class Instance:
    """A rule for certain static indexes, for example ``transfer_batch`` for slave 0."""

    rule: Rule
    indexes: tuple[int, ...]
    name: str = field(init=False)
    """For example ``transfer_batch[0]``; only the rule's name if it has no index."""

    @name.default
    def _make_name(self) -> str:
        inside = ",".join(map(str, self.indexes))
        return f"{self.rule.name}[{inside}]" if self.indexes else self.rule.name

    def start(self, cluster: Any) -> Any:
        """The rule's generator for this cluster."""
        return self.rule.function(cluster, *self.indexes)


OBSERVED = "observed"
"""The instance of an action that is no step of a rule: leaves get the values that a recording of
brokers shows; its arguments are these, by path."""


@frozen
class Action:
    """One step of a schedule: an instance by name, and its arguments by name."""

    instance: str
    arguments: Mapping[str, int] = field(factory=dict, hash=False)

    @property
    def rule_name(self) -> str:
        """The name of the rule, without the index of the instance."""
        return self.instance.partition("[")[0]

    @property
    def index(self) -> int | None:
        """The slave, message or broker that it concerns; None for a rule without an index."""
        inside = self.instance.partition("[")[2]
        return int(inside.rstrip("]")) if inside else None

    def __str__(self) -> str:
        inside = ", ".join(f"{name}={value}" for name, value in self.arguments.items())
        return f"{self.instance}({inside})"


@frozen
class Outcome:
    """The result of an action."""

    cluster: Any
    """The state after it; the identical object if it was refused."""
    failed: tuple[str, ...] = ()
    """The names of the conditions that did not hold; empty if the action took place."""

    @property
    def is_refused(self) -> bool:
        """The action did not take place, and the state is unchanged."""
        return bool(self.failed)


@frozen
class Enabled:
    """An enabled instance with the ranges of its arguments in this state."""

    instance: Instance
    ranges: tuple[Argument, ...]


@frozen
class RecordedInstance:
    """One instance as terms over the leaves of the state and of its arguments."""

    instance: Instance
    conditions: Mapping[str, Term]
    """Named conditions, without those that are true by structure. A range adds
    ``is_range_of_<argument>_not_empty`` unless that is true by itself."""
    arguments: tuple[tuple[str, Term, Term, Term], ...]
    """Name, leaf, lowest and highest value of each argument."""
    effects: Mapping[str, Term]
    """The leaves that change, with their new value."""


class Machine:
    """All rule instances of one structure."""

    def __init__(self, structure: BaseStructure) -> None:
        self.structure = structure
        self.instances: dict[str, Instance] = {}
        before = symbolic_cluster(structure)
        sizes = structure.index_counts
        for rule in structure.rules.values():
            for indexes in itertools.product(*(range(sizes[name]) for name in rule.indexes)):
                instance = Instance(rule, indexes)
                if not _is_statically_disabled(instance, before):
                    self.instances[instance.name] = instance

    def enabled(self, cluster: Any) -> list[Enabled]:
        """Every instance that may fire in this state, in the order of the rules."""
        found = []
        for instance in self.instances.values():
            failed, ranges = probe(instance, cluster)
            if not failed:
                found.append(Enabled(instance, ranges))
        return found

    def step(self, cluster: Any, action: Action) -> Outcome:
        """Take one action; a refused action leaves the state as it is. OBSERVED is never refused.

        Raises KeyError for an instance, or a leaf, that this structure does not have.
        """
        if action.instance == OBSERVED:
            return Outcome(set_leaves(cluster, action.arguments))
        steps = self.instances[action.instance].start(cluster)
        failed = [name for name, holds in next(steps).named.items() if not holds]
        if failed:
            return Outcome(cluster, tuple(failed))
        answer: int | None = None
        while True:
            try:
                argument = steps.send(answer)
            except StopIteration as finished:
                return Outcome(finished.value)
            answer = action.arguments.get(argument.name, argument.low)
            if not argument.low <= answer <= argument.high:
                return Outcome(cluster, (f"is_{argument.name}_in_range",))


@cache
def compute_machine(structure: BaseStructure) -> Machine:
    """The machine of a structure, made once."""
    return Machine(structure)


def probe(instance: Instance, cluster: Any) -> tuple[list[str], tuple[Argument, ...]]:
    """The conditions that fail, and, if none does, the ranges of the arguments."""
    steps = instance.start(cluster)
    conditions = next(steps)
    failed = [name for name, holds in conditions.named.items() if not holds]
    if failed:
        return failed, ()
    count = count_arguments(instance, cluster.structure)
    if not count:
        return failed, ()
    ranges = _collect_ranges(steps, count)
    empty = [f"is_range_of_{r.name}_not_empty" for r in ranges if r.low > r.high]
    return empty, ranges


@cache
def count_arguments(instance: Instance, structure: BaseStructure) -> int:
    """The number of a rule's arguments, which does not depend on the state."""
    steps = instance.start(symbolic_cluster(structure))
    next(steps)
    answer: Term | None = None
    for count in itertools.count():
        try:
            argument = steps.send(answer)
        except StopIteration:
            return count
        answer = leaf(f"{ARGUMENT_PREFIX}{argument.name}", Sort.INTEGER)
    raise AssertionError("unreachable")


def record_instance(structure: BaseStructure, instance: Instance) -> RecordedInstance:
    """Run a rule on free variables and record it."""
    before = symbolic_cluster(structure)
    named, arguments, after = run_on_leaves(before, instance)
    for name, _, low, high in arguments:
        named[f"is_range_of_{name}_not_empty"] = as_term(low <= high)
    old = flatten(before)
    effects = {
        path: as_term(value)
        for path, value in flatten(after).items()
        if value is not old[path] and not is_parameter(path)
    }
    kept = {name: c for name, c in named.items() if not (c.operator == "constant" and c.payload)}
    return RecordedInstance(instance, kept, tuple(arguments), effects)


def run_on_leaves(
    before: Any, instance: Instance
) -> tuple[dict[str, Term], list[tuple[str, Term, Term, Term]], Any]:
    """A rule applied to a state of free variables.

    Returns its conditions by name; name, leaf, lowest and highest value of each argument; the state
    after.
    """
    steps = instance.start(before)
    conditions: Conditions = next(steps)
    named = {name: as_term(holds) for name, holds in conditions.named.items()}
    arguments: list[tuple[str, Term, Term, Term]] = []
    answer: Term | None = None
    while True:
        try:
            argument = steps.send(answer)
        except StopIteration as finished:
            return named, arguments, finished.value
        answer = leaf(f"{ARGUMENT_PREFIX}{argument.name}", Sort.INTEGER)
        low, high = as_term(argument.low), as_term(argument.high)
        arguments.append((argument.name, answer, low, high))


@cache
def record_machine(structure: BaseStructure) -> tuple[RecordedInstance, ...]:
    """Every instance of a structure as terms, in the machine's order."""
    machine = compute_machine(structure)
    return tuple(record_instance(structure, i) for i in machine.instances.values())


def record_predicate(structure: BaseStructure, predicate: Callable[[Any], bool]) -> Term:
    """A predicate over clusters as a term."""
    return as_term(predicate(symbolic_cluster(structure)))


def _is_statically_disabled(instance: Instance, before: Any) -> bool:
    conditions = next(instance.start(before)).named.values()
    return any(
        c is False or (isinstance(c, Term) and c.operator == "constant" and not c.payload)
        for c in conditions
    )


def _collect_ranges(steps: Any, count: int) -> tuple[Argument, ...]:
    """The ranges of a started rule, which is stopped before its effect."""
    ranges: list[Argument] = []
    answer: int | None = None
    for _ in range(count):
        ranges.append(steps.send(answer))
        answer = ranges[-1].low
    return tuple(ranges)
