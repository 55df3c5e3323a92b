"""Functions with one small mistake each, made mechanically in their source.

The mistake is made in the code of the function itself, so that everything that calls it makes it
too. Tables of lambdas, and values outside of functions, are left as they are.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import contextlib
import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from types import CodeType, FunctionType, ModuleType
from typing import Any

from attrs import field, frozen

from properties.vectors.kill_rates.mistakes import list_mistakes, replace


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
        for source in list_sources(import_module(name)):
            known = {*source.function.__globals__, *vars(builtins)}
            for statement in source.node.body:
                for node in ast.walk(statement):
                    if isinstance(node, ast.expr):
                        for mistake, new in list_mistakes(node, known):
                            yield make_mutant(name, source, node, mistake, new)


def make_mutant(
    module: str, source: FunctionSource, node: ast.expr, mistake: str, new: ast.expr
) -> FunctionMutant:
    """The function with another expression in the place of one."""
    code = compile_function(replace(source.node, node, new), source.function)
    return FunctionMutant(
        module,
        source.function.__qualname__,
        node.lineno,
        mistake,
        code,
        source.function,
        source.forget,
    )


def list_sources(module: ModuleType) -> Iterator[FunctionSource]:
    """The functions and methods of a module; those of an inner function's variables not."""
    for node in ast.parse(inspect.getsource(module)).body:
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
                yield FunctionSource(each, inner, forget)


def unwrap(found: Any) -> tuple[Any, Callable[[], None]]:
    """The function of a property or of a cached function, and what empties the cache."""
    if isinstance(found, property):
        found = found.fget
    if isinstance(found, functools._lru_cache_wrapper):
        return found.__wrapped__, found.cache_clear
    return found, lambda: None


def compile_function(node: ast.FunctionDef, function: Any) -> CodeType:
    """The code of a changed function."""
    bare = ast.FunctionDef(node.name, node.args, node.body, [], None, None)
    module = ast.fix_missing_locations(ast.Module([ast.copy_location(bare, node)], []))
    flags = __future__.annotations.compiler_flag
    code = compile(module, function.__code__.co_filename, "exec", flags, dont_inherit=True)
    return next(
        each for each in code.co_consts if isinstance(each, CodeType) and each.co_name == node.name
    )
