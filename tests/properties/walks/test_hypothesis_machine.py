"""The state machine as users of Hypothesis know it: named rules, invariants, shrinking, replay."""

from __future__ import annotations

import doctest
import re
import unittest
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings, target
from hypothesis.database import InMemoryExampleDatabase
from hypothesis.statistics import collector, describe_statistics

from properties.language.property import Property, PropertyRole
from properties.language.world import ClaimedStructure
from properties.schedules.judgement import find_needless_steps, follow, is_reached_by
from properties.verdicts.own_claim import judge_claim
from properties.walks import hypothesis_machine
from properties.walks.compiled_predicates import ClaimError
from properties.walks.failed_walk import ViolatedClaimError
from properties.walks.flat_walk import FlatWalk, RuleError
from properties.walks.hypothesis_machine import (
    ClusterMachine,
    list_sizes,
    make_state_machine,
    run_state_machine,
    run_walks,
)
from properties.walks.premises import PremiseTally, UnmetPremiseError
from properties.worlds.catalogue import STRUCTURES
from properties.worlds.replication.structures import STOCK_WORLDS
from properties.worlds.toy import TOY
from reference.language.machine import Action
from reference.language.operators import any_of, negate
from reference.worlds.replication.parameters import SMALL_PARAMETERS
from reference.worlds.replication.put import is_acknowledged
from reference.worlds.replication.state import Cluster
from tests.command_line.run import run
from tests.structures import SYNCHRONOUS_PAIR, TWO_OF_EACH

CI = settings(
    settings.get_profile("ci"),
    stateful_step_count=64,
    print_blob=False,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.target, Phase.shrink],
)
MANY = settings(CI, max_examples=120)
"""Hypothesis draws other walks whenever a number in the code changes: enough for any of them."""

ACKNOWLEDGED = "a_put_is_answered_put_ok"


def is_any_acknowledged(cluster: Cluster) -> bool:
    """What walks should meet."""
    return any_of(*(is_acknowledged(m) for m in cluster.messages))


def is_none_acknowledged(cluster: Cluster) -> bool:
    """False, after eight steps or more."""
    return negate(is_any_acknowledged(cluster))


def is_never_dispatched(cluster: Cluster) -> bool:
    """False after a put and a dispatch, so any walk of some length violates it."""
    return cluster.master.log.dispatched_offset == 0


def is_far(cluster: Cluster) -> bool:
    """A log that is longer than that of any walk here, and no proof excludes it."""
    return cluster.master.log.max_offset > 1000


def hold_always(cluster: Cluster) -> bool:
    """Nothing violates it."""
    return True


def hold_never(cluster: Cluster) -> bool:
    """Nothing meets it."""
    return False


def measure_premises(
    structure: ClaimedStructure, fault: str, chosen: settings = MANY
) -> PremiseTally:
    """How often walks, usually many, test each claim; none is judged.

    Raises UnmetPremiseError for a claim that is never tested and not proved vacuous.
    """
    claims = {
        name: (hold_always, claim.premise)
        for name, claim in structure.world.claims.items()
        if claim.premise is not None
    }
    return run_state_machine(make_state_machine(structure, fault, claims), chosen)


def fail(machine: type[ClusterMachine], chosen: settings = MANY) -> ViolatedClaimError:
    """The failure of a machine that must fail."""
    with pytest.raises(ViolatedClaimError) as failure:
        run_state_machine(machine, chosen)
    return failure.value


@pytest.fixture(scope="module")
def failure(tmp_path_factory: pytest.TempPathFactory) -> ViolatedClaimError:
    """A claim that is false, found and shrunk."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("walks"))
        claims = {"is_none_acknowledged": is_none_acknowledged, "hold_always": hold_always}
        found = fail(make_state_machine(SYNCHRONOUS_PAIR, "none", claims))
        found.__notes__.append(str(Path.cwd()))
        return found


def test_a_failing_walk_is_shrunk_to_the_steps_that_it_needs(failure: ViolatedClaimError) -> None:
    """None of them can be left out, and a replay of the reference comes to the same state."""
    assert failure.claim == "is_none_acknowledged"
    walked = SYNCHRONOUS_PAIR.world.follow_more(SYNCHRONOUS_PAIR)
    parameters = failure.parameters
    assert parameters in list_sizes(walked, "none")
    states = [s for _, s in follow(walked, parameters, failure.schedule)]
    assert [is_any_acknowledged(s) for s in states] == [False] * (len(states) - 1) + [True]

    def is_refuting(trial: Any) -> bool:
        return is_reached_by(is_any_acknowledged, walked, parameters, trial)

    assert [] == find_needless_steps(failure.schedule, is_refuting)
    assert judge_claim(walked, parameters, failure.schedule, is_none_acknowledged)[-1].violated


def test_a_failing_walk_prints_named_steps_and_the_timeline(failure: ViolatedClaimError) -> None:
    """Hypothesis' own steps with what they are about, and a command that replays them."""
    message, printed = str(failure), "\n".join(failure.__notes__)
    steps = len(failure.schedule)
    assert f"is_none_acknowledged does not hold after {steps} steps:" in message
    assert "✗ is_none_acknowledged" in message
    assert f"schedule: {'; '.join(map(str, failure.schedule))}" in message
    assert "state.connect_slave(slave=slave_0)" in printed
    assert re.search(r"state.append_message\(message=message_\d, size_bytes=\d", printed)
    assert printed.count("state.is_none_acknowledged()") == 1
    assert "stand_still" not in printed
    command = message.splitlines()[-1].removeprefix("rmqspec ").split()
    command[-1] = str(Path(failure.__notes__[-1]) / command[-1])
    result = run(*command)
    assert result.returncode == 0, result.stderr
    assert ": PUT_OK" in result.stdout


def test_each_claim_is_a_failure_of_its_own() -> None:
    """Hypothesis reports both, each with its shortest walk."""

    def is_never_connected(cluster: Cluster) -> bool:
        return negate(cluster.links[0].is_open)

    def is_never_stopped(cluster: Cluster) -> bool:
        return negate(cluster.master.is_stopping)

    claims = {"is_never_connected": is_never_connected, "is_never_stopped": is_never_stopped}
    with pytest.raises(ExceptionGroup) as both:
        run_state_machine(make_state_machine(SYNCHRONOUS_PAIR, "none", claims), CI)
    found = {e.claim: e.schedule for e in both.value.exceptions}  # type: ignore[union-attr]
    assert {n: [a.instance for a in s] for n, s in found.items()} == {
        "is_never_connected": ["connect_slave[0]"],
        "is_never_stopped": ["begin_master_stop"],
    }


def test_a_failure_is_kept_in_the_example_database() -> None:
    """The next run begins with it."""
    claims = {"is_never_dispatched": is_never_dispatched}
    machine = make_state_machine(SYNCHRONOUS_PAIR, "none", claims)
    database = InMemoryExampleDatabase()
    chosen = settings(MANY, derandomize=False, database=database)
    shrunk = fail(machine, chosen).schedule
    before = machine.plan.tally.examples
    again = fail(machine, settings(chosen, phases=[Phase.reuse]))
    assert again.schedule == shrunk
    assert machine.plan.tally.examples - before < 10


def test_a_claim_that_never_holds_falls_at_the_beginning() -> None:
    """Without any step."""
    machine = make_state_machine(SYNCHRONOUS_PAIR, SMALL_PARAMETERS, {"never": hold_never})
    found = fail(machine)
    assert () == found.schedule
    assert "never does not hold in the initial state" in str(found)


def test_every_rule_of_a_world_is_a_rule_with_its_own_precondition() -> None:
    """Under its name, with what it is about from a bundle; each claim is an invariant."""
    machine = make_state_machine(SYNCHRONOUS_PAIR, "none", dict(SYNCHRONOUS_PAIR.world.claims))
    state = machine.setup_state()
    rules = {each.function.__name__: each for each in state.rules}
    world = {r.name for r in machine.plan.steps.rules.values()}
    assert set(rules) == world | {"stand_still"}
    assert all(rules[name].preconditions for name in world)
    assert [b.name for b in rules["append_to_slave"].bundles] == ["slave"]
    assert {i.function.__name__ for i in state.invariants} == set(SYNCHRONOUS_PAIR.world.claims)
    walk = machine()
    assert rules["connect_slave"].preconditions[0](walk)
    assert not rules["append_to_slave"].preconditions[0](walk)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.nightly] * name.startswith("reading"))
        for name in STOCK_WORLDS
    ],
)
def test_the_walks_of_other_worlds_test_every_claim(name: str) -> None:
    """Under every fault none is vacuous."""
    structure = STRUCTURES[name]
    tally = measure_premises(structure, structure.world.every_fault.name)
    assert () == tally.list_unmet()
    assert set(tally.premises) == set(structure.world.claims)


def test_a_synchronous_master_acknowledges_in_some_walks() -> None:
    """No claim stays untested, and the premise of one that is tested was met."""
    tally = measure_premises(SYNCHRONOUS_PAIR, "none")
    assert tally.examples >= MANY.max_examples
    assert tally.met[ACKNOWLEDGED] >= 5
    assert all(tally.tested[name] <= tally.met[name] for name in tally.premises)


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
    machine.TestCase.settings = few
    with pytest.raises(UnmetPremiseError, match="premise of far,"):
        machine.TestCase("runTest").debug()


def test_a_test_case_runs_the_walks_as_unittest_does() -> None:
    """It is Hypothesis' own, and knows the machine that other tools look for."""
    machine = make_state_machine(TOY.structures[0], TOY.fault_models[0], {"always": hold_always})
    machine.TestCase.settings = settings(CI, max_examples=5)
    run = machine.TestCase.runTest  # type: ignore[attr-defined]
    assert run.is_hypothesis_test
    assert run._hypothesis_state_machine_class is machine
    result = unittest.TestResult()
    machine.TestCase("runTest").run(result)
    assert result.testsRun == 1
    assert result.wasSuccessful()
    assert machine.plan.tally.examples >= 5


def test_a_subclass_has_targets_and_its_statistics_tell_them_and_premises() -> None:
    """A machine of itself has no target."""
    claims = {"always": (hold_always, is_any_acknowledged)}
    machine: Any = make_state_machine(SYNCHRONOUS_PAIR, "none", claims)

    class Aimed(machine):  # type: ignore[misc, valid-type, unused-ignore]
        """Looks for long logs."""

        def teardown(self) -> None:
            super().teardown()
            target(self.cluster.master.log.max_offset, label="end of the log")

    told: list[dict[str, Any]] = []
    with collector.with_value(told.append):
        run_walks(machine, MANY)
        run_walks(Aimed, MANY)
    (usual, aimed) = map(describe_statistics, told)
    assert "met always" in usual
    assert "Highest target score" not in usual
    assert re.search(r"Highest target score: \d\d+  \(label='end of the log'\)", aimed)


def test_a_premise_met_where_the_claim_cannot_fail_any_more_does_not_count() -> None:
    """Stored schedules meet it at the beginning of a walk, and then nothing is left to happen."""
    machine = make_state_machine(
        SYNCHRONOUS_PAIR, SMALL_PARAMETERS, {"kept": (hold_always, is_any_acknowledged)}
    )
    ways = machine.plan.beginnings.aim(machine.plan.sizes, is_any_acknowledged)
    assert ways
    walk = machine()
    walk.begin(SMALL_PARAMETERS)
    walk.is_led = True
    for action in ways[0]:
        walk.take(action)
    assert "kept" in walk.note.met
    tally = machine.plan.tally
    assert (tally.met["kept"], tally.tested["kept"]) == (1, 0)
    assert tally.describe("kept") == "premise met in 100%, claim tested in 0% of 1 examples"
    with pytest.raises(UnmetPremiseError, match="premise of kept is met only where stored"):
        tally.check()


def test_a_vacuous_premise_is_told_and_does_not_fail() -> None:
    """Nothing is copied where there is no slave; no table changes on a slave without a fault."""
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


def read_unknown_leaf(cluster: Any) -> bool:
    """No state has it."""
    return bool(cluster.master.no_such_leaf)


def divide_by_zero(cluster: Any) -> bool:
    """It fails, whatever the state."""
    return bool(1 // 0)


def fail_in_python(cluster: Any) -> bool:
    """It cannot be read as a term, and fails once the log grows."""
    return True if cluster.master.log.max_offset < 1 else bool(cluster.nothing)


def test_an_own_claim_that_fails_is_told_at_once_by_its_name() -> None:
    """Before any walk where that is possible, and never as a violated claim."""
    for claim in (read_unknown_leaf, divide_by_zero):
        with pytest.raises(ClaimError, match=r"^mine "):
            make_state_machine(SYNCHRONOUS_PAIR, "none", {"mine": claim})
    machine = make_state_machine(SYNCHRONOUS_PAIR, "none", {"mine": fail_in_python})
    with pytest.raises(ClaimError, match=r"^mine fails: AttributeError: .*nothing"):
        run_state_machine(machine, CI)


def test_a_rule_that_refuses_what_it_offered_is_at_fault() -> None:
    """It is an error of the rule, with the step and the range."""
    walk = FlatWalk.begin(SYNCHRONOUS_PAIR, TWO_OF_EACH)
    with pytest.raises(RuleError, match=r"size_bytes=99.* outside the range that the rule gave"):
        walk.take(Action("append_other_message", {"size_bytes": 99}))
    with pytest.raises(RuleError, match="its conditions fail: is_link_open"):
        walk.take(Action("report_offset[0]"))


def test_an_unknown_fault_model_is_refused() -> None:
    """With those that there are."""
    with pytest.raises(KeyError, match="no such fault"):
        make_state_machine(SYNCHRONOUS_PAIR, "no such fault", {})


def test_the_documented_example_runs() -> None:
    """What a tester is told to write."""
    finder = doctest.DocTestFinder(recurse=False)
    (example,) = finder.find(make_state_machine, globs=vars(hypothesis_machine).copy())
    assert len(example.examples) > 10
    assert doctest.TestResults(0, len(example.examples)) == doctest.DocTestRunner().run(example)
