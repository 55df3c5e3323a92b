"""The machine: refused actions, ranges, leaves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from properties.walks.drawn_walks import draw_walk
from reference.language.leaves import compute_leaf_sorts, flatten, unflatten
from reference.language.machine import Action, compute_machine, probe, record_machine
from reference.worlds.replication.rules import RULES
from reference.worlds.replication.structure import Structure
from tests.structures import (
    GROUPS,
    SYNCHRONOUS_PAIR,
    TWO_OF_EACH,
    leave_large_to_night,
    name_of,
)


@pytest.mark.parametrize("structure", leave_large_to_night(GROUPS), ids=name_of)
@given(data=st.data())
def test_refused_actions_leave_the_state_unchanged(
    data: st.DataObject, structure: Structure
) -> None:
    """For every rule: where a condition fails, the very same state comes back."""
    machine = compute_machine(structure)
    for cluster, _ in draw_walk(data, structure, TWO_OF_EACH, 12):
        enabled = {e.instance.name for e in machine.enabled(cluster)}
        for name, instance in machine.instances.items():
            outcome = machine.step(cluster, Action(name))
            assert outcome.is_refused == (name not in enabled)
            if outcome.is_refused:
                assert outcome.cluster is cluster
                assert probe(instance, cluster)[0]


@given(data=st.data())
def test_arguments_out_of_range_are_refused(data: st.DataObject) -> None:
    """An argument beyond its range is refused by name, and the state stays."""
    machine = compute_machine(SYNCHRONOUS_PAIR)
    for cluster, _ in draw_walk(data, SYNCHRONOUS_PAIR, TWO_OF_EACH, 20):
        for enabled in machine.enabled(cluster):
            for argument in enabled.ranges:
                action = Action(enabled.instance.name, {argument.name: argument.high + 1})
                outcome = machine.step(cluster, action)
                assert (f"is_{argument.name}_in_range",) == outcome.failed
                assert outcome.cluster is cluster


@given(data=st.data())
def test_states_survive_flattening(data: st.DataObject) -> None:
    """Leaves lose nothing."""
    for cluster, _ in draw_walk(data, SYNCHRONOUS_PAIR, TWO_OF_EACH, 20):
        values = flatten(cluster)
        assert list(compute_leaf_sorts(SYNCHRONOUS_PAIR)) == list(values)
        assert cluster == unflatten(SYNCHRONOUS_PAIR, values)


def test_every_rule_has_an_instance() -> None:
    """No rule is statically disabled in every structure."""
    alive = {r.instance.rule.name for s in GROUPS for r in record_machine(s)}
    assert set(RULES) == alive


def test_parameters_never_change() -> None:
    """No rule writes a size, a threshold or a limit."""
    written = {p for s in GROUPS for r in record_machine(s) for p in r.effects}
    assert not [p for p in written if p.startswith("parameters.")]


def test_the_initial_state_is_everything_up_and_empty() -> None:
    """Where all schedules begin."""
    cluster = SYNCHRONOUS_PAIR.make_initial(TWO_OF_EACH)
    assert cluster.master.is_up
    assert cluster.slaves[0].is_up
    assert cluster.master.log.max_offset == 0
    assert not cluster.links[0].is_open
