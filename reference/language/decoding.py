"""Clusters made of flat states by a compiled function, for whoever looks at very many of them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from typing import Any, TypeAlias

import attrs
from attrs import define, field

from reference.language.leaves import list_leaf_fields
from reference.language.structure import BaseStructure

LATEST = 256
"""How many clusters are kept: one state is looked at several times on end."""

Decoder: TypeAlias = Callable[[tuple[Any, ...]], Any]


@cache
def compile_decoder(structure: BaseStructure) -> Decoder:
    """A function that makes a cluster of the leaves of a state, in the order of ``flatten``."""
    writer = ExpressionWriter()
    body = writer.write(structure.template)
    source = f"def decode(s):\n    return {body}"
    exec(compile(source, f"<decoder of {structure}>", "exec"), writer.names)
    return lru_cache(LATEST)(writer.names["decode"])


@define(eq=False)
class ExpressionWriter:
    """Writes an expression; whatever is no number gets a name."""

    names: dict[str, Any] = field(factory=dict)
    places: Iterator[int] = field(factory=itertools.count)

    def write(self, value: Any) -> str:
        """A call of the class of ``value`` with new leaves; its other fields stay as they are."""
        owner = value.__class__
        leaves = dict(list_leaf_fields(owner))
        arguments = [
            f"{each.alias}={self._write_field(getattr(value, each.name), each.name, leaves)}"
            for each in attrs.fields(owner)
            if each.init
        ]
        return f"{self.name(owner)}({', '.join(arguments)})"

    def _write_field(self, old: Any, name: str, leaves: dict[str, Any]) -> str:
        if name not in leaves:
            return self.name(old)
        is_leaf = leaves[name] is not None
        if isinstance(old, tuple):
            items = [self._write_leaf() if is_leaf else self.write(item) for item in old]
            return f"({''.join(f'{item}, ' for item in items)})"
        return self._write_leaf() if is_leaf else self.write(old)

    def _write_leaf(self) -> str:
        return f"s[{next(self.places)}]"

    def name(self, value: Any) -> str:
        """A name by which the expression knows a value."""
        for known, other in self.names.items():
            if other is value:
                return known
        chosen = f"n{len(self.names)}"
        self.names[chosen] = value
        return chosen
