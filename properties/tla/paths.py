"""Values as leaves, and the ways to them: what is a part of the state, a parameter, a literal."""

from __future__ import annotations

from typing import Any

import attrs
from attrs import frozen

from properties.tla.families import CODES, FAMILY_OF
from properties.tla.nodes import Field, Index, Name, Node, Number
from reference.leaves import PARAMETER_PREFIX, flatten
from reference.terms import Term, as_term

FORMAL_PREFIX = "@"
"""Where the leaves of a function's parameters lie while the function is recorded."""

ARGUMENT_PREFIX = "argument."
LIMIT_PREFIX = f"{PARAMETER_PREFIX}limits."


@frozen
class Leaves:
    """A value as the tuple of its terms, with the way to each."""

    paths: tuple[str, ...]
    terms: tuple[Term, ...]

    @property
    def key(self) -> tuple[int, ...]:
        """Equal for equal values."""
        return tuple(map(id, self.terms))


def collect_leaves(value: Any) -> Leaves:
    """The leaves of a term, of a record, or of a tuple of these."""
    if isinstance(value, tuple):
        parts = [collect_leaves(member) for member in value]
        paths = (f"{i}.{p}".rstrip(".") for i, part in enumerate(parts) for p in part.paths)
        return Leaves(tuple(paths), tuple(t for part in parts for t in part.terms))
    if attrs.has(type(value)):
        found = flatten(value)
        return Leaves(tuple(found), tuple(map(as_term, found.values())))
    return Leaves(("",), (as_term(value),))


def find_label(term: Term) -> str:
    """The field that a term is the value of, if its values are codes."""
    if term.operator == "leaf":
        name = str(term.payload).rpartition(".")[2]
        return name if name in CODES else ""
    if term.operator == "choose":
        return next(filter(None, map(find_label, term.arguments[1:])), "")
    return ""


def read_constant(value: int | bool, label: str) -> Number:
    """A literal, with its name where it is a code."""
    if isinstance(value, bool):
        return Number(value, str(value).upper())
    return Number(value, CODES.get(label, {}).get(value, ""))


def read_path(path: str) -> Node:
    """The node of a leaf, or of what lies above leaves."""
    if path.startswith(LIMIT_PREFIX):
        return Name(f"{path.removeprefix(LIMIT_PREFIX)}_max")
    plain = path.removeprefix(PARAMETER_PREFIX).removeprefix(ARGUMENT_PREFIX)
    root, *rest = plain.removeprefix(FORMAL_PREFIX).split(".")
    return Field(Name(root), read_parts(".".join(rest), root)) if rest else Name(root)


def read_parts(path: str, container: str = "") -> tuple[str | Index, ...]:
    """The parts of a dotted way; a number is a member of what stands before it."""
    parts: list[str | Index] = []
    for part in path.split("."):
        parts.append(Index(FAMILY_OF[container], int(part)) if part.isdigit() else part)
        container = part
    return tuple(parts)


def find_common_path(leaves: Leaves) -> str | None:
    """The way to a part of the state that a value is, unchanged."""
    common = find_prefixes(Leaves(leaves.paths[:1], leaves.terms[:1]))
    for path in common:
        pairs = zip(leaves.terms, leaves.paths, strict=True)
        if all(is_leaf_at(term, path, below) for term, below in pairs):
            return path
    return None


def find_prefixes(leaves: Leaves) -> set[str]:
    """The ways to the records that some leaf of a value comes from."""
    return {
        term.payload[: -len(path) - 1]
        for term, path in zip(leaves.terms, leaves.paths, strict=True)
        if term.operator == "leaf" and path and str(term.payload).endswith(f".{path}")
    }


def is_leaf_at(term: Term, path: str, below: str) -> bool:
    """The term is the leaf at this place."""
    return term.operator == "leaf" and term.payload == f"{path}.{below}"


def list_fields(value: Any) -> list[str]:
    """The fields of a record that are part of a state."""
    return [a.name for a in attrs.fields(type(value)) if not a.metadata.get("static")]
