"""Every named condition of every rule has a kind; settings and timers have an entry."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import pytest
from attrs import evolve

from properties.mutants.derivation import record_rule
from properties.worlds.catalogue import STRUCTURES
from reference.assumptions import condition_kinds
from reference.assumptions.condition_kinds import (
    MODELLED_SETTINGS,
    ConditionClass,
    ConditionKind,
    load_condition_kinds,
)
from reference.assumptions.register import ASSUMPTIONS
from reference.language.dependencies import list_leaves
from reference.worlds.replication.changes import VARIANTS
from reference.worlds.replication.parameters import SIZE_KEYS

WORLDS = {
    "replication": "replication",
    "consumption": "reading",
    "tables": "tables",
    "delay": "delay",
    "starts": "starts",
    "system": "system",
}
"""The worlds in the file of kinds, each with its own name."""
SIZES = {f"parameters.{name}" for name in SIZE_KEYS}
SYSTEM = "system/sync master/async flush/closed/no offset check/first"
REPAIRS_OF_440 = tuple(n for n, v in VARIANTS.items() if v.span is None and not v.on)
PAIR = "SYNC_MASTER/ASYNC_FLUSH/1 slave"


def list_structures(world: str) -> list[Any]:
    """Structures that together have all rules of a world, in every variant and release."""
    found = [s for s in STRUCTURES.values() if s.world.name == WORLDS[world]]
    if world == "replication":
        pairs = [s for s in found if s.slaves == 1]
        stock = [s for s in pairs if not s.variants or s.name.startswith(PAIR)]
        queued = evolve(stock[0], messages=2)
        return [*stock, queued, *(evolve(stock[0], variants=(name,)) for name in REPAIRS_OF_440)]
    return [STRUCTURES[SYSTEM]] if world == "system" else found


@cache
def collect_conditions(world: str) -> dict[str, set[str]]:
    """The named conditions of a world, each with its rules and what it reads."""
    found: dict[str, set[str]] = defaultdict(set)
    for rule, name, _ in walk_conditions(list_structures(world)):
        found[name].add(rule)
    return found


def walk_conditions(structures: Iterable[Any]) -> Iterator[tuple[str, str, Any]]:
    """Rule, name and term of every condition."""
    for structure in structures:
        for rule in structure.rules:
            for recorded in record_rule(structure, rule):
                for name, term in recorded.conditions.items():
                    if not name.startswith("is_range_of_"):
                        yield rule, name, term


@pytest.mark.parametrize("world", WORLDS)
def test_every_condition_has_a_kind_and_every_kind_a_condition(world: str) -> None:
    """No condition lacks a kind, and no kind is about a condition that is gone."""
    named, known = set(collect_conditions(world)), set(load_condition_kinds(world))
    assert named - known == set()
    if world != "system":
        assert known - named == set()


@pytest.mark.parametrize("world", WORLDS)
def test_what_a_setting_or_a_timer_decides_has_an_entry(world: str) -> None:
    """It names modelled settings or assumptions; one of time names an assumption."""
    for name, entry in load_condition_kinds(world).items():
        is_decided = entry.kind in (ConditionKind.SETTING, ConditionKind.TIME)
        assert bool(entry.rests_on) is is_decided, name
        assert set(entry.rests_on) <= {*MODELLED_SETTINGS, *ASSUMPTIONS}, name
        if entry.kind is ConditionKind.TIME:
            assert set(entry.rests_on) & set(ASSUMPTIONS), name


@pytest.mark.parametrize("world", WORLDS)
def test_conditions_of_time_are_those_of_their_assumption(world: str) -> None:
    """Each rule with such a condition is listed by the assumption."""
    kinds = load_condition_kinds(world)
    for name, rules in collect_conditions(world).items():
        entry = kinds[name]
        if entry.kind is ConditionKind.TIME:
            listed = {c for each in entry.rests_on for c in ASSUMPTIONS[each].conditions}
            assert all(f"{rule}: {name}" in listed for rule in rules), name


@pytest.mark.parametrize("world", WORLDS)
def test_what_reads_a_size_rests_on_a_setting(world: str) -> None:
    """A condition that reads a configured size is no plain fact about states."""
    kinds = load_condition_kinds(world)
    decided = (ConditionKind.SETTING, ConditionKind.TIME, ConditionKind.MODEL)
    usual = [s for s in list_structures(world) if not getattr(s, "variants", ())]
    for _, name, term in walk_conditions(usual):
        if list_leaves([term]) & SIZES:
            assert kinds[name].kind in decided, name


def test_a_time_condition_without_an_entry_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test of entries fails for a condition of time that names none."""
    bare = {"is_later": ConditionClass(ConditionKind.TIME)}
    monkeypatch.setattr(condition_kinds, "load_condition_kinds", lambda world: bare)
    monkeypatch.setitem(globals(), "load_condition_kinds", lambda world: bare)
    with pytest.raises(AssertionError):
        test_what_a_setting_or_a_timer_decides_has_an_entry("replication")
