"""Rule mutants: derived from every rule, different from the true rule, and gone afterwards."""

from __future__ import annotations

import pytest

from properties.rule_mutants import MutantKind, RuleMutant, list_mutants, make_mistake
from reference.machine import Action, compute_machine
from reference.parameters import SMALL_PARAMETERS
from reference.rules import RULES
from reference.state import Cluster
from tests.structures import SYNCHRONOUS_PAIR


def is_refused(cluster: Cluster, action: Action) -> bool:
    """The machine as it is now refuses the action."""
    return compute_machine(SYNCHRONOUS_PAIR).step(cluster, action).is_refused


def test_every_rule_with_conditions_has_mutants() -> None:
    """At least one per rule, and no two alike."""
    mutants = list_mutants()
    assert set(RULES) == {m.rule for m in mutants}
    assert len(mutants) == len({m.name for m in mutants})
    assert set(MutantKind) == {m.kind for m in mutants}


def test_a_dropped_condition_lets_a_step_through() -> None:
    """A slave reports without a connection, but only while the mistake is made."""
    begin = SYNCHRONOUS_PAIR.make_initial(SMALL_PARAMETERS)
    action = Action("report_offset[0]")
    mutant = RuleMutant("report_offset", MutantKind.CONDITION_DROPPED, "is_link_open")
    assert is_refused(begin, action)
    with make_mistake(mutant):
        assert not is_refused(begin, action)
    assert is_refused(begin, action)


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
    with make_mistake(RuleMutant("append_message", kind, "size_bytes.high")):
        assert is_enough is not is_refused(begin, action)


def test_strictness_is_flipped_in_one_place() -> None:
    """``flushed < max`` becomes ``<=``: an empty log is flushed."""
    begin = SYNCHRONOUS_PAIR.make_initial(SMALL_PARAMETERS)
    mutant = RuleMutant("flush_master", MutantKind.STRICTNESS_FLIPPED, "has_unflushed_bytes", 1)
    assert is_refused(begin, Action("flush_master"))
    with make_mistake(mutant):
        assert not is_refused(begin, Action("flush_master"))
