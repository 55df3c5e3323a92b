"""Rule mutants: each rule with one small mistake, made mechanically from the recorded rule.

A check that no mutant fails proves little. Mistakes are made in the recorded terms: a condition
omitted or negated, ``<`` for ``<=``, a number off by one, a range too wide or too narrow, a field
missing from the effect.
"""

from __future__ import annotations

import enum
import itertools
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from attrs import evolve, field, frozen

from properties.language.world import ClaimedStructure
from properties.mutants.places import (
    Place,
    find_comparisons,
    find_constants,
    flip,
    is_integer,
    remove_numbers,
    rewrite,
    shift_operand,
)
from properties.worlds.catalogue import WORLD_BY_TOPIC
from properties.worlds.replication.world import ClaimedGroup
from reference.language.machine import Instance, RecordedInstance, record_instance
from reference.language.rule import Rule
from reference.language.terms import Term, constant, record
from reference.roles import FlushDiskType

RANGE_CONDITION = "is_range_of_{}_not_empty"
"""The condition that recording adds for an argument."""


class MutantKind(enum.Enum):
    """The kind of a mutant's mistake."""

    CONDITION_DROPPED = "condition dropped"
    CONDITION_NEGATED = "condition negated"
    STRICTNESS_FLIPPED = "strictness flipped"
    RANGE_WIDER = "range wider by one"
    RANGE_NARROWER = "range narrower by one"
    EFFECT_OMITTED = "effect omitted"
    NUMBER_HIGHER = "number higher by one"
    NUMBER_LOWER = "number lower by one"


class RulePart(enum.Enum):
    """The part of a rule with the mistake."""

    CONDITION = "condition"
    RANGE = "range"
    EFFECT = "effect"


NUMBER_KINDS = {MutantKind.NUMBER_HIGHER: 1, MutantKind.NUMBER_LOWER: -1}
RANGE_KINDS = {MutantKind.RANGE_WIDER: 1, MutantKind.RANGE_NARROWER: -1}


@frozen
class RuleMutant:
    """One rule with one mistake."""

    rule: str
    kind: MutantKind
    part: RulePart
    where: str
    """The condition; ``low`` or ``high`` of an argument: ``size_bytes.high``; or a field that the
    effect changes, without numbers: ``slaves.log.ends``."""
    place: Place | None = None
    """For a comparison or a number: its place."""
    ordinal: int = field(default=0, eq=False)
    """Distinguishes places that read alike; 0 for the first of them."""

    @property
    def name(self) -> str:
        """For example ``receive_report: has_report_in_flight, strictness flipped: (... < ...)``."""
        text = f"{self.rule}: {self.where}, {self.kind.value}"
        if self.place is not None:
            text += f": {self.place.text}"
        return f"{text} [{self.ordinal + 1}]" if self.ordinal else text


def list_source_structures(world: str, name: str = "") -> tuple[Any, ...]:
    """The structures from which a world's mutants are derived: every rule is in one of them.

    With a name, only those with this name.
    """
    every = (
        _list_replication() if world == "replication" else WORLD_BY_TOPIC[world].mutated_structures
    )
    return tuple(s for s in every if name in ("", s.name))


def list_proof_structures(world: str, name: str = "") -> tuple[Any, ...]:
    """The structures in which lemmas are checked: of replication those with one slave."""
    every = [ClaimedGroup(flush_disk_type=flush) for flush in FlushDiskType]
    structures = every if world == "replication" else WORLD_BY_TOPIC[world].mutated_structures
    return tuple(s for s in structures if name in ("", s.name))


def _list_replication() -> tuple[ClaimedGroup, ...]:
    return tuple(
        ClaimedGroup(slaves=slaves, messages=messages, flush_disk_type=flush)
        for slaves, messages in ((1, 2), (2, 1), (0, 1))
        for flush in FlushDiskType
    )


@cache
def record_rule(structure: ClaimedStructure, rule: str) -> tuple[RecordedInstance, ...]:
    """Every instance of a rule as terms, also those that a structure's shape forbids.

    Empty if the structure has no such rule.
    """
    found = structure.rules.get(rule)
    if found is None:
        return ()
    return record_all(structure, found)


def record_all(structure: ClaimedStructure, rule: Rule) -> tuple[RecordedInstance, ...]:
    """Every instance of a rule, which need not be registered, as terms."""
    sizes = structure.index_counts
    every = itertools.product(*(range(sizes[name]) for name in rule.indexes))
    return tuple(record_instance(structure, Instance(rule, indexes)) for indexes in every)


def list_mutants(world: str, rules: tuple[str, ...] = ()) -> tuple[RuleMutant, ...]:
    """Every mutant of these rules of a world, or of all, in the order of the rules.

    Mistakes that give the same terms are one mutant; those that change nothing are left out.
    """
    structures = list_source_structures(world)
    names = dict.fromkeys(name for s in structures for name in s.rules)
    return tuple(m for name in names if not rules or name in rules for m in _list_of(world, name))


@cache
def _list_of(world: str, rule: str) -> tuple[RuleMutant, ...]:
    recorded = {s: record_rule(s, rule) for s in list_source_structures(world)}
    raw = dict.fromkeys(m for rs in recorded.values() for r in rs for m in _list_mistakes(rule, r))
    true = tuple(compute_fingerprint(r) for rs in recorded.values() for r in rs)
    by_terms: dict[Any, RuleMutant] = {true: RuleMutant(rule, *_NOTHING)}
    for mutant in raw:
        terms = tuple(
            compute_fingerprint(mutate(r, mutant)) for rs in recorded.values() for r in rs
        )
        by_terms.setdefault(terms, mutant)
    return tuple(_number([m for terms, m in by_terms.items() if terms != true]))


_NOTHING = (MutantKind.EFFECT_OMITTED, RulePart.EFFECT, "")


def _number(mutants: list[RuleMutant]) -> Iterator[RuleMutant]:
    """The mutants, with unique names."""
    used: dict[str, int] = {}
    for mutant in mutants:
        ordinal = used.get(mutant.name, 0)
        used[mutant.name] = ordinal + 1
        yield evolve(mutant, ordinal=ordinal)


def compute_fingerprint(recorded: RecordedInstance) -> Any:
    """A fingerprint of an instance's terms alone, also when a condition is left out."""
    conditions = frozenset(id(c) for c in recorded.conditions.values())
    ranges = tuple((id(low), id(high)) for *_, low, high in recorded.arguments)
    return conditions, ranges, tuple((path, id(t)) for path, t in recorded.effects.items())


def _list_mistakes(rule: str, recorded: RecordedInstance) -> Iterator[RuleMutant]:
    """Every mistake that can be made in one instance."""
    ranges = {RANGE_CONDITION.format(name) for name, *_ in recorded.arguments}
    for name, condition in recorded.conditions.items():
        if name not in ranges:
            for kind in (MutantKind.CONDITION_DROPPED, MutantKind.CONDITION_NEGATED):
                yield RuleMutant(rule, kind, RulePart.CONDITION, name)
            yield from _list_places(rule, RulePart.CONDITION, name, [condition])
    for name, _, *ends in recorded.arguments:
        for end, term in zip(("low", "high"), ends, strict=True):
            for kind in RANGE_KINDS:
                yield RuleMutant(rule, kind, RulePart.RANGE, f"{name}.{end}")
            yield from _list_places(rule, RulePart.RANGE, f"{name}.{end}", [term])
    for component, terms in group_effects(recorded.effects).items():
        yield RuleMutant(rule, MutantKind.EFFECT_OMITTED, RulePart.EFFECT, component)
        for kind in NUMBER_KINDS if any(map(is_integer, terms.values())) else ():
            yield RuleMutant(rule, kind, RulePart.EFFECT, component)
        yield from _list_places(rule, RulePart.EFFECT, component, list(terms.values()))


def _list_places(rule: str, part: RulePart, where: str, terms: list[Term]) -> Iterator[RuleMutant]:
    for place in find_comparisons(terms):
        yield RuleMutant(rule, MutantKind.STRICTNESS_FLIPPED, part, where, place)
    for place in find_constants(terms):
        for kind in NUMBER_KINDS:
            yield RuleMutant(rule, kind, part, where, place)


def group_effects(effects: Mapping[str, Term]) -> dict[str, dict[str, Term]]:
    """The leaves that an effect changes, by the field that they belong to."""
    groups: dict[str, dict[str, Term]] = {}
    for path, term in effects.items():
        groups.setdefault(remove_numbers(path), {})[path] = term
    return groups


def mutate(recorded: RecordedInstance, mutant: RuleMutant) -> RecordedInstance:
    """The instance with the mistake; unchanged if it has no such place."""
    if mutant.part is RulePart.CONDITION:
        return evolve(recorded, conditions=_mutate_conditions(recorded, mutant))
    if mutant.part is RulePart.RANGE:
        return _mutate_range(recorded, mutant)
    return evolve(recorded, effects=_mutate_effects(recorded, mutant))


def _mutate_conditions(recorded: RecordedInstance, mutant: RuleMutant) -> dict[str, Term]:
    conditions = dict(recorded.conditions)
    old = conditions.pop(mutant.where, constant(True))
    if mutant.kind is MutantKind.CONDITION_DROPPED:
        return conditions
    new = record("not", old)
    if mutant.place is not None:
        new = _change_places({"": old}, mutant)[""]
    return conditions if _is_true(new) else {**conditions, mutant.where: new}


def _mutate_range(recorded: RecordedInstance, mutant: RuleMutant) -> RecordedInstance:
    argument, _, end = mutant.where.rpartition(".")
    conditions, arguments = dict(recorded.conditions), []
    for name, leaf, *ends in recorded.arguments:
        low, high = ends
        if name == argument:
            low = _change_end(low, mutant, -1) if end == "low" else low
            high = _change_end(high, mutant, 1) if end == "high" else high
            not_empty = record("less_equal", low, high)
            conditions.pop(RANGE_CONDITION.format(name), None)
            if not _is_true(not_empty):
                conditions[RANGE_CONDITION.format(name)] = not_empty
        arguments.append((name, leaf, low, high))
    return evolve(recorded, conditions=conditions, arguments=tuple(arguments))


def _change_end(end: Term, mutant: RuleMutant, outward: int) -> Term:
    if mutant.place is not None:
        return _change_places({"": end}, mutant)[""]
    return record("add", end, outward * RANGE_KINDS[mutant.kind])


def _mutate_effects(recorded: RecordedInstance, mutant: RuleMutant) -> dict[str, Term]:
    effects = dict(recorded.effects)
    own = {path: t for path, t in effects.items() if remove_numbers(path) == mutant.where}
    if mutant.kind is MutantKind.EFFECT_OMITTED:
        return {path: term for path, term in effects.items() if path not in own}
    if mutant.place is not None:
        return effects | _change_places(own, mutant)
    by = NUMBER_KINDS[mutant.kind]
    return effects | {p: record("add", t, by) for p, t in own.items() if is_integer(t)}


def _change_places(terms: Mapping[str, Term], mutant: RuleMutant) -> dict[str, Term]:
    place = mutant.place
    assert place is not None
    if mutant.kind is MutantKind.STRICTNESS_FLIPPED:
        return rewrite(terms, place, flip)
    by = NUMBER_KINDS[mutant.kind]
    return rewrite(terms, place, lambda node: shift_operand(node, place.operand, by))


def _is_true(term: Term) -> bool:
    return term.operator == "constant" and bool(term.payload)
