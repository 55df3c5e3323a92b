"""Functions with one small mistake each, made mechanically in their source.

The mistake is made in the code of the function itself, so that everything that calls it makes it
too. Tables of lambdas, and values outside of functions, are left as they are.
"""

from __future__ import annotations
import __future__

import ast
import contextlib
import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib import import_module
from types import CodeType, FunctionType, ModuleType
from typing import Any

from attrs import field, frozen

from properties.mutants import alterations
from properties.mutants.alterations import Mutation
from properties.mutants.source import SourceMistake, find_known, leave_out_remarks, list_mistakes

REWRITTEN_CALLS = {
    "negate": {"negate dropped": lambda call: call.args[0]},
    "choose": {
        "choices swapped": lambda call: ast.Call(call.func, [call.args[i] for i in (0, 2, 1)], [])
    },
}
MUTATION = Mutation(
    (
        (ast.Compare, alterations.swap_comparisons),
        (ast.BoolOp, alterations.swap_junctions),
        (ast.BinOp, alterations.swap_operators),
        (ast.UnaryOp, alterations.drop_negations),
        (ast.IfExp, alterations.swap_branches),
        (ast.Call, alterations.swap_calls),
        (ast.Call, partial(alterations.rewrite_calls, changes=REWRITTEN_CALLS)),
        (ast.Constant, alterations.swap_truths),
        (ast.Constant, partial(alterations.shift_integers, differences=(1, -1))),
    ),
    swapped="{1} for {0}",
)
"""The mistakes that are made in functions."""


@frozen
class FunctionMutant:
    """One function with one mistake."""

    module: str
    function: str
    """With its class, if it has one."""
    line: int
    mistake: str
    code: CodeType = field(repr=False, eq=False)
    target: Any = field(repr=False, eq=False)
    forget: Callable[[], None] = field(repr=False, eq=False)
    """Empties the function's cache."""

    @property
    def name(self) -> str:
        """For example ``scan.py:81 is_full: Lt for LtE``."""
        return f"{self.module.rpartition('.')[2]}.py:{self.line} {self.function}: {self.mistake}"

    @contextlib.contextmanager
    def make(self) -> Iterator[None]:
        """Inside this context the function has the mistake."""
        true_code = self.target.__code__
        self.target.__code__ = self.code
        self.forget()
        try:
            yield
        finally:
            self.target.__code__ = true_code
            self.forget()


@frozen
class FunctionSource:
    """A function or a method, with its source."""

    node: ast.FunctionDef
    function: Any
    forget: Callable[[], None]


def list_function_mutants(modules: Iterable[str]) -> Iterator[FunctionMutant]:
    """Every mutant of the functions of some modules."""
    for name in modules:
        tree = ast.parse(inspect.getsource(import_module(name)))
        known = find_known(tree)
        for source in list_sources(tree, import_module(name)):
            for mistake in list_mistakes(source.node, source.node.body, MUTATION, known):
                yield make_mutant(name, source, mistake)


def make_mutant(module: str, source: FunctionSource, mistake: SourceMistake) -> FunctionMutant:
    """The function with a mistake."""
    return FunctionMutant(
        module,
        source.function.__qualname__,
        mistake.node.lineno,
        mistake.words,
        compile_function(mistake.make_in(source.node), source.function),
        source.function,
        source.forget,
    )


def list_sources(tree: ast.Module, module: ModuleType) -> Iterator[FunctionSource]:
    """The functions and methods of a module; those of an inner function's variables not."""
    for node in tree.body:
        owners: list[tuple[ast.FunctionDef, Any]] = []
        if isinstance(node, ast.FunctionDef):
            owners.append((node, getattr(module, node.name)))
        elif isinstance(node, ast.ClassDef):
            known = vars(getattr(module, node.name))
            methods = (each for each in node.body if isinstance(each, ast.FunctionDef))
            owners += [(each, known.get(each.name)) for each in methods]
        for each, found in owners:
            inner, forget = unwrap(found)
            if isinstance(inner, FunctionType) and not inner.__code__.co_freevars:
                yield FunctionSource(leave_out_remarks(each), inner, forget)


def unwrap(found: Any) -> tuple[Any, Callable[[], None]]:
    """The function of a property or of a cached function, and what empties the cache."""
    if isinstance(found, property):
        found = found.fget
    if isinstance(found, functools._lru_cache_wrapper):
        return found.__wrapped__, found.cache_clear
    return found, lambda: None


def compile_function(node: ast.FunctionDef, function: Any) -> CodeType:
    """The code of a changed function."""
    module = ast.fix_missing_locations(ast.Module([node], []))
    flags = __future__.annotations.compiler_flag
    code = compile(module, function.__code__.co_filename, "exec", flags, dont_inherit=True)
    return next(
        each for each in code.co_consts if isinstance(each, CodeType) and each.co_name == node.name
    )
