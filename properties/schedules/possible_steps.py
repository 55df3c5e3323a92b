"""The steps that are possible under given sizes and limits, and the leaves that never change.

Both follow from the recorded terms and the initial state. A leaf that never changes can be a
constant, in a search and in an export.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TypeAlias

from attrs import frozen

from properties.z3.induction import get_leaf_names
from reference.language.machine import RecordedInstance
from reference.language.terms import Term, specialise

LOWEST = -1
"""The lowest number that a leaf holds: an unknown offset."""

Values: TypeAlias = dict[str, int | bool]
"""Numbers and truth values by the path of their leaf."""


@frozen(eq=False)
class PossibleStep:
    """One instance, with constants in place of leaves that never change."""

    name: str
    conditions: tuple[Term, ...]
    ranges: tuple[Term, ...]
    """For each argument its leaf, its lowest and its highest value."""
    effects: Mapping[str, Term]

    def find_needed_for(self, relevant: set[str]) -> set[str]:
        """The leaves that decide this step's effect on relevant ones; empty if it has none."""
        effects = {path: t for path, t in self.effects.items() if path in relevant}
        if not effects:
            return set()
        return set(effects).union(
            *map(get_state_leaves, (*self.conditions, *self.ranges, *effects.values()))
        )

    def is_replaced_by(self, other: PossibleStep, relevant: set[str]) -> bool:
        """The other step does the same to relevant leaves, under the same or fewer conditions."""
        paths = relevant & (set(self.effects) | set(other.effects))
        return (
            {id(c) for c in other.conditions} <= {id(c) for c in self.conditions}
            and list(map(id, self.ranges)) == list(map(id, other.ranges))
            and all(self.effects.get(p) is other.effects.get(p) for p in paths)
        )


@frozen
class Access:
    """The leaves that a step reads, and those that it writes."""

    reads: frozenset[str]
    """In conditions, ranges and effects."""
    writes: frozenset[str]

    def is_independent_of(self, other: Access) -> bool:
        """Neither writes what the other one reads or writes.

        After either the other is possible with the same arguments as before, and both orders lead
        to the same state.
        """
        return self.writes.isdisjoint(other.reads | other.writes) and other.writes.isdisjoint(
            self.reads
        )


def find_access(recorded: RecordedInstance) -> Access:
    """What an instance reads and writes."""
    ranges = (t for _, _, low, high in recorded.arguments for t in (low, high))
    terms = (*recorded.conditions.values(), *ranges, *recorded.effects.values())
    return Access(frozenset().union(*map(get_leaf_names, terms)), frozenset(recorded.effects))


def find_constants(instances: Iterable[RecordedInstance], initial: Values) -> Values:
    """The leaves that always keep their initial value, among them the parameters.

    Begins with every leaf and drops those that a possible step changes, until none is dropped; the
    rest is inductive.
    """
    known = dict(initial)
    before = -1
    while before != len(known):
        before = len(known)
        for step in find_possible_steps(instances, known):
            for path in step.effects:
                known.pop(path, None)
    return known


def find_possible_steps(instances: Iterable[RecordedInstance], known: Values) -> list[PossibleStep]:
    """The instances that may fire if these leaves have these values, with what they change then."""
    steps = []
    for recorded in instances:
        conditions = tuple(specialise(c, known) for c in recorded.conditions.values())
        if any(is_constant(c, False) for c in conditions):
            continue
        ranges = (t for _, *terms in recorded.arguments for t in terms)
        effects = {path: specialise(term, known) for path, term in recorded.effects.items()}
        steps.append(
            PossibleStep(
                recorded.instance.name,
                tuple(c for c in conditions if not is_constant(c, True)),
                tuple(specialise(t, known) for t in ranges),
                {p: t for p, t in effects.items() if not (p in known and is_constant(t, known[p]))},
            )
        )
    return steps


@lru_cache(maxsize=16_384)
def get_state_leaves(term: Term) -> frozenset[str]:
    """The leaves of the state that a term mentions, without its arguments.

    Cached because each search for what is relevant asks for those of the same terms.
    """
    return frozenset(n for n in get_leaf_names(term) if not n.startswith("argument."))


def is_constant(term: Term, value: int | bool) -> bool:
    """The term is this literal."""
    return term.operator == "constant" and term.payload == value
