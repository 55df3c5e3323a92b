"""What a node means: the value that it stands for, recorded anew."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial, reduce
from typing import Any

from attrs import evolve, frozen

from properties.tla.nodes import (
    CHAINED,
    Apply,
    Call,
    Except,
    Field,
    Index,
    Let,
    Name,
    Node,
    Number,
    Over,
    Record,
)
from reference.rule import replace_at
from reference.terms import Term, constant, record

NEUTRAL = {"and": constant(True), "or": constant(False), "add": constant(0)}
"""What an operator over an empty family gives."""


@frozen
class Definition:
    """A function of the reference as an operator of the module."""

    name: str
    formals: tuple[tuple[str, str], ...]
    """Name and family of each parameter; the family is empty for a value."""
    body: Node
    sentence: str
    """What the reference says of it."""


@frozen
class Expansion:
    """Expands nodes in one state."""

    definitions: Mapping[str, Definition]
    values: Mapping[str, Any]
    """The state's variables, the constants, and what is bound, by name."""
    sizes: Mapping[str, int]
    """How many members each family has."""

    def bind(self, **values: Any) -> Expansion:
        """The same with some more names."""
        return evolve(self, values={**self.values, **values})

    def expand(self, node: Node) -> Any:  # noqa: PLR0911
        """The value of a node."""
        match node:
            case Number(literal):
                return constant(literal)
            case Name(name):
                return self.values[name]
            case Field(base, parts):
                return reduce(self._get_part, parts, self.expand(base))
            case Apply(operator, operands) if operator in CHAINED:
                return self._chain(operator, operands)
            case Apply(operator, operands):
                return record(operator, *map(self.expand, operands))
            case Over():
                return tuple(self._expand_members(node))
            case Call(function, arguments):
                return self._call(self.definitions[function], arguments)
            case Except(base, changes):
                value = self.expand(base)
                for parts, new in changes:
                    value = self._change(value, parts, self.expand(new))
                return value
            case Record(cls, fields):
                values = {str(key): self.expand(new) for key, new in fields}
                return cls(**values) if cls is not None else tuple(values.values())
            case Let(bindings, body):
                inner = self
                for name, place in bindings:
                    inner = inner.bind(**{name: inner.expand(place)})
                return inner.expand(body)
        raise AssertionError(node)

    def find_index(self, index: Index) -> int:
        """The number of a member."""
        value = index.value if isinstance(index.value, int) else int(self.values[index.value])
        return 1 - value if index.is_other else value

    def _get_part(self, value: Any, part: str | Index) -> Any:
        if isinstance(part, Index):
            return value[self.find_index(part)]
        return getattr(value, part)

    def _chain(self, operator: str, operands: tuple[Node, ...]) -> Term:
        values: list[Any] = []
        for operand in operands:
            values += self._expand_members(operand) if isinstance(operand, Over) else [operand]
        terms = [v if isinstance(v, Term) else self.expand(v) for v in values]
        first, *others = terms or [NEUTRAL[operator]]
        return reduce(partial(record, operator), others, first)

    def _expand_members(self, over: Over) -> list[Any]:
        members = range(self.sizes[over.family])
        if over.chosen != "all":
            own = int(self.values[over.own])
            members = range(own) if over.chosen == "before" else members
        chosen = [i for i in members if over.chosen != "others" or i != own]
        return [self.bind(**{over.variable: i}).expand(over.body) for i in chosen]

    def _call(self, definition: Definition, arguments: tuple[Node | Index, ...]) -> Any:
        values = (self.find_index(a) if isinstance(a, Index) else self.expand(a) for a in arguments)
        names = (name for name, _ in definition.formals)
        return self.bind(**dict(zip(names, values, strict=True))).expand(definition.body)

    def _change(self, value: Any, parts: tuple[str | Index, ...], new: Any) -> Any:
        if not parts:
            return new
        first, *rest = parts
        inner = self._change(self._get_part(value, first), tuple(rest), new)
        if isinstance(first, Index):
            return replace_at(value, self.find_index(first), inner)
        return evolve(value, **{first: inner})
