"""Rule mutants: derived from every rule, executed, compared by Z3, and gone afterwards."""

from __future__ import annotations

from functools import partial

import pytest

from properties.mutants.derivation import (
    MutantKind,
    RuleMutant,
    RulePart,
    list_mutants,
    list_source_structures,
    mutate,
    record_rule,
)
from properties.mutants.execution import make_mistake
from properties.mutants.places import find_constants, rewrite, shift_operand
from properties.mutants.proof_judge import Likeness, decide_likeness, find_broken_lemma
from properties.mutants.replay_judges import find_lost_schedule
from properties.worlds.catalogue import WORLD_BY_TOPIC
from reference.language.leaves import flatten
from reference.language.machine import Action, compute_machine
from reference.language.operator_table import Sort
from reference.language.terms import constant, leaf, record, substitute
from reference.worlds.replication.parameters import SMALL_PARAMETERS
from reference.worlds.replication.state import Cluster
from tests.structures import SYNCHRONOUS_PAIR


def find(world: str, name: str) -> RuleMutant:
    """The mutant of this name."""
    return next(m for m in list_mutants(world) if m.name == name)


def is_refused(cluster: Cluster, action: Action) -> bool:
    """The machine as it is now refuses the action."""
    return compute_machine(SYNCHRONOUS_PAIR).step(cluster, action).is_refused


@pytest.mark.parametrize("world", WORLD_BY_TOPIC)
def test_every_rule_has_mutants(world: str) -> None:
    """At least one per rule, no two alike, every kind of mistake that the rules allow."""
    mutants = list_mutants(world)
    rules = {name for s in list_source_structures(world) for name in s.rules}
    assert rules == {m.rule for m in mutants}
    assert len(mutants) == len({m.name for m in mutants})
    has_ranges = any(
        recorded.arguments
        for structure in list_source_structures(world)
        for name in structure.rules
        for recorded in record_rule(structure, name)
    )
    of_ranges = {MutantKind.RANGE_WIDER, MutantKind.RANGE_NARROWER}
    expected = set(MutantKind) - (set() if has_ranges else of_ranges)
    assert expected == {m.kind for m in mutants}


def test_a_place_is_the_same_in_every_structure() -> None:
    """A flipped comparison is flipped for the second slave too."""
    name = "transfer_batch: has_bytes_to_send, strictness flipped"
    mutant = next(m for m in list_mutants("replication") if m.name.startswith(name))
    two = next(s for s in list_source_structures("replication") if s.slaves == 2)
    for recorded in record_rule(two, "transfer_batch"):
        true = recorded.conditions["has_bytes_to_send"]
        flipped = mutate(recorded, mutant).conditions["has_bytes_to_send"]
        assert ("less", "less_equal") == (true.operator, flipped.operator)


def test_a_dropped_condition_lets_a_step_through() -> None:
    """A slave reports without a connection, but only while the mistake is made."""
    begin = SYNCHRONOUS_PAIR.make_initial(SMALL_PARAMETERS)
    action = Action("report_offset[0]")
    assert is_refused(begin, action)
    with make_mistake(find("replication", "report_offset: is_link_open, condition dropped")):
        assert not is_refused(begin, action)
    assert is_refused(begin, action)


@pytest.mark.parametrize("world", list(WORLD_BY_TOPIC))
def test_machines_of_every_world_run_the_mistake(world: str) -> None:
    """Of every rule, in some structure; else a replay would look for it in vain."""
    for rule in dict.fromkeys(m.rule for m in list_mutants(world)):
        mutant = next(m for m in list_mutants(world) if m.rule == rule)
        structures = [s for s in list_source_structures(world) if rule in s.rules]
        true = structures[0].rules[rule]
        with make_mistake(mutant, world):
            assert all(s.rules[rule] is not true for s in structures)
        assert all(s.rules[rule] is true for s in structures)


@pytest.mark.parametrize(
    ("kind", "size", "is_enough"),
    [
        (MutantKind.RANGE_WIDER, 4, True),
        (MutantKind.RANGE_WIDER, 5, False),
        (MutantKind.RANGE_NARROWER, 3, False),
        (MutantKind.RANGE_NARROWER, 2, True),
    ],
)
def test_a_range_is_moved_by_one(kind: MutantKind, size: int, is_enough: bool) -> None:
    """The largest message has 3 bytes; with the mistake it has 4, or 2."""
    begin = SYNCHRONOUS_PAIR.make_initial(SMALL_PARAMETERS)
    action = Action("append_message[0]", {"size_bytes": size, "waits_for_store": 1})
    with make_mistake(RuleMutant("append_message", kind, RulePart.RANGE, "size_bytes.high")):
        assert is_enough is not is_refused(begin, action)


def test_an_omitted_effect_stays_away() -> None:
    """The link is told open, but for the field that the mutant forgets."""
    begin = SYNCHRONOUS_PAIR.make_initial(SMALL_PARAMETERS)
    action = Action("connect_slave[0]")
    true = flatten(compute_machine(SYNCHRONOUS_PAIR).step(begin, action).cluster)
    mutant = RuleMutant(
        "connect_slave", MutantKind.EFFECT_OMITTED, RulePart.EFFECT, "links.is_open"
    )
    with make_mistake(mutant):
        found = flatten(compute_machine(SYNCHRONOUS_PAIR).step(begin, action).cluster)
    assert ["links.0.is_open"] == [path for path in true if true[path] != found[path]]


def test_a_number_is_changed_in_one_place_of_all_instances() -> None:
    """``x + 1`` becomes ``x + 2``; another sum keeps its number."""
    one, other = leaf("slaves.0.a", Sort.INTEGER), leaf("slaves.1.b", Sort.INTEGER)
    term = record("add", record("add", one, constant(1)), record("add", other, constant(1)))
    assert ["1 in (slaves.a + 1)", "1 in (slaves.b + 1)"] == [
        p.text for p in find_constants([term])
    ]
    for place in find_constants([term]):
        changed = rewrite({"": term}, place, partial(shift_operand, operand=1, difference=1))[""]
        assert 3 == substitute(changed, {"slaves.0.a": 0, "slaves.1.b": 0})


@pytest.mark.parametrize(
    ("name", "likeness"),
    [
        ("restart_slave: brokers.is_up, effect omitted", Likeness.SAME_STEPS),
        ("copy_progress: has_news, condition dropped", Likeness.SAME_SUCCESSORS),
        ("stop_broker: is_serving, condition dropped", Likeness.DIFFERENT),
    ],
)
def test_likeness_is_decided(name: str, likeness: Likeness) -> None:
    """No mistake at all; one that only lets through what changes nothing; and a real one."""
    assert likeness is decide_likeness("delay", find("delay", name))


def test_a_lemma_falls() -> None:
    """A fault that is not counted strikes too often."""
    found = find_broken_lemma(
        "delay", find("delay", "kill_broker: is_within_limit, condition dropped")
    )
    assert found is not None
    assert "fault_counts_are_within_limits" == found[0].lemma


def test_a_schedule_is_spoilt() -> None:
    """A promotion that promotes nobody."""
    mutant = find("delay", "promote_slave: is_promoted, effect omitted")
    lost = find_lost_schedule("delay", mutant)
    assert lost is not None
    assert lost.is_good()
    with make_mistake(mutant, "delay"):
        assert not lost.is_good()
