"""Restrictions of rules, and the relaxed rules, derived from the recorded rules.

A restriction is a named condition, or one end of an argument's range. It is relaxed in two ways:
entirely (a condition is dropped, an end opened), and by one (each comparison of a condition, or
the end, moved outward). The relaxed rule can do everything that the restricted one can.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from functools import cache

from attrs import evolve, frozen

from properties.language.world import ClaimedStructure
from properties.mutants.derivation import (
    RANGE_CONDITION,
    MutantKind,
    RuleMutant,
    RulePart,
    compute_fingerprint,
    mutate,
    record_rule,
)
from reference.language.machine import RecordedInstance
from reference.language.operator_table import Sort
from reference.language.terms import Term, constant, leaf, record, walk

DEFINING_CONDITIONS = {
    "is_within_limit": "it decides which fault model a step belongs to",
    "has_modelled_life_left": "it is the limit of the model",
    "is_below_modelled_end": "it is the limit of the model",
    "has_copy_left": "it is the limit of the model",
}
"""Conditions that are not relaxed because they are no claims about brokers, with the reason."""

MODELLED_END = "parameters.ghost_log_size_max_bytes"
"""A range with this end is limited by the model."""

FILE_SIZE = "parameters.mapped_file_size_bytes"
"""The distance from the beginning of its last file at which a log may end."""

SIGNED_ARGUMENTS = {("send_alien_report", "offset")}
"""Arguments that may be negative: eight bytes of a stranger. All others are sizes and offsets."""

LOG_END_ARGUMENTS = ("recovered_offset", "kept_offset")
"""Arguments that set the end of a log. Opened, the log may end beyond its bytes, and the bytes
between are unknown; it may not end beyond its last file."""


class End(enum.Enum):
    """An end of a range."""

    LOW = "low"
    HIGH = "high"


class Degree(enum.Enum):
    """The degree to which a restriction is relaxed."""

    ENTIRELY = "entirely"
    """The condition is dropped, the end of the range opened."""
    BY_ONE = "by one"
    """Each comparison, or the end of the range, is moved outward by one."""


@frozen
class Restriction:
    """One restriction of a rule."""

    rule: str
    where: str
    """A condition's name, or the argument with a range."""
    end: End | None = None
    """The end of the range; None for a condition."""

    @property
    def name(self) -> str:
        """For example ``restart_slave: recovered_offset high``."""
        end = "" if self.end is None else f" {self.end.value}"
        return f"{self.rule}: {self.where}{end}"


def list_restrictions(structure: ClaimedStructure) -> tuple[Restriction, ...]:
    """Every restriction of a structure's rules, in their order; defining ones are left out."""
    found: dict[Restriction, None] = {}
    for rule in structure.rules:
        for recorded in record_rule(structure, rule):
            found |= dict.fromkeys(_list_conditions(rule, recorded))
            found |= dict.fromkeys(_list_ends(rule, recorded))
    return tuple(found)


def _list_conditions(rule: str, recorded: RecordedInstance) -> Iterator[Restriction]:
    """The conditions; one that excludes an empty range belongs to the range's ends."""
    not_empty = [record("less_equal", low, high) for _, _, low, high in recorded.arguments]
    ranges = {RANGE_CONDITION.format(name) for name, *_ in recorded.arguments}
    for name, condition in recorded.conditions.items():
        is_of_range = name in ranges or any(condition is term for term in not_empty)
        if not is_of_range and name not in DEFINING_CONDITIONS:
            yield Restriction(rule, name)


def _list_ends(rule: str, recorded: RecordedInstance) -> Iterator[Restriction]:
    """The ends of ranges; a choice between named cases has none, and 0 is the lowest."""
    for name, _, low, high in recorded.arguments:
        if low.operator == high.operator == "constant":
            continue
        if (rule, name) in SIGNED_ARGUMENTS or low is not constant(0):
            yield Restriction(rule, name, End.LOW)
        if not _is_outermost(high):
            yield Restriction(rule, name, End.HIGH)


def _is_outermost(high: Term) -> bool:
    """Nothing is beyond it: the model ends, or the last file of a log."""
    if high.operator == "add":
        base, size = (operand.payload for operand in high.arguments)
        return size == FILE_SIZE and str(base).endswith(".last_file_offset")
    return high.operator == "leaf" and high.payload == MODELLED_END


def relax(
    recorded: RecordedInstance, restriction: Restriction, degree: Degree
) -> RecordedInstance | None:
    """The instance without the restriction, or with a weaker one.

    None if that changes nothing, or the structure's shape still forbids the instance.
    """
    if restriction.end is None:
        relaxed = _relax_condition(recorded, restriction, degree)
    else:
        relaxed = _relax_range(recorded, restriction, degree)
    is_same = compute_fingerprint(relaxed) == compute_fingerprint(recorded)
    is_never = any(c is constant(False) for c in relaxed.conditions.values())
    return None if is_same or is_never else relaxed


def _relax_condition(
    recorded: RecordedInstance, restriction: Restriction, degree: Degree
) -> RecordedInstance:
    name = restriction.where
    if degree is Degree.ENTIRELY:
        kind = MutantKind.CONDITION_DROPPED
        return mutate(recorded, RuleMutant(restriction.rule, kind, RulePart.CONDITION, name))
    if name not in recorded.conditions:
        return recorded
    wider = widen(recorded.conditions[name])
    kept = {n: c for n, c in recorded.conditions.items() if n != name}
    return evolve(recorded, conditions=kept if wider is constant(True) else {**kept, name: wider})


def widen(condition: Term, *, is_outward: bool = True) -> Term:
    """The condition with each of its comparisons moved outward by one; flags stay as they are.

    Comparisons that only choose between numbers stay as well: they have no outward direction.
    """
    operands = condition.arguments
    if condition.operator == "not":
        return record("not", widen(operands[0], is_outward=not is_outward))
    if condition.operator in ("and", "or"):
        return record(condition.operator, *(widen(a, is_outward=is_outward) for a in operands))
    if condition.operator in ("less", "less_equal"):
        low, high = operands
        side = record("add", high, 1 if is_outward else -1)
        return record(condition.operator, low, side)
    if condition.operator == "equal":
        return _is_within_one(*operands) if is_outward else constant(False)
    return condition


def _is_within_one(one: Term, other: Term) -> Term:
    is_not_above = record("less_equal", one, record("add", other, 1))
    return record("and", is_not_above, record("less_equal", other, record("add", one, 1)))


def _relax_range(
    recorded: RecordedInstance, restriction: Restriction, degree: Degree
) -> RecordedInstance:
    conditions, arguments = dict(recorded.conditions), []
    effects = dict(recorded.effects)
    for name, argument, *ends in recorded.arguments:
        low, high = ends
        if name == restriction.where:
            if restriction.end is End.LOW:
                low = _lower(recorded, low, argument, restriction, degree)
            elif name in LOG_END_ARGUMENTS:
                high = _raise_log_end(recorded, high, argument, degree)
                if _is_cut(effects, argument):
                    effects = _let_log_end_behind(effects, argument)
            else:
                # An argument is never above itself: this end restricts nothing.
                high = argument if degree is Degree.ENTIRELY else record("add", high, 1)
            key = RANGE_CONDITION.format(name)
            conditions.pop(key, None)
            not_empty = record("less_equal", low, high)
            is_open = argument is low or argument is high
            if not is_open and not_empty is not constant(True):
                conditions[key] = not_empty
        arguments.append((name, argument, low, high))
    return evolve(recorded, conditions=conditions, arguments=tuple(arguments), effects=effects)


def _lower(
    recorded: RecordedInstance,
    low: Term,
    argument: Term,
    restriction: Restriction,
    degree: Degree,
) -> Term:
    """A lower end: at least 0, and for the end of a log at least the log's beginning."""
    if (restriction.rule, restriction.where) in SIGNED_ARGUMENTS:
        return argument if degree is Degree.ENTIRELY else record("subtract", low, 1)
    floor = constant(0)
    if restriction.where in LOG_END_ARGUMENTS:
        floor = leaf(f"{_find_log(recorded.effects, argument)}.start_offset", Sort.INTEGER)
    if degree is Degree.ENTIRELY:
        return floor
    return record("maximum", record("subtract", low, 1), floor)


def _find_log(effects: Mapping[str, Term], end: Term) -> str:
    """The path of the log that is cut at ``end``. Raises StopIteration if none is."""
    paths = (p for p, t in effects.items() if ".ends." in p and _is_mentioned(end, t))
    return next(paths).rpartition(".ends.")[0]


def _raise_log_end(recorded: RecordedInstance, high: Term, argument: Term, degree: Degree) -> Term:
    """The highest end of a log with all, or one, of the bytes beyond it in its last file."""
    log = _find_log(recorded.effects, argument)
    base = leaf(f"{log}.last_file_offset", Sort.INTEGER)
    file_end = record("add", base, leaf(FILE_SIZE, Sort.INTEGER))
    wider = file_end if degree is Degree.ENTIRELY else record("add", high, 1)
    inside = record("maximum", high, record("minimum", wider, file_end))
    return record("choose", leaf(f"{log}.has_file", Sort.BOOLEAN), inside, high)


def _is_cut(effects: Mapping[str, Term], end: Term) -> bool:
    """The log only becomes shorter; other rules define the bytes beyond its old end themselves."""
    log = _find_log(effects, end)
    ends = (t for p, t in effects.items() if p.startswith(f"{log}.ends."))
    return all(t.operator == "minimum" and t.arguments[0].operator == "leaf" for t in ends)


def _let_log_end_behind(effects: Mapping[str, Term], end: Term) -> dict[str, Term]:
    """The effects of a cut whose ``end`` may be beyond the log: the bytes between are unknown."""
    changed, log = dict(effects), _find_log(effects, end)
    ends = {p: t.arguments[0] for p, t in effects.items() if p.startswith(f"{log}.ends.")}
    last = ends[max(ends)]
    is_behind = record("less", last, end)
    for path, own in ends.items():
        is_moved = is_behind if own is last else record("and", is_behind, own == last)
        changed[path] = record("choose", is_moved, end, effects[path])
    for name in ("ghost_unknown_below_offset", "flushed_offset", "dispatched_offset"):
        path = f"{log}.{name}"
        changed[path] = record("choose", is_behind, end, effects[path])
    return changed


def _is_mentioned(argument: Term, term: Term) -> bool:
    return any(node is argument for node in walk([term]))


@cache
def list_relaxed(
    structure: ClaimedStructure, restriction: Restriction, degree: Degree
) -> tuple[RecordedInstance, ...]:
    """The instances of the rule that differ without the restriction."""
    every = (relax(r, restriction, degree) for r in record_rule(structure, restriction.rule))
    return tuple(r for r in every if r is not None)
