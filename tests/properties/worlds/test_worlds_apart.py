"""What the worlds of delayed delivery and of copied tables take of the log holds of the log."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import pytest
from attrs import evolve

from properties.language.fault_model import FaultModel
from properties.language.world import ClaimedStructure
from properties.worlds.catalogue import STRUCTURES, Tag, list_tagged
from properties.worlds.delay.log_steps import (
    copy_goes_with_its_message,
    master_keeps_what_it_has,
)
from properties.worlds.delay.world import DELAY
from properties.worlds.replication.fault_models import EVERYTHING
from properties.worlds.tables.world import TABLES
from properties.z3.induction import InductionProblem, InductionStep
from properties.z3.step_claims import StepClaim, find_breaking_instances
from reference.language.machine import Instance, record_instance, record_machine
from reference.language.operators import all_of, is_same, negate
from reference.language.rule import RuleBody, between, collect_rules, replace_broker, rule, when
from reference.worlds.delay.state import MASTER, SLAVE, Delay
from reference.worlds.replication.parameters import FaultCounts
from reference.worlds.replication.state import Cluster
from tests.properties.test_two_messages import record_fact
from tests.structures import name_of

PAIR = STRUCTURES["SYNC_MASTER/ASYNC_FLUSH/1 slave"]
PAIRS = [s for s in list_tagged(Tag.USUAL) if type(s) is type(PAIR) and s.slaves == 1]
POWER, DISK = ("lose_master_power", "lose_master_power_in_record"), ("lose_master_disk",)

EXCUSES: dict[StepClaim, dict[str, tuple[str, ...]]] = {
    master_keeps_what_it_has: {"master_power_losses": POWER, "master_disk_losses": DISK},
    copy_goes_with_its_message: {},
}
"""The faults under which a claim is not proved, each with the instances that may break it."""


@cache
def find_kept(two: Any) -> list[str]:
    """What holds of two messages whatever strikes: the lemmas and the facts beside them."""
    facts = record_fact(two)
    names = (*two.world.get_lemmas(two), *facts)
    kept, _ = InductionProblem(two, EVERYTHING, facts=facts).run_houdini(names)
    return kept


def prove(
    structure: ClaimedStructure, admitted: tuple[str, ...], claim: StepClaim
) -> tuple[str, ...]:
    """The instances that may break a claim while at most these faults strike."""
    two = evolve(structure, messages=2)
    these = FaultModel("these", admitted, FaultCounts)
    problem = InductionProblem(two, these, facts=record_fact(two))
    return find_breaking_instances(problem, find_kept(two), claim)


def in_order(structure: ClaimedStructure) -> Any:
    """The stock pair in every run, the others at night."""
    return pytest.param(structure, marks=[pytest.mark.nightly] * (structure != PAIR))


@pytest.mark.parametrize("claim", EXCUSES, ids=lambda claim: claim.__name__)
@pytest.mark.parametrize("structure", [in_order(s) for s in PAIRS], ids=name_of)
def test_the_log_is_as_delivery_takes_it(structure: ClaimedStructure, claim: StepClaim) -> None:
    """Each step keeps what is claimed, whatever strikes but the faults that are named."""
    admitted = tuple(name for name in EVERYTHING.admitted if name not in EXCUSES[claim])
    assert prove(structure, admitted, claim) == ()


@pytest.mark.parametrize(
    ("claim", "fault"),
    [(claim, fault) for claim, faults in EXCUSES.items() for fault in faults],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_each_excuse_is_needed(claim: StepClaim, fault: str) -> None:
    """With this fault alone the claim is broken, by these instances."""
    assert prove(PAIR, (fault,), claim) == EXCUSES[claim][fault]


@rule(who="fault", source="whatever becomes of a slave", says="has anything")
def disturb(state: Delay, broker: int) -> RuleBody:
    """A broker that nobody has promoted has any log, any copy and any file from now on."""
    # ENABLED WHEN
    yield when(is_not_promoted=negate(state.is_promoted))
    end = yield between("queue_max", 0, state.parameters.ghost_queue_size_max)
    copy = yield between("has_copy", 0, 1)
    file = yield between("file", 0, state.parameters.ghost_queue_size_max)
    # EFFECT
    own = evolve(state.brokers[broker], queue_max=end, has_copy=copy == 1, file=file)
    return replace_broker(state, broker, own)


(DISTURBANCE,) = collect_rules(sys.modules[__name__]).values()


def find_disturbed(problem: InductionProblem, kept: tuple[str, ...], broker: int) -> list[str]:
    """What falls when anything may become of a broker."""
    recorded = record_instance(problem.structure, Instance(DISTURBANCE, (broker,)))
    return [c.lemma for c in InductionStep(problem, recorded).find_falsified(list(kept))]


@pytest.mark.parametrize("fault_model", DELAY.fault_models, ids=name_of)
@pytest.mark.parametrize("structure", DELAY.structures, ids=name_of)
def test_the_proofs_about_delivery_take_nothing_of_the_slave(
    structure: ClaimedStructure, fault_model: FaultModel
) -> None:
    """They bear a slave that comes late, is wiped, loses its end, or gets other messages."""
    problem = InductionProblem(structure, fault_model)
    result = problem.find_inductive_set(DELAY.get_candidates(structure))
    assert find_disturbed(problem, result.lemmas, SLAVE) == []
    if fault_model.name in {"none", "stop", "kill"}:
        assert find_disturbed(problem, result.lemmas, MASTER)


def ends_or_starts_one_process(before: Cluster, after: Cluster) -> bool:
    """No step of the log lets two brokers stop or start."""
    is_master_same = is_same(before.master.is_up, after.master.is_up)
    slaves = zip(before.slaves, after.slaves, strict=True)
    return is_master_same | all_of(*(is_same(b.is_up, a.is_up) for b, a in slaves))


def test_a_step_of_the_log_ends_or_starts_one_process() -> None:
    """So a step of the log is one of the tables' processes, or none."""
    assert prove(PAIR, EVERYTHING.admitted, ends_or_starts_one_process) == ()


@pytest.mark.parametrize("structure", TABLES.structures, ids=name_of)
def test_processes_of_tables_end_and_start_at_any_time(structure: ClaimedStructure) -> None:
    """Nothing else of the state decides whether they can: the log may end them when it will."""
    conditions = {r.instance.name: set(r.conditions) for r in record_machine(structure)}
    for broker in (MASTER, SLAVE):
        assert conditions[f"kill_broker[{broker}]"] == {"is_up", "is_within_limit"}
        assert conditions[f"lose_power[{broker}]"] == {"is_up", "is_within_limit"}
        assert conditions[f"start_broker[{broker}]"] == {"is_down"}


def test_a_fault_model_that_a_world_lacks_is_told_with_those_it_has() -> None:
    """Names are easily confused: a kill is no crash."""
    with pytest.raises(
        KeyError, match=r"'slave crash' is no fault model of replication; .*slave kill"
    ):
        STRUCTURES["SYNC_MASTER/ASYNC_FLUSH/1 slave"].world.get_fault_model("slave crash")
