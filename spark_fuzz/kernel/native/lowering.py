"""Recorded terms as C: conditions and claims of many schedules at once, steps of one of them.

Conditions and claims are vectors, a schedule in each lane, and a truth value is -1 or 0. Steps are
those of one lane: lanes take different ones. ``walk.c`` declares the types and calls what is here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from reference.language.machine import record_predicate
from reference.language.operator_table import Sort, spell
from reference.language.terms import Term, walk
from spark_fuzz.kernel.layout import Layout, collect_moving


class CWriter:
    """Writes one function body: a local variable per term, in the order of use."""

    expressions: Mapping[str, str]
    """The text of each operator, with a place for each operand."""
    declaration: str
    """How a local variable begins."""

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
        raise NotImplementedError

    def write_leaf(self, path: str) -> str:
        """The source text that reads a leaf."""
        raise NotImplementedError


class LanesWriter(CWriter):
    """Writes the body of a function of vectors."""

    expressions = spell("c_lanes")
    declaration = "V {} = {};"

    def __init__(self, layout: Layout) -> None:
        super().__init__(layout, {}, 4)

    def write_constant(self, value: Any) -> str:
        """The same in every lane."""
        return f"ALL({-int(value) if isinstance(value, bool) else value})"

    def write_leaf(self, path: str) -> str:
        """The vector of a leaf."""
        place = find_place(self.layout, path)
        return f"(-{place})" if self.layout.sorts[path] is Sort.BOOLEAN else place


class LaneWriter(CWriter):
    """Writes the body of a function of one state, whose numbers stand STRIDE apart."""

    expressions = spell("c")
    declaration = "number {} = {};"

    def write_constant(self, value: Any) -> str:
        """A number, also for a truth value."""
        return str(int(value))

    def write_leaf(self, path: str) -> str:
        """The number of a leaf."""
        array, index = find_place(self.layout, path)[:-1].split("[")
        return f"{array}[{index} * STRIDE]"


def find_place(layout: Layout, path: str) -> str:
    """Where a leaf stands, for example ``state[3]``."""
    if path in layout.parameter_paths:
        return f"parameters[{layout.parameter_paths.index(path)}]"
    return f"state[{layout.state_paths.index(path)}]"


def lower_search_to_c(layout: Layout) -> str:
    """The functions of a structure that ``search.c`` calls."""
    parts = (
        _lower_list_enabled(layout),
        _lower_find_ranges(layout),
        _lower_fire(layout),
        _lower_restore(layout),
        _lower_judge_one(layout),
    )
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def list_sizes(layout: Layout) -> Mapping[str, int]:
    """The sizes of a structure, by the names that ``walk.c`` has for them."""
    return {
        "LEAVES": len(layout.state_paths),
        "PARAMETERS": len(layout.parameter_paths),
        "INSTANCES": len(layout.instances),
        "ARGUMENTS": layout.arguments_max,
        "GUARANTEES": len(layout.guarantees),
        "OUTCOMES": len(layout.watched),
    }


def lower_to_c(layout: Layout) -> str:
    """The functions of a structure that ``walk.c`` calls."""
    rest = layout.claims_about_rest
    parts = (
        _lower_find_enabled(layout),
        _lower_find_moving(layout),
        _lower_judge(layout, "judge", layout.guarantees),
        _lower_judge(layout, "judge_rest", rest),
        _lower_is_quiescent(layout),
        _lower_observe(layout),
        *(_lower_step(layout, index) for index in range(len(layout.instances))),
        _lower_steps(layout),
    )
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


OF_STATE = "const V *restrict state, const V *restrict parameters"
OF_LANE = "number *restrict state, const number *restrict parameters"


def _lower_find_enabled(layout: Layout) -> Iterator[str]:
    """Sums of the weights of enabled instances, and what names the set of them."""
    writer = LanesWriter(layout)
    for index, recorded in enumerate(layout.instances):
        is_enabled = _name_all(writer, recorded.conditions.values())
        writer.write(f"V is_{index} = {is_enabled};")
        writer.write(f"total += is_{index} & weights[{index}];")
        writer.write(f"low ^= is_{index} & ALL(marks_low[{index}]);")
        writer.write(f"high ^= is_{index} & ALL(marks_high[{index}]);")
        writer.write(f"sums[{index}] = total;")
    yield f"static void find_enabled({OF_STATE}, const V *restrict weights, V *restrict sums,"
    yield "    const number *restrict marks_low, const number *restrict marks_high,"
    yield "    V *found, V *name_low, V *name_high) {"
    yield "    V total = ALL(0), low = ALL(0), high = ALL(0);"
    yield from writer.lines
    yield "    *found = total, *name_low = low, *name_high = high;"
    yield "}"


def _lower_find_moving(layout: Layout) -> Iterator[str]:
    """Counts of the instances by which a system heals."""
    writer, moving = LanesWriter(layout), collect_moving(layout)
    for index in range(len(layout.instances)):
        if index in moving:
            writer.write(f"total -= {_name_all(writer, moving[index])};")
        writer.write(f"sums[{index}] = total;")
    yield f"static V find_moving({OF_STATE}, V *restrict sums) {{"
    yield "    V total = ALL(0);"
    yield from writer.lines
    yield "    return total;"
    yield "}"


def _name_all(writer: CWriter, conditions: Iterable[Term]) -> str:
    """The text of a conjunction."""
    return " & ".join(map(writer.name_of, conditions)) or "ALL(-1)"


def _lower_judge(layout: Layout, function: str, claims: Iterable[str]) -> Iterator[str]:
    """The bit set of the claims that do not hold."""
    writer = LanesWriter(layout)
    for bit, claim in enumerate(claims):
        holds = writer.name_of(layout.record_claim(claim))
        writer.write(f"violated |= ~{holds} & ALL((number)1 << {bit});")
    yield f"static V {function}({OF_STATE}) {{"
    yield "    V violated = ALL(0);"
    yield from writer.lines
    yield "    return violated;"
    yield "}"


def _lower_is_quiescent(layout: Layout) -> Iterator[str]:
    writer, healing, peace = LanesWriter(layout), layout.structure.healing, "ALL(0)"
    if healing:
        peace = writer.name_of(record_predicate(layout.structure, healing.is_quiescent))
    yield f"static V is_quiescent({OF_STATE}) {{"
    yield from writer.lines
    yield f"    return {peace};"
    yield "}"


def _lower_observe(layout: Layout) -> Iterator[str]:
    """For each watched condition 1 if it was false, 2 if it was true, 3 if it was both."""
    writer = LaneWriter(layout, {}, 4)
    for index, term in enumerate(layout.watched.values()):
        writer.write(f"outcomes[{index}] |= 1 + {writer.name_of(term)};")
    yield f"static void observe({OF_LANE}, uint8_t *restrict outcomes) {{"
    yield from writer.lines
    yield "}"


def _lower_step(layout: Layout, index: int) -> Iterator[str]:
    """Draw the arguments of an instance, and let it take place."""
    recorded = layout.instances[index]
    names = {f"argument.{name}": f"argument_{i}" for i, (name, *_) in enumerate(recorded.arguments)}
    writer = LaneWriter(layout, names, 4)
    for i, (_, _, low, high) in enumerate(recorded.arguments):
        ends = f"{writer.name_of(low)}, {writer.name_of(high)}"
        word = f"mix(low_word ^ spreads[{i + 1} * STRIDE])"
        writer.write(f"number argument_{i} = pick_argument({ends}, {word});")
    _write_effects(writer, recorded.effects)
    yield f"static inline void step_{index}({OF_LANE}, uint32_t low_word,"
    yield "    const uint32_t *restrict spreads) {"
    yield from writer.lines
    yield "}"


def _write_effects(writer: CWriter, effects: Mapping[str, Term]) -> None:
    """All new values are computed before the first is written."""
    new = {path: writer.name_of(term) for path, term in effects.items()}
    for i, value in enumerate(new.values()):
        writer.write(f"number new_{i} = {value};")
    for i, path in enumerate(new):
        writer.write(f"{writer.write_leaf(path)} = new_{i};")


def _lower_steps(layout: Layout) -> Iterator[str]:
    yield f"static inline void step({OF_LANE}, int instance, uint32_t low_word,"
    yield "    const uint32_t *restrict spreads) {"
    calls = (
        f"step_{i}(state, parameters, low_word, spreads)" for i in range(len(layout.instances))
    )
    yield from _write_switch({i: [f"        {call};"] for i, call in enumerate(calls)})
    yield "}"


def _write_switch(cases: Mapping[int, Iterable[str]]) -> Iterator[str]:
    """The lines of each instance."""
    yield "    switch (instance) {"
    for index, lines in cases.items():
        yield f"    case {index}: {{"
        yield from lines
        yield "        break;"
        yield "    }"
    yield "    }"


OF_BASE = "const number *restrict state, const number *restrict parameters"


def _lower_list_enabled(layout: Layout) -> Iterator[str]:
    writer = LaneWriter(layout, {}, 4)
    for index, recorded in enumerate(layout.instances):
        names = " & ".join(map(writer.name_of, recorded.conditions.values())) or "1"
        writer.write(f"enabled[count] = {index};")
        writer.write(f"count += {names};")
    yield f"int64_t find_enabled({OF_BASE}, int64_t *restrict enabled) {{"
    yield "    int64_t count = 0;"
    yield from writer.lines
    yield "    return count;"
    yield "}"


def _lower_find_ranges(layout: Layout) -> Iterator[str]:
    """Lowest and highest value of each argument of an enabled instance."""
    cases: dict[int, list[str]] = {}
    for index, recorded in enumerate(layout.instances):
        writer = LaneWriter(layout, {}, 8)
        for i, (_, _, low, high) in enumerate(recorded.arguments):
            writer.write(f"ranges[{2 * i}] = {writer.name_of(low)};")
            writer.write(f"ranges[{2 * i + 1}] = {writer.name_of(high)};")
        if recorded.arguments:
            cases[index] = [*writer.lines, f"        count = {len(recorded.arguments)};"]
    yield f"int64_t find_ranges({OF_BASE}, int64_t instance, int64_t *restrict ranges) {{"
    yield "    int64_t count = 0;"
    yield from _write_switch(cases)
    yield "    return count;"
    yield "}"


def _lower_fire(layout: Layout) -> Iterator[str]:
    """Let an enabled instance take place, with these arguments."""
    cases: dict[int, list[str]] = {}
    for index, recorded in enumerate(layout.instances):
        names = {f"argument.{n}": f"arguments[{i}]" for i, (n, *_) in enumerate(recorded.arguments)}
        writer = LaneWriter(layout, names, 8)
        _write_effects(writer, recorded.effects)
        cases[index] = writer.lines
    yield f"void fire({OF_LANE}, int64_t instance, const int64_t *restrict arguments) {{"
    yield from _write_switch(cases)
    yield "}"


def _lower_restore(layout: Layout) -> Iterator[str]:
    """Take back what an instance has changed."""
    places = layout.state_paths.index
    yield "static void restore(number *restrict state, const number *restrict base,"
    yield "    int64_t instance) {"
    yield from _write_switch(
        {
            index: [
                f"        state[{cell}] = base[{cell}];" for cell in map(places, recorded.effects)
            ]
            for index, recorded in enumerate(layout.instances)
        }
    )
    yield "}"


def _lower_judge_one(layout: Layout) -> Iterator[str]:
    writer = LaneWriter(layout, {}, 4)
    for bit, claim in enumerate(layout.guarantees):
        holds = writer.name_of(layout.record_claim(claim))
        writer.write(f"violated |= (int64_t)!{holds} << {bit};")
    yield f"int64_t judge({OF_BASE}) {{"
    yield "    int64_t violated = 0;"
    yield from writer.lines
    yield "    return violated;"
    yield "}"
