"""A state as a flat list of leaves, and back: shared by compiled execution and the solver.

A leaf's path is its dotted name, for example ``links.0.next_transfer_offset``. Paths that begin
with ``parameters.`` are constants of a run.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Annotated, Any, TypeAlias

import attrs

from reference.language.operator_table import Sort
from reference.language.structure import BaseStructure
from reference.language.terms import leaf

Offset: TypeAlias = Annotated[int, Sort.INTEGER]
"""A byte position in the commit log; -1 means "not known yet" where the text says so."""
Bytes: TypeAlias = Annotated[int, Sort.INTEGER]
"""A length in bytes."""
Count: TypeAlias = Annotated[int, Sort.INTEGER]
"""A number of things."""
Code: TypeAlias = Annotated[int, Sort.INTEGER]
"""One of a few named integer constants."""
Flag: TypeAlias = Annotated[bool, Sort.BOOLEAN]
"""A truth value."""


PARAMETER_PREFIX = "parameters."


def transform_leaves(cluster: Any, replace: Callable[[str, Sort, Any], Any]) -> Any:
    """The same structure with every leaf replaced by ``replace(path, sort, value)``."""
    return _transform(cluster, "", replace)


def flatten(cluster: Any) -> dict[str, Any]:
    """Every leaf by its path, in a fixed order; parameters included."""
    found: dict[str, Any] = {}
    _collect(cluster, "", found)
    return found


def set_leaves(cluster: Any, values: Mapping[str, Any]) -> Any:
    """The state with other values of these leaves. Raises KeyError for a leaf that it has not."""
    known = flatten(cluster)
    if missing := values.keys() - known.keys():
        raise KeyError(min(missing))
    return transform_leaves(cluster, lambda path, _, value: values.get(path, value))


def list_changed(before: Any, after: Any, path: str = "") -> Iterator[tuple[str, Sort, Any, Any]]:
    """The leaves that are not the same objects in two states: path, sort, old and new value.

    Parts that a step has not touched are the same objects, and are not looked into.
    """
    for name, sort in list_leaf_fields(before.__class__):
        old, new = getattr(before, name), getattr(after, name)
        if old is new:
            continue
        is_many = isinstance(old, tuple)
        below = f"{path}{name}"
        parts = enumerate(zip(old, new, strict=True)) if is_many else [("", (old, new))]
        for index, (one, other) in parts:
            place = f"{below}.{index}" if is_many else below
            if sort is None:
                yield from list_changed(one, other, f"{place}.")
            elif one is not other:
                yield place, sort, one, other


def unflatten(structure: BaseStructure, values: Mapping[str, Any]) -> Any:
    """The state whose leaves have these values. Raises KeyError for a missing path."""
    template = structure.template
    return transform_leaves(template, lambda path, sort, value: values[path])


@cache
def compute_leaf_sorts(structure: BaseStructure) -> dict[str, Sort]:
    """The sort of every leaf of a structure, in the order of ``flatten``."""
    sorts: dict[str, Sort] = {}

    def note(path: str, sort: Sort, value: Any) -> Any:
        sorts[path] = sort
        return value

    transform_leaves(structure.template, note)
    return sorts


@cache
def symbolic_cluster(structure: BaseStructure) -> Any:
    """The state in which every leaf is a free variable named by its path."""
    template = structure.template
    return transform_leaves(template, lambda path, sort, value: leaf(path, sort))


def is_parameter(path: str) -> bool:
    """The leaf is a constant of the run, not a part of the changing state."""
    return path.startswith(PARAMETER_PREFIX)


def _transform(value: Any, path: str, replace: Callable[[str, Sort, Any], Any]) -> Any:
    changes: dict[str, Any] = {}
    for name, sort in list_leaf_fields(value.__class__):
        old = getattr(value, name)
        below = f"{path}{name}"
        if isinstance(old, tuple):
            changes[name] = tuple(
                replace(f"{below}.{i}", sort, item)
                if sort is not None
                else _transform(item, f"{below}.{i}.", replace)
                for i, item in enumerate(old)
            )
        elif sort is not None:
            changes[name] = replace(below, sort, old)
        else:
            changes[name] = _transform(old, f"{below}.", replace)
    return attrs.evolve(value, **changes)


def _collect(value: Any, path: str, found: dict[str, Any]) -> None:
    for name, sort in list_leaf_fields(value.__class__):
        old = getattr(value, name)
        below = f"{path}{name}"
        if isinstance(old, tuple):
            for i, item in enumerate(old):
                if sort is not None:
                    found[f"{below}.{i}"] = item
                else:
                    _collect(item, f"{below}.{i}.", found)
        elif sort is not None:
            found[below] = old
        else:
            _collect(old, f"{below}.", found)


@cache
def list_leaf_fields(owner: Any) -> tuple[tuple[str, Sort | None], ...]:
    """The fields that carry leaves, with their sort, or None for a class with leaves of its own."""
    fields = attrs.fields(owner)
    static = {str(a.type): Any for a in fields if a.metadata.get("static")}
    hints = typing.get_type_hints(owner, localns=static, include_extras=True)
    names = [a.name for a in fields if not a.metadata.get("static")]
    return tuple((name, _sort_of(hints[name])) for name in names)


def _sort_of(hint: Any) -> Sort | None:
    for item in (hint, *typing.get_args(hint)):
        for extra in getattr(item, "__metadata__", ()):
            if isinstance(extra, Sort):
                return extra
    return None
