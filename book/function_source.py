"""Functions as in the source: their text, and the functions that they call."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from properties.checkout import ROOT

Function: TypeAlias = Callable[..., Any]

ROOMS = ("reference.", "properties.")
"""Where the functions lie that can be shown."""

VOCABULARY = frozenset(
    {
        "reference.language.operators",
        "reference.language.rule",
        "reference.language.variant",
        "properties.language.property",
    }
)
"""The modules whose functions are the language of rules, such as ``choose`` and ``when``."""


def get_path(function: Function) -> str:
    """The file of a function, from the root: ``reference/worlds/replication/put.py``."""
    file = inspect.getsourcefile(inspect.unwrap(function))
    return Path(str(file)).relative_to(ROOT).as_posix()


@cache
def read_source(function: Function, *, has_docstring: bool = True) -> str:
    """The text of a function with its decorators, as in the file."""
    lines = inspect.getsource(inspect.unwrap(function)).splitlines()
    first = parse(function).body[0]
    if not has_docstring and is_docstring(first):
        del lines[first.lineno - 1 : first.end_lineno]
    return "\n".join(lines)


def is_docstring(node: ast.stmt) -> bool:
    """The statement is a bare text."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


@cache
def parse(function: Function) -> ast.FunctionDef:
    """The syntax tree of a function; raises TypeError for a class or a lambda."""
    (node,) = ast.parse(inspect.getsource(inspect.unwrap(function))).body
    if not isinstance(node, ast.FunctionDef):
        raise TypeError(f"{function} is no function with a name")
    return node


@cache
def list_called(function: Function) -> tuple[Function, ...]:
    """The project's functions that a function names, each once, in the order of its text.

    Those of its decorators' arguments count, those of the language of rules do not.
    """
    names = sorted(list_names(parse(function)), key=lambda name: (name.lineno, name.col_offset))
    space = inspect.unwrap(function).__globals__
    found = (inspect.unwrap(space[n.id]) for n in names if callable(space.get(n.id)))
    return tuple(dict.fromkeys(f for f in found if inspect.isfunction(f) and is_shown(f)))


def list_names(node: ast.FunctionDef) -> Iterator[ast.Name]:
    """The names that the body and the decorators' arguments of a function use."""
    calls = (d for d in node.decorator_list if isinstance(d, ast.Call))
    roots = [*(k.value for call in calls for k in call.keywords), *node.body]
    for root in roots:
        yield from (name for name in ast.walk(root) if isinstance(name, ast.Name))


def is_shown(function: Function) -> bool:
    """The function is the project's, and none of the language in which rules are written."""
    module = function.__module__
    return module.startswith(ROOMS) and module not in VOCABULARY


def is_predicate(function: Function) -> bool:
    """The function says yes or no."""
    return str(inspect.unwrap(function).__annotations__.get("return")) == "bool"
