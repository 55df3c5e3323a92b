"""One small instance as a Promela model, for SPIN: a judge that shares nothing but the terms.

One process loops for ever over the rules. Each instance of a rule is one option for each choice of
its arguments, and each option one ``d_step``: SPIN sees no state between two steps. Leaves that no
possible step changes, the sizes among them, stand as numbers; all others are variables. So the
states that SPIN stores are the states of the instance, each once.

The macro ``CHECK_<guarantee>`` adds an option that fails where the guarantee does not hold; that is
one step after the state that violates it. Without a macro SPIN only counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs
from attrs import field, frozen

from properties.fault_class import FaultClass, is_admitted
from properties.intervals import Interval, compute_leaf_intervals
from properties.possible_steps import Step, find_constants, find_possible_steps
from properties.promela.step import StepWriter
from properties.promela.text import MACROS, define, name_path, write_comment
from properties.world import get_largest_size
from properties.worlds import find_world
from reference.leaves import compute_leaf_sorts, flatten
from reference.machine import record_machine, record_predicate
from reference.terms import Sort, Term, record, specialise
from reference.version import find_version

BYTE_MAX = 255

CHECK_PREFIX = "CHECK_"
"""What the macro begins with that has a guarantee checked."""

PROCESS = "steps"
"""The name of the only process."""

BEGINNING = """\
#ifdef WIDE               /* every number in 32 bits: there must be as many states */
#define byte int
#define short int
#endif

#ifdef VISIBLE_SCRATCH    /* pan with -DBFS refuses hidden variables */
#define SCRATCH
#define FORGET(x) ; x = 0
#else
#define SCRATCH hidden    /* no part of the state; always written before it is read */
#define FORGET(x)
#endif
"""


@frozen
class SmallInstance:
    """One structure under one fault class, with sizes for a search."""

    structure: Any
    fault_class: FaultClass
    sizes: Any
    highest: Mapping[str, int] = field(factory=dict)
    """For leaves that may count on for ever, the value at which they stop, so that there is an end
    of all states; by the path of the leaf."""

    @property
    def parameters(self) -> Any:
        """The sizes, with the limits of the fault class."""
        return attrs.evolve(self.sizes, limits=self.fault_class.search_limits)

    def describe(self) -> Iterator[str]:
        """Its rules, structure, faults and sizes, a line each."""
        yield f"Model of RocketMQ {find_version(self.structure.variants).name}"
        yield f"structure: {self.structure.name}"
        times = self.fault_class.times
        often = f", each at most {count_times(times)}" if self.fault_class.admitted else ""
        yield f"faults: {self.fault_class.name}{often}"
        for name, value in attrs.asdict(self.parameters, recurse=False).items():
            if isinstance(value, int):
                yield f"{name}: {value}"
        for path, value in self.highest.items():
            yield f"{path}: counts to {value}, and then stays"


class PromelaModel:
    """The terms of one small instance, ready to be written."""

    def __init__(self, instance: SmallInstance) -> None:
        self.instance = instance
        structure = instance.structure
        self.initial = flatten(structure.make_initial(instance.parameters))
        admitted = {
            r.instance.name: r
            for r in record_machine(structure)
            if is_admitted(r, instance.fault_class)
        }
        self.constants = find_constants(admitted.values(), self.initial)
        possible = find_possible_steps(admitted.values(), self.constants)
        steps = [stop_counting(step, instance.highest) for step in possible]
        highest = get_largest_size(instance.parameters)
        self.intervals = compute_leaf_intervals(steps, self.initial, highest)
        self.steps = [
            StepWriter(step, admitted[step.name], self.constants, self.intervals) for step in steps
        ]

    @property
    def claims(self) -> dict[str, Term]:
        """The guarantees by name, over the leaves that change."""
        structure = self.instance.structure
        return {
            name: specialise(record_predicate(structure, g.predicate), self.constants)
            for name, g in find_world(structure).guarantees.items()
        }

    def write(self) -> str:
        """The whole model."""
        options = [line for step in self.steps for line in step.write_options()]
        checks = [line for name in self.claims for line in write_check(name)]
        parts = [
            write_comment(*self.instance.describe()),
            BEGINNING + MACROS,
            "\n".join(self._declare_leaves()),
            "\n".join(self._declare_scratch()),
            *("\n".join(step.define()) for step in self.steps),
            "\n".join(define("part", self.claims)),
            "\n".join([f"active proctype {PROCESS}() {{", "  do", *options, *checks, "  od", "}"]),
        ]
        return "\n\n".join(part for part in parts if part) + "\n"

    def _declare_leaves(self) -> Iterator[str]:
        sorts = compute_leaf_sorts(self.instance.structure)
        for path, value in self.initial.items():
            if path not in self.constants:
                kind = choose_type(sorts[path], self.intervals[path])
                yield f"{kind} {name_path(path)} = {str(value).lower()};"

    def _declare_scratch(self) -> Iterator[str]:
        names = {name for step in self.steps for name in step.effect.scratch}
        for name in sorted(names, key=lambda n: (len(n), n)):
            yield f"SCRATCH int {name};"


def count_times(number: int) -> str:
    """``once``, ``2 times``."""
    return "once" if number == 1 else f"{number} times"


def stop_counting(step: Step, highest: Mapping[str, int]) -> Step:
    """The step that leaves these leaves at their highest value."""
    effects = {
        path: record("minimum", term, highest[path]) if path in highest else term
        for path, term in step.effects.items()
    }
    return attrs.evolve(step, effects=effects)


def write_check(guarantee: str) -> Iterator[str]:
    """The option that fails where a guarantee does not hold, if its macro is defined."""
    yield f"#ifdef {CHECK_PREFIX}{guarantee}"
    yield f"  :: d_step {{ !({guarantee}) -> assert(false) }}"
    yield "#endif"


def choose_type(sort: Sort, interval: Interval) -> str:
    """The smallest type of Promela for a leaf with such values."""
    if sort is Sort.BOOLEAN:
        return "bool"
    return "byte" if interval[0] >= 0 and interval[1] <= BYTE_MAX else "short"
