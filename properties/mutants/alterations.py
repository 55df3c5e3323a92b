"""The mutation operators of source: each lists the small mistakes that it makes at a node.

Whoever makes mistakes chooses some of them, and the words for what stands in the place of what: a
mistake is known by these words.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from operator import attrgetter
from types import UnionType
from typing import Any, TypeAlias, TypeVar

from attrs import frozen

Swapped = TypeVar("Swapped")

Change: TypeAlias = Callable[[Any], None]
"""Makes the mistake at a node, in place."""

Alterations: TypeAlias = Iterator[tuple[str | tuple[object, object], Change]]
"""Each in words, or as what stood there and what does instead, with its change."""


@frozen
class Mutation:
    """The mutation operators that somebody chose."""

    operators: Sequence[tuple[type[ast.AST] | UnionType, Callable[[Any], Alterations]]]
    """By the kind of node that each is for."""
    swapped: str
    """The words for another thing in the place of one: ``{} as {}``."""

    def list_alterations(self, node: ast.AST) -> Iterator[tuple[str, Change]]:
        """The mistakes that can be made at a node, in words."""
        for kind, operator in self.operators:
            for told, change in operator(node) if isinstance(node, kind) else ():
                yield told if isinstance(told, str) else self.swapped.format(*told), change


def swap_pairs(*pairs: tuple[Swapped, Swapped]) -> dict[Swapped, Swapped]:
    """Each of a pair has the other one."""
    return {old: new for pair in pairs for old, new in (pair, pair[::-1])}


COMPARISONS: Mapping[type[ast.cmpop], type[ast.cmpop]] = swap_pairs(
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq)),
    *((ast.Is, ast.IsNot), (ast.In, ast.NotIn)),
)
OPERATORS: Mapping[type[ast.operator], type[ast.operator]] = swap_pairs(
    (ast.Add, ast.Sub), (ast.BitAnd, ast.BitOr)
)
CALLS = swap_pairs(("all_of", "any_of"), ("min", "max"))
OPERANDS_OMITTED = ("all_of", "any_of", "minimum", "maximum", "when")


def write(field: str, value: Any) -> Change:
    """A field of a node has another value."""
    return lambda node: setattr(node, field, value)


def leave_out(field: str, index: int) -> Change:
    """One of several parts is missing."""
    return lambda node: getattr(node, field).pop(index)


def become(compute: Callable[[Any], ast.AST]) -> Change:
    """The node becomes what is computed from it, for example one of its parts."""
    return partial(_become, compute)


def _become(compute: Callable[[Any], ast.AST], node: Any) -> None:
    other = compute(node)
    place = {name: vars(node)[name] for name in ("lineno", "col_offset") if name in vars(node)}
    node.__class__ = other.__class__
    node.__dict__ = place | dict(vars(other))


def _shorten(node: ast.AST) -> str:
    return ast.unparse(node)[:50]


def _get_called(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else ""


def swap_comparisons(
    node: ast.Compare, swaps: Mapping[type[ast.cmpop], type[ast.cmpop]] = COMPARISONS
) -> Alterations:
    """Another comparison; in a chain each for itself."""
    for index, old in enumerate(map(type, node.ops)):
        ops = [*node.ops[:index], swaps[old](), *node.ops[index + 1 :]]
        yield (old.__name__, swaps[old].__name__), write("ops", ops)


def swap_operators(node: ast.BinOp) -> Alterations:
    """Another operator between two operands."""
    if new := OPERATORS.get(type(node.op)):
        yield (type(node.op).__name__, new.__name__), write("op", new())


def swap_junctions(node: ast.BoolOp) -> Alterations:
    """``or`` for ``and``, and vice versa."""
    is_and = isinstance(node.op, ast.And)
    words, new = (("and", "or"), ast.Or()) if is_and else (("or", "and"), ast.And())
    yield words, write("op", new)


def swap_calls(node: ast.Call, calls: Mapping[str, str] = CALLS) -> Alterations:
    """Another function is called."""
    if new := calls.get(_get_called(node)):
        yield (_get_called(node), new), write("func", ast.Name(new, ast.Load()))


def swap_branches(node: ast.IfExp) -> Alterations:
    """Each branch in the place of the other."""
    yield "branches swapped", become(lambda n: ast.IfExp(n.test, n.orelse, n.body))


def swap_truths(node: ast.Constant) -> Alterations:
    """``True`` for ``False``, and vice versa."""
    if isinstance(node.value, bool):
        yield (node.value, not node.value), write("value", not node.value)


def shift_integers(node: ast.Constant, differences: Sequence[int]) -> Alterations:
    """A number off by one."""
    if type(node.value) is int:
        for new in (node.value + by for by in differences):
            yield (node.value, new), write("value", new)


def rename_attributes(node: ast.Attribute, names: Mapping[str, str]) -> Alterations:
    """Another field is read."""
    if new := names.get(node.attr):
        yield (node.attr, new), write("attr", new)


def rewrite_texts(node: ast.Constant, texts: Mapping[str, str]) -> Alterations:
    """Another operator in a text with places for its operands."""
    if isinstance(node.value, str) and "{}" in node.value:
        for text in (node.value.replace(*swap) for swap in texts.items() if swap[0] in node.value):
            yield (node.value, text), write("value", text)


def negate_tests(node: ast.If | ast.IfExp | ast.While) -> Alterations:
    """A decision is the other way round."""
    words = f"if not ({_shorten(node.test)})"
    yield words, lambda n: setattr(n, "test", ast.UnaryOp(ast.Not(), n.test))


def drop_negations(node: ast.UnaryOp) -> Alterations:
    """What is negated itself."""
    if isinstance(node.op, ast.Not):
        yield "not dropped", become(attrgetter("operand"))


def rewrite_calls(
    node: ast.Call, changes: Mapping[str, Mapping[str, Callable[[Any], ast.AST]]]
) -> Alterations:
    """A call of some function becomes something else; by the function, and in words."""
    for words, compute in changes.get(_get_called(node), {}).items():
        yield words, become(compute)


def keep_sides(node: ast.BinOp) -> Alterations:
    """One side of ``&`` or ``|`` alone."""
    for side in ("left", "right") if isinstance(node.op, ast.BitAnd | ast.BitOr) else ():
        yield f"only {_shorten(getattr(node, side))}", become(attrgetter(side))


def omit_arguments(node: ast.Call) -> Alterations:
    """One of several operands, a condition, or one of the fields that change is missing."""
    name = _get_called(node)
    if name in OPERANDS_OMITTED and len(node.args) > 1:
        for index, argument in enumerate(node.args):
            yield f"{name} without {_shorten(argument)}", leave_out("args", index)
    for index, keyword in enumerate(node.keywords):
        if name == "when":
            yield f"without {keyword.arg}", leave_out("keywords", index)
        if name == "evolve" and len(node.keywords) > 1:
            yield f"{keyword.arg} left as it is", leave_out("keywords", index)


def omit_operands(node: ast.BoolOp) -> Alterations:
    """One of several conditions is missing."""
    for index, value in enumerate(node.values):
        yield f"without {_shorten(value)}", leave_out("values", index)


def omit_constants(node: ast.Tuple) -> Alterations:
    """One of several names or numbers is missing."""
    for index, element in enumerate(node.elts if len(node.elts) > 1 else ()):
        if isinstance(element, ast.Constant) and type(element.value) in (str, int):
            yield f"without {element.value!r}", leave_out("elts", index)


def omit_filters(node: ast.comprehension) -> Alterations:
    """A comprehension takes what its first condition excludes too."""
    if node.ifs:
        yield f"also where not {_shorten(node.ifs[0])}", leave_out("ifs", 0)


def omit_statements(node: ast.Expr) -> Alterations:
    """A call is not made."""
    if isinstance(node.value, ast.Call):
        yield f"without {_shorten(node.value)}", become(lambda _: ast.Pass())
