"""What rests on what: guarantees, lemmas, rules and conditions, joined by unsat cores.

A core is one way to prove an obligation and seldom the only one. So an edge says that the proof as
it stands goes this way, and a lemma that nothing rests on is one that this proof can do without.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from functools import cached_property

from attrs import field, frozen

from properties.z3.cores import Core
from properties.z3.discharge import FactKind
from properties.z3.obligations import Obligation, ObligationKind


class NodeKind(enum.Enum):
    """What a node of the graph stands for."""

    GUARANTEE = "guarantee"
    LEMMA = "lemma"
    """A lemma or a sanity check."""
    RULE = "rule"
    CONDITION = "condition"
    """A condition of a rule, or the range of one of its arguments."""


@frozen(order=True)
class Node:
    """Something that a proof rests on, or that rests on something."""

    kind: NodeKind = field(order=lambda kind: kind.value)
    name: str
    """For a condition the names of rule and condition, with a dot between them."""


@frozen(eq=False)
class PropertyGraph:
    """The graph of one structure."""

    cores: Mapping[Obligation, Core]

    @cached_property
    def edges(self) -> dict[Node, set[Node]]:
        """What each node rests on directly: a guarantee on lemmas, a lemma on lemmas and rules.

        A lemma rests on a rule where it takes one of its conditions to survive it; the conditions
        hang on lemma and rule. A lemma that rests on itself, as every inductive one does, is left
        out.
        """
        edges: dict[Node, set[Node]] = {}
        for obligation, core in self.cores.items():
            is_safety = obligation.kind is ObligationKind.SAFETY
            node = Node(NodeKind.GUARANTEE if is_safety else NodeKind.LEMMA, obligation.claim)
            targets = edges.setdefault(node, set())
            for fact in core.facts:
                if fact.kind is FactKind.LEMMA and fact.name != obligation.claim:
                    targets.add(Node(NodeKind.LEMMA, fact.name))
                elif fact.kind in (FactKind.CONDITION, FactKind.RANGE):
                    rule = Node(NodeKind.RULE, get_rule_name(obligation))
                    condition = Node(NodeKind.CONDITION, f"{rule.name}.{fact.name}")
                    targets |= {rule, condition}
                    edges.setdefault(rule, set()).add(condition)
        return edges

    def get_targets(self, node: Node, kind: NodeKind) -> list[Node]:
        """What a node rests on directly, of one kind, by name."""
        return sorted(t for t in self.edges.get(node, ()) if t.kind is kind)

    def compute_reached_lemmas(self, begin: Iterable[Node]) -> set[Node]:
        """The lemmas on which these nodes rest, directly or by way of other lemmas."""
        reached: set[Node] = set()
        stack = list(begin)
        while stack:
            for lemma in self.get_targets(stack.pop(), NodeKind.LEMMA):
                if lemma not in reached:
                    reached.add(lemma)
                    stack.append(lemma)
        return reached

    def find_unused_lemmas(self) -> list[Node]:
        """The lemmas on which no guarantee rests, not even by way of other lemmas."""
        guarantees = [node for node in self.edges if node.kind is NodeKind.GUARANTEE]
        lemmas = {node for node in self.edges if node.kind is NodeKind.LEMMA}
        return sorted(lemmas - self.compute_reached_lemmas(guarantees))

    def compute_conditions(self, guarantee: str) -> set[str]:
        """The names of the conditions and arguments by which the lemmas below it survive steps."""
        lemmas = self.compute_reached_lemmas([Node(NodeKind.GUARANTEE, guarantee)])
        return {c.name for lemma in lemmas for c in self.get_targets(lemma, NodeKind.CONDITION)}

    def get_columns_by_absent_faults(self, guarantee: str) -> dict[tuple[str, ...], list[str]]:
        """The fault classes in which it is proved, by the faults whose absence that takes.

        All other faults may strike, also together: the proof assumes nothing of them.
        """
        columns: dict[tuple[str, ...], list[str]] = {}
        for obligation, core in self.cores.items():
            if obligation.kind is ObligationKind.SAFETY and obligation.claim == guarantee:
                absent = tuple(f.name for f in core.facts if f.kind is FactKind.ABSENCE)
                columns.setdefault(absent, []).append(obligation.where)
        return columns


def get_rule_name(obligation: Obligation) -> str:
    """The rule of an obligation's instance, for example ``cut_link`` of ``cut_link[0]``."""
    return obligation.where.partition("[")[0]
