"""From recorded values to nodes: terms, records and tuples in the words of the reference."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import attrs
from attrs import field, frozen

from properties.tla.calls import ObservedCall
from properties.tla.families import FAMILY_OF
from properties.tla.folding import Own, fold_chain, fold_function
from properties.tla.nodes import (
    CHAINED,
    Apply,
    Call,
    Except,
    Field,
    Index,
    Let,
    Name,
    Node,
    Over,
    Record,
    list_parts,
)
from properties.tla.paths import (
    FORMAL_PREFIX,
    Leaves,
    collect_leaves,
    find_common_path,
    find_label,
    find_prefixes,
    is_leaf_at,
    list_fields,
    read_constant,
    read_parts,
    read_path,
)
from reference.terms import Term, as_term

AcceptCall = Callable[[ObservedCall], tuple[str, tuple[tuple[str, str], ...]] | None]
"""The operator of an observed call, and parameter and family of what is passed, if it has one."""


Known = tuple[Term | None, ...]
"""The leaves of a record that another one may be told from; None for those that differ."""


@frozen
class Scope:
    """What is known where values are read."""

    sizes: Mapping[str, int]
    """How many members each family has."""
    own: Mapping[str, Own] = field(factory=dict)
    """The member that all is about, by family."""
    variables: Mapping[str, Any] = field(factory=dict)
    """The variables of the state, by name."""
    reserved: Collection[str] = ()
    """Names that a local variable must not have."""
    accept: AcceptCall = lambda call: None
    """Whether a called function is an operator, and how it is applied."""
    find_constant: Callable[[tuple[int, ...]], Node | None] = lambda key: None
    """The operator of a record of literals."""


class Reader:
    """Reads the values of one recording."""

    def __init__(self, calls: Sequence[ObservedCall], scope: Scope) -> None:
        self.scope = scope
        self._calls: dict[tuple[int, ...], list[ObservedCall]] = {}
        self._parts: dict[int, tuple[ObservedCall, str]] = {}
        self._records: list[tuple[ObservedCall, Leaves]] = []
        self._done: dict[tuple[int, str], Node] = {}
        self._places: dict[tuple[int, ...], Name] = {}
        self._pending: set[tuple[int, ...]] = set()
        for call in calls:
            leaves = collect_leaves(call.result)
            self._calls.setdefault(leaves.key, []).append(call)
            if leaves.paths != ("",):
                self._records.append((call, leaves))
                pairs = zip(leaves.terms, leaves.paths, strict=True)
                self._parts.update({id(t): (call, path) for t, path in pairs})

    def name_places(self, places: Mapping[str, Any], result: Any = None) -> list[tuple[str, Node]]:
        """The nodes of local variables; from now on they are read as their names.

        What is the result itself needs no name.
        """
        taken = None if result is None else collect_leaves(result).key
        bindings: list[tuple[str, Node]] = []
        for local, place in places.items():
            if is_worth_a_name(place) and collect_leaves(place).key != taken:
                name = f"{local}_here" if local in self.scope.reserved else local
                bindings.append((name, self.read(place)))
                self._places.setdefault(collect_leaves(place).key, Name(name))
                self._done.clear()
        return bindings

    def read(self, value: Any, label: str = "") -> Node:
        """The node of a value; ``label`` is the field that it is written to or compared with."""
        if isinstance(value, tuple):
            return self._read_tuple(value, label)
        if attrs.has(type(value)):
            return self._read_record(value)
        term = as_term(value)
        key = id(term), label
        if key not in self._done:
            self._done[key] = self._read_term(term, label)
        return self._done[key]

    def _read_term(self, term: Term, label: str) -> Node:
        if term.operator == "leaf":
            return read_path(term.payload)
        if term.operator == "constant":
            return read_constant(term.payload, label)
        return (
            self._find_call((id(term),)) or self._find_part(term) or self._read_apply(term, label)
        )

    def _read_apply(self, term: Term, label: str) -> Node:
        operator = term.operator
        if operator in ("equal", "less", "less_equal"):
            label = next(filter(None, map(find_label, term.arguments)), "")
        if operator in CHAINED:
            nodes = tuple(self.read(t, label) for t in self._list_operands(term))
            return make_chain(
                operator, fold_chain(operator, nodes, self.scope.sizes, self.scope.own)
            )
        if operator == "choose":
            condition, *branches = term.arguments
            return Apply(operator, (self.read(condition), *(self.read(b, label) for b in branches)))
        return Apply(operator, tuple(self.read(a, label) for a in term.arguments))

    def _list_operands(self, term: Term) -> list[Term]:
        """The operands of an operator that was applied from left to right, by one function."""
        first, last = term.arguments
        is_same = first.operator == term.operator and self._find_call((id(first),)) is None
        return [*(self._list_operands(first) if is_same else [first]), last]

    def _find_call(self, key: tuple[int, ...]) -> Call | Name | None:
        """The local variable, or the outermost exported function, that has said just this."""
        if key in self._places:
            return self._places[key]
        if key in self._pending:
            return None
        self._pending.add(key)
        try:
            for call in reversed(self._calls.get(key, [])):
                accepted = self.scope.accept(call)
                if accepted is not None:
                    name, passed = accepted
                    return Call(name, tuple(self._read_argument(call, *p) for p in passed))
            return None
        finally:
            self._pending.discard(key)

    def _read_argument(self, call: ObservedCall, name: str, family: str) -> Node | Index:
        value = call.arguments[name]
        return Index(family, value) if family else self.read(value)

    def _find_part(self, term: Term) -> Node | None:
        """A part of a record that an exported function has returned."""
        if id(term) not in self._parts:
            return None
        call, path = self._parts[id(term)]
        node = self._find_call(collect_leaves(call.result).key)
        return Field(node, read_parts(path)) if node is not None else None

    def _read_record(self, value: Any) -> Node:
        leaves = collect_leaves(value)
        whole = find_common_path(leaves)
        if whole is not None:
            return read_path(whole)
        call = self._find_call(leaves.key) or self.scope.find_constant(leaves.key)
        if call is not None:
            return call
        base, known = self._find_base(value, leaves)
        if base is None:
            fields = ((n, self.read(getattr(value, n), n)) for n in list_fields(value))
            return Record(type(value), tuple(fields))
        return Except(base, tuple(self._find_changes(value, base, known, leaves)))

    def _find_base(self, value: Any, leaves: Leaves) -> tuple[Node | None, Known]:
        """The known record with the most leaves in common, if they are two at least."""
        best: tuple[int, Node | None, Known] = (1, None, ())
        pairs = list(zip(leaves.terms, leaves.paths, strict=True))
        for path in sorted(find_prefixes(leaves)):
            if not self._is_of_kind(path, value):
                continue
            known = tuple(t if is_leaf_at(t, path, below) else None for t, below in pairs)
            count = sum(t is not None for t in known)
            if count > best[0]:
                best = count, read_path(path), known
        for call, other in self._records:
            if type(call.result) is not type(value):
                continue
            count = sum(a is b for a, b in zip(leaves.terms, other.terms, strict=True))
            if count >= best[0] and count < len(leaves.terms):
                node = self._find_call(other.key)
                if node is not None:
                    best = count, node, other.terms
        return best[1], best[2]

    def _is_of_kind(self, path: str, value: Any) -> bool:
        """What lies there in the state is a record of the same class; parameters may be."""
        root, *rest = path.split(".")
        if root not in self.scope.variables:
            return root.startswith(FORMAL_PREFIX)
        found = self.scope.variables[root]
        for part in rest:
            found = found[int(part)] if part.isdigit() else getattr(found, part)
        return type(found) is type(value)

    def _find_changes(
        self, value: Any, base: Node, known: Known, leaves: Leaves
    ) -> list[tuple[tuple[str | Index, ...], Node]]:
        changed = {
            path
            for path, new, old in zip(leaves.paths, leaves.terms, known, strict=True)
            if new is not old
        }
        changes: list[tuple[tuple[str | Index, ...], Node]] = []
        for name in list_fields(value):
            if any(path == name or path.startswith(f"{name}.") for path in changed):
                changes += splice(base, name, self.read(getattr(value, name), name))
        return changes

    def _read_tuple(self, members: tuple[Any, ...], label: str) -> Node:
        leaves = collect_leaves(members)
        whole = find_common_path(leaves)
        if whole is not None and members:
            return read_path(whole)
        call = self._find_call(leaves.key)
        if call is not None:
            return call
        label = label or self._find_variable(members)
        family = FAMILY_OF[label]
        nodes = [self.read(member) for member in members]
        folded = fold_function(nodes, family)
        if folded is not None:
            return folded
        return merge_members(nodes, family, Name(label) if label in self.scope.variables else None)

    def _find_variable(self, members: tuple[Any, ...]) -> str:
        """The variable that such members are of. Raises KeyError."""
        kinds = {
            type(v[0]): n for n, v in self.scope.variables.items() if isinstance(v, tuple) and v
        }
        return kinds[type(members[0])]


def is_worth_a_name(place: Any) -> bool:
    """A local variable holds more than a part of the state or a literal."""
    if isinstance(place, Term):
        return place.operator not in ("leaf", "constant")
    is_whole = hasattr(place, "structure") or hasattr(place, "variants")
    is_record = attrs.has(type(place)) and not is_whole
    return is_record and find_common_path(collect_leaves(place)) is None


def bind(bindings: Sequence[tuple[str, Node]], body: Node) -> Node:
    """The body with those names that it uses, itself or by way of another one."""
    kept = keep_used(bindings, find_names(body))
    return Let(kept, body) if kept else body


def keep_used(bindings: Sequence[tuple[str, Node]], used: set[str]) -> tuple[tuple[str, Node], ...]:
    """The bindings of these names, and of those that they use."""
    kept: list[tuple[str, Node]] = []
    for name, value in reversed(bindings):
        if name in used:
            kept.insert(0, (name, value))
            used = used | find_names(value)
    return tuple(kept)


def find_names(node: Any) -> set[str]:
    """The names that a node mentions."""
    own = {node.name} if isinstance(node, Name) else set()
    return own.union(*(find_names(part) for part in list_parts(node)))


def merge_members(nodes: Sequence[Node], family: str, known: Node | None) -> Node:
    """A function of which only some values are new; all of them where it is new altogether."""
    found = {find_container(node, Index(family, i)) for i, node in enumerate(nodes)} - {None}
    container = found.pop() if found else known
    if found or container is None:
        return Record(None, tuple((Index(family, i), node) for i, node in enumerate(nodes)))
    changes: list[tuple[tuple[str | Index, ...], Node]] = []
    for i, node in enumerate(nodes):
        index = Index(family, i)
        if find_container(node, index) is None:
            changes.append(((index,), node))
        elif isinstance(node, Except):
            changes += [((index, *parts), new) for parts, new in node.changes]
    return Except(container, tuple(changes))


def find_container(node: Node, index: Index) -> Node | None:
    """The function whose value at this index the node is, perhaps with changes."""
    base = node.base if isinstance(node, Except) else node
    if isinstance(base, Field) and base.parts[-1] == index:
        return Field(base.base, base.parts[:-1]) if base.parts[1:] else base.base
    return None


def splice(base: Node, name: str, node: Node) -> list[tuple[tuple[str | Index, ...], Node]]:
    """The changes of a record where one field becomes this."""
    before = base if isinstance(base, Field) else Field(base, ())
    if isinstance(node, Except) and node.base == Field(before.base, (*before.parts, name)):
        return [((name, *parts), new) for parts, new in node.changes]
    return [((name,), node)]


def make_chain(operator: str, nodes: tuple[Node, ...]) -> Node:
    """An operator over these; what is over a family stays an operand even when alone."""
    if len(nodes) == 1 and not isinstance(nodes[0], Over):
        return nodes[0]
    return Apply(operator, nodes)
