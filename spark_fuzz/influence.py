"""What can influence a guarantee: all else need not be told apart in a search for violations.

Four facts, computed from the recorded terms under the sizes and limits of one search:

* leaves that no possible step ever changes are constants;
* leaves on which no guarantee depends, not even through conditions, ranges and effects, are left
  out, and so are steps that change nothing else: a shortest schedule has none of them;
* a step that does to the remaining leaves what another one does under fewer conditions is left out;
* a number that is only ever compared with constants matters up to the first one above all these.

What remains decides by itself how what remains goes on, so the lengths of shortest schedules are
those of the whole model, and a schedule of what remains is a schedule of the whole model.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from attrs import field, frozen

from properties.fault_class import FaultClass, is_admitted
from properties.induction import get_leaf_names
from properties.subject import get_guarantees
from reference.leaves import flatten
from reference.machine import RecordedInstance, record_machine, record_predicate
from reference.terms import Term, specialise, walk
from reference.world import make_initial

LOWEST = -1
"""The lowest number that a leaf holds: an offset that is not known yet."""

Values: TypeAlias = dict[str, int | bool]
"""Numbers and truth values by the path of their leaf."""


@frozen
class Influence:
    """What a search for violations of some guarantees has to look at."""

    leaves: tuple[str, ...]
    """The leaves that make a state, in the order of ``flatten``."""
    instances: tuple[str, ...]
    """The instances that have to fire."""
    highest: Mapping[str, int]
    """For some leaves, the value that stands for all larger ones."""
    steps: tuple[Step, ...] = field(eq=False)
    """The same instances, with constants in the place of leaves that never change."""
    claims: tuple[Term, ...] = field(eq=False)
    """The guarantees, likewise."""


@frozen(eq=False)
class Step:
    """One instance, with constants in the place of leaves that never change."""

    name: str
    conditions: tuple[Term, ...]
    ranges: tuple[Term, ...]
    """Of each argument its leaf, its lowest and its highest value."""
    effects: Mapping[str, Term]

    def find_needed_for(self, relevant: set[str]) -> set[str]:
        """The leaves that decide what this step does to relevant ones; empty if it does nothing."""
        effects = {path: t for path, t in self.effects.items() if path in relevant}
        if not effects:
            return set()
        return set(effects).union(
            *map(get_state_leaves, (*self.conditions, *self.ranges, *effects.values()))
        )

    def is_replaced_by(self, other: Step, relevant: set[str]) -> bool:
        """The other step does the same to relevant leaves, under the same or fewer conditions."""
        paths = relevant & (set(self.effects) | set(other.effects))
        return (
            {id(c) for c in other.conditions} <= {id(c) for c in self.conditions}
            and list(map(id, self.ranges)) == list(map(id, other.ranges))
            and all(self.effects.get(p) is other.effects.get(p) for p in paths)
        )


def compute_influence(
    structure: Any,
    fault_class: FaultClass,
    parameters: Any,
    guarantees: Iterable[str] | None = None,
) -> Influence:
    """The leaves and instances that decide when one of the guarantees is first violated.

    Without ``guarantees`` they are all those of the structure's world.
    """
    known = get_guarantees(structure)
    initial = flatten(make_initial(structure, parameters))
    admitted = [r for r in record_machine(structure) if is_admitted(r, fault_class)]
    constants = find_constants(admitted, initial)
    steps = find_possible_steps(admitted, constants)
    claims = [
        specialise(record_predicate(structure, known[name].predicate), constants)
        for name in (known if guarantees is None else guarantees)
    ]
    relevant = set().union(*map(get_state_leaves, claims))
    kept: list[Step] = []
    before = -1
    while before < len(relevant):
        before = len(relevant)
        kept = leave_out_replaced([s for s in steps if s.find_needed_for(relevant)], relevant)
        relevant = relevant.union(*(s.find_needed_for(relevant) for s in kept))
    return Influence(
        leaves=tuple(path for path in initial if path in relevant),
        instances=tuple(s.name for s in kept),
        highest=find_highest_values(relevant, kept, claims),
        steps=tuple(kept),
        claims=tuple(claims),
    )


def find_constants(instances: Iterable[RecordedInstance], initial: Values) -> Values:
    """The leaves that keep their initial value for ever, the parameters among them.

    Begins with every leaf and drops those that a possible step changes, until nothing more falls;
    so what is left is inductive.
    """
    known = dict(initial)
    before = -1
    while before != len(known):
        before = len(known)
        for step in find_possible_steps(instances, known):
            for path in step.effects:
                known.pop(path, None)
    return known


def find_possible_steps(instances: Iterable[RecordedInstance], known: Values) -> list[Step]:
    """The instances that may fire if these leaves have these values, with what they change then."""
    steps = []
    for recorded in instances:
        conditions = tuple(specialise(c, known) for c in recorded.conditions.values())
        if any(is_constant(c, False) for c in conditions):
            continue
        ranges = (t for _, *terms in recorded.arguments for t in terms)
        effects = {path: specialise(term, known) for path, term in recorded.effects.items()}
        steps.append(
            Step(
                recorded.instance.name,
                tuple(c for c in conditions if not is_constant(c, True)),
                tuple(specialise(t, known) for t in ranges),
                {p: t for p, t in effects.items() if not (p in known and is_constant(t, known[p]))},
            )
        )
    return steps


def leave_out_replaced(steps: list[Step], relevant: set[str]) -> list[Step]:
    """The steps without those that another one replaces; of two that are equal the first stays."""
    return [
        step
        for i, step in enumerate(steps)
        if not any(
            step.is_replaced_by(other, relevant)
            and (j < i or not other.is_replaced_by(step, relevant))
            for j, other in enumerate(steps)
            if j != i
        )
    ]


def find_highest_values(
    relevant: set[str], steps: Iterable[Step], claims: Iterable[Term]
) -> dict[str, int]:
    """For each number that is only compared with constants, the first one above all of these.

    A step may also keep the number, but nothing else may be made of it.
    """
    roots = [*claims]
    for step in steps:
        roots += [*step.conditions, *step.ranges]
        for path, term in step.effects.items():
            roots += find_other_parts(path, term) if path in relevant else ()
    used = {t.payload for t in roots if t.operator == "leaf"}
    compared: dict[str, int] = {}
    for term in walk(roots):
        constants = [a.payload for a in term.arguments if a.operator == "constant"]
        for path in (a.payload for a in term.arguments if a.operator == "leaf"):
            if term.operator in ("equal", "less", "less_equal") and constants:
                compared[path] = max(compared.get(path, LOWEST), constants[0] + 1)
            else:
                used.add(path)
    return {path: highest for path, highest in compared.items() if path in relevant - used}


def find_other_parts(path: str, effect: Term) -> list[Term]:
    """What decides whether an effect keeps its leaf, and what it writes else."""
    if effect.operator == "leaf" and effect.payload == path:
        return []
    if effect.operator != "choose":
        return [effect]
    condition, *branches = effect.arguments
    return [condition, *(part for b in branches for part in find_other_parts(path, b))]


def find_chosen_parts(effect: Term) -> list[Term]:
    """The terms between which an effect chooses; it alone if it does not choose."""
    if effect.operator not in ("choose", "choose_flag"):
        return [effect]
    return [part for branch in effect.arguments[1:] for part in find_chosen_parts(branch)]


def get_state_leaves(term: Term) -> set[str]:
    """The leaves of the state that a term mentions; its arguments are none."""
    return {n for n in get_leaf_names(term) if not n.startswith("argument.")}


def is_constant(term: Term, value: int | bool) -> bool:
    """The term is this literal."""
    return term.operator == "constant" and term.payload == value
