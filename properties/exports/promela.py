"""One small instance as a Promela model, for SPIN: a judge that shares only the terms.

https://spinroot.com/spin/Man/promela.html. One process loops forever over the rules. Each instance
of a rule is one option for each choice of its arguments, and each option one ``d_step``: SPIN sees
no state between two steps. Leaves that no possible step changes, such as the sizes, are written as
numbers; all others are variables. SPIN therefore stores exactly the states of the instance, each
once.

The macro ``CHECK_<guarantee>`` adds an option that fails in the first state in which the guarantee
does not hold; that is one step after it. A search that goes on (``-c0 -e``) tells every violation
once. Without a macro SPIN only counts.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

import attrs

from properties.exports.instances import SmallInstance
from properties.exports.notation import RANGE_PREFIX, Notation, name_path
from properties.language.fault_model import is_admitted
from properties.language.world import get_largest_size
from properties.schedules.possible_steps import (
    PossibleStep,
    Values,
    find_constants,
    find_possible_steps,
    is_constant,
)
from properties.z3.induction import get_leaf_names
from properties.z3.intervals import Interval, compute_interval, compute_leaf_intervals
from reference.language.leaves import compute_leaf_sorts, flatten
from reference.language.machine import RecordedInstance, record_machine, record_predicate
from reference.language.operator_table import Sort
from reference.language.terms import Term, find_shared, record, specialise

BYTE_MAX = 255

CHECK_PREFIX = "CHECK_"
"""The prefix of the macros that check guarantees."""

VIOLATES = "violates"
"""A failing check prints this word, and what is violated."""

PROMELA = Notation.of("promela", name_path, lambda value: str(value).lower(), ("and", "or"))

BEGINNING = """\
#ifdef WIDE    /* every number in 32 bits: there must be as many states */
#define byte int
#define short int
#endif

#define minimum(a, b) ((a) < (b) -> (a) : (b))
#define maximum(a, b) ((a) < (b) -> (b) : (a))"""


class PromelaModel:
    """The terms of one small instance, ready to be written."""

    def __init__(self, instance: SmallInstance) -> None:
        self.instance = instance
        structure = instance.structure
        self.initial = flatten(structure.make_initial(instance.parameters))
        admitted = {
            r.instance.name: r
            for r in record_machine(structure)
            if is_admitted(r, instance.fault_model)
        }
        self.constants = find_constants(admitted.values(), self.initial)
        possible = find_possible_steps(admitted.values(), self.constants)
        steps = [stop_counting(step, instance.highest) for step in possible]
        highest = get_largest_size(instance.parameters)
        self.intervals = compute_leaf_intervals(steps, self.initial, highest)
        self.steps = [
            StepWriter(step, admitted[step.name], self.constants, self.intervals) for step in steps
        ]

    def write(self) -> str:
        """The whole model."""
        structure = self.instance.structure
        claims = {
            name: specialise(record_predicate(structure, guarantee.predicate), self.constants)
            for name, guarantee in structure.world.guarantees.items()
        }
        checks = Checks()
        options = [line for step in self.steps for line in step.write_options(checks)]
        options += [line for name in claims for line in write_check(name, checks)]
        parts = [
            write_comment(*self.instance.describe()),
            BEGINNING,
            "\n".join(self._declare_leaves()),
            "\n".join(self._declare_scratch()),
            *("\n".join(step.define()) for step in self.steps),
            "\n".join(define("part", claims)),
            checks.declare(),
            "\n".join(["active proctype steps() {", "  do", *options, "  od", "}"]),
        ]
        return "\n\n".join(part for part in parts if part) + "\n"

    def _declare_leaves(self) -> Iterator[str]:
        sorts = compute_leaf_sorts(self.instance.structure)
        for path, value in self.initial.items():
            if path not in self.constants:
                kind = choose_type(sorts[path], self.intervals[path])
                yield f"{kind} {name_path(path)} = {str(value).lower()};"

    def _declare_scratch(self) -> Iterator[str]:
        names = {name for step in self.steps for name in step.scratch}
        for name in sorted(names, key=lambda n: (len(n), n)):
            yield f"int {name};"


class Checks:
    """The checks of a model, each of which fails once in a search.

    Whether one has failed is no part of the state, so it is kept in C.
    """

    def __init__(self) -> None:
        self.count = 0

    def write(self, violation: str, told: str) -> str:
        """The option that fails in the first state in which ``violation`` is true."""
        note = f"has_failed[{self.count}]"
        self.count += 1
        return (
            f"  :: d_step {{ c_expr {{ !{note} }} && {violation} ->\n"
            f'       c_code {{ {note} = 1; }}; printf("{VIOLATES} {told}\\n"); assert(false) }}'
        )

    def declare(self) -> str:
        """What they note."""
        return f"c_decl {{ static char has_failed[{max(self.count, 1)}]; }}"


class StepWriter:
    """Writes one instance: definitions before the process, options inside it."""

    def __init__(
        self,
        step: PossibleStep,
        recorded: RecordedInstance,
        constants: Values,
        intervals: Mapping[str, Interval],
    ) -> None:
        self.step, self.recorded, self.constants = step, recorded, constants
        self.name = name_path(step.name)
        ranges = list(zip(step.ranges[::3], step.ranges[1::3], step.ranges[2::3], strict=True))
        self.bounds = {name_path(leaf.payload): (low, high) for leaf, low, high in ranges}
        """For each argument the terms of its lowest and its highest value."""
        self.widths = [
            max(0, compute_interval(record("subtract", high, low), intervals)[1])
            for _, low, high in ranges
        ]
        """How much each argument may be above its lowest value, according to intervals."""
        kept, self.assignments = write_effect(step.effects)
        self.scratch = [*self.bounds, *kept]
        """The variables that it needs beside the state."""

    def define(self) -> Iterator[str]:
        """The comment, the named conditions, the ranges and the effect."""
        rule = self.recorded.instance.rule
        yield write_comment(f"{self.step.name}: {rule.sentence}", f"Who: {rule.who}. {rule.source}")
        conditions = {f"{self.name}_{n}": term for n, term in self._get_conditions().items()}
        bounds = {
            name: term
            for argument, terms in self.bounds.items()
            for name, term in zip(self._name_bounds(argument), terms, strict=True)
        }
        yield from define(f"part_of_{self.name}", {**conditions, **bounds})
        yield f"#define {self.name} ({' && '.join(conditions) or 'true'})"
        # Scratch is part of the state in a breadth-first search: it must not tell states apart.
        forgotten = [f"{name} = 0" for name in self.scratch]
        yield f"inline effect_of_{self.name}() {{"
        yield ";\n".join(f"  {line}" for line in [*(self.assignments or ["skip"]), *forgotten])
        yield "}"

    def list_options(self) -> list[tuple[int, ...]]:
        """Every possible choice of arguments: how much each is above its lowest value."""
        return list(itertools.product(*(range(width + 1) for width in self.widths)))

    def write_options(self, checks: Checks) -> Iterator[str]:
        """An option of the loop for every choice, and one that fails if another is possible."""
        for option in self.list_options():
            guard, chosen = self.name, ""
            for argument, above in zip(self.bounds, option, strict=True):
                low, high = self._name_bounds(argument)
                guard += f" && {low} + {above} <= {high}"
                chosen += f"{argument} = {low} + {above}; "
            printed = " ".join([self.step.name, *map(str, option)])
            yield f"  :: d_step {{ {guard} ->"
            yield f'       printf("{printed}\\n"); {chosen}effect_of_{self.name}() }}'
        for argument, width in zip(self.bounds, self.widths, strict=True):
            low, high = self._name_bounds(argument)
            told = f"the range of {argument} in {self.step.name}"
            yield checks.write(f"{self.name} && {low} + {width} < {high}", told)

    def _get_conditions(self) -> dict[str, Term]:
        specialised = {
            name: specialise(term, self.constants)
            for name, term in self.recorded.conditions.items()
            if not name.startswith(RANGE_PREFIX)
        }
        return {name: t for name, t in specialised.items() if not is_constant(t, True)}

    def _name_bounds(self, argument: str) -> tuple[str, str]:
        name = f"{argument.removeprefix('argument_')}_of_{self.name}"
        return f"lowest_{name}", f"highest_{name}"


def write_effect(effects: Mapping[str, Term]) -> tuple[list[str], list[str]]:
    """Scratch variables, and assignments in an order in which all read the old values.

    Terms that several effects share are computed first, and so are new values of leaves that
    another effect reads; effects that read no leaf come last.
    """
    names: dict[int, str] = {}
    first: list[str] = []
    then: list[str] = []
    last: list[str] = []

    def keep(term: Term) -> str:
        """Compute a term into a scratch variable of its own."""
        name = f"scratch_{len(names)}"
        first.append(f"{name} = {PROMELA.write(term, names)}")
        names[id(term)] = name
        return name

    for part in find_shared(effects.values()):
        keep(part)
    for path, term in effects.items():
        others = (get_leaf_names(other) for p, other in effects.items() if p != path)
        is_late = id(term) in names or term.operator == "constant"
        text = PROMELA.write(term, names)
        if not is_late and any(path in read for read in others):
            is_late, text = True, keep(term)
        (last if is_late else then).append(f"{name_path(path)} = {text}")
    return list(names.values()), [*first, *then, *last]


def define(prefix: str, terms: Mapping[str, Term]) -> Iterator[str]:
    """Macros for these terms by name, after macros for the long parts that they share."""
    names, parts = PROMELA.name_parts(prefix, terms.values())
    texts = {name: PROMELA.write(term, names) for name, term in terms.items()}
    yield from (f"#define {name} {text}" for name, text in {**parts, **texts}.items())


def stop_counting(step: PossibleStep, highest: Mapping[str, int]) -> PossibleStep:
    """The step that leaves these leaves at their highest value."""
    effects = {
        path: record("minimum", term, highest[path]) if path in highest else term
        for path, term in step.effects.items()
    }
    return attrs.evolve(step, effects=effects)


def write_check(guarantee: str, checks: Checks) -> Iterator[str]:
    """The option that fails if a guarantee does not hold, if its macro is defined."""
    yield f"#ifdef {CHECK_PREFIX}{guarantee}"
    yield checks.write(f"!({guarantee})", guarantee)
    yield "#endif"


def write_comment(*lines: str) -> str:
    """A comment of these lines."""
    inside = "\n   ".join(line.replace("*/", "* /") for line in lines)
    return f"/* {inside} */"


def choose_type(sort: Sort, interval: Interval) -> str:
    """The smallest type of Promela for a leaf with such values."""
    if sort is Sort.BOOLEAN:
        return "bool"
    return "byte" if interval[0] >= 0 and interval[1] <= BYTE_MAX else "short"
