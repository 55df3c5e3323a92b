"""What may be left out of a search: on steps written for the purpose, and on the rules."""

from __future__ import annotations

from attrs import evolve

from properties.schedules.possible_steps import PossibleStep, find_constants, find_possible_steps
from properties.worlds.replication.fault_models import FAULT_MODEL_BY_NAME
from properties.worlds.replication.world import GUARANTEES
from reference.language.leaves import compute_leaf_sorts, flatten, is_parameter
from reference.language.machine import record_machine
from reference.language.operator_table import Sort
from reference.language.terms import Term, constant, leaf, record
from reference.worlds.replication.parameters import SMALL_PARAMETERS
from spark_fuzz.search.influence import compute_influence, find_highest_values, leave_out_replaced
from tests.structures import SYNCHRONOUS_PAIR

IS_UP, COUNT, NOTE = leaf("is_up", Sort.BOOLEAN), leaf("count", Sort.INTEGER), "note"


def make_step(name: str, *conditions: Term, **effects: Term) -> PossibleStep:
    """A step without arguments."""
    return PossibleStep(name, conditions, (), effects)


def test_step_with_needless_condition_is_left_out() -> None:
    """Of two steps that do the same to what matters, the one that is possible more often stays."""
    cut = make_step("cut", IS_UP, count=constant(0), note=constant(1))
    close = make_step("close", count=constant(0))
    assert leave_out_replaced([cut, close], {"count", "is_up"}) == [close]
    assert leave_out_replaced([cut, close], {"count", "is_up", NOTE}) == [cut, close]


def test_step_that_does_something_else_stays() -> None:
    """Other values, or more arguments, are something else."""
    one = make_step("one", count=constant(1))
    two = make_step("two", count=constant(2))
    choosing = PossibleStep(
        "choosing", (), (leaf("argument.n", Sort.INTEGER),), {"count": constant(1)}
    )
    assert leave_out_replaced([one, two, choosing], {"count"}) == [one, two, choosing]


def test_of_equal_steps_one_stays() -> None:
    """Two steps that replace each other do not both go."""
    one, same = (make_step(name, IS_UP, count=constant(1)) for name in ("one", "same"))
    assert leave_out_replaced([one, same], {"count"}) == [one]


def test_number_that_is_only_compared_has_a_highest_value() -> None:
    """All values above the largest constant are one."""
    claims = [record("equal", COUNT, 2), record("less_equal", 4, COUNT)]
    keeping = make_step("keep", count=record("choose", IS_UP, 7, COUNT))
    assert find_highest_values({"count"}, [keeping], claims) == {"count": 5}


def test_number_that_is_used_otherwise_has_none() -> None:
    """Added, copied, compared with another number, given as a bound: then every value matters."""
    claims = [record("less", COUNT, 2)]
    other = leaf("other", Sort.INTEGER)
    uses = (
        make_step("add", count=COUNT + 1),
        make_step("copy", other=COUNT),
        make_step("copy in part", other=record("choose", IS_UP, COUNT, other)),
        make_step("compare", record("less", other, COUNT)),
        make_step("compare a choice", record("less", record("choose", IS_UP, COUNT, 0), 9)),
        PossibleStep("bound", (), (leaf("argument.n", Sort.INTEGER), constant(0), COUNT), {}),
    )
    assert find_highest_values({"count", "other"}, [], claims) == {"count": 3}
    for use in uses:
        assert "count" not in find_highest_values({"count", "other"}, [use], claims), use.name


def test_constants_are_inductive() -> None:
    """No step that is possible with the constants changes one of them, and some leaf changes."""
    parameters = evolve(SMALL_PARAMETERS, limits=FAULT_MODEL_BY_NAME["none"].search_limits)
    initial = flatten(SYNCHRONOUS_PAIR.make_initial(parameters))
    instances = record_machine(SYNCHRONOUS_PAIR)
    constants = find_constants(instances, initial)
    steps = find_possible_steps(instances, constants)
    assert all(constants[path] == initial[path] for path in constants)
    assert constants.keys().isdisjoint({p for s in steps for p in s.effects})
    assert len(constants) < len(initial)


def test_what_is_kept_decides_by_itself() -> None:
    """Conditions, ranges and effects on kept leaves mention only kept leaves, and constants."""
    for fault_model in FAULT_MODEL_BY_NAME.values():
        parameters = evolve(SMALL_PARAMETERS, limits=fault_model.search_limits)
        initial = flatten(SYNCHRONOUS_PAIR.make_initial(parameters))
        influence = compute_influence(SYNCHRONOUS_PAIR, fault_model, parameters)
        constants = find_constants(record_machine(SYNCHRONOUS_PAIR), initial)
        steps = find_possible_steps(record_machine(SYNCHRONOUS_PAIR), constants)
        kept = set(influence.leaves)
        for step in steps:
            if step.name in influence.instances:
                assert step.find_needed_for(kept) <= kept
        everything = {p for p in compute_leaf_sorts(SYNCHRONOUS_PAIR) if not is_parameter(p)}
        assert kept < everything


def test_one_guarantee_depends_on_no_more_than_all() -> None:
    """The leaves of all guarantees together contain those of each."""
    fault_model = FAULT_MODEL_BY_NAME["every fault"]
    parameters = evolve(SMALL_PARAMETERS, limits=fault_model.search_limits)
    together = set(compute_influence(SYNCHRONOUS_PAIR, fault_model, parameters).leaves)
    for name in GUARANTEES:
        alone = compute_influence(SYNCHRONOUS_PAIR, fault_model, parameters, (name,))
        assert set(alone.leaves) <= together
