"""What each rule instance reads and writes, read off its recorded terms.

An instance that reads nothing of what a step has written is as enabled after the step as before,
with the same ranges: it need not be asked again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property
from typing import Any

from attrs import define, field, frozen

from reference.language.machine import (
    ARGUMENT_PREFIX,
    Action,
    Enabled,
    RecordedInstance,
    compute_machine,
    probe,
    record_machine,
    record_predicate,
)
from reference.language.structure import BaseStructure
from reference.language.terms import Term, walk


def list_leaves(terms: Iterable[Term]) -> frozenset[str]:
    """The paths of the leaves of the state that these terms read."""
    paths = (part.payload for part in walk(list(terms)) if part.operator == "leaf")
    return frozenset(path for path in paths if not path.startswith(ARGUMENT_PREFIX))


@frozen(eq=False, slots=False)
class Dependencies:
    """What the instances of one structure read and write, by their names."""

    structure: BaseStructure
    recorded: Mapping[str, RecordedInstance]

    @cached_property
    def reads(self) -> Mapping[str, frozenset[str]]:
        """The leaves that decide whether an instance is enabled, and with which ranges."""
        return {
            name: list_leaves(list_guarding_terms(each)) for name, each in self.recorded.items()
        }

    @cached_property
    def writes(self) -> Mapping[str, frozenset[str]]:
        """The leaves that an instance may change."""
        return {name: frozenset(each.effects) for name, each in self.recorded.items()}

    @cached_property
    def writers(self) -> Mapping[str, tuple[str, ...]]:
        """By leaf: the instances that may change it, in the machine's order."""
        found: dict[str, tuple[str, ...]] = {}
        for name, paths in self.writes.items():
            for path in paths:
                found[path] = (*found.get(path, ()), name)
        return found

    @cached_property
    def needs(self) -> Mapping[str, Mapping[str, frozenset[str]]]:
        """By instance and condition: the leaves that the condition reads; those of ranges by ''."""
        return {
            name: {
                **{condition: list_leaves([term]) for condition, term in each.conditions.items()},
                "": list_leaves([b for _, _, low, high in each.arguments for b in (low, high)]),
            }
            for name, each in self.recorded.items()
        }

    @cached_property
    def sources(self) -> Mapping[tuple[str, str], frozenset[str]]:
        """By instance and leaf that it writes: the leaves that the new value is made of."""
        return {
            (name, path): list_leaves([term])
            for name, each in self.recorded.items()
            for path, term in each.effects.items()
        }

    @cached_property
    def affected(self) -> Mapping[str, tuple[str, ...]]:
        """By instance: those that read what it writes, in the machine's order."""
        return {
            name: tuple(other for other, read in self.reads.items() if not written.isdisjoint(read))
            for name, written in self.writes.items()
        }

    def list_touched(
        self, predicates: Mapping[str, Callable[[Any], Any]]
    ) -> Mapping[str, frozenset[str]]:
        """By instance: the names of those predicates over clusters that read what it writes."""
        reads = {
            name: list_leaves([record_predicate(self.structure, predicate)])
            for name, predicate in predicates.items()
        }
        return {
            name: frozenset(n for n, read in reads.items() if not written.isdisjoint(read))
            for name, written in self.writes.items()
        }


@cache
def compute_dependencies(structure: BaseStructure) -> Dependencies:
    """The dependencies of a structure, computed once."""
    return Dependencies(structure, {r.instance.name: r for r in record_machine(structure)})


def list_guarding_terms(recorded: RecordedInstance) -> list[Term]:
    """The conditions of an instance and the bounds of its arguments."""
    bounds = [bound for _, _, low, high in recorded.arguments for bound in (low, high)]
    return [*recorded.conditions.values(), *bounds]


@define
class EnabledSteps:
    """The enabled instances of one state after another, kept by what each step has changed."""

    cluster: Any
    """The state; begins with the first one of the walk."""
    _enabled: dict[str, Enabled | None] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._enabled = {}
        self._ask(compute_machine(self.cluster.structure).instances)

    def take(self, action: Action) -> tuple[str, ...]:
        """Lets one step take place, and returns the failed conditions of a refused one.

        Raises KeyError for an instance that the structure does not have.
        """
        structure = self.cluster.structure
        outcome = compute_machine(structure).step(self.cluster, action)
        if not outcome.is_refused:
            self.cluster = outcome.cluster
            self._ask(compute_dependencies(structure).affected[action.instance])
        return outcome.failed

    def list_enabled(self) -> list[Enabled]:
        """Every instance that may fire in this state, in the order of the rules."""
        return [each for each in self._enabled.values() if each is not None]

    def _ask(self, names: Iterable[str]) -> None:
        instances = compute_machine(self.cluster.structure).instances
        for name in names:
            failed, ranges = probe(instances[name], self.cluster)
            self._enabled[name] = None if failed else Enabled(instances[name], ranges)
