"""How many mistakes in the rules of replication the schedules of the log notice.

A mistake changes nothing but steps of its rule. So each such step of the schedules is taken again,
from the state before it; only where a leaf that no broker has differs is the schedule replayed.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import frozen

from properties.mutants.derivation import RuleMutant, list_mutants
from properties.mutants.execution import make_mistake
from properties.mutants.findings import MutantFinding, load_table
from properties.vectors.kill_rates.measuring import SAME_ANSWERS, SEED, KillRate
from properties.vectors.question import Data
from properties.vectors.sets import log
from reference.language.leaves import flatten
from reference.language.machine import Action, Outcome, compute_machine
from reference.releases.versions import USUAL

PROVED = "proved to be no mistake"
ARGUED = "argued to be no mistake, or out of reach"
HIDDEN = "only leaves that no broker has differ"
NOT_IN_SCHEDULES = "no schedule has the rule"


@frozen
class TakenStep:
    """A step of a schedule, and its true outcome."""

    before: Any
    action: Action
    outcome: Outcome
    ask: Data
    """The schedule that has it."""
    expected: Data
    """The answer to that."""


def list_taken_steps() -> Mapping[str, Sequence[TakenStep]]:
    """Every step of every schedule once, by its rule."""
    found: dict[str, dict[Any, TakenStep]] = defaultdict(dict)
    for each in log.list_asks(USUAL):
        structure = log.make_structure(USUAL, each.ask)
        machine = compute_machine(structure)
        cluster: Any = structure.make_initial(log.make_parameters(each.ask))
        expected, _ = log.replay(USUAL, each.ask)
        for step in each.ask["steps"]:
            action = Action(step["rule"], step["arguments"])
            outcome = machine.step(cluster, action)
            key = cluster, step["rule"], tuple(sorted(step["arguments"].items()))
            taken = TakenStep(cluster, action, outcome, each.ask, expected)
            found[log.get_rule(step)].setdefault(key, taken)
            cluster = outcome.cluster
    return {rule: list(steps.values()) for rule, steps in found.items()}


def judge_rule(mutant: RuleMutant, steps: Sequence[TakenStep]) -> str:
    """Empty if a broker's answer is another one; else why none is."""
    reason = SAME_ANSWERS if steps else NOT_IN_SCHEDULES
    with make_mistake(mutant):
        for step in steps:
            try:
                told = compute_machine(step.before.structure).step(step.before, step.action)
            except Exception:
                return ""
            if told == step.outcome:
                continue
            if is_visible_difference(step.outcome, told) or is_noticed_later(step):
                return ""
            reason = HIDDEN
    return reason


def is_noticed_later(step: TakenStep) -> bool:
    """The present rules lead to a difference that a broker has, later in the schedule."""
    told, _ = log.replay(USUAL, step.ask)
    return any(told[name] != step.expected[name] for name in ("refusedStep", "steps"))


def is_visible_difference(true: Outcome, told: Outcome) -> bool:
    """One is refused and the other is not, or a leaf that a broker has differs."""
    if true.is_refused or told.is_refused:
        return true.is_refused != told.is_refused
    one, other = flatten(true.cluster), flatten(told.cluster)
    return any(one[path] != other[path] for path in one if log.is_visible(path))


def list_rule_findings() -> dict[str, MutantFinding]:
    """What the judges of mutants have found, by a mutant's name."""
    entries = (entry for entry in load_table() if entry.world == "replication")
    return {finding.name: finding for entry in entries for finding in entry.findings}


def find_reason(mutant: RuleMutant, steps: Sequence[TakenStep], found: MutantFinding | None) -> str:
    """Why no answer differs, and why none has to; empty if one does."""
    if found is not None and found.is_proved_alike:
        return PROVED
    reason = judge_rule(mutant, steps)
    is_argued = found is not None and found.is_survivor
    return ARGUED if reason and is_argued else reason


def measure_rules(sample: int | None = None) -> KillRate:
    """Every mistake in the rules of replication, or a drawn sample of them."""
    steps, findings = list_taken_steps(), list_rule_findings()
    mutants = list(list_mutants("replication"))
    if sample is not None and sample < len(mutants):
        mutants = random.Random(SEED).sample(mutants, sample)
    reasons: Counter[str] = Counter()
    alike = []
    for mutant in mutants:
        reason = find_reason(mutant, steps.get(mutant.rule, ()), findings.get(mutant.name))
        if reason:
            reasons[reason] += 1
        if reason == SAME_ANSWERS:
            alike.append(mutant.name)
    killed = len(mutants) - reasons.total()
    return KillRate("log", len(mutants), killed, dict(reasons), tuple(sorted(alike)))
