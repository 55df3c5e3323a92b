"""All judges of one rule's mutants: Z3, small instances, stored schedules, recordings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import attrs
from attrs import evolve, frozen

from properties.language.world import ClaimedStructure
from properties.mutants.derivation import RuleMutant, list_mutants
from properties.mutants.findings import (
    MutantFinding,
    RuleFindings,
    compute_rule_digest,
    compute_world_digest,
    make_finding,
)
from properties.mutants.proof_judge import Likeness, decide_likeness, find_broken_lemma
from properties.mutants.recording_judge import find_unexplained
from properties.mutants.replay_judges import find_lost_schedule
from properties.verdicts.certificates import decode_cells, encode_schedule, load
from properties.verdicts.verdict import InternalDisagreementError, VerdictWord
from spark_fuzz.judges.small_instances import (
    STATES_MORE,
    ListedInstance,
    get_budget,
    get_graph,
    list_further_instances,
    list_instances,
    list_small_instances,
)
from spark_fuzz.search.graph_comparison import GraphComparison, StepDifference, list_mutated
from spark_fuzz.search.mutated_search import MutatedSearch

DEPTHS_COUNTED = 4
"""The depths after the first difference that are counted anew; all of them if no judge kills."""

VIOLATION_TRIES = 3
"""The number of instances with a difference in which a violation is searched."""


@frozen
class JudgingTask:
    """The mutants of one rule, and their judges."""

    world: str
    rule: str
    layers: tuple[str, ...]
    recordings: Path
    """The folder with the recordings of real brokers."""
    mutants: tuple[str, ...] = ()
    """Only these, by name; empty means all."""
    structure: str = ""
    """Only in this structure, by name; empty means all."""


def judge_rule(task: JudgingTask, on_progress: Callable[[str], None]) -> RuleFindings:
    """All findings of the judges about the mutants of one rule.

    Raises InternalDisagreementError if a step shows a difference that Z3 has excluded.
    """
    graphs = list(open_graphs(task)) if "graphs" in task.layers else []
    findings = []
    for mutant in list_mutants(task.world, (task.rule,)):
        if not task.mutants or mutant.name in task.mutants:
            on_progress(f"{task.world}: {mutant.name}")
            findings.append(judge_mutant(task, mutant, graphs))
    for graph in graphs:
        graph.comparison.forget()
    return RuleFindings(
        task.world,
        task.rule,
        compute_world_digest(task.world),
        compute_rule_digest(task.world, task.rule),
        task.layers,
        task.structure,
        tuple(findings),
    )


@frozen(eq=False)
class JudgedGraph:
    """A small instance with its states, and the guarantees proved of it."""

    instance: ListedInstance
    comparison: GraphComparison
    proved: tuple[str, ...]


def open_graphs(task: JudgingTask) -> Iterator[JudgedGraph]:
    """The small instances in which mutants of a rule are tried."""
    for instance in list_instances(task.world, task.rule):
        if task.structure in ("", instance.structure.name):
            yield open_graph(instance)


def open_graph(instance: ListedInstance, states_max: int = 0) -> JudgedGraph:
    """An instance with its states, which are collected on first use."""
    graph = get_graph(instance, states_max or get_budget(instance))
    return JudgedGraph(instance, GraphComparison(graph), list_proved(instance))


def list_proved(instance: ListedInstance) -> tuple[str, ...]:
    """The guarantees that are proved of an instance's structure under its fault model."""
    return _list_proved(instance.structure, instance.fault_model.name)


@cache
def _list_proved(structure: ClaimedStructure, fault: str) -> tuple[str, ...]:
    document = load(structure)
    cells = decode_cells(structure, document) if document else ()
    proved = (c for c in cells if c.word is VerdictWord.PROVED)
    return tuple(c.guarantee for c in proved if c.fault == fault)


def judge_mutant(task: JudgingTask, mutant: RuleMutant, graphs: list[JudgedGraph]) -> MutantFinding:
    """All findings of the judges about one mutant."""
    finding = make_finding(mutant)
    world, layers = task.world, task.layers
    if "equivalence" in layers:
        likeness = decide_likeness(world, mutant, task.structure)
        finding = evolve(finding, likeness=likeness.value if likeness else None)
    if graphs:
        finding = judge_graphs(finding, mutant, graphs)
    if "lemmas" in layers:
        broken = find_broken_lemma(world, mutant, task.structure)
        found = {**attrs.asdict(broken[0]), "structure": broken[1]} if broken else None
        finding = evolve(finding, lemma=found)
    if "guarantees" in layers and finding.guarantee is None:
        lost = find_lost_schedule(world, mutant, task.structure)
        shown = {"spoilt": lost.what, "structure": lost.structure.name} if lost else None
        finding = evolve(finding, guarantee=shown)
    if "recordings" in layers and world == "replication":
        refused = find_unexplained(mutant, task.recordings)
        finding = evolve(finding, recording=attrs.asdict(refused) if refused else None)
    if graphs and finding.is_survivor:
        finding = judge_further(finding, task, mutant)
    if finding.is_proved_alike:
        check_agreement(finding)
    return finding


def judge_graphs(
    finding: MutantFinding, mutant: RuleMutant, graphs: list[JudgedGraph]
) -> MutantFinding:
    """The findings in small instances: the shortest difference, other counts, a violation."""
    tried = 0
    for judged in graphs:
        is_tried = bool(judged.proved) and tried < VIOLATION_TRIES
        finding = judge_graph(finding, mutant, judged, DEPTHS_COUNTED, is_violation_sought=is_tried)
        tried += is_tried and finding.difference is not None
    return finding


def judge_further(finding: MutantFinding, task: JudgingTask, mutant: RuleMutant) -> MutantFinding:
    """The findings in more instances and with more states, until the number of states differs."""
    more = [(i, STATES_MORE) for i in list_small_instances(task.world)]
    more += [(i, 0) for i in list_further_instances(task.world, mutant.rule)]
    for instance, states_max in more:
        if finding.states is None and task.structure in ("", instance.structure.name):
            judged = open_graph(instance, states_max)
            depths = len(judged.comparison.graph.states_per_depth)
            finding = judge_graph(finding, mutant, judged, depths, is_violation_sought=True)
    if finding.killers:
        return finding
    near = [(i, 0) for i in list_instances(task.world, mutant.rule)]
    return judge_values(finding, mutant, [*near, *more], task.structure)


def judge_values(
    finding: MutantFinding,
    mutant: RuleMutant,
    asked: list[tuple[ListedInstance, int]],
    structure: str,
) -> MutantFinding:
    """The finding with the first instance in which other states are reached, although as many."""
    for instance, states_max in asked:
        if structure not in ("", instance.structure.name):
            continue
        judged = open_graph(instance, states_max)
        compared = compare(mutant, judged)
        if compared is None:
            continue
        difference, search = compared
        graph = judged.comparison.graph
        depth = graph.find_depth(difference.number)
        other = search.find_other_states(depth, len(graph.states_per_depth))
        if other is not None:
            return evolve(finding, values={"instance": instance.name, **attrs.asdict(other)})
    return finding


def compare(mutant: RuleMutant, judged: JudgedGraph) -> tuple[StepDifference, MutatedSearch] | None:
    """The first difference of a mutant in an instance, and the search for its consequences."""
    graph = judged.comparison.graph
    mutated = list_mutated(graph.layout, mutant)
    difference = judged.comparison.find_difference(mutated)
    if difference is None:
        return None
    return difference, MutatedSearch(graph, mutant.rule, mutated)


def judge_graph(
    finding: MutantFinding,
    mutant: RuleMutant,
    judged: JudgedGraph,
    depths_max: int,
    *,
    is_violation_sought: bool,
) -> MutantFinding:
    """The finding in one small instance."""
    compared = compare(mutant, judged)
    if compared is None:
        return finding
    difference, search = compared
    steps = len(judged.instance.start) + judged.comparison.graph.find_depth(difference.number) + 1
    if finding.difference is None or steps < finding.difference["steps"]:
        finding = evolve(finding, difference=describe(judged, difference, steps))
    finding = compare_counts(finding, judged, search, difference, depths_max)
    if is_violation_sought and finding.guarantee is None:
        return find_violation(finding, judged, search, difference)
    return finding


def compare_counts(
    finding: MutantFinding,
    judged: JudgedGraph,
    search: MutatedSearch,
    difference: StepDifference,
    depths_max: int,
) -> MutantFinding:
    """The finding extended by this instance."""
    depth, name = judged.comparison.graph.find_depth(difference.number), judged.instance.name
    if finding.states is None and (states := search.find_other_count(depth, depths_max)):
        finding = evolve(finding, states={"instance": name, **attrs.asdict(states)})
    if finding.steps is None and (steps := search.find_other_step_count(depth)):
        finding = evolve(finding, steps={"instance": name, **attrs.asdict(steps)})
    return finding


def find_violation(
    finding: MutantFinding, judged: JudgedGraph, search: MutatedSearch, difference: StepDifference
) -> MutantFinding:
    """The finding with a proved guarantee that a new state of this instance breaks."""
    broken = search.find_violation(judged.proved, difference.number)
    if broken is None:
        return finding
    schedule = encode_schedule((*judged.instance.start, *broken.schedule))
    shown = {
        "broken": broken.guarantee,
        "instance": judged.instance.name,
        "schedule": schedule,
    }
    return evolve(finding, guarantee=shown)


def describe(judged: JudgedGraph, difference: StepDifference, steps: int) -> dict[str, Any]:
    """A difference with the whole schedule that leads to it."""
    way = judged.comparison.graph.rebuild(difference.number)
    schedule = (*judged.instance.start, *way, difference.action)
    return {
        "instance": judged.instance.name,
        "steps": steps,
        "what": difference.what,
        "schedule": encode_schedule(schedule),
    }


def check_agreement(finding: MutantFinding) -> None:
    """Raise InternalDisagreementError if a mutant that changes nothing is killed."""
    is_same = finding.likeness == Likeness.SAME_STEPS.value
    if finding.states or finding.lemma or (is_same and (finding.difference or finding.killers)):
        raise InternalDisagreementError(
            f"Z3 proves that {finding.name} changes nothing, and {finding} shows what it changes"
        )
