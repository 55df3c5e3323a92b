"""One instance of a rule in Promela: its conditions by name, its effect, its options.

An effect reads the state before it, so a leaf is written only when nothing else reads it any more;
where two leaves read each other, scratch variables keep new values until then. What several
effects have in common is computed first, into scratch variables too.
"""

from __future__ import annotations

import itertools
import string
from collections.abc import Iterator, Mapping

from attrs import frozen

from properties.induction import get_leaf_names
from properties.intervals import Interval, compute_interval
from properties.possible_steps import Step, Values, is_constant
from properties.promela.text import define, find_shared, name_path, write_comment, write_term
from reference.machine import RecordedInstance
from reference.terms import Term, record, specialise

RANGE_PREFIX = "is_range_of_"
"""Conditions of this name say that an argument has a value; each option says so by itself."""


@frozen
class Option:
    """One instance with one choice of its arguments."""

    instance: str
    above: tuple[int, ...]
    """How much each argument is above its lowest value."""

    def __str__(self) -> str:
        return " ".join([self.instance, *map(str, self.above)])


def list_ranges(step: Step) -> list[tuple[Term, Term, Term]]:
    """Of each argument its leaf, its lowest and its highest value."""
    return list(zip(step.ranges[::3], step.ranges[1::3], step.ranges[2::3], strict=True))


class EffectWriter:
    """Writes what a step does as assignments in a safe order."""

    def __init__(self, step: Step) -> None:
        self.scratch: list[str] = []
        """The scratch variables that it needs, arguments among them."""
        self.lines: list[str] = []
        self._names: dict[int, str] = {}
        self.scratch += [name_path(leaf.payload) for leaf in step.ranges[::3]]
        for term in find_shared(step.effects.values()):
            self._keep(term)
        self._assign(dict(step.effects))

    def _keep(self, term: Term) -> str:
        """Compute a term into a scratch variable of its own."""
        name = f"scratch_{len(self._names)}"
        self.lines.append(f"{name} = {write_term(term, self._names)}")
        self._names[id(term)] = name
        self.scratch.append(name)
        return name

    def _assign(self, effects: dict[str, Term]) -> None:
        late: list[str] = []
        while effects:
            read = {p: self._find_read(t) for p, t in effects.items()}
            free = [p for p in effects if not any(p in read[q] for q in effects if q != p)]
            path = (free or list(effects))[0]
            term = effects.pop(path)
            if free:
                self.lines.append(f"{name_path(path)} = {write_term(term, self._names)}")
            else:
                late.append(f"{name_path(path)} = {self._keep(term)}")
        self.lines += late

    def _find_read(self, term: Term) -> set[str]:
        """The leaves that are read when a term is written."""
        if id(term) in self._names:
            return set()
        if not term.arguments:
            return get_leaf_names(term)
        return set[str]().union(*map(self._find_read, term.arguments))


class StepWriter:
    """Writes one instance: definitions that stand before the process, options inside it."""

    def __init__(
        self,
        step: Step,
        recorded: RecordedInstance,
        constants: Values,
        intervals: Mapping[str, Interval],
    ) -> None:
        self.step, self.recorded, self.constants = step, recorded, constants
        self.name = name_path(step.name)
        self.effect = EffectWriter(step)
        self.ranges = list_ranges(step)
        self.widths = [
            max(0, compute_interval(record("subtract", high, low), intervals)[1])
            for _, low, high in self.ranges
        ]
        """How much each argument may be above its lowest value, as far as intervals tell."""

    def define(self) -> Iterator[str]:
        """The comment, the named conditions, the ranges and the effect."""
        rule = self.recorded.instance.rule
        yield write_comment(f"{self.step.name}: {rule.sentence}", f"Who: {rule.who}. {rule.source}")
        conditions = {f"{self.name}_{n}": term for n, term in self._get_conditions().items()}
        bounds = {
            self._name_bound(argument, end): term
            for argument, *terms in self.ranges
            for end, term in zip(("lowest", "highest"), terms, strict=True)
        }
        yield from define(f"part_of_{self.name}", {**conditions, **bounds})
        yield f"#define {self.name} ({' && '.join(conditions) or 'true'})"
        letters = ", ".join(self._letters)
        if self.ranges:  # macros, as the text of an inline may not be that long
            within = [f"{low} + {x} <= {high}" for x, (_, low, high) in self._bounds.items()]
            yield f"#define may_{self.name}({letters}) ({' && '.join([self.name, *within])})"
            chosen = [f"{argument} = {low} + {x}" for x, (argument, low, _) in self._bounds.items()]
            yield f"#define choose_{self.name}({letters}) {'; '.join(chosen)}"
        forgotten = "".join(f" FORGET({name})" for name in self.effect.scratch)
        yield f"inline effect_of_{self.name}() {{"
        yield ";\n".join(f"  {line}" for line in self.effect.lines or ["skip"]) + forgotten
        yield "}"

    def list_options(self) -> list[Option]:
        """Every choice of arguments that may be possible."""
        choices = itertools.product(*(range(width + 1) for width in self.widths))
        return [Option(self.step.name, choice) for choice in choices]

    def write_options(self) -> Iterator[str]:
        """An option of the loop for every choice, and one that fails where another is possible."""
        for option in self.list_options():
            choice = ", ".join(map(str, option.above))
            guard = f"may_{self.name}({choice})" if choice else self.name
            chosen = f"choose_{self.name}({choice}); " if choice else ""
            yield f"  :: d_step {{ {guard} ->"
            yield f'       printf("{option}\\n"); {chosen}effect_of_{self.name}() }}'
        for width, (_, low, high) in zip(self.widths, self._bounds.values(), strict=True):
            yield f"  :: d_step {{ {self.name} && {low} + {width} < {high} -> assert(false) }}"

    @property
    def _letters(self) -> str:
        """What says, for each argument, how much it is above its lowest value."""
        return string.ascii_lowercase[: len(self.ranges)]

    @property
    def _bounds(self) -> dict[str, tuple[str, str, str]]:
        """For each letter the argument's variable, its lowest value and its highest value."""
        return {
            letter: (
                name_path(argument.payload),
                self._name_bound(argument, "lowest"),
                self._name_bound(argument, "highest"),
            )
            for letter, (argument, *_) in zip(self._letters, self.ranges, strict=True)
        }

    def _get_conditions(self) -> dict[str, Term]:
        specialised = {
            name: specialise(term, self.constants)
            for name, term in self.recorded.conditions.items()
            if not name.startswith(RANGE_PREFIX)
        }
        return {name: t for name, t in specialised.items() if not is_constant(t, True)}

    def _name_bound(self, argument: Term, end: str) -> str:
        name = argument.payload.partition(".")[2]
        return f"{end}_{name}_of_{self.name}"
