"""What a TLA+ expression is made of, before it is text: it knows its meaning and its names.

A node says the same as a recorded value (a term, a record of terms, a tuple of records), but in the
words of the reference: calls of its functions, quantifiers over slaves and messages, records with
some fields changed. ``expansion`` turns a node back into the value; that is how it is checked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import attrs
from attrs import frozen


@frozen
class Index:
    """Which member of a family: the number of a slave, of a message, of a life, of a broker."""

    family: str
    """The set that it is taken from, for example ``Slaves``."""
    value: int | str
    """The number itself, or the variable that holds it."""
    is_other: bool = False
    """Not that one: the other of two."""


@frozen
class Name:
    """A variable of the state, a constant of the run, a parameter or a bound variable."""

    name: str


@frozen
class Number:
    """A literal number or truth value."""

    value: int | bool
    name: str = ""
    """What the reference calls it, for example ``WAITS_FOR_DISK``."""


@frozen
class Field:
    """A part of a record or of a function: ``links[slave].is_open``."""

    base: Node
    parts: tuple[str | Index, ...]


@frozen
class Apply:
    """An operator of the terms. ``and``, ``or``, ``add``, ``minimum`` and ``maximum`` take many."""

    operator: str
    operands: tuple[Node, ...]


@frozen
class Over:
    """The same for every member of a family: an operand of an ``Apply``, or a function."""

    family: str
    variable: str
    chosen: str
    """Which members: ``all``, ``others`` than the own one, or those ``before`` it."""
    own: str
    """The variable that holds the own member; empty where there is none."""
    body: Node


@frozen
class Call:
    """A function of the reference, applied. What is not passed it takes from the state."""

    function: str
    arguments: tuple[Node | Index, ...]


@frozen
class Except:
    """A record, or a function over a family, with some parts changed."""

    base: Node
    changes: tuple[tuple[tuple[str | Index, ...], Node], ...]


@frozen
class Record:
    """A record with all its fields, or a function with all its values."""

    cls: Any
    """The class of the record; None for a function."""
    fields: tuple[tuple[str | Index, Node], ...]


@frozen
class Let:
    """Names for parts of an expression, those first that others use."""

    bindings: tuple[tuple[str, Node], ...]
    body: Node


Node: TypeAlias = Name | Number | Field | Apply | Over | Call | Except | Record | Let
"""An expression."""

CHAINED = ("and", "or", "add", "minimum", "maximum")
"""Operators that take any number of operands, from left to right."""


def find_indexes(node: Any) -> list[Index]:
    """Every index that a node mentions."""
    if isinstance(node, Index):
        return [node]
    return [found for part in list_parts(node) for found in find_indexes(part)]


def list_parts(node: Any) -> tuple[Any, ...]:  # noqa: PLR0911
    """The nodes and indexes right below a node."""
    match node:
        case Field(base, parts):
            return (base, *(p for p in parts if isinstance(p, Index)))
        case Apply(_, operands):
            return operands
        case Over(body=body):
            return (body,)
        case Call(_, arguments):
            return arguments
        case Except(base, changes):
            inside = (p for parts, new in changes for p in (*parts, new))
            return (base, *(p for p in inside if not isinstance(p, str)))
        case Record(_, fields):
            return tuple(p for pair in fields for p in pair if not isinstance(p, str))
        case Let(bindings, body):
            return (*(value for _, value in bindings), body)
    return ()


def transform(node: Any, change: Callable[[Any], Any]) -> Any:
    """The node with every node and index in it exchanged for what ``change`` says, inner first."""
    if isinstance(node, tuple):
        return tuple(transform(part, change) for part in node)
    if not attrs.has(type(node)) or isinstance(node, type):
        return node
    names = attrs.fields_dict(type(node))
    return change(type(node)(*(transform(getattr(node, name), change) for name in names)))


def replace_indexes(node: Any, replacements: dict[Index, Index]) -> Any:
    """The node with some indexes exchanged."""
    return transform(node, lambda x: replacements.get(x, x) if isinstance(x, Index) else x)
