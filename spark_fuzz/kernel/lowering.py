"""The compiled reading: recorded terms as the source of integer code.

The source is ordinary Python over arrays of 64-bit integers; numba compiles it. Each shared term
becomes one local variable, so nothing is computed twice in a function.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from properties.language.healing import is_moving
from properties.language.world import ClaimedStructure
from properties.z3.induction import get_leaf_names
from reference.language.leaves import compute_leaf_sorts, is_parameter
from reference.language.machine import RecordedInstance, record_machine, record_predicate
from reference.language.terms import Sort, Term, walk

EXPRESSIONS = {
    "add": "({} + {})",
    "subtract": "({} - {})",
    "minimum": "min({}, {})",
    "maximum": "max({}, {})",
    "quotient": "({} // {})",
    "remainder": "({} % {})",
    "less": "({} < {})",
    "less_equal": "({} <= {})",
    "equal": "({} == {})",
    "not": "(not {})",
    "and": "({} & {})",
    "or": "({} | {})",
    "choose": "({2} + {0} * ({1} - {2}))",
    "choose_flag": "(({0} & {1}) | ((not {0}) & {2}))",
}


class Layout:
    """The layout: the leaves in the state and parameter arrays, the order of instances."""

    def __init__(self, structure: ClaimedStructure) -> None:
        self.structure = structure
        self.sorts = compute_leaf_sorts(structure)
        self.state_paths = [p for p in self.sorts if not is_parameter(p)]
        self.parameter_paths = [p for p in self.sorts if is_parameter(p)]
        self.instances: Sequence[RecordedInstance] = record_machine(structure)
        self.guarantees = list(structure.world.judged)
        self.claims_about_rest = structure.world.claims_about_rest
        self.is_decisive = self._find_decisive_instances()
        self.watched = find_watched_terms(structure, self.instances)
        self.arguments_max = max(len(r.arguments) for r in self.instances)

    def get_reference_to(self, path: str) -> str:
        """The source text that reads a leaf."""
        if path in self.parameter_paths:
            return f"parameters[{self.parameter_paths.index(path)}]"
        cell = f"state[{self.state_paths.index(path)}]"
        return f"({cell} != 0)" if self.sorts[path] is Sort.BOOLEAN else cell

    def record_claim(self, name: str) -> Term:
        """The condition of a guarantee or a convergence claim on a state."""
        return record_predicate(self.structure, self.structure.world.get_claim(name).predicate)

    def _find_decisive_instances(self) -> list[bool]:
        """For each instance whether it writes a leaf on which some guarantee depends."""
        leaves = set().union(*(get_leaf_names(self.record_claim(g)) for g in self.guarantees))
        return [not leaves.isdisjoint(r.effects) for r in self.instances]


def find_watched_terms(
    structure: ClaimedStructure, instances: Iterable[RecordedInstance]
) -> dict[str, Term]:
    """The named conditions of all rules, each term once, and the premises of all guarantees."""
    watched: dict[str, Term] = {}
    for recorded in instances:
        for name, term in recorded.conditions.items():
            if not any(term is known for known in watched.values()):
                watched[f"{recorded.instance.name}: {name}"] = term
    for name, guarantee in structure.world.judged.items():
        if guarantee.premise is not None:
            watched[f"premise of {name}"] = record_predicate(structure, guarantee.premise)
    return watched


class Writer:
    """Writes one function body: a local variable per term, in the order of use."""

    expressions = EXPRESSIONS
    declaration = "{} = {}"

    def __init__(self, layout: Layout, arguments: Mapping[str, str], indent: int) -> None:
        self.layout = layout
        self.arguments = arguments
        self.indent = indent
        self.lines: list[str] = []
        self._names: dict[int, str] = {}

    def write(self, text: str) -> None:
        """One line at the body's indentation."""
        self.lines.append(" " * self.indent + text)

    def name_of(self, term: Term) -> str:
        """The variable or literal that holds a term; writes what it needs first."""
        for node in walk([term]):
            if id(node) not in self._names:
                self._names[id(node)] = self._define(node)
        return self._names[id(term)]

    def _define(self, node: Term) -> str:
        if node.operator == "constant":
            return self.write_constant(node.payload)
        if node.operator == "leaf":
            name = str(node.payload)
            return self.arguments.get(name) or self.write_leaf(name)
        operands = (self._names[id(a)] for a in node.arguments)
        variable = f"t{len(self._names)}"
        value = self.expressions[node.operator].format(*operands)
        self.write(self.declaration.format(variable, value))
        return variable

    def write_constant(self, value: Any) -> str:
        """A number or a truth value."""
        return str(value)

    def write_leaf(self, path: str) -> str:
        """The source text that reads a leaf."""
        return self.layout.get_reference_to(path)


def lower(structure: ClaimedStructure) -> str:
    """The source of a structure's kernel: the lowered functions that ``walk`` declares."""
    layout = Layout(structure)
    parts = (
        _lower_find_enabled(layout),
        _lower_find_ranges(layout),
        _lower_fire(layout),
        _lower_judge(layout, "judge", layout.guarantees),
        _lower_find_moving(layout),
        _lower_is_quiescent(layout),
        _lower_judge(layout, "judge_rest", layout.claims_about_rest),
        _lower_observe(layout),
    )
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _lower_find_enabled(layout: Layout) -> Iterable[str]:
    writer = Writer(layout, {}, 4)
    for index, recorded in enumerate(layout.instances):
        names = [writer.name_of(c) for c in recorded.conditions.values()]
        writer.write(f"enabled[count] = {index}")
        writer.write(f"count += {' & '.join(names) or '1'}")
    head = ["def find_enabled(state, parameters, enabled):", "    count = 0"]
    return [*head, *writer.lines, "    return count"]


def _lower_find_ranges(layout: Layout) -> Iterable[str]:
    lines = ["def find_ranges(state, parameters, instance, ranges):"]
    for index, recorded in enumerate(layout.instances):
        if not recorded.arguments:
            continue
        writer = Writer(layout, {}, 8)
        for i, (_, _, low, high) in enumerate(recorded.arguments):
            writer.write(f"ranges[{2 * i}] = {writer.name_of(low)}")
            writer.write(f"ranges[{2 * i + 1}] = {writer.name_of(high)}")
        writer.write(f"return {len(recorded.arguments)}")
        lines += [f"    if instance == {index}:", *writer.lines]
    return [*lines, "    return 0"]


def _lower_fire(layout: Layout) -> Iterable[str]:
    """A function for each instance, for one of them all takes minutes to compile."""
    lines: list[str] = []
    calls = ["def fire(state, parameters, instance, arguments):"]
    for index, recorded in enumerate(layout.instances):
        lines += [*_lower_effects(layout, index, recorded), "", ""]
        keyword = "if" if index == 0 else "elif"
        calls.append(f"    {keyword} instance == {index}:")
        calls.append(f"        fire_{index}(state, parameters, arguments)")
    return [*lines, *calls]


def _lower_effects(layout: Layout, index: int, recorded: RecordedInstance) -> Iterable[str]:
    names = {f"argument.{n}": f"arguments[{i}]" for i, (n, *_) in enumerate(recorded.arguments)}
    writer = Writer(layout, names, 4)
    new = {path: writer.name_of(term) for path, term in recorded.effects.items()}
    for i, value in enumerate(new.values()):
        writer.write(f"new{i} = {value}")
    for i, path in enumerate(new):
        writer.write(f"state[{layout.state_paths.index(path)}] = new{i}")
    head = f"def fire_{index}(state, parameters, arguments):"
    return [head, *(writer.lines or ["    pass"])]


def _lower_judge(layout: Layout, function: str, claims: Iterable[str]) -> Iterable[str]:
    writer = Writer(layout, {}, 4)
    for bit, claim in enumerate(claims):
        holds = writer.name_of(layout.record_claim(claim))
        writer.write(f"violated |= (not {holds}) << {bit}")
    head = [f"def {function}(state, parameters):", "    violated = 0"]
    return [*head, *writer.lines, "    return violated"]


def collect_moving(layout: Layout) -> dict[int, list[Term]]:
    """When the instances by which a system heals are enabled, by their places in the layout."""
    healing, found = layout.structure.healing, dict[int, list[Term]]()
    for index, recorded in enumerate(layout.instances):
        if healing and recorded.instance.rule.name in (*healing.steps, *healing.recovery):
            found[index] = [*recorded.conditions.values()]
            if healing.is_idling_left_out:
                moving = partial(is_moving, recorded.instance)
                found[index].append(record_predicate(layout.structure, moving))
    return found


def _lower_find_moving(layout: Layout) -> Iterable[str]:
    writer = Writer(layout, {}, 4)
    for index, conditions in collect_moving(layout).items():
        names = map(writer.name_of, conditions)
        writer.write(f"moving[count] = {index}")
        writer.write(f"count += {' & '.join(names) or '1'}")
    head = ["def find_moving(state, parameters, moving):", "    count = 0"]
    return [*head, *writer.lines, "    return count"]


def _lower_is_quiescent(layout: Layout) -> Iterable[str]:
    writer = Writer(layout, {}, 4)
    healing = layout.structure.healing
    peace = "False"
    if healing:
        peace = writer.name_of(record_predicate(layout.structure, healing.is_quiescent))
    return ["def is_quiescent(state, parameters):", *writer.lines, f"    return {peace}"]


def _lower_observe(layout: Layout) -> Iterable[str]:
    writer = Writer(layout, {}, 4)
    for index, term in enumerate(layout.watched.values()):
        writer.write(f"outcomes[{index}] |= 1 + {writer.name_of(term)}")
    return ["def observe(state, parameters, outcomes):", *writer.lines]
