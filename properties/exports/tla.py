"""A structure as a TLA+ module, made from the recorded terms, and its configuration for TLC.

The state is as in the reference: a record for each part, and functions from 0 on for repeated
parts. Each instance of a rule is an action; its named conditions are definitions.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import attrs
from attrs import evolve, frozen

from properties.exports.notation import RANGE_PREFIX, Notation, name_path
from properties.language.fault_model import FaultModel
from properties.language.property import Property, PropertyRole
from properties.language.world import ClaimedStructure
from properties.verdicts.certificates import decode_cells, load
from properties.verdicts.verdict import VerdictWord
from reference.language.leaves import (
    PARAMETER_PREFIX,
    compute_leaf_sorts,
    flatten,
    is_parameter,
    symbolic_cluster,
)
from reference.language.machine import RecordedInstance, record_machine, record_predicate
from reference.language.parameters import BaseParameters
from reference.language.terms import Term, as_term
from reference.releases.versions import find_version

REST = "rest"
"""The action that changes nothing, so that TLC finds no deadlock, whatever its options."""

WIDTH = 100
RULER = "-" * WIDTH

HELPERS = """\
Min(a, b) == IF a <= b THEN a ELSE b
Max(a, b) == IF a >= b THEN a ELSE b
"""

Tree = dict[str, Any]
"""The leaves below one place, by the parts of their paths."""


def write_leaf(path: str, variables: Iterable[str] = ()) -> str:
    """A leaf, a constant or an argument: ``links.0.is_open`` is ``links[0].is_open``.

    An argument that has the name of one of the module's ``variables`` is renamed.
    """
    if path.startswith(PARAMETER_PREFIX):
        name = path.removeprefix(PARAMETER_PREFIX)
        return f"{name.removeprefix('limits.')}_max" if name.startswith("limits.") else name
    if path.removeprefix("argument.") in variables and path.startswith("argument."):
        return f"chosen_{path.removeprefix('argument.')}"
    return re.sub(r"\.(\d+)", r"[\1]", path.removeprefix("argument."))


def write_constant(value: int | bool) -> str:
    """A literal."""
    return str(value).upper() if value >= 0 else f"({value})"


TLA = Notation.of("tla", write_leaf, write_constant, ("and", "or"))


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


def write_module(
    structure: ClaimedStructure, fault_model: FaultModel, parameters: BaseParameters
) -> Module:
    """The module of a structure; the configuration has these sizes, and this model's limits."""
    machine, claims = record_machine(structure), list_claims(structure)
    text = "\n".join(write_lines(structure))
    configuration = "\n".join(configure(structure, fault_model, parameters)) + "\n"
    return Module(name_module(structure), text, configuration, len(machine), len(claims))


def write_lines(structure: ClaimedStructure) -> Iterator[str]:
    """The lines of the module."""
    title = f" MODULE {name_module(structure)} "
    yield "-" * 8 + title + "-" * (WIDTH - 8 - len(title))
    version = find_version(structure.variants).name
    yield from comment(
        f"RocketMQ {version}, {structure.name}. Written from the recorded rules. Names that begin "
        "with ghost_ exist only in the specification."
    )
    yield from ("EXTENDS Integers", "", *declare(structure), HELPERS, RULER)
    yield from ("\\* The first state.", "", *write_initial(structure), RULER)
    yield from ("\\* Steps.", "")
    machine, variables = record_machine(structure), list_variables(structure)
    names = name_conditions(machine, {*variables, *list_claims(structure)})
    written: set[str] = set()
    for recorded in machine:
        own = names[recorded.instance.name]
        for condition, name in own.items():
            if name not in written:
                yield from define(name, recorded.conditions[condition])
        written |= {*own.values()}
        yield from write_action(recorded, own.values(), variables)
    yield from comment("No step. A modelled log has an end, which is no deadlock.")
    yield from (f"{REST} == UNCHANGED vars", "", "Next ==")
    yield from (f"    \\/ {name_path(r.instance.name)}" for r in machine)
    yield from (f"    \\/ {REST}", "", "Spec == Init /\\ [][Next]_vars", "", RULER)
    yield from ("\\* Claims.", "")
    for name, claim in list_claims(structure).items():
        yield from comment(claim.sentence)
        yield from define(name, record_predicate(structure, claim.predicate))
    counters = list_counters(structure)
    if counters:
        yield from comment(
            "The states that TLC explores; states beyond are judged but not expanded."
        )
        bounds = (f"{write_leaf(path)} <= {most}" for path, most in counters.items())
        yield "Bounds == " + " /\\ ".join(bounds)
    yield from ("=" * WIDTH, "")


def declare(structure: ClaimedStructure) -> Iterator[str]:
    """Constants and variables."""
    constants = map(write_leaf, filter(is_parameter, compute_leaf_sorts(structure)))
    yield from ("CONSTANTS", ",\n".join(f"    {name}" for name in constants), "")
    template, variables = structure.template, list_variables(structure)
    leaves = {path.rpartition(".")[2] for path in compute_leaf_sorts(structure)}
    for name in variables:
        value = getattr(template, name)
        kind = type(value[0]) if isinstance(value, tuple) else type(value)
        sentence = (inspect.getdoc(kind) or "").partition("\n")[0] if attrs.has(kind) else ""
        yield from comment(f"{name}: {sentence}") if sentence else ()
    for leaf, codes in structure.world.numbers.codes.items():
        if leaf in leaves:
            yield from comment(f"{leaf}: {', '.join(f'{n} {c}' for n, c in enumerate(codes))}")
    listed = ", ".join(variables)
    yield from (f"VARIABLES {listed}", "", f"vars == <<{listed}>>", "")


def write_initial(structure: ClaimedStructure) -> Iterator[str]:
    """The first state, as the constants have it."""
    initial = structure.make_initial(symbolic_cluster(structure).parameters)
    tree: Tree = {}
    for path, value in flatten(initial).items():
        if not is_parameter(path):
            *above, last = path.split(".")
            place = tree
            for part in above:
                place = place.setdefault(part, {})
            place[last] = TLA.write(as_term(value))
    yield "Init =="
    for name, value in tree.items():
        yield from fill(f"/\\ {name} = {write_value(value)}", 4)
    yield ""


def write_value(value: Tree | str, depth: int = 0) -> str:
    """A record of fields, or a function of the numbers from 0 on."""
    if isinstance(value, str):
        return value
    parts = {key: write_value(part, depth + 1) for key, part in value.items()}
    if "0" not in parts:
        return f"[{', '.join(f'{key} |-> {part}' for key, part in parts.items())}]"
    index, texts = "ijklm"[depth], [*parts.values()]
    chosen = texts[-1]
    for number, text in reversed([*enumerate(texts[:-1])]):
        chosen = f"IF {index} = {number} THEN {text} ELSE {chosen}" if text != chosen else text
    return f"[{index} \\in 0..{len(texts) - 1} |-> {chosen}]"


def name_conditions(
    machine: Iterable[RecordedInstance], taken: set[str]
) -> dict[str, dict[str, str]]:
    """The name of each condition of each instance: the rule's name, if that is unambiguous."""
    conditions = {
        r.instance.name: {n: t for n, t in r.conditions.items() if not n.startswith(RANGE_PREFIX)}
        for r in machine
    }
    meanings: dict[str, set[int]] = {}
    for own in conditions.values():
        for name, term in own.items():
            meanings.setdefault(name, set()).add(id(term))
    clear = {name for name, terms in meanings.items() if len(terms) == 1} - taken
    return {
        instance: {n: n if n in clear else f"{name_path(instance)}_{n}" for n in own}
        for instance, own in conditions.items()
    }


def write_action(
    recorded: RecordedInstance, conditions: Iterable[str], variables: Iterable[str]
) -> Iterator[str]:
    """One instance of a rule."""
    rule = recorded.instance.rule
    yield from comment(rule.sentence, f"{rule.who}: {rule.source}")
    yield f"{name_path(recorded.instance.name)} =="
    yield from (f"    /\\ {name}" for name in conditions)
    called = partial(write_leaf, variables=frozenset(variables))
    notation = evolve(TLA, write_leaf=called)
    names, parts = notation.name_parts("part", recorded.effects.values())
    ranges = [
        f"{called(f'argument.{n}')} \\in {TLA.write(a)}..{TLA.write(b)}"
        for n, _, a, b in recorded.arguments
    ]
    head = fill(f"\\E {', '.join(ranges)} :", 7) if ranges else []
    head += write_let(parts, 7)
    if head:
        yield from ("    /\\ " + head[0].strip(), *head[1:])
    yield from write_changes(notation, recorded, names, 7 if head else 4)
    changed = {path.partition(".")[0] for path in recorded.effects}
    unchanged = ", ".join(name for name in variables if name not in changed)
    yield from [f"    /\\ UNCHANGED <<{unchanged}>>"] if unchanged else ()
    yield ""


def write_changes(
    notation: Notation, recorded: RecordedInstance, names: Mapping[int, str], column: int
) -> Iterator[str]:
    """The new value of each variable that an instance changes."""
    changes: dict[str, list[str]] = {}
    for path, term in recorded.effects.items():
        variable = path.partition(".")[0]
        place = write_leaf(path).removeprefix(variable)
        written = notation.write(term, names)
        change = f"!{place} = {written}" if place else written
        changes.setdefault(variable, []).append(change)
    for variable, (*others, last) in changes.items():
        if variable in recorded.effects:
            yield from fill(f"/\\ {variable}' = {last}", column)
            continue
        yield f"{' ' * column}/\\ {variable}' = [{variable} EXCEPT"
        for change in (*(f"{change}," for change in others), f"{last}]"):
            yield from fill(change, column + 4)


def write_let(parts: Mapping[str, str], column: int) -> list[str]:
    """Repeated parts, each with a name for the later expressions."""
    margin = " " * column
    defined = [line for n, text in parts.items() for line in fill(f"{n} == {text}", column + 4)]
    return [f"{margin}LET", *defined, f"{margin}IN"] if parts else []


def define(name: str, term: Term) -> Iterator[str]:
    """A definition without parameters."""
    names, parts = TLA.name_parts("part", [term])
    text = TLA.write(term, names)
    if not parts and len(name) + len(text) + 4 <= WIDTH:
        yield f"{name} == {text}"
    else:
        yield from (f"{name} ==", *write_let(parts, 4), *fill(text, 4))
    yield ""


def configure(
    structure: ClaimedStructure, fault_model: FaultModel, parameters: BaseParameters
) -> Iterator[str]:
    """TLC's configuration: sizes, limits, and the claims that are not known to be broken."""
    values = flatten(parameters.limit(fault_model.search_limits))
    yield f"\\* {structure.name}; may happen: {', '.join(fault_model.admitted) or 'nothing'}"
    yield from ("SPECIFICATION Spec", "CONSTANTS")
    for path in filter(is_parameter, compute_leaf_sorts(structure)):
        yield f"    {write_leaf(path)} = {values[path.removeprefix(PARAMETER_PREFIX)]}"
    yield from ["CONSTRAINT Bounds"] if list_counters(structure) else ()
    refuted = find_refuted(structure, fault_model)
    yield from (f"INVARIANT {name}" for name in list_claims(structure) if name not in refuted)
    yield from (f"\\* refuted in {n} steps: INVARIANT {name}" for name, n in refuted.items())


def name_module(structure: ClaimedStructure) -> str:
    """For example ``Replication``."""
    return structure.world.module or type(structure.template).__name__


def list_variables(structure: ClaimedStructure) -> list[str]:
    """The parts of the state that hold leaves."""
    paths = (path for path in compute_leaf_sorts(structure) if not is_parameter(path))
    return list(dict.fromkeys(path.partition(".")[0] for path in paths))


def list_counters(structure: ClaimedStructure) -> dict[str, int]:
    """The leaves that count without end, with the number up to which TLC lets them count.

    Without a bound a master's dead connections accumulate forever.
    """
    sorts = compute_leaf_sorts(structure)
    return {p: most for p, most in structure.world.numbers.counters.items() if p in sorts}


def list_claims(structure: ClaimedStructure) -> dict[str, Property]:
    """The claims that TLC may check in every state: sanity checks and guarantees."""
    lemmas = structure.world.get_lemmas(structure)
    sane = {n: p for n, p in lemmas.items() if p.role is PropertyRole.SANITY}
    return {**sane, **structure.world.guarantees}


def find_refuted(structure: ClaimedStructure, fault_model: FaultModel) -> Mapping[str, int]:
    """The guarantees that this fault model breaks, with the number of steps of their schedule."""
    document = load(structure)
    guarantees = structure.world.guarantees
    return {
        cell.guarantee: len(cell.schedule)
        for cell in (() if document is None else decode_cells(structure, document))
        if cell.fault == fault_model.name
        and cell.word is VerdictWord.REFUTED
        and cell.guarantee in guarantees
    }


def comment(*sentences: str) -> Iterator[str]:
    """Sentences as a comment, without the marks of code in documentation."""
    for sentence in filter(None, sentences):
        yield from fill(sentence.replace("``", ""), 0, "\\* ")


def fill(text: str, column: int, mark: str = "") -> list[str]:
    """Text in lines of the module's width; continuation lines are indented."""
    margin = " " * column
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=margin + mark,
        subsequent_indent=margin + (mark or "    "),
        break_long_words=False,
        break_on_hyphens=False,
    )
