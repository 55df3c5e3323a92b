"""Small instances under a mutant: what they show is so, by the reference."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path

import pytest
from attrs import evolve

from properties.mutants.derivation import RuleMutant, list_mutants
from properties.mutants.execution import make_mistake
from properties.mutants.findings import (
    LAYERS,
    MutantFinding,
    RuleFindings,
    list_needless_arguments,
    load_arguments,
)
from properties.schedules.judgement import follow, is_refuted_by
from properties.verdicts.certificates import decode_schedule
from properties.worlds.catalogue import WORLD_BY_TOPIC
from reference.language.leaves import unflatten
from reference.language.machine import Action, compute_machine
from reference.language.operator_table import Sort
from spark_fuzz.judges.mutant_judge import JudgingTask, judge_rule
from spark_fuzz.judges.small_instances import (
    ListedInstance,
    get_graph,
    list_further_instances,
    list_instances,
)
from spark_fuzz.search.state_graph import StateGraph
from tests.brokers.recordings.recordings_page import TRACES
from tests.spark_fuzz.state_counts import CARELESS_READER, INSTANCES, load_counts

JUDGED = Path(__file__).parents[2] / "data" / "judged_mutants.toml"
"""What the judges are expected to find of some mutants."""

SAMPLE = 6
"""So many mutants of that list are judged anew with every change."""


def find(world: str, name: str) -> RuleMutant:
    """The mutant of this name."""
    return next(m for m in list_mutants(world) if m.name == name)


def judge(world: str, name: str, *layers: str) -> MutantFinding:
    """What these judges find about one mutant."""
    rule = name.partition(":")[0]
    task = JudgingTask(world, rule, layers, TRACES, (name,))
    (finding,) = judge_rule(task, lambda text: None).findings
    return finding


def get_instance(name: str, instance: str) -> ListedInstance:
    """The small instance of this name in which a mutant of delayed delivery was judged."""
    rule = name.partition(":")[0]
    every = (*list_instances("delay", rule), *list_further_instances("delay", rule))
    return next(i for i in every if i.name == instance)


def read_state(graph: StateGraph, number: int) -> object:
    """A state of a graph as the reference has it."""
    layout, row = graph.layout, graph.rows[number]
    leaves = {
        path: bool(value) if layout.sorts[path] is Sort.BOOLEAN else int(value)
        for path, value in zip(layout.paths, row, strict=True)
    }
    return unflatten(layout.structure, {**layout.constants, **leaves})


def test_states_are_those_of_the_compiled_search() -> None:
    """Another program has counted the same states, depth by depth."""
    known = next(i for i in INSTANCES if i.structure == CARELESS_READER)
    expected = load_counts()[known.name]["depths"]
    assert isinstance(expected, list)
    column = known.structure.world.get_fault_model(known.fault)
    graph = get_graph(ListedInstance(known.structure, column, known.sizes), 3_000)
    assert list(graph.states_per_depth) == expected[: len(graph.states_per_depth)]


def test_every_state_is_reached_by_its_schedule() -> None:
    """Replayed by the reference."""
    instance = list_instances("delay", "kill_broker")[1]
    graph = get_graph(instance, 2_000)
    for number in range(0, len(graph.rows), 97):
        begin = instance.make_begin()
        schedule = (*instance.start, *graph.rebuild(number))
        *_, (_, state) = follow(instance.structure, begin.parameters, schedule)
        assert len(graph.rebuild(number)) == graph.find_depth(number)
        assert state == read_state(graph, number)


@pytest.mark.parametrize(
    "name",
    [
        "promote_slave: is_promoted, effect omitted",
        "stop_broker: is_serving, condition negated",
        "lose_power: kept_queue_max.high, range narrower by one",
    ],
)
def test_the_shortest_schedule_tells_them_apart(name: str) -> None:
    """Its last step is refused by one of the two, or leads elsewhere; the steps before are not."""
    difference = judge("delay", name, "graphs").difference
    assert difference is not None
    schedule = decode_schedule(difference["schedule"])
    instance = next(
        i
        for i in list_instances("delay", name.partition(":")[0])
        if i.name == difference["instance"]
    )
    parameters = instance.make_begin().parameters
    true = _follow_to_the_end(instance, parameters, schedule)
    with make_mistake(find("delay", name), "delay"):
        mutated = _follow_to_the_end(instance, parameters, schedule)
    assert true[:-1] == mutated[:-1]
    assert true[-1] != mutated[-1]


def _follow_to_the_end(
    instance: ListedInstance, parameters: object, schedule: tuple[Action, ...]
) -> list[object]:
    """Each state, or what refuses a step."""
    state = instance.structure.make_initial(parameters)
    states: list[object] = []
    for action in schedule:
        outcome = compute_machine(instance.structure).step(state, action)
        state = outcome.cluster
        states.append((outcome.is_refused, state))
    return states


def test_a_mutant_dies_of_another_number_of_states() -> None:
    """A slave that is promoted, and is a slave still."""
    states = judge("delay", "promote_slave: is_promoted, effect omitted", "graphs").states
    assert states is not None
    assert states["states"] != states["mutated_states"]


def test_a_proved_guarantee_is_broken_by_a_schedule() -> None:
    """The reference with the mistake follows it, and its last step is the first violation."""
    name = "deliver_message: is_serving, condition dropped"
    found = judge("delay", name, "graphs", "guarantees").guarantee
    assert found is not None
    instance = get_instance(name, found["instance"])
    schedule, parameters = decode_schedule(found["schedule"]), instance.make_begin().parameters
    assert not is_refuted_by(found["broken"], instance.structure, parameters, schedule)
    with make_mistake(find("delay", name), "delay"):
        assert is_refuted_by(found["broken"], instance.structure, parameters, schedule)


def test_a_mutant_that_is_no_mistake_differs_nowhere() -> None:
    """Z3 proves it, and no small instance shows a step that differs."""
    name = "restart_slave: brokers.is_up, effect omitted"
    finding = judge("delay", name, "equivalence", "graphs", "lemmas")
    assert finding.is_proved_alike
    assert finding.difference is None
    assert () == finding.killers


def list_judged() -> list[tuple[str, str, str]]:
    """World, name and expected outcome of each mutant of the list."""
    told = tomllib.loads(JUDGED.read_text(encoding="utf-8"))
    return [(world, *each) for world, outcomes in told.items() for each in outcomes.items()]


def tell_outcome(finding: MutantFinding) -> str:
    """As the list has it."""
    if finding.is_proved_alike:
        return "no mistake"
    return ", ".join(finding.killers) or "survives"


def test_the_list_has_every_mutant_of_its_world() -> None:
    """And none that does not exist."""
    assert {"delay"} == {world for world, _, _ in list_judged()}
    assert {name for _, name, _ in list_judged()} == {m.name for m in list_mutants("delay")}


def test_a_sample_of_the_list_is_found_again() -> None:
    """Judged anew by all judges, the same judges kill."""
    for world, name, outcome in random.Random(7).sample(list_judged(), SAMPLE):
        assert outcome == tell_outcome(judge(world, name, *LAYERS)), name


def test_a_recording_that_is_not_explained_kills() -> None:
    """It is one of the judges."""
    finding = MutantFinding("a rule: a mistake", "a rule", "effect omitted")
    killed = evolve(finding, recording={"name": "a_sync_healthy", "seq": 7})
    assert killed.killers == ("recording",)


@pytest.mark.nightly
@pytest.mark.parametrize("world", WORLD_BY_TOPIC)
def test_every_argument_is_about_a_mutant(world: str) -> None:
    """That exists; whether it survives is said by ``rmqspec mutants``."""
    known = {mutant.name for mutant in list_mutants(world)}
    assert set(load_arguments().get(world, {})) <= known


def test_a_needless_argument_is_told() -> None:
    """One about a mutant that is killed."""
    name = next(iter(load_arguments()["tables"]))
    finding = MutantFinding(name, name.partition(":")[0], "effect omitted")
    entry = RuleFindings("tables", finding.rule, "", "", LAYERS, "", (finding,))
    assert ("tables", name) not in list_needless_arguments([entry])
    killed = evolve(entry, findings=(evolve(finding, states={"depth": 1}),))
    assert ("tables", name) in list_needless_arguments([killed])


@pytest.mark.nightly
@pytest.mark.parametrize(("world", "name", "outcome"), list_judged())
def test_every_mutant_of_the_list_is_found_again(world: str, name: str, outcome: str) -> None:
    """By every judge."""
    assert outcome == tell_outcome(judge(world, name, *LAYERS))
