"""Walks that reach: they settle, begin on stored ways, leave rules out, and meet premises."""

from __future__ import annotations

import doctest
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest
from attrs import evolve
from hypothesis import find, given, settings
from hypothesis import strategies as st

from properties.language.property import Property, PropertyRole
from properties.language.world import ClaimedStructure
from properties.schedules.judgement import find_needless_steps, follow, is_reached_by
from properties.schedules.related_structures import Schedule
from properties.schedules.telling import draw_steps
from properties.verdicts.own_claim import judge_claim
from properties.walks import failed_walk, hypothesis_machine
from properties.walks.failed_walk import ViolatedClaimError, report_failure
from properties.walks.hypothesis_machine import (
    ClusterMachine,
    make_state_machine,
    run_state_machine,
)
from properties.walks.premises import PremiseTally, UnmetPremiseError
from properties.walks.steps import put_off_last_resorts
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.replication.structures import STOCK_WORLDS
from properties.worlds.replication.world import ClaimedGroup
from reference.language.machine import Action, compute_machine
from reference.language.operators import any_of, negate
from reference.roles import FlushDiskType
from reference.worlds.replication.parameters import SMALL_PARAMETERS
from reference.worlds.replication.put import is_acknowledged
from reference.worlds.replication.state import WAITS_FOR_SLAVE, Cluster
from tests.structures import SYNCHRONOUS_PAIR, TWO_OF_EACH, name_of

GROUPS = [
    ClaimedGroup(flush_disk_type=flush, slaves=slaves)
    for slaves in (1, 2)
    for flush in FlushDiskType
]
CI = settings(settings.get_profile("ci"), stateful_step_count=20, print_blob=False)
MANY = settings(CI, max_examples=150)
"""Hypothesis draws other walks whenever a number in the code changes: enough for any of them."""

ACKNOWLEDGED = "a_put_is_answered_put_ok"


@cache
def get_walk() -> type[ClusterMachine]:
    """Walks of the synchronous pair, with nothing to judge."""
    return make_state_machine(SYNCHRONOUS_PAIR, TWO_OF_EACH, {})


@cache
def list_rules() -> frozenset[str]:
    """The rules of the synchronous pair."""
    return frozenset(i.rule.name for i in compute_machine(SYNCHRONOUS_PAIR).instances.values())


def is_any_acknowledged(cluster: Cluster) -> bool:
    """What walks should meet."""
    return any_of(*(is_acknowledged(m) for m in cluster.messages))


def is_none_acknowledged(cluster: Cluster) -> bool:
    """False, and yet single steps hardly ever refute it."""
    return negate(is_any_acknowledged(cluster))


def is_far(cluster: Cluster) -> bool:
    """A log that is longer than that of any walk here, and no proof excludes it."""
    return cluster.master.log.max_offset > 1000


def hold_always(cluster: Cluster) -> bool:
    """Nothing violates it."""
    return True


def measure_premises(
    structure: ClaimedStructure, fault: str, chosen: settings = MANY
) -> PremiseTally:
    """How often walks, usually many, meet each premise; claims are not judged.

    Raises UnmetPremiseError for a premise that is never met and not proved unreachable.
    """
    parameters = structure.world.make_search_parameters(structure.world.get_fault_model(fault))
    claims = {
        name: (hold_always, claim.premise)
        for name, claim in structure.world.claims.items()
        if claim.premise is not None
    }
    return run_state_machine(make_state_machine(structure, parameters, claims), chosen)


@pytest.mark.parametrize(
    ("structure", "fault"),
    [
        (GROUPS[0], "none"),
        pytest.param(GROUPS[1], "none", marks=pytest.mark.nightly),
        pytest.param(GROUPS[0], "every fault", marks=pytest.mark.nightly),
    ],
    ids=name_of,
)
def test_a_synchronous_master_acknowledges_in_a_fifth_of_the_walks(
    structure: ClaimedGroup, fault: str
) -> None:
    """No premise of any claim stays unmet."""
    tally = measure_premises(structure, fault)
    assert tally.examples >= MANY.max_examples
    assert tally.met[ACKNOWLEDGED] >= 0.2 * tally.examples


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.nightly] * name.startswith("reading"))
        for name in STOCK_WORLDS
    ],
)
def test_the_walks_of_other_worlds_meet_every_premise(name: str) -> None:
    """In the last column none is vacuous."""
    structure = STRUCTURES[name]
    tally = measure_premises(structure, structure.world.every_fault.name)
    assert () == tally.list_unmet()
    assert set(tally.premises) == set(structure.world.claims)


def test_a_false_claim_is_drawn() -> None:
    """The message has the claim, the step and the timeline of a schedule without needless steps."""
    structure = GROUPS[0]
    claims = {"is_none_acknowledged": is_none_acknowledged, "hold_always": hold_always}
    machine = make_state_machine(structure, SMALL_PARAMETERS, claims)
    with pytest.raises(ViolatedClaimError) as failure:
        run_state_machine(machine, MANY)
    assert ("is_none_acknowledged",) == failure.value.claims
    schedule = failure.value.schedule
    states = [s for _, s in follow(structure, SMALL_PARAMETERS, schedule)]
    assert [is_any_acknowledged(s) for s in states] == [False] * (len(states) - 1) + [True]

    def is_refuting(trial: Sequence[Action]) -> bool:
        return is_reached_by(is_any_acknowledged, structure, SMALL_PARAMETERS, trial)

    assert [] == find_needless_steps(schedule, is_refuting)
    steps = judge_claim(structure, SMALL_PARAMETERS, schedule, is_none_acknowledged)
    message = str(failure.value)
    assert f"is_none_acknowledged does not hold after step {len(schedule)}" in message
    assert draw_steps(steps) in message
    assert f"schedule: {'; '.join(map(str, schedule))}" in message
    assert not hasattr(failure.value, "__notes__")


def test_a_claim_that_never_holds_falls_at_the_beginning() -> None:
    """Without any step."""
    machine = make_state_machine(
        SYNCHRONOUS_PAIR, SMALL_PARAMETERS, {"never": lambda state: negate(hold_always(state))}
    )
    with pytest.raises(ViolatedClaimError, match="never does not hold in the initial state") as it:
        run_state_machine(machine, MANY)
    assert () == it.value.schedule


def test_shortening_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """When the time is over, the walk is drawn as it is by then."""
    schedule = follow_to_acknowledgement()
    failure = ViolatedClaimError("", ("none",), schedule)
    monkeypatch.setattr(failed_walk, "SHORTENING_MAX_S", -1.0)
    claims = {"none": is_none_acknowledged}
    told = report_failure(failure, SYNCHRONOUS_PAIR, SMALL_PARAMETERS, claims)
    assert schedule == told.schedule
    assert "Shortening stopped after" in str(told)


def follow_to_acknowledgement() -> Schedule:
    """A stored schedule at whose end a put is acknowledged."""
    undisturbed = make_state_machine(SYNCHRONOUS_PAIR, SMALL_PARAMETERS, {})
    return undisturbed.plan.starts.leading_to[ACKNOWLEDGED][0]


@pytest.mark.parametrize("form", ["pair", "property"])
def test_a_premise_that_is_never_met_fails_by_name(form: str) -> None:
    """Whether a tester runs the walks or has unittest run them."""
    claim: Any = (hold_always, is_far)
    if form == "property":
        claim = Property("far", PropertyRole.LEMMA, hold_always, premise=is_far)
    machine = make_state_machine(SYNCHRONOUS_PAIR, SMALL_PARAMETERS, {"far": claim})
    few = settings(CI, max_examples=5)
    with pytest.raises(UnmetPremiseError, match=f"{SYNCHRONOUS_PAIR.name}: .* premise of far,"):
        run_state_machine(machine, few)
    machine.TestCase.settings = few  # type: ignore[attr-defined, unused-ignore]
    with pytest.raises(UnmetPremiseError, match="premise of far,"):
        machine.TestCase("runTest").debug()


def test_a_vacuous_premise_is_told_and_does_not_fail() -> None:
    """Nothing is copied where there is no slave; no table changes on a slave in column none."""
    alone = STRUCTURES["ASYNC_MASTER/ASYNC_FLUSH/0 slaves"]
    tables = STRUCTURES["tables/topics/4.4.0"]
    for structure, name in (
        (alone, "slave_is_prefix_of_master"),
        (tables, "change_on_slave_stays"),
    ):
        tally = measure_premises(structure, "none", settings(CI, max_examples=30))
        assert name in tally.list_unmet()
        assert re.search(rf"^{name} +vacuous$", str(tally), re.MULTILINE)
        assert re.search(r"% of \d+ examples$", str(tally), re.MULTILINE)


def begin(machine: type[ClusterMachine], left_out: set[str]) -> ClusterMachine:
    """A walk in its initial state."""
    walk = machine()
    walk.left_out = left_out
    return walk


def settle_often(walk: ClusterMachine, data: st.DataObject) -> None:
    """Until every slave must have connected."""
    for _ in range(20):
        walk.settle(data)


@given(data=st.data())
def test_settling_leaves_no_rule_out(data: st.DataObject) -> None:
    """Single steps are left out, healing is not; every step is kept, and can be replayed."""
    walk = begin(get_walk(), set(list_rules()))
    walk.fire(data)
    assert [] == walk.schedule
    walk.settle(data)
    assert walk.schedule
    *_, (_, state) = follow(SYNCHRONOUS_PAIR, TWO_OF_EACH, walk.schedule)
    assert state == walk.cluster


def test_the_patient_wait_as_long_as_something_moves() -> None:
    """A put that waits for its copy times out where nothing else goes on, or in a hurry."""
    undisturbed = make_state_machine(SYNCHRONOUS_PAIR, SMALL_PARAMETERS, {})
    walk = begin(undisturbed, set())
    for action in undisturbed.plan.starts.leading_to[ACKNOWLEDGED][0]:
        if walk.stage < WAITS_FOR_SLAVE:
            walk.take(action)
    assert WAITS_FOR_SLAVE == walk.stage == walk.cluster.structure.world.compute_stage(walk.cluster)
    hurried, patient = (
        {e.instance.rule.name for e in walk.find_healing(is_patient=p)} for p in (False, True)
    )
    assert hurried - patient == {"time_out_slave_wait", "wait_one_second"}
    assert patient
    healing = SYNCHRONOUS_PAIR.healing
    assert healing is not None
    enabled = walk.find_healing(is_patient=False)
    alone = [e for e in enabled if e.instance.rule.name in healing.last_resorts]
    assert alone == put_off_last_resorts(alone, healing)


@given(data=st.data())
def test_each_step_of_a_settling_is_judged(data: st.DataObject) -> None:
    """It ends at the very step that violates a claim."""

    def is_disconnected(cluster: Cluster) -> bool:
        return negate(cluster.links[0].is_open)

    plan = evolve(get_walk().plan, claims={"is_disconnected": is_disconnected})
    walk = begin(type("Judged", (ClusterMachine,), {"plan": plan}), set())
    with pytest.raises(AssertionError, match="is_disconnected"):
        settle_often(walk, data)
    connections = [i for i, a in enumerate(walk.schedule, 1) if a.rule_name == "connect_slave"]
    assert [len(walk.schedule)] == connections


@given(data=st.data())
def test_a_walk_begins_with_its_prefix(data: st.DataObject) -> None:
    """Its steps are the first of its schedule."""
    ways = get_walk().plan.starts.leading_to[ACKNOWLEDGED]
    machine = type(
        "Aimed", (ClusterMachine,), {"plan": evolve(get_walk().plan, aims=(ACKNOWLEDGED,))}
    )
    walk = begin(machine, set())
    walk.begin(data)
    assert walk.schedule or ACKNOWLEDGED not in walk.met
    assert tuple(walk.schedule) not in ways or ACKNOWLEDGED in walk.met


def test_walks_begin_where_they_aim() -> None:
    """At a milestone, on a part of any way, and, in the simplest case, nowhere."""
    plan = evolve(get_walk().plan, aims=(ACKNOWLEDGED,))
    ways = plan.starts.leading_to[ACKNOWLEDGED]
    few = settings(CI, max_examples=500)
    assert find(plan.prefixes, lambda prefix: prefix in ways, settings=few)
    assert () == find(plan.prefixes, lambda prefix: True, settings=few)
    parts = find(plan.prefixes, lambda prefix: 0 < len(prefix) < 3, settings=few)
    assert parts not in ways


def test_rules_are_left_out_and_shrink_to_none() -> None:
    """Many of them at once, or none."""
    few = settings(CI, max_examples=500)
    assert set() == find(get_walk().plan.omissions, lambda names: True, settings=few)
    many = find(
        get_walk().plan.omissions, lambda names: len(names) > len(list_rules()) // 2, settings=few
    )
    assert many < list_rules()


def test_the_documented_example_runs() -> None:
    """What a tester is told to write."""
    finder = doctest.DocTestFinder(recurse=False)
    (example,) = finder.find(make_state_machine, globs=vars(hypothesis_machine).copy())
    assert len(example.examples) > 10
    assert doctest.TestResults(0, len(example.examples)) == doctest.DocTestRunner().run(example)
