"""The small mistakes that can be made in a piece of source: what stands there, and what instead."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import TypeAlias

COMPARISONS: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATORS: Mapping[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
CALLS: Mapping[str, str] = {"any_of": "all_of", "all_of": "any_of", "max": "min", "min": "max"}
"""Functions in whose place another one is called; that one has to be known there."""

Mistake: TypeAlias = tuple[str, ast.expr]
"""In words, and the expression that stands there instead."""


def list_mistakes(node: ast.expr, known: Collection[str]) -> Iterator[Mistake]:
    """The mistakes at an expression; ``known`` are the names that have a meaning there."""
    for kind, find in FINDERS:
        if isinstance(node, kind):
            yield from find(copy.deepcopy(node), known)


def _flip_comparison(node: ast.Compare, _known: Collection[str]) -> Iterator[Mistake]:
    if len(node.ops) == 1 and type(node.ops[0]) in COMPARISONS:
        old = type(node.ops[0])
        new = COMPARISONS[old]
        yield (
            f"{new.__name__} for {old.__name__}",
            ast.Compare(node.left, [new()], node.comparators),
        )
    for index, old_op in enumerate(node.ops if len(node.ops) > 1 else ()):
        new = COMPARISONS[type(old_op)]
        ops = [*node.ops[:index], new(), *node.ops[index + 1 :]]
        yield (
            f"{new.__name__} for {type(old_op).__name__}",
            ast.Compare(node.left, ops, node.comparators),
        )


def _flip_junction(node: ast.BoolOp, _known: Collection[str]) -> Iterator[Mistake]:
    new = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    words = "or for and" if isinstance(node.op, ast.And) else "and for or"
    yield words, ast.BoolOp(new, node.values)


def _flip_operator(node: ast.BinOp, _known: Collection[str]) -> Iterator[Mistake]:
    old = type(node.op)
    if old in OPERATORS:
        new = OPERATORS[old]
        yield f"{new.__name__} for {old.__name__}", ast.BinOp(node.left, new(), node.right)


def _drop_not(node: ast.UnaryOp, _known: Collection[str]) -> Iterator[Mistake]:
    if isinstance(node.op, ast.Not):
        yield "not dropped", node.operand


def _swap_branches(node: ast.IfExp, _known: Collection[str]) -> Iterator[Mistake]:
    yield "branches swapped", ast.IfExp(node.test, node.orelse, node.body)


def _change_call(node: ast.Call, known: Collection[str]) -> Iterator[Mistake]:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name == "negate":
        yield "negate dropped", node.args[0]
    elif name == "choose" and len(node.args) == 3:
        condition, one, other = node.args
        yield "choices swapped", ast.Call(node.func, [condition, other, one], [])
    elif CALLS.get(name) in known:
        other_name = ast.Name(CALLS[name], ast.Load())
        yield f"{CALLS[name]} for {name}", ast.Call(other_name, node.args, node.keywords)


def _change_constant(node: ast.Constant, _known: Collection[str]) -> Iterator[Mistake]:
    value = node.value
    if isinstance(value, bool):
        yield f"{not value} for {value}", ast.Constant(not value)
    elif isinstance(value, int):
        for other in (value + 1, value - 1):
            yield f"{other} for {value}", ast.Constant(other)


Finder: TypeAlias = Callable[..., Iterator[Mistake]]

FINDERS: tuple[tuple[type[ast.expr], Finder], ...] = (
    (ast.Compare, _flip_comparison),
    (ast.BoolOp, _flip_junction),
    (ast.BinOp, _flip_operator),
    (ast.UnaryOp, _drop_not),
    (ast.IfExp, _swap_branches),
    (ast.Call, _change_call),
    (ast.Constant, _change_constant),
)


class Replacement(ast.NodeTransformer):
    """Puts another expression in the place of one."""

    def __init__(self, line: int, column: int, end: int, old: ast.expr, new: ast.expr) -> None:
        self.place = line, column, end, type(old)
        self.new = new

    def visit(self, node: ast.AST) -> ast.AST:
        """Replace the expression with this place."""
        place = (
            getattr(node, "lineno", 0),
            getattr(node, "col_offset", 0),
            getattr(node, "end_col_offset", 0),
            type(node),
        )
        return self.new if place == self.place else self.generic_visit(node)


def replace(function: ast.FunctionDef, old: ast.expr, new: ast.expr) -> ast.FunctionDef:
    """The function with another expression in the place of one of its own."""
    transformer = Replacement(old.lineno, old.col_offset, old.end_col_offset or 0, old, new)
    changed = transformer.visit(copy.deepcopy(function))
    assert isinstance(changed, ast.FunctionDef)
    return ast.fix_missing_locations(changed)
