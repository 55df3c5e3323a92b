"""Recorded terms as text of Promela, SPIN's language; how leaves and instances are called.

https://spinroot.com/spin/Man/promela.html. Names are those of the model with dots and brackets
as underscores. ``minimum`` and ``maximum`` are macros that every exported model defines.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from reference.terms import Term, walk

_EXPRESSIONS = {
    "add": "({} + {})",
    "subtract": "({} - {})",
    "minimum": "minimum({}, {})",
    "maximum": "maximum({}, {})",
    "quotient": "({} / {})",
    "remainder": "({} % {})",
    "less": "({} < {})",
    "less_equal": "({} <= {})",
    "equal": "({} == {})",
    "not": "!{}",
    "choose": "({} -> {} : {})",
    "choose_flag": "({} -> {} : {})",
}

_CHAINS = {"and": " && ", "or": " || "}
"""Operators whose operands stand in one pair of parentheses."""

PART_MIN = 40
"""Characters from which on a part that occurs again has a name of its own."""

MACROS = """\
#define minimum(a, b) ((a) < (b) -> (a) : (b))
#define maximum(a, b) ((a) < (b) -> (b) : (a))"""


def name_path(path: str) -> str:
    """The identifier of a leaf or an instance: ``links.0.is_open`` is ``links_0_is_open``."""
    return re.sub(r"\W+", "_", path).strip("_")


def write_term(term: Term, names: Mapping[int, str] | None = None) -> str:
    """The expression of a term; terms in ``names``, by their id, stand as these.

    Raises KeyError for an unknown operator.
    """
    known = {} if names is None else names
    if id(term) in known:
        return known[id(term)]
    if term.operator == "constant":
        return str(term.payload).lower()
    if term.operator == "leaf":
        return name_path(term.payload)
    if term.operator in _CHAINS:
        chain = _flatten(term, term.operator, known)
        return f"({_CHAINS[term.operator].join(write_term(t, known) for t in chain)})"
    operands = (write_term(a, known) for a in term.arguments)
    return _EXPRESSIONS[term.operator].format(*operands)


def _flatten(term: Term, operator: str, known: Mapping[int, str]) -> Iterator[Term]:
    """The operands of nested terms of one operator, in their order."""
    for operand in term.arguments:
        if operand.operator == operator and id(operand) not in known:
            yield from _flatten(operand, operator, known)
        else:
            yield operand


def find_shared(terms: Iterable[Term]) -> list[Term]:
    """The terms with operands that occur more than once below these, arguments first."""
    uses: dict[int, int] = {}
    roots = list(terms)
    nodes = list(walk(roots))
    for used in [*roots, *(a for node in nodes for a in node.arguments)]:
        uses[id(used)] = uses.get(id(used), 0) + 1
    return [node for node in nodes if node.arguments and uses[id(node)] > 1]


def define(prefix: str, terms: Mapping[str, Term]) -> Iterator[str]:
    """Macros for these terms by their names, and before them for long parts that they share."""
    names: dict[int, str] = {}
    for part in find_shared(terms.values()):
        text = write_term(part, names)
        if len(text) > PART_MIN:
            names[id(part)] = f"{prefix}_{len(names)}"
            yield f"#define {names[id(part)]} {text}"
    for name, term in terms.items():
        yield f"#define {name} {write_term(term, names)}"


def write_comment(*lines: str) -> str:
    """A comment of these lines."""
    inside = "\n   ".join(line.replace("*/", "* /") for line in lines)
    return f"/* {inside} */"
