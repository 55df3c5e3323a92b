"""What each leaf of a state is: the docstrings of the fields on the way to it."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from functools import cache
from typing import Any, cast

import attrs

from properties.language.world import ClaimedStructure


def describe_leaves(structure: ClaimedStructure) -> dict[str, str]:
    """The meaning of each leaf by its path, numbers in it written as ``*``.

    A list that is empty in the first state is left out, because its items are unknown.
    """
    return dict(_describe(structure.template, ""))


def _describe(value: Any, path: str) -> Iterator[tuple[str, str]]:
    for field in attrs.fields(type(value)):
        if field.metadata.get("static"):
            continue
        below, own = f"{path}{field.name}", getattr(value, field.name)
        first = own[0] if isinstance(own, tuple) and own else own
        below += ".*" if isinstance(own, tuple) else ""
        if attrs.has(type(first)):
            yield from _describe(first, f"{below}.")
        else:
            yield below, read_field_texts(cast(Any, type(value)))[field.name]


@cache
def read_field_texts(owner: Any) -> dict[str, str]:
    """The docstrings of a class's fields, those of its bases too."""
    found: dict[str, str] = {}
    for each in reversed(owner.__mro__[:-1]):
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(each))).body
        assert isinstance(tree, ast.ClassDef)
        for field, told in zip(tree.body, tree.body[1:], strict=False):
            if isinstance(field, ast.AnnAssign) and isinstance(told, ast.Expr):
                text = ast.literal_eval(told.value)
                found[ast.unparse(field.target)] = " ".join(str(text).replace("``", "`").split())
    return found
