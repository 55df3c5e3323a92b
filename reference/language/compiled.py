"""The rules compiled to Python functions of a flat state: the recorded terms, read for speed.

A state is a tuple of its leaves in the order of `leaves.flatten`, parameters included. An instance
becomes four functions: which conditions fail, the ranges of its arguments, the step, and the step
without a look at the conditions. A part that occurs again is computed once.

The rules executed as they stand (`machine`) remain the reference; tests hold the two together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property
from typing import Any, TypeAlias

from attrs import define, field

from reference.language.decoding import compile_decoder
from reference.language.dependencies import Dependencies, compute_dependencies, list_guarding_terms
from reference.language.leaves import compute_leaf_sorts, flatten
from reference.language.machine import (
    ARGUMENT_PREFIX,
    Action,
    RecordedInstance,
    record_predicate,
)
from reference.language.operator_table import OPERATORS
from reference.language.structure import BaseStructure
from reference.language.terms import Term, find_shared, walk

State: TypeAlias = tuple[Any, ...]
"""The leaves of a state, in the order of ``flatten``; shape: (number of leaves,)."""

Ranges: TypeAlias = tuple[tuple[int, int], ...]
"""The lowest and the highest value of each argument, both included."""

DEPTH_MAX = 12
"""How deep an expression may be nested before a part of it gets a name: Python's parser has a
limit."""


@define
class PythonWriter:
    """Writes the body of one function, part by part, each part that occurs again once."""

    places: Mapping[str, int]
    """The place of each leaf in a state."""
    shared: set[int] = field(factory=set)
    """The parts that occur again, by identity."""
    lines: list[str] = field(factory=list)
    texts: dict[int, tuple[str, int]] = field(factory=dict)
    """How a part is written, and how deep it is nested; by identity."""

    @classmethod
    def of(cls, structure: BaseStructure, roots: Iterable[Term]) -> PythonWriter:
        """A writer that knows which parts of these terms occur again."""
        return cls(compute_places(structure), {id(part) for part in find_shared(roots)})

    def write(self, term: Term) -> str:
        """The expression of a term; the lines that it needs first are added."""
        for part in walk((term,)):
            if id(part) not in self.texts:
                self.texts[id(part)] = self.write_part(part)
        return self.texts[id(term)][0]

    def write_part(self, part: Term) -> tuple[str, int]:
        """How a part is written, and how deep it is nested, when its own parts are written."""
        if part.operator == "constant":
            # A member of an enumeration is written as its number.
            plain = part.payload if isinstance(part.payload, bool) else int(part.payload)
            return repr(plain), 0
        if part.operator == "leaf":
            text, depth = self.write_leaf(part.payload), 0
        else:
            below = [self.texts[id(a)] for a in part.arguments]
            text = OPERATORS[part.operator].python.format(*(t for t, _ in below))
            depth = 1 + max(d for _, d in below)
        if depth > DEPTH_MAX or id(part) in self.shared:
            name = f"v{len(self.texts)}"
            self.lines.append(f"{name} = {text}")
            return name, 0
        return text, depth

    def write_leaf(self, path: str) -> str:
        """A leaf of the state by its place; an argument by its name."""
        if path.startswith(ARGUMENT_PREFIX):
            return f"a_{path.removeprefix(ARGUMENT_PREFIX)}"
        return f"s[{self.places[path]}]"

    def compile(self, parameters: str) -> Callable[..., Any]:
        """The function with these parameters and the lines written so far."""
        body = "\n    ".join(self.lines)
        names: dict[str, Any] = {}
        exec(f"def compiled({parameters}):\n    {body}\n", names)
        found: Callable[..., Any] = names["compiled"]
        return found


@cache
def compute_places(structure: BaseStructure) -> dict[str, int]:
    """The place of each leaf in a state."""
    return {path: place for place, path in enumerate(compute_leaf_sorts(structure))}


def compile_predicate(
    structure: BaseStructure, predicate: Callable[[Any], Any], *arguments: str
) -> Callable[..., bool]:
    """A predicate over clusters, as a function of flat states.

    ``arguments`` are the names of the leaves below ARGUMENT_PREFIX that it reads besides; the
    function takes their values behind the state, in this order.
    """
    term = record_predicate(structure, predicate)
    writer = PythonWriter.of(structure, [term])
    writer.lines.append(f"return {writer.write(term)}")
    return writer.compile(", ".join(("s", *(f"a_{name}" for name in arguments))))


@define(slots=False, eq=False)
class CompiledInstance:
    """A rule instance; each of its functions is compiled when it is first asked for."""

    structure: BaseStructure
    recorded: RecordedInstance

    @property
    def name(self) -> str:
        """As in a schedule."""
        return self.recorded.instance.name

    @cached_property
    def arguments(self) -> tuple[str, ...]:
        """The names of its arguments."""
        return tuple(name for name, *_ in self.recorded.arguments)

    @cached_property
    def list_failed(self) -> Callable[[State], tuple[str, ...]]:
        """The names of the conditions that fail in a state; ranges count if no other does."""
        writer = PythonWriter.of(self.structure, list_guarding_terms(self.recorded))
        writer.lines.append("found = []")
        bare, of_ranges = self._split_conditions()
        self._write_names(writer, bare)
        writer.lines.append("if found: return tuple(found)")
        for name, _, low, _ in self.recorded.arguments:
            writer.lines.append(f"a_{name} = {writer.write(low)}")
        self._write_names(writer, of_ranges)
        writer.lines.append("return tuple(found)")
        return writer.compile("s")

    @cached_property
    def find_ranges(self) -> Callable[[State], Ranges | None]:
        """The ranges of its arguments; None in a state in which it is not enabled."""
        writer = PythonWriter.of(self.structure, list_guarding_terms(self.recorded))
        bare, of_ranges = self._split_conditions()
        self._write_conditions(writer, bare.values())
        found = []
        for name, _, low, high in self.recorded.arguments:
            writer.lines.append(f"a_{name} = {writer.write(low)}")
            found.append(f"(a_{name}, {writer.write(high)}), ")
        self._write_conditions(writer, of_ranges.values())
        writer.lines.append(f"return ({''.join(found)})")
        return writer.compile("s")

    @cached_property
    def take(self) -> Callable[[State, Mapping[str, int]], State | None]:
        """The state after it, by its arguments' names; None where it is refused.

        An argument that is left out is the lowest one.
        """
        effects = self.recorded.effects.values()
        writer = PythonWriter.of(self.structure, [*list_guarding_terms(self.recorded), *effects])
        bare, _ = self._split_conditions()
        self._write_conditions(writer, bare.values())
        for name, _, low, high in self.recorded.arguments:
            text, above = writer.write(low), writer.write(high)
            writer.lines.append(f"a_{name} = a.get({name!r}, {text})")
            writer.lines.append(f"if not {text} <= a_{name} <= {above}: return None")
        places = compute_places(self.structure)
        made = [(places[p], writer.write(term)) for p, term in self.recorded.effects.items()]
        writer.lines.append("t = list(s)")
        writer.lines += [f"t[{place}] = {text}" for place, text in made]
        writer.lines.append("return tuple(t)")
        return writer.compile("s, a")

    def _split_conditions(self) -> tuple[dict[str, Term], dict[str, Term]]:
        """The conditions of the rule, and those that say that a range is not empty."""
        ranges = {f"is_range_of_{name}_not_empty" for name in self.arguments}
        held = self.recorded.conditions.items()
        bare = {name: term for name, term in held if name not in ranges}
        return bare, {name: term for name, term in held if name in ranges}

    def _write_conditions(self, writer: PythonWriter, terms: Iterable[Term]) -> None:
        for term in terms:
            text = writer.write(term)
            writer.lines.append(f"if not {text}: return None")

    def _write_names(self, writer: PythonWriter, conditions: Mapping[str, Term]) -> None:
        for name, term in conditions.items():
            text = writer.write(term)
            writer.lines.append(f"if not {text}: found.append({name!r})")


@define(slots=False, eq=False)
class CompiledMachine:
    """All rule instances of one structure, compiled."""

    structure: BaseStructure
    dependencies: Dependencies = field(init=False)
    instances: Mapping[str, CompiledInstance] = field(init=False)
    places: Mapping[str, int] = field(init=False)
    """The place of each leaf in a state."""

    def __attrs_post_init__(self) -> None:
        self.dependencies = compute_dependencies(self.structure)
        recorded = self.dependencies.recorded.items()
        self.instances = {name: CompiledInstance(self.structure, each) for name, each in recorded}
        self.places = compute_places(self.structure)

    def compile(self) -> None:
        """Compiles every instance now, rather than when it is first asked."""
        for each in self.instances.values():
            _ = (each.take, each.find_ranges, each.list_failed)

    def encode(self, cluster: Any) -> State:
        """A cluster as a flat state."""
        return tuple(flatten(cluster).values())

    def decode(self, state: State) -> Any:
        """A flat state as a cluster."""
        return compile_decoder(self.structure)(state)

    def take(self, state: State, action: Action) -> State | None:
        """The state after a step; None where it is refused. Raises KeyError for no instance."""
        return self.instances[action.instance].take(state, action.arguments)

    def list_enabled(self, state: State) -> dict[str, Ranges | None]:
        """Each instance by name, in order, with the ranges of its arguments; None: not enabled."""
        return {name: each.find_ranges(state) for name, each in self.instances.items()}

    def update_enabled(self, enabled: dict[str, Ranges | None], taken: str, state: State) -> None:
        """Asks again what an instance may have changed, in a state that it has led to."""
        for name in self.dependencies.affected[taken]:
            enabled[name] = self.instances[name].find_ranges(state)


@cache
def compute_compiled_machine(structure: BaseStructure) -> CompiledMachine:
    """The compiled machine of a structure, made once."""
    return CompiledMachine(structure)
