"""All judges of one rule's mutants: Z3, small instances, stored schedules, recordings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import attrs
from attrs import evolve, frozen

from properties.certificates import decode_cells, encode_schedule, load
from properties.mutants.derivation import RuleMutant, list_mutants
from properties.mutants.findings import (
    Finding,
    RuleFindings,
    compute_world_digest,
    make_finding,
)
from properties.mutants.proof_judge import decide_likeness, find_broken_lemma
from properties.mutants.recording_judge import find_refused_recording
from properties.mutants.schedule_judge import find_lost_schedule
from properties.verdict import InternalDisagreementError, VerdictWord
from spark_fuzz.graph_comparison import Difference, GraphComparison, list_mutated
from spark_fuzz.mutated_search import MutatedSearch
from spark_fuzz.small_instances import (
    SmallInstance,
    get_budget,
    get_graph,
    list_all_instances,
)


@frozen
class Task:
    """The mutants of one rule, and who judges them."""

    world: str
    rule: str
    layers: tuple[str, ...]
    recordings: Path
    """The folder with the recordings of real brokers."""
    mutants: tuple[str, ...] = ()
    """Only these, by name; all where it is empty."""


def judge_rule(task: Task, on_progress: Callable[[str], None]) -> RuleFindings:
    """Everything that the judges find about the mutants of one rule.

    Raises InternalDisagreementError where a step shows a difference that Z3 has excluded.
    """
    graphs = list(open_graphs(task.world, task.rule)) if "graphs" in task.layers else []
    findings = []
    for mutant in list_mutants(task.world, (task.rule,)):
        if not task.mutants or mutant.name in task.mutants:
            on_progress(f"{task.world}: {mutant.name}")
            findings.append(judge_mutant(task, mutant, graphs))
    for graph in graphs:
        graph.comparison.forget()
    digest = compute_world_digest(task.world)
    return RuleFindings(task.world, task.rule, digest, task.layers, tuple(findings))


@frozen(eq=False)
class JudgedGraph:
    """A small instance with its states, and what is proved of it."""

    instance: SmallInstance
    comparison: GraphComparison
    proved: tuple[str, ...]


def open_graphs(world: str, rule: str) -> Iterator[JudgedGraph]:
    """The small instances in which mutants of a rule are tried."""
    for instance in list_all_instances(world, rule):
        graph = get_graph(instance, get_budget(instance))
        yield JudgedGraph(instance, GraphComparison(graph), list_proved(instance))


def list_proved(instance: SmallInstance) -> tuple[str, ...]:
    """The guarantees that are proved of an instance's structure in its column."""
    return _list_proved(instance.structure, instance.fault_class.name)


@cache
def _list_proved(structure: Any, fault: str) -> tuple[str, ...]:
    document = load(structure)
    cells = decode_cells(structure, document) if document else ()
    proved = (c for c in cells if c.word is VerdictWord.PROVED)
    return tuple(c.guarantee for c in proved if c.fault == fault)


def judge_mutant(task: Task, mutant: RuleMutant, graphs: list[JudgedGraph]) -> Finding:
    """Everything that the judges find about one mutant."""
    finding = make_finding(mutant)
    world, layers = task.world, task.layers
    if "equivalence" in layers:
        likeness = decide_likeness(world, mutant)
        finding = evolve(finding, likeness=likeness.value if likeness else None)
    if graphs:
        finding = judge_graphs(finding, mutant, graphs)
    if "lemmas" in layers:
        broken = find_broken_lemma(world, mutant)
        found = {**attrs.asdict(broken[0]), "structure": broken[1]} if broken else None
        finding = evolve(finding, lemma=found)
    if "guarantees" in layers and finding.guarantee is None:
        lost = find_lost_schedule(world, mutant)
        shown = {"spoilt": lost.what, "structure": lost.structure.name} if lost else None
        finding = evolve(finding, guarantee=shown)
    if "recordings" in layers and world == "replication":
        refused = find_refused_recording(mutant, task.recordings)
        finding = evolve(finding, recording=attrs.asdict(refused) if refused else None)
    if finding.is_proved_alike:
        check_agreement(finding)
    return finding


def judge_graphs(finding: Finding, mutant: RuleMutant, graphs: list[JudgedGraph]) -> Finding:
    """What small instances show: the shortest difference, the first other count, a violation."""
    steps_min = None
    for judged in graphs:
        graph = judged.comparison.graph
        mutated = list_mutated(graph.layout, mutant)
        difference = judged.comparison.find_difference(mutated)
        if difference is None:
            continue
        depth = graph.find_depth(difference.number)
        steps = len(judged.instance.start) + depth + 1
        if steps_min is None or steps < steps_min:
            steps_min = steps
            finding = evolve(finding, difference=describe(judged, difference, steps))
        search = MutatedSearch(graph, mutant.rule, mutated)
        if finding.count is None and (other := search.find_other_count(depth)):
            count = {"instance": judged.instance.name, **attrs.asdict(other)}
            finding = evolve(finding, count=count)
        if finding.guarantee is None:
            broken = search.find_violation(judged.proved, difference.number)
            if broken is not None:
                schedule = encode_schedule((*judged.instance.start, *broken.schedule))
                shown = {
                    "broken": broken.guarantee,
                    "instance": judged.instance.name,
                    "schedule": schedule,
                }
                finding = evolve(finding, guarantee=shown)
    return finding


def describe(judged: JudgedGraph, difference: Difference, steps: int) -> dict[str, Any]:
    """A difference with the whole schedule that leads to it."""
    way = judged.comparison.graph.rebuild(difference.number)
    schedule = (*judged.instance.start, *way, difference.action)
    return {
        "instance": judged.instance.name,
        "steps": steps,
        "what": difference.what,
        "schedule": encode_schedule(schedule),
    }


def check_agreement(finding: Finding) -> None:
    """Raise InternalDisagreementError where a mutant that changes nothing is killed after all."""
    is_same = finding.likeness == "same steps"
    if finding.count or finding.lemma or (is_same and (finding.difference or finding.killers)):
        raise InternalDisagreementError(
            f"Z3 proves that {finding.name} changes nothing, and {finding} shows what it changes"
        )
