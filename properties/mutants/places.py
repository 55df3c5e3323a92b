"""Places for mistakes in a recorded rule: comparisons and constants, identified by their shape.

A shape is a term without the numbers of slaves, messages and log epochs (``lives``) in its leaves.
One comparison in the text of a rule is recorded once for each of them, and all of these have one
shape: a mistake is made everywhere at once, and the same one in every structure.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from operator import is_

from attrs import frozen

from reference.language.terms import Term, constant, record, walk

COMPARISONS = {"less": "less_equal", "less_equal": "less"}
"""The comparison that replaces each one when strictness is flipped."""

SIGNS = {
    "add": "+",
    "subtract": "-",
    "quotient": "//",
    "remainder": "%",
    "less": "<",
    "less_equal": "<=",
    "equal": "==",
    "and": "&",
    "or": "|",
}
"""How operators are written between their operands."""

TEXT_MAX = 48
"""The maximal length of a place's text; the rest is cut."""

_NUMBER = re.compile(r"\.\d+")


@frozen
class Place:
    """A comparison, or one constant among the operands of an operator, in every instance."""

    shape: str
    """The shape of the comparison, or of the operator."""
    operand: int = -1
    """The index of the constant operand; -1 for a comparison."""
    text: str = ""
    """Its text in the first instance, for readers."""


@cache
def remove_numbers(path: str) -> str:
    """``slaves.0.log.ends.1`` becomes ``slaves.log.ends``."""
    return _NUMBER.sub("", path)


_shapes: dict[int, str] = {}


def get_shape(term: Term) -> str:
    """A term without the numbers in its leaves, as a fingerprint; terms live as long as we do."""
    if id(term) not in _shapes:
        for node in walk([term]):
            if id(node) not in _shapes:
                payload = remove_numbers(node.payload) if node.operator == "leaf" else node.payload
                inside = [_shapes[id(a)] for a in node.arguments]
                text = f"{node.operator} {payload} {inside}"
                _shapes[id(node)] = hashlib.sha256(text.encode()).hexdigest()[:12]
    return _shapes[id(term)]


def find_comparisons(roots: list[Term]) -> list[Place]:
    """Every comparison below the roots, one place per shape, in the order of evaluation."""
    found = {
        get_shape(node): Place(get_shape(node), text=render(node))
        for node in reversed(list(walk(roots)))
        if node.operator in COMPARISONS
    }
    return list(reversed(found.values()))


def find_constants(roots: list[Term]) -> list[Place]:
    """Every integer that is an operand below the roots, one place per shape and operand."""
    found: dict[tuple[str, int], Place] = {}
    for node in walk(roots):
        for index in list_integers(node):
            key = get_shape(node), index
            text = f"{node.arguments[index].payload} in {render(node)}"
            found.setdefault(key, Place(*key, text))
    return list(found.values())


def list_integers(node: Term) -> Iterator[int]:
    """The operands that are constant numbers, not truth values."""
    for index, operand in enumerate(node.arguments):
        if is_integer(operand):
            yield index


def is_integer(term: Term) -> bool:
    """The term is a constant number."""
    return term.operator == "constant" and not isinstance(term.payload, bool)


def rewrite(
    roots: Mapping[str, Term], place: Place, change: Callable[[Term], Term]
) -> dict[str, Term]:
    """The terms with every node of the place's shape changed.

    ``change`` gets the node as it was recorded: a shape never contains itself.
    """
    results: dict[int, Term] = {}
    for node in walk(roots.values()):
        if get_shape(node) == place.shape:
            results[id(node)] = change(node)
        else:
            inside = [results[id(a)] for a in node.arguments]
            is_same = all(map(is_, inside, node.arguments))
            results[id(node)] = node if is_same else record(node.operator, *inside)
    return {name: results[id(term)] for name, term in roots.items()}


def flip(node: Term) -> Term:
    """``<`` becomes ``<=``, and vice versa."""
    return record(COMPARISONS[node.operator], *node.arguments)


def shift_operand(node: Term, operand: int, difference: int) -> Term:
    """The operator with one constant operand changed."""
    arguments = list(node.arguments)
    arguments[operand] = constant(arguments[operand].payload + difference)
    return record(node.operator, *arguments)


def render(term: Term) -> str:
    """A short text for readers: ``flushed_offset < max(...)``; long text is cut."""
    text = _render(term, 3)
    return text if len(text) <= TEXT_MAX else text[: TEXT_MAX - 3] + "..."


def _render(term: Term, depth: int) -> str:
    if term.operator == "constant":
        return str(term.payload)
    if term.operator == "leaf":
        return ".".join(remove_numbers(term.payload).split(".")[-2:])
    if depth == 0:
        return "..."
    operands = [_render(a, depth - 1) for a in term.arguments]
    if term.operator in SIGNS:
        return f"({f' {SIGNS[term.operator]} '.join(operands)})"
    return f"{term.operator}({', '.join(operands)})"
