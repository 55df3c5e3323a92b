"""A structure as a TLA+ module, and what TLC needs to check it."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs
from attrs import frozen

from properties.certificates import decode_cells, load
from properties.fault_class import FaultClass
from properties.property import Property, PropertyRole
from properties.tla.expansion import Definition
from properties.tla.families import CODES
from properties.tla.layout import HELPERS, WIDTH, render_equation, write
from properties.tla.lines import (
    STEP,
    clean,
    comment,
    conjunction,
    define,
    head_of,
    indent,
    junction,
    let,
    mentions,
    section,
    write_range,
    write_tuple,
)
from properties.tla.nodes import (
    Call,
    Index,
    Let,
    Node,
    Number,
    Over,
    find_indexes,
    list_parts,
)
from properties.tla.setting import name_parameter
from properties.tla.translation import Action, Translator
from properties.verdict import InternalDisagreementError, Verdict, VerdictWord
from properties.worlds import find_world
from reference.fault_account import list_faults
from reference.leaves import PARAMETER_PREFIX, flatten
from reference.state import Cluster
from reference.version import find_version

MODULE_NAMES: dict[type, str] = {Cluster: "Replication"}
"""What a module is called where it is not called like the state of its world."""


REST = "rest"
"""The action that changes nothing, so that TLC finds no deadlock, whatever its options."""

CONNECTIONS_MAX = 2
"""Connections that TLC lets a master count; without a bound dead ones pile up for ever."""


@frozen
class Module:
    """The two files of an export."""

    name: str
    """Of the module, and of both files."""
    text: str
    """The module, ``.tla``."""
    configuration: str
    """The constants and claims for TLC, ``.cfg``."""
    action_count: int
    claim_count: int


def write_module(structure: Any, fault_class: FaultClass, parameters: Any) -> Module:
    """The module of a structure; the configuration has these sizes, and limits of this column.

    Raises InternalDisagreementError where the module would not say what the rules say.
    """
    return Writer(structure).write(fault_class, parameters)


class Writer:
    """Writes the module of one structure."""

    def __init__(self, structure: Any) -> None:
        self.structure = structure
        self.translator = Translator(structure)
        self.actions = list(self.translator.translate_rules())
        self.claims = {n: self._translate(p) for n, p in list_claims(structure).items()}
        self.initial = self.translator.translate_initial()
        self.variables = self.translator.narrow.variables
        self.constants = [
            path for path in flatten(self.translator.narrow.cluster) if is_constant_path(path)
        ]
        self._conditions: dict[str, tuple[tuple[str, ...], Node]] = {}

    def _translate(self, claim: Property) -> Definition:
        return self.translator.translate_claim(claim.predicate)

    def write(self, fault_class: FaultClass, parameters: Any) -> Module:
        """Both files."""
        kind = type(self.translator.narrow.cluster)
        name = MODULE_NAMES.get(kind, kind.__name__)
        body = "\n".join(self._list_sections())
        helpers = [text for helper, text in HELPERS.items() if f"{helper}(" in body]
        title = f" MODULE {name} "
        head = ["-" * 8 + title + "-" * (WIDTH - 8 - len(title)), *self._describe()]
        head += ["EXTENDS Integers, FiniteSets", "", *self._declare(), *helpers]
        self._check_names()
        text = "\n".join([*head, body, "=" * WIDTH]) + "\n"
        configuration = self._configure(fault_class, parameters)
        return Module(name, text, configuration, len(self.actions), len(self.claims))

    def _check_names(self) -> None:
        """Every name means one thing. Raises InternalDisagreementError."""
        definitions = self.translator.definitions.values()
        nodes: list[Any] = [d.body for d in definitions]
        nodes += [n for a in self.actions for n in list_nodes(a)]
        bound = {n for d in definitions for n, _ in d.formals}.union(*map(find_bound, nodes))
        for action in self.actions:
            bound |= {*dict(action.indexes), *dict(action.places)}
            bound |= {name for name, *_ in action.arguments}
        known = [REST, *self.variables, *map(name_parameter, self.constants), *HELPERS]
        known += [*self.translator.definitions, *self._conditions]
        known += [a.name for a in self.actions]
        twice = {n for n in known if known.count(n) > 1} | bound & {*known}
        if twice:
            raise InternalDisagreementError(f"a name means two things: {', '.join(sorted(twice))}")

    def _describe(self) -> Iterator[str]:
        version = find_version(self.structure.variants).name
        yield from comment(f"RocketMQ {version}, {self.structure.name}.")
        sentence = inspect.getdoc(type(self.translator.narrow.cluster)) or ""
        yield from comment(sentence.partition("\n")[0])
        yield from comment(
            "Written from the recorded rules; every action and function was expanded again and "
            "found equal to them. What begins with ghost_ exists in the specification only."
        )

    def _declare(self) -> Iterator[str]:
        names = [name_parameter(path) for path in self.constants]
        yield from ("CONSTANTS", *(f"    {n}," for n in names[:-1]), f"    {names[-1]}", "")
        yield "VARIABLES"
        known = self.translator.settings[0].variables
        for number, (name, value) in enumerate(known.items(), 1):
            yield from indent([*comment(describe(value))]) if describe(value) else ()
            yield f"    {name}" + ("," if number < len(self.variables) else "")
        yield ""
        yield from write_tuple("vars == ", self.variables, 0)
        yield ""
        for family, size in self.translator.narrow.sizes.items():
            if family == "Members" and not size:
                continue
            yield f"{family} == 0..{size - 1}" if size else f"{family} == {{}}"
        yield from self._define_codes()
        yield ""

    def _define_codes(self) -> Iterator[str]:
        nodes: list[Any] = [d.body for d in self.translator.definitions.values()]
        nodes += [*self.initial.values(), *(n for a in self.actions for n in list_nodes(a))]
        used = set().union(*map(find_codes, nodes))
        fields = {path.rpartition(".")[2] for path in flatten(self.translator.narrow.cluster)}
        for field, codes in CODES.items():
            if field in fields and used & set(codes.values()):
                yield ""
                yield from (f"{name} == {value}" for value, name in codes.items())

    def _list_sections(self) -> Iterator[str]:
        yield from section("What holds in a state")
        for definition in self.translator.definitions.values():
            if definition.name not in self.claims:
                yield from self._write_definition(definition)
        yield from section("The first state")
        yield from ("Init ==", *indent(junction(self._list_initial(), STEP)), "")
        topic = ""
        for action in self.actions:
            if action.rule.topic != topic:
                topic = action.rule.topic
                yield from section(f"Steps: {topic.replace('_', ' ')}")
            yield from self._write_action(action)
        yield from section("All steps")
        yield from self._write_next()
        yield from section("Claims")
        for name, definition in self.claims.items():
            yield from comment(list_claims(self.structure)[name].sentence)
            yield from define(name, (), definition.body)
        yield from section("What TLC looks at; beyond, states are judged but not gone on from")
        yield from ("Bounds ==", *indent(junction(self._list_bounds(), STEP)), "")

    def _list_initial(self) -> Iterator[list[str]]:
        for name, node in self.initial.items():
            yield render_equation(name, node, STEP + 3)

    def _list_bounds(self) -> Iterator[list[str]]:
        cluster = self.translator.narrow.cluster
        yield from ([f"faults.{name} <= {name}_max"] for name in list_faults(cluster))
        if isinstance(cluster, Cluster):
            yield ["max_offset(master.log) <= ghost_log_size_max_bytes"]
            yield [f"master.connection_count <= {CONNECTIONS_MAX}"]

    def _write_definition(self, definition: Definition) -> Iterator[str]:
        yield from comment(definition.sentence)
        yield from define(definition.name, [n for n, _ in definition.formals], definition.body)

    def _write_action(self, action: Action) -> Iterator[str]:
        names = [self._name_condition(action, *pair) for pair in action.conditions.items()]
        for _, (own, definition) in names:
            if definition is not None:
                yield from define(own, *definition)
        yield from comment(action.rule.sentence, f"{action.rule.who}: {action.rule.source}")
        yield head_of(action.name, [name for name, _ in action.indexes])
        lines = [[text] for text, _ in names]
        lines += self._list_effects(action)
        unchanged = [name for name in self.variables if name not in action.effects]
        if unchanged:
            lines.append(write_tuple("UNCHANGED ", unchanged, STEP + 3))
        yield from (*indent(junction(lines, STEP)), "")

    def _list_effects(self, action: Action) -> list[list[str]]:
        """What the variables become; behind names, and a quantifier where arguments are chosen."""
        chosen = {name for name, *_ in action.arguments}
        inner = [p for p in action.places if mentions(p[1], chosen, dict(action.places))]
        outer = [p for p in action.places if p not in inner]
        ranges = [f"{n} \\in {write_range(low, high)}" for n, low, high in action.arguments]

        def write_changes(column: int) -> list[list[str]]:
            changes = action.effects.items()
            return [render_equation(f"{name}'", node, column + 3) for name, node in changes]

        def write_inner(column: int) -> list[str]:
            return let(inner, column, lambda c: conjunction(write_changes(c), c))

        def write_choice(column: int) -> list[str]:
            if not ranges:
                return write_inner(column)
            body = write_inner(column + STEP)
            return [f"\\E {', '.join(ranges)} :", *indent(body, column + STEP)]

        if not ranges and not action.places:
            return write_changes(STEP)
        return [let(outer, STEP + 3, write_choice)]

    def _name_condition(
        self, action: Action, name: str, node: Node
    ) -> tuple[str, tuple[str, tuple[tuple[str, ...], Node] | None]]:
        """The text that stands for a condition, and its name and definition if that is new."""
        if isinstance(node, Call) and node.function == name:
            return write(node), ("", None)
        used = {i.value for i in find_indexes(node)}
        parameters = tuple(n for n, _ in action.indexes if n in used)
        definition = (parameters, node)
        is_taken = name in self.translator.definitions
        if is_taken or self._count_meanings(name) > 1:
            name = f"{name}_to_{action.name}"
        is_new = name not in self._conditions
        self._conditions[name] = definition
        text = f"{name}({', '.join(parameters)})" if parameters else name
        return text, (name, definition if is_new else None)

    def _count_meanings(self, name: str) -> int:
        """How many different conditions of this name the actions have."""
        return len({a.conditions[name] for a in self.actions if name in a.conditions})

    def _write_next(self) -> Iterator[str]:
        by_indexes: dict[tuple[tuple[str, str], ...], list[str]] = {}
        for action in self.actions:
            by_indexes.setdefault(action.indexes, []).append(action.name)
        yield from comment("Nothing happens. A modelled log has an end, which is no deadlock.")
        yield from (f"{REST} == UNCHANGED vars", "", "Next ==")
        for indexes, names in by_indexes.items():
            inside = ", ".join(name for name, _ in indexes)
            calls = [f"{name}({inside})" if inside else name for name in names]
            if indexes:
                ranges = ", ".join(f"{name} \\in {family}" for name, family in indexes)
                yield f"    \\/ \\E {ranges} :"
                yield from (f"        \\/ {call}" for call in calls)
            else:
                yield from (f"    \\/ {call}" for call in calls)
        yield from (f"    \\/ {REST}", "", "Spec == Init /\\ [][Next]_vars", "")

    def _configure(self, fault_class: FaultClass, parameters: Any) -> str:
        values = flatten(attrs.evolve(parameters, limits=fault_class.search_limits))
        admitted = ", ".join(fault_class.admitted) or "nothing"
        lines = [f"\\* {self.structure.name}; may strike: {admitted}"]
        lines += ["SPECIFICATION Spec", "CONSTANTS"]
        for path in self.constants:
            value = values[path.removeprefix(PARAMETER_PREFIX)]
            lines.append(f"    {name_parameter(path)} = {value}")
        lines.append("CONSTRAINT Bounds")
        refuted = find_refuted(self.structure, fault_class)
        lines += [f"INVARIANT {name}" for name in self.claims if name not in refuted]
        for name, steps in refuted.items():
            lines.append(f"\\* refuted in {steps} steps: INVARIANT {name}")
        return "\n".join(lines) + "\n"


def describe(value: Any) -> str:
    """What the reference says of the kind of a variable."""
    kind = type(value[0]) if isinstance(value, tuple) else type(value)
    return clean((inspect.getdoc(kind) or "").partition("\n")[0]) if attrs.has(kind) else ""


def is_constant_path(path: str) -> bool:
    """The leaf is a parameter of the run."""
    return path.startswith(PARAMETER_PREFIX)


def list_claims(structure: Any) -> dict[str, Property]:
    """What TLC may judge in every state: sanity checks and guarantees."""
    lemmas = find_world(structure).get_lemmas(structure)
    sane = {n: p for n, p in lemmas.items() if p.role is PropertyRole.SANITY}
    return {**sane, **find_world(structure).guarantees}


def find_refuted(structure: Any, fault_class: FaultClass) -> Mapping[str, int]:
    """The guarantees that fall in this column, with the number of steps of their schedule."""
    document = load(structure)
    cells: Iterable[Verdict] = () if document is None else decode_cells(structure, document)
    guarantees = find_world(structure).guarantees
    return {
        cell.guarantee: len(cell.schedule)
        for cell in cells
        if cell.fault == fault_class.name
        and cell.word is VerdictWord.REFUTED
        and cell.guarantee in guarantees
    }


def list_nodes(action: Action) -> Iterator[Node]:
    """The nodes of an action."""
    yield from action.conditions.values()
    yield from (place for _, place in action.places)
    yield from (end for _, *ends in action.arguments for end in ends)
    yield from action.effects.values()


def find_bound(node: Any) -> set[str]:
    """The names that a node binds."""
    own: set[str] = set()
    if isinstance(node, Let):
        own = set(dict(node.bindings))
    if isinstance(node, Over):
        own = {node.variable}
    return own.union(*(find_bound(p) for p in list_parts(node) if not isinstance(p, Index)))


def find_codes(node: Any) -> set[str]:
    """The codes that a node mentions by name."""
    own = {node.name} if isinstance(node, Number) else set()
    return own.union(*(find_codes(p) for p in list_parts(node) if not isinstance(p, Index)))
