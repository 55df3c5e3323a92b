"""The rules and claims of a structure as JavaScript: another reading of the recorded terms.

The output is one function of a state, a list of leaves in the order of the structure. It returns
for each instance of a rule its conditions, the ranges of its arguments, and a function that gives
the changed leaves for chosen arguments; and for each claim whether it holds. A repeated part is
computed once. Structures written for one page share their lines (``shared_text``).

Numbers are ``BigInt``. ``Number`` is exact only below 2^53, and the modelled log of real sizes ends
at 2^60: wrong comparisons would stay unnoticed. Terms have no wrap-around, and division rounds
down, as Python's does; ``engine.js`` has the functions that the text calls.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import attrs
from attrs import field, frozen

from properties.exports.notation import RANGE_PREFIX, Notation
from properties.exports.shared_text import SharedText
from properties.language.property import Predicate
from properties.language.world import ClaimedStructure
from reference.language.leaves import compute_leaf_sorts, flatten
from reference.language.machine import (
    ARGUMENT_PREFIX,
    RecordedInstance,
    record_machine,
    record_predicate,
)
from reference.language.parameters import BaseParameters
from reference.language.terms import Term, find_shared, walk

ENGINE_FILE = Path(__file__).parent / "engine.js"
"""Runs the written functions: states, enabled steps, refusals, violated claims."""

STATE = "s"
"""The name of the state in the text."""

ARGUMENTS = "a"
"""The name of the list of chosen arguments."""

PART_MIN = 12
"""The length from which a repeated part is computed once and gets a name."""


def write_constant(value: int | bool) -> str:
    """``true``, ``false``, or a BigInt."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value}n" if value >= 0 else f"({value}n)"


@frozen
class StructureSource:
    """A structure as text, with the meaning of its positions."""

    structure: ClaimedStructure
    extra: Mapping[str, Predicate] = field(factory=dict, hash=False)
    """Predicates that are checked besides the claims of the world, by name."""

    @property
    def instances(self) -> tuple[RecordedInstance, ...]:
        """The instances, in the machine's order."""
        return record_machine(self.structure)

    @property
    def paths(self) -> list[str]:
        """The leaves of a state by their paths, in order; parameters are among them."""
        return list(compute_leaf_sorts(self.structure))

    @property
    def predicates(self) -> dict[str, Predicate]:
        """Guarantees, convergence claims, and the other checked predicates, by name."""
        world = self.structure.world
        claims = {name: claim.predicate for name, claim in {**world.judged, **world.claims}.items()}
        return {**claims, **self.extra}

    def write(self, shared: SharedText) -> str:
        """The places of the function's lines, which are an expression, in the shared text.

        Raises ValueError for a range with a choice in it.
        """
        return shared.add(JavaScriptWriter(self, shared).write())

    def describe(self) -> dict[str, Any]:
        """The other data for the engine: names of leaves, conditions, arguments and claims."""
        sorts = compute_leaf_sorts(self.structure)
        initial = flatten(self.structure.template)
        return {
            "name": self.structure.name,
            "leaves": self.paths,
            "initial": [encode_leaf(initial[path]) for path in sorts],
            "instances": [
                {
                    "name": recorded.instance.name,
                    "conditions": list(list_conditions(recorded)),
                    "arguments": [name for name, *_ in recorded.arguments],
                }
                for recorded in self.instances
            ],
            "claims": list(self.predicates),
            **self.describe_parameters(),
        }

    def describe_parameters(self) -> dict[str, Any]:
        """Small and usual sizes, and each fault model's limits above zero, by name."""
        world = self.structure.world
        sizes = {"small": world.sizes.search, "usual": self.structure.usual_parameters}
        return {
            "sizes": {name: encode_sizes(parameters) for name, parameters in sizes.items()},
            "columns": {
                fault_model.name: {
                    name: encode_leaf(limit)
                    for name, limit in attrs.asdict(fault_model.search_limits).items()
                    if limit
                }
                for fault_model in dict.fromkeys((*world.fault_models, world.everything))
            },
        }


def encode_leaf(value: int | bool) -> str | bool:
    """A leaf as JSON: numbers as text, because JSON numbers are no BigInt."""
    return value if isinstance(value, bool) else str(value)


def encode_sizes(parameters: BaseParameters) -> dict[str, str | bool]:
    """The parameters without the fault limits, by name."""
    values = attrs.asdict(parameters, recurse=False).items()
    return {name: encode_leaf(value) for name, value in values if isinstance(value, int)}


def list_conditions(recorded: RecordedInstance) -> dict[str, Term]:
    """The conditions of an instance by name, without those that exclude an empty range."""
    return {n: t for n, t in recorded.conditions.items() if not n.startswith(RANGE_PREFIX)}


class JavaScriptWriter:
    """Writes the function of one structure."""

    def __init__(self, source: StructureSource, shared: SharedText) -> None:
        self.source = source
        self.shared = shared
        self.instances = source.instances
        self.claims = {
            name: record_predicate(source.structure, predicate)
            for name, predicate in source.predicates.items()
        }
        places = {path: f"{STATE}[{i}]" for i, path in enumerate(source.paths)}
        self.notation = Notation.of(
            "javascript", places.__getitem__, write_constant, ("add", "and", "or")
        )

    def write(self) -> Iterator[str]:
        """The lines of the function."""
        roots = [*self.claims.values()]
        for recorded in self.instances:
            check_ranges(recorded)
            roots += [*list_conditions(recorded).values(), *recorded.effects.values()]
            roots += [end for _, _, *ends in recorded.arguments for end in ends]
        repeated = [t for t in find_shared(roots) if not asks_for_choice(t)]
        yield f"({STATE}) => {{"
        names = yield from self.write_parts(self.notation, repeated, {})
        yield "return {"
        yield "steps: ["
        for recorded in self.instances:
            yield from self.write_instance(recorded, names)
        yield "],"
        yield "claims: ["
        yield from (f"{self.notation.write(t, names)}, // {n}" for n, t in self.claims.items())
        yield "]};"
        yield "}"

    def write_parts(
        self, notation: Notation, parts: Iterable[Term], known: Mapping[int, str]
    ) -> Generator[str, None, dict[int, str]]:
        """A constant for each long part; returns all names, by the ids of their terms."""
        names, written = dict(known), set(known.values())
        for part in parts:
            text = notation.write(part, names)
            if id(part) not in names and len(text) > PART_MIN:
                names[id(part)] = name = self.shared.name_part(text)
                if name not in written:
                    written.add(name)
                    yield f"const {name} = {text};"
        return names

    def write_instance(self, recorded: RecordedInstance, names: dict[int, str]) -> Iterator[str]:
        """Its conditions, the ends of its ranges, and its effect."""
        conditions = (self.notation.write(t, names) for t in list_conditions(recorded).values())
        ranges = (
            f"[{self.notation.write(low, names)}, {self.notation.write(high, names)}]"
            for _, _, low, high in recorded.arguments
        )
        yield f"{{ // {recorded.instance.name}"
        yield f"conditions: [{', '.join(conditions)}],"
        yield f"ranges: [{', '.join(ranges)}],"
        yield from self.write_effect(recorded, names)
        yield "},"

    def write_effect(self, recorded: RecordedInstance, names: dict[int, str]) -> Iterator[str]:
        """A function from the arguments to the changed leaves, each by its place."""
        chosen = {
            f"{ARGUMENT_PREFIX}{name}": f"{ARGUMENTS}[{i}]"
            for i, (name, *_) in enumerate(recorded.arguments)
        }
        write_leaf = self.notation.write_leaf
        notation = attrs.evolve(
            self.notation,
            write_leaf=lambda path: chosen[path] if path in chosen else write_leaf(path),
        )
        repeated = [t for t in find_shared(recorded.effects.values()) if asks_for_choice(t)]
        yield f"effect: ({ARGUMENTS}) => {{"
        own = yield from self.write_parts(notation, repeated, names)
        places = {path: i for i, path in enumerate(self.source.paths)}
        changed = (f"[{places[p]}, {notation.write(t, own)}]" for p, t in recorded.effects.items())
        yield f"return [{', '.join(changed)}];"
        yield "}"


@cache
def asks_for_choice(term: Term) -> bool:
    """An argument occurs in the term."""
    return any(t.operator == "leaf" and t.payload.startswith(ARGUMENT_PREFIX) for t in walk([term]))


def check_ranges(recorded: RecordedInstance) -> None:
    """Raises ValueError for a range or a condition in which another argument occurs."""
    ends = [end for _, _, *each in recorded.arguments for end in each]
    if any(map(asks_for_choice, (*ends, *list_conditions(recorded).values()))):
        raise ValueError(f"{recorded.instance.name} has a range that depends on another argument")


def write_structures(sources: Iterable[StructureSource]) -> str:
    """A script with the shared lines, and each structure as an object for the engine."""
    shared = SharedText()
    written = [json.dumps({**each.describe(), "code": each.write(shared)}) for each in sources]
    structures = ",\n".join(written)
    return f"const LINES = {json.dumps(shared.lines)};\nconst STRUCTURES = [{structures}];\n"
