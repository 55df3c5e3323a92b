"""Recorded terms as expressions of another language, with names for repeated parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from attrs import frozen

from reference.language.operator_table import spell
from reference.language.terms import Term, find_shared

RANGE_PREFIX = "is_range_of_"
"""Conditions of this name demand that an argument has a value; each language does so itself."""

PART_MIN = 40
"""The length from which a repeated part gets a name of its own."""


@frozen
class Notation:
    """How a language writes terms."""

    write_leaf: Callable[[str], str]
    """A leaf, by its path."""
    write_constant: Callable[[int | bool], str]
    chains: Mapping[str, str]
    """Operators whose operands are in one pair of parentheses, and the text between them."""
    others: Mapping[str, str]
    """Every other operator, with a place for each operand."""

    @classmethod
    def of(
        cls,
        language: str,
        write_leaf: Callable[[str], str],
        write_constant: Callable[[int | bool], str],
        chained: Iterable[str],
    ) -> Notation:
        """That of a language, by its column of the table of operators."""
        texts = spell(language)
        chains = {name: texts.pop(name).removeprefix("({}").removesuffix("{})") for name in chained}
        return cls(write_leaf, write_constant, chains, texts)

    def write(self, term: Term, names: Mapping[int, str] | None = None) -> str:
        """The expression of a term; terms in ``names``, by their id, are written as these names.

        Raises KeyError for an unknown operator.
        """
        known = {} if names is None else names
        if id(term) in known:
            return known[id(term)]
        if term.operator == "constant":
            return self.write_constant(term.payload)
        if term.operator == "leaf":
            return self.write_leaf(term.payload)
        if term.operator in self.chains:
            operands = (self.write(t, known) for t in list_operands(term, known))
            return f"({self.chains[term.operator].join(operands)})"
        return self.others[term.operator].format(*(self.write(t, known) for t in term.arguments))

    def name_parts(
        self, prefix: str, terms: Iterable[Term]
    ) -> tuple[dict[int, str], dict[str, str]]:
        """Long parts that these terms share: their names by id, and their expressions by name."""
        names: dict[int, str] = {}
        parts: dict[str, str] = {}
        for part in find_shared(terms):
            text = self.write(part, names)
            if len(text) > PART_MIN:
                names[id(part)] = name = f"{prefix}_{len(names)}"
                parts[name] = text
        return names, parts


def list_operands(term: Term, names: Mapping[int, str]) -> Iterator[Term]:
    """The operands of nested terms of one operator, in their order; a named one stays whole."""
    for operand in term.arguments:
        if operand.operator == term.operator and id(operand) not in names:
            yield from list_operands(operand, names)
        else:
            yield operand


def name_path(path: str) -> str:
    """The identifier of a leaf or an instance: ``links.0.is_open`` is ``links_0_is_open``."""
    return re.sub(r"\W+", "_", path).strip("_")
