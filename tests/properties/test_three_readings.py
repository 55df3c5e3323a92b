"""The solved reading against the reference: every rule, by substitution on samples."""

from __future__ import annotations

from typing import Any

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from properties.walks.drawn_walks import draw_walk
from properties.worlds.replication.world import GUARANTEES, ClaimedGroup
from properties.z3.induction import get_leaf_names
from properties.z3.translation import BitVectorArithmetic, IntegerArithmetic, Translator
from reference.language.leaves import flatten, is_parameter
from reference.language.machine import compute_machine, record_machine, record_predicate
from tests.structures import (
    GROUPS,
    SYNCHRONOUS_PAIR,
    TWO_OF_EACH,
    leave_large_to_night,
    name_of,
)


def evaluate(arithmetic: IntegerArithmetic, expression: Any) -> int | bool:
    """The value of a Z3 expression without free variables."""
    return arithmetic.value(EMPTY_MODEL, expression)


class ExactArithmetic(IntegerArithmetic):
    """Integers with the remainder itself, where a proof takes any number in its range."""

    def remainder(self, dividend: Any, divisor: Any) -> tuple[Any, Any]:
        """The remainder of numbers that are not negative."""
        return dividend % divisor, z3.BoolVal(True)


def make_empty_model() -> z3.ModelRef:
    """A model of nothing, to evaluate closed expressions in."""
    solver = z3.Solver()
    solver.check()
    return solver.model()


EMPTY_MODEL = make_empty_model()


@pytest.mark.parametrize(
    "arithmetic", [ExactArithmetic(), BitVectorArithmetic(8)], ids=["int", "bits"]
)
@pytest.mark.parametrize("structure", leave_large_to_night(GROUPS), ids=name_of)
@settings(max_examples=5)
@given(data=st.data())
def test_formula_agrees_with_reference(
    data: st.DataObject, structure: ClaimedGroup, arithmetic: IntegerArithmetic
) -> None:
    """After every step: Z3's conditions and effects on these numbers are the reference's."""
    machine = compute_machine(structure)
    recorded = {r.instance.name: r for r in record_machine(structure)}
    for cluster, action in draw_walk(data, structure, TWO_OF_EACH, 12):
        leaves = {p: arithmetic.constant(v) for p, v in flatten(cluster).items()}
        arguments = {f"argument.{n}": arithmetic.constant(v) for n, v in action.arguments.items()}
        translate = Translator(arithmetic, {**leaves, **arguments})
        enabled = {e.instance.name for e in machine.enabled(cluster)}
        for name, r in recorded.items():
            conditions = [evaluate(arithmetic, translate(c)) for c in r.conditions.values()]
            assert (name in enabled) == all(conditions)
        after = flatten(machine.step(cluster, action).cluster)
        effects = recorded[action.instance].effects
        solved = {p: evaluate(arithmetic, translate(t)) for p, t in effects.items()}
        before = flatten(cluster)
        expected = {p: v for p, v in after.items() if p in solved or v != before[p]}
        assert expected == solved


@settings(max_examples=10)
@given(data=st.data())
def test_guarantees_agree(data: st.DataObject) -> None:
    """Each guarantee as a formula says what it says on numbers."""
    arithmetic = ExactArithmetic()
    for cluster, _ in draw_walk(data, SYNCHRONOUS_PAIR, TWO_OF_EACH, 25):
        leaves = {p: arithmetic.constant(v) for p, v in flatten(cluster).items()}
        translate = Translator(arithmetic, leaves)
        for guarantee in GUARANTEES.values():
            formula = translate(record_predicate(SYNCHRONOUS_PAIR, guarantee.predicate))
            assert guarantee.predicate(cluster) == evaluate(arithmetic, formula)


def test_bit_vectors_refuse_what_does_not_fit() -> None:
    """A constant beyond the width is an error, not a wrapped number."""
    with pytest.raises(OverflowError):
        BitVectorArithmetic(6).constant(32)


def test_parameters_are_leaves_too() -> None:
    """Sizes stay symbolic in a proof."""
    assert any(is_parameter(p) for r in record_machine(SYNCHRONOUS_PAIR) for p in leaf_names(r))


def leaf_names(recorded: Any) -> set[str]:
    """The leaves that an instance mentions."""
    return set().union(*(get_leaf_names(t) for t in recorded.conditions.values()))
