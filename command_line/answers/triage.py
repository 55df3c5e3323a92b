"""Answers of ``rmqspec prove`` about lemmas, with ``--consecution`` and with ``--triage``.

Consecution has a line for each rule as it is decided, and the step that breaks a lemma; triage
reports the fate of each counterexample to induction.
"""

from __future__ import annotations

from typing import Any

import click

from command_line.options.shared_options import describe_model
from command_line.output import exit_codes
from command_line.output.progress import show_progress
from properties.language.fault_model import FaultModel
from properties.language.world import ClaimedStructure
from properties.schedules.judgement import replay
from properties.schedules.telling import draw_steps
from properties.verdicts.certificates import encode_schedule
from properties.z3.obligations import Proof, check_rules, describe_failure
from properties.z3.triage import TriagedCounterexample, TriageWord, triage
from reference.language.leaves import flatten


def print_consecution(proof: Proof) -> int:
    """Check the lemmas of a structure rule by rule; 0 when every rule preserves all of them."""
    click.echo(f"{proof.structure.name}: {len(proof.lemmas)} lemmas, rule by rule")
    obligations = broken = 0
    for row in check_rules(proof):
        click.echo(f"  {row}")
        for discharge in row.broken:
            click.echo("\n".join(f"    {line}" for line in describe_failure(proof, discharge)))
        obligations += len(row.preserved) + len(row.broken)
        broken += len(row.broken)
    click.echo(f"  {obligations} obligations, {broken} broken")
    return exit_codes.INTERNAL_DISAGREEMENT if broken else exit_codes.ANALYSED


def print_triage(structure: ClaimedStructure, fault_model: FaultModel, property_name: str) -> None:
    """Triage a property and print the answer for each rule that can break it.

    Raises KeyError for a property that does not exist.
    """
    with show_progress() as progress:
        found = triage(structure, fault_model, property_name, on_progress=progress)
    candidate = structure.world.get_candidates(structure)[property_name]
    click.echo(f"{describe_model(structure)}, {fault_model.name}.")
    click.echo(f"{property_name}: {candidate.sentence}")
    if not found:
        click.echo("No step breaks it from a state in which it holds.")
    for one in found:
        click.echo(f"\n{one.action or 'the initial state'}: {one.describe()}")
        click.echo(describe_way(structure, fault_model, one))


def describe_way(
    structure: ClaimedStructure, fault_model: FaultModel, triaged: TriagedCounterexample
) -> str:
    """The timeline of a reachable one; for another one what differs from the initial state."""
    if triaged.word is TriageWord.REACHABLE:
        steps = replay(
            structure, structure.world.make_search_parameters(fault_model), triaged.schedule
        )
        return draw_steps(steps)
    initial = flatten(structure.make_initial(structure.world.sizes.search))
    values = [f"{p}={int(v)}" for p, v in triaged.before.items() if v != initial[p]]
    return f"  from {', '.join(values) or 'the initial state'}"


def as_json(triaged: TriagedCounterexample) -> dict[str, Any]:
    """One answer for programs."""
    action = triaged.action
    return {
        "property": triaged.property_name,
        "step": encode_schedule((action,))[0] if action is not None else None,
        "answer": triaged.word.value,
        "before": dict(triaged.before),
        "schedule": encode_schedule(triaged.schedule),
        "is_same_state": triaged.is_same_state,
        "depth": triaged.depth,
        "excluded_by": list(triaged.excluded_by),
    }
