"""Consecution rule by rule: which lemmas a step preserves, and the step that breaks one."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from properties.z3.discharge import Outcome
from properties.z3.induction import get_leaf_names
from properties.z3.obligations import Discharge, Proof
from reference.language.machine import Action


@frozen
class ConsecutionRow:
    """What one rule instance does to the lemmas."""

    instance: str
    preserved: tuple[str, ...]
    """Lemmas that read something which the step changes, and hold afterwards."""
    untouched: tuple[str, ...]
    """Lemmas that read nothing which the step changes; nothing has to be proved."""
    broken: tuple[Discharge, ...]
    """What does not hold, or was given up."""

    @property
    def is_ok(self) -> bool:
        """The step ends no lemma."""
        return not self.broken

    def __str__(self) -> str:
        counts = f"{len(self.preserved):3} preserved, {len(self.untouched):3} untouched"
        word = "ok" if self.is_ok else f"{len(self.broken)} BROKEN"
        return f"{self.instance:32} {counts}  {word}"


def check_rules(proof: Proof) -> Iterator[ConsecutionRow]:
    """A row for each rule instance, each lemma asked for on its own."""
    for instance in proof.problem.steps:
        yield check_rule(proof, instance)


def check_rule(proof: Proof, instance: str) -> ConsecutionRow:
    """What one rule instance does to the lemmas; raises KeyError for one that does not exist."""
    discharges = [proof.discharge(o) for o in proof.list_consecution(instance)]
    touched = {d.obligation.claim for d in discharges}
    return ConsecutionRow(
        instance,
        preserved=tuple(d.obligation.claim for d in discharges if d.outcome is Outcome.HOLDS),
        untouched=tuple(name for name in proof.lemmas if name not in touched),
        broken=tuple(d for d in discharges if d.outcome is not Outcome.HOLDS),
    )


def describe_failure(proof: Proof, discharge: Discharge) -> Iterator[str]:
    """The lemma, the step, and what the lemma reads: before the step and, where changed, after."""
    lemma, instance = discharge.obligation.claim, discharge.obligation.where
    shown = discharge.counterexample
    if shown is None:
        yield f"{lemma}: {discharge.outcome.value} at {instance}"
        return
    yield f"{lemma} is lost by {Action(instance, shown.arguments)}"
    leaves = get_leaf_names(proof.problem.predicates[lemma])
    for path in (p for p in shown.before if p in leaves):
        before, after = shown.before[path], shown.after.get(path, shown.before[path])
        yield f"  {path:44} {before}" + (f" -> {after}" if before != after else "")
