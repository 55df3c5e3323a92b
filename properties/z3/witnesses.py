"""What must be reachable in a structure, lest a check that mentions it say nothing."""

from __future__ import annotations

from typing import Any, cast

from properties.worlds import find_world
from reference.language.machine import RecordedInstance, record_machine, record_predicate
from reference.language.operators import all_of
from reference.language.terms import Term


def compute_questions(structure: Any) -> dict[str, Term]:
    """Everything that should be reachable in a structure, by a readable name."""
    questions = {f"rule {r.instance.name}": _enabled(r) for r in record_machine(structure)}
    for g in find_world(structure).claims.values():
        if g.premise is not None:
            questions[f"premise of {g.name}"] = record_predicate(structure, g.premise)
    for w in find_world(structure).witnesses.values():
        questions[f"witness {w.name}"] = record_predicate(structure, w.predicate)
    return {n: t for n, t in questions.items() if t.operator != "constant"}


def _enabled(recorded: RecordedInstance) -> Term:
    conditions: Any = all_of(*cast(Any, recorded.conditions.values()))
    return cast(Term, conditions)
