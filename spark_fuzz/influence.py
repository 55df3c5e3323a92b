"""Which leaves can influence a guarantee: all others need not be told apart in a search.

Two facts are computed from the recorded terms under the sizes and limits of one search: leaves that
no possible step ever changes, and leaves that no guarantee depends on, not even through conditions,
ranges and effects. Steps that change only leaves of the second kind are needless in a shortest
schedule. Leaving both out changes no length: what remains decides by itself what remains.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import frozen

from properties.fault_class import FaultClass, is_admitted
from properties.guarantee import GUARANTEES
from properties.induction import get_leaf_names
from reference.leaves import flatten
from reference.machine import RecordedInstance, record_machine, record_predicate
from reference.state import initial_cluster
from reference.structure import Parameters, Structure
from reference.terms import Term, specialise


@frozen
class Influence:
    """What a search for violations of some guarantees has to look at."""

    leaves: tuple[str, ...]
    """The leaves that make a state, in the order of ``flatten``."""
    instances: tuple[str, ...]
    """The instances that change one of them."""


def compute_influence(
    structure: Structure,
    fault_class: FaultClass,
    parameters: Parameters,
    guarantees: Iterable[str] = tuple(GUARANTEES),
) -> Influence:
    """The leaves and instances that decide when one of the guarantees is first violated."""
    initial = flatten(initial_cluster(structure, parameters))
    admitted = [r for r in record_machine(structure) if is_admitted(r, fault_class)]
    constants, possible = find_constants(admitted, initial)
    claims = (record_predicate(structure, GUARANTEES[name].predicate) for name in guarantees)
    relevant = set().union(*(get_leaf_names(specialise(c, constants)) for c in claims))
    reads = [_Reads(recorded, constants) for recorded in possible]
    before = -1
    while before < len(relevant):
        before = len(relevant)
        for read in reads:
            relevant |= read.find_needed_for(relevant)
    return Influence(
        leaves=tuple(path for path in initial if path in relevant),
        instances=tuple(r.recorded.instance.name for r in reads if r.find_needed_for(relevant)),
    )


def find_constants(
    instances: Iterable[RecordedInstance], initial: Mapping[str, int | bool]
) -> tuple[dict[str, int | bool], list[RecordedInstance]]:
    """The leaves that keep their initial value for ever, and the instances that may ever fire.

    Begins with every leaf and drops those that a possible step changes, until nothing more falls;
    so what is left is inductive.
    """
    known = dict(initial)
    before = -1
    possible: list[RecordedInstance] = []
    while before != len(known):
        before = len(known)
        possible = [r for r in instances if not _is_impossible(r, known)]
        for recorded in possible:
            for path, term in recorded.effects.items():
                if path in known and not _is_always(specialise(term, known), known[path]):
                    del known[path]
    return known, possible


class _Reads:
    """What one instance looks at, leaf by leaf of its effects."""

    def __init__(self, recorded: RecordedInstance, constants: dict[str, int | bool]) -> None:
        self.recorded = recorded
        ranges = (t for _, _, low, high in recorded.arguments for t in (low, high))
        terms = (*recorded.conditions.values(), *ranges)
        names = (_get_state_leaves(specialise(t, constants)) for t in terms)
        self.to_fire = set().union(*names)
        self.for_effect = {
            path: _get_state_leaves(specialise(term, constants)) | {path}
            for path, term in recorded.effects.items()
            if path not in constants
        }

    def find_needed_for(self, relevant: set[str]) -> set[str]:
        """The leaves that decide what this instance does to relevant leaves; empty for nothing."""
        effects = [leaves for path, leaves in self.for_effect.items() if path in relevant]
        return self.to_fire.union(*effects) if effects else set()


def _get_state_leaves(term: Term) -> set[str]:
    return {n for n in get_leaf_names(term) if not n.startswith("argument.")}


def _is_impossible(recorded: RecordedInstance, known: dict[str, int | bool]) -> bool:
    conditions = (specialise(c, known) for c in recorded.conditions.values())
    return any(_is_always(c, False) for c in conditions)


def _is_always(term: Term, value: int | bool) -> bool:
    return term.operator == "constant" and term.payload == value


