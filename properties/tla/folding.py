"""The same for every member: several nodes that differ in a number only, told once.

What a rule says of every slave was recorded once for each. Here such nodes are found again among
the operands of an operator, or the values of a function, and become one node over the family.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
from attrs import frozen

from properties.tla.families import VARIABLES
from properties.tla.nodes import Apply, Index, Name, Node, Number, Over, find_indexes, transform


class DifferentError(ValueError):
    """Raised where two nodes differ in more than a number."""


@frozen
class Own:
    """The member that a rule or function is about, by the number that stands for it."""

    value: int
    variable: str


def fold_function(nodes: Sequence[Node], family: str) -> Over | None:
    """One node for all values of a function over a family, or None where they differ in kind."""
    variable = choose_variable(family, nodes)
    is_constant = nodes and not any(i.family == family for n in nodes for i in find_indexes(n))
    if is_constant and all(node == nodes[0] for node in nodes):
        return Over(family, variable, "all", "", nodes[0])
    if len(nodes) < 2:
        return None
    try:
        body = unify((nodes[0], nodes[1]), (0, 1), Index(family, variable))
    except DifferentError:
        return None
    is_same = all(instantiate(body, family, variable, i) == n for i, n in enumerate(nodes))
    return Over(family, variable, "all", "", body) if is_same else None


def fold_chain(
    operator: str, nodes: Sequence[Node], sizes: Mapping[str, int], own: Mapping[str, Own]
) -> tuple[Node, ...]:
    """The operands of an operator, with those for every member of a family told once."""
    families = {i.family for node in nodes for i in find_indexes(node)}
    for family in sorted(families & sizes.keys()):
        for chosen, members in list_choices(sizes[family], own.get(family)):
            folded = _fold_over(operator, nodes, family, members)
            if folded is not None:
                before, body, after, variable = folded
                variable_of_own = own[family].variable if chosen != "all" else ""
                over = Over(family, variable, chosen, variable_of_own, body)
                return fold_chain(operator, (*before, over, *after), sizes, own)
    return tuple(nodes)


def list_choices(size: int, own: Own | None) -> list[tuple[str, list[int]]]:
    """The sets of members that a node may be told for, larger ones first."""
    choices = [("all", list(range(size)))] if size > 1 else []
    if own is not None and size > 2:
        choices.append(("others", [i for i in range(size) if i != own.value]))
        choices.append(("before", list(range(own.value))))
    return [(chosen, members) for chosen, members in choices if len(members) > 1]


def _fold_over(operator: str, nodes: Sequence[Node], family: str, members: list[int]) -> Any:
    """What stands before, the body, what stands after, the variable; None if nothing folds."""
    first, *others = members
    for start, node in enumerate(nodes):
        if isinstance(node, Over) or Index(family, first) not in find_indexes(node):
            continue
        for length in range(1, len(nodes) + 1) if start == 0 else (1,):
            head = nodes[0] if start or length == 1 else Apply(operator, tuple(nodes[:length]))
            head = node if length == 1 else head
            rest = nodes[start + length : start + length + len(others)]
            variable = choose_variable(family, [head, *rest])
            body = _find_body([head, *rest], members, family, variable)
            if body is not None:
                return nodes[:start], body, nodes[start + length + len(others) :], variable
    return None


def _find_body(nodes: list[Node], members: list[int], family: str, variable: str) -> Node | None:
    if len(nodes) != len(members):
        return None
    try:
        body = unify((nodes[0], nodes[1]), (members[0], members[1]), Index(family, variable))
    except DifferentError:
        return None
    pairs = zip(members, nodes, strict=True)
    is_same = all(instantiate(body, family, variable, i) == node for i, node in pairs)
    return body if is_same and body != nodes[0] else None


def unify(pair: tuple[Any, Any], members: tuple[int, int], index: Index) -> Any:
    """What becomes the first node for the first member and the second for the second.

    ``index`` has the family and the variable. Raises DifferentError.
    """
    one, other = pair
    if one == other:
        return one
    if type(one) is not type(other):
        raise DifferentError
    if isinstance(one, Index):
        if pair == (Index(index.family, members[0]), Index(index.family, members[1])):
            return index
        raise DifferentError
    if isinstance(one, Number):
        if (one.value, other.value) == members:
            return Name(str(index.value))
        raise DifferentError
    if isinstance(one, tuple):
        if len(one) != len(other):
            raise DifferentError
        return tuple(unify(each, members, index) for each in zip(one, other, strict=True))
    if not attrs.has(type(one)):
        raise DifferentError
    names = attrs.fields_dict(type(one))
    parts = (unify((getattr(one, n), getattr(other, n)), members, index) for n in names)
    return type(one)(*parts)


def instantiate(node: Any, family: str, variable: str, i: int) -> Any:
    """What a node over a family is for one member."""

    def replace(x: Any) -> Any:
        if x == Index(family, variable):
            return Index(family, i)
        return Number(i) if x == Name(variable) else x

    return transform(node, replace)


def choose_variable(family: str, nodes: Sequence[Any]) -> str:
    """A name for a bound variable that none of these nodes binds already."""
    taken: set[str] = set()
    stack = list(nodes)
    while stack:
        node = stack.pop()
        if isinstance(node, Over):
            taken.add(node.variable)
        if isinstance(node, tuple):
            stack.extend(node)
        elif attrs.has(type(node)):
            stack.extend(getattr(node, n) for n in attrs.fields_dict(type(node)))
    plain = VARIABLES[family]
    return next(v for v in (plain, plain * 2, plain * 3) if v not in taken)
