"""Where functions and rules are recorded: a state without numbers, and what has a name there."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import attrs

from properties.tla.expansion import Definition, Expansion
from properties.tla.families import FAMILY_OF_INDEX, measure_families
from properties.tla.nodes import Call, Field, Index, find_indexes, replace_indexes, transform
from properties.tla.paths import collect_leaves
from reference.leaves import PARAMETER_PREFIX, flatten, symbolic_cluster
from reference.state import Link
from reference.terms import Term

WIDENED = ("Slaves", "Messages", "Members")
"""The families of which a structure may have any number."""

MAX_OFFSET = "max_offset"
"""The only property of a record that has an operator of its own."""

NAMED_RECORDS = (Link,)
"""The classes of records that may have a name of their own."""

UNFIT = (TypeError, IndexError, AttributeError)
"""What a node raises that speaks of parts which a state does not have."""

UNCHANGING = ("structure", "parameters")
"""The parts of a state that are no variables."""


class NotGeneralError(ValueError):
    """Raised where a node speaks of certain members and would be wrong for others."""


class Setting:
    """One state without numbers, in which functions and rules are recorded."""

    def __init__(self, structure: Any, own: int, *, is_wide: bool) -> None:
        self.structure, self.own, self.is_wide = structure, own, is_wide
        self.cluster = symbolic_cluster(structure)
        self.sizes = measure_families(self.cluster)
        names = [a.name for a in attrs.fields(type(self.cluster)) if a.name not in UNCHANGING]
        values = {name: getattr(self.cluster, name) for name in names}
        self.variables = {name: v for name, v in values.items() if collect_leaves(v).terms}

    def find_global(self, value: Any) -> str | None:
        """The name of what a function need not be passed, since it is the same everywhere."""
        known = {"cluster": self.cluster, "structure": self.structure}
        known["parameters"] = self.cluster.parameters
        known |= {n: v for n, v in self.variables.items() if isinstance(v, tuple)}
        return next((name for name, each in known.items() if each is value), None)

    def get_global(self, name: str) -> Any:
        """What has this name here."""
        if name == "cluster":
            return self.cluster
        return self.structure if name == "structure" else getattr(self.cluster, name)

    def make_expansion(self, definitions: Mapping[str, Definition]) -> Expansion:
        """Meaning, in this state."""
        values = dict(self.variables)
        for path, value in flatten(self.cluster).items():
            if path.startswith(PARAMETER_PREFIX):
                values[name_parameter(path)] = value
        return Expansion(definitions, values, self.sizes)

    def _name_end(self, node: Any) -> Any:
        """Where a log ends is called so."""
        last = Index("Lives", self.sizes.get("Lives", 0) - 1)
        match node:
            case Field(base, (*above, "ends", Index() as life)) if life == last:
                return Call(MAX_OFFSET, (Field(base, tuple(above)) if above else base,))
        return node

    def list_members(self, own: Mapping[str, str]) -> tuple[int, ...]:
        """The members that may stand for all: of two, each is recorded, and both are compared."""
        is_one_of_two = [self.sizes[family] for family in own] == [2]
        return (0, 1) if is_one_of_two else (self.own,)

    def generalise(self, node: Any, own: Mapping[str, str], member: int) -> Any:
        """The node of any member instead of this one. Raises NotGeneralError."""
        replacements = {}
        for family, variable in own.items():
            replacements[Index(family, member)] = Index(family, variable)
            if self.sizes[family] == 2:
                other = Index(family, variable, is_other=True)
                replacements[Index(family, 1 - member)] = other
        general = transform(replace_indexes(node, replacements), self._name_end)
        for index in find_indexes(general):
            is_fixed = isinstance(index.value, int) and (self.is_wide or index.family in own)
            if is_fixed and index.family in WIDENED:
                raise NotGeneralError(index)
        return general


def name_parameter(path: str) -> str:
    """The constant of the module for a parameter of the run."""
    name = path.removeprefix(PARAMETER_PREFIX)
    return f"{name.removeprefix('limits.')}_max" if name.startswith("limits.") else name


@cache
def find_constants() -> dict[str, Any]:
    """The records without variables that modules of the reference have a name for."""
    modules = [m for n, m in sorted(sys.modules.items()) if n.startswith("reference.")]
    pairs = ((n, v) for m in modules for n, v in vars(m).items() if n.isupper())
    return {n: v for n, v in pairs if type(v) in NAMED_RECORDS}


@cache
def list_function_names() -> frozenset[str]:
    """What the functions of the reference are called: a local variable must be called otherwise."""
    modules = (m for n, m in sys.modules.items() if n.startswith("reference."))
    return frozenset(n for m in modules for n, v in vars(m).items() if inspect.isfunction(v))


def is_index(name: str, value: Any) -> bool:
    """An argument that says which slave, message or broker a function is about."""
    return name in FAMILY_OF_INDEX and type(value) is int


def is_exportable(result: Any) -> bool:
    """A function's result is a value inside a state."""
    if isinstance(result, tuple):
        return bool(result) and all(attrs.has(type(member)) for member in result)
    return isinstance(result, (Term, bool, int)) or not hasattr(result, "parameters")


def find_kind(name: str, value: Any, setting: Setting) -> str | None:
    """How a function is passed something; None if it cannot be in an operator."""
    if setting.find_global(value) is not None:
        return "global"
    if is_index(name, value):
        return "index"
    if isinstance(value, (Term, bool, int)):
        return "value"
    is_record = attrs.has(type(value)) and not hasattr(value, "structure")
    return "record" if is_record else None


def find_sentence(function: Callable[..., Any]) -> str:
    """The first line of a function's documentation."""
    return (inspect.getdoc(function) or "").partition("\n")[0]
