"""The layout of a structure's states as arrays of numbers, and the order of its instances."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from properties.language.healing import is_moving
from properties.language.world import ClaimedStructure
from properties.z3.induction import get_leaf_names
from reference.language.leaves import compute_leaf_sorts, is_parameter
from reference.language.machine import RecordedInstance, record_machine, record_predicate
from reference.language.terms import Term


class Layout:
    """The layout: the leaves in the state and parameter arrays, the order of instances."""

    def __init__(self, structure: ClaimedStructure) -> None:
        self.structure = structure
        self.sorts = compute_leaf_sorts(structure)
        self.state_paths = [p for p in self.sorts if not is_parameter(p)]
        self.parameter_paths = [p for p in self.sorts if is_parameter(p)]
        self.instances: Sequence[RecordedInstance] = record_machine(structure)
        self.guarantees = list(structure.world.judged)
        self.claims_about_rest = structure.world.claims_about_rest
        self.is_decisive = self._find_decisive_instances()
        self.watched = find_watched_terms(structure, self.instances)
        self.arguments_max = max(len(r.arguments) for r in self.instances)

    def record_claim(self, name: str) -> Term:
        """The condition of a guarantee or a convergence claim on a state."""
        return record_predicate(self.structure, self.structure.world.get_claim(name).predicate)

    def _find_decisive_instances(self) -> list[bool]:
        """For each instance whether it writes a leaf on which some guarantee depends."""
        leaves = set().union(*(get_leaf_names(self.record_claim(g)) for g in self.guarantees))
        return [not leaves.isdisjoint(r.effects) for r in self.instances]


def find_watched_terms(
    structure: ClaimedStructure, instances: Iterable[RecordedInstance]
) -> dict[str, Term]:
    """The named conditions of all rules, each term once, and the premises of all guarantees."""
    watched: dict[str, Term] = {}
    for recorded in instances:
        for name, term in recorded.conditions.items():
            if not any(term is known for known in watched.values()):
                watched[f"{recorded.instance.name}: {name}"] = term
    for name, guarantee in structure.world.judged.items():
        if guarantee.premise is not None:
            watched[f"premise of {name}"] = record_predicate(structure, guarantee.premise)
    return watched


def collect_moving(layout: Layout) -> dict[int, list[Term]]:
    """When the instances by which a system heals are enabled, by their places in the layout."""
    healing, found = layout.structure.healing, dict[int, list[Term]]()
    for index, recorded in enumerate(layout.instances):
        if healing and recorded.instance.rule.name in (*healing.steps, *healing.recovery):
            found[index] = [*recorded.conditions.values()]
            if healing.is_idling_left_out:
                moving = partial(is_moving, recorded.instance)
                found[index].append(record_predicate(layout.structure, moving))
    return found
