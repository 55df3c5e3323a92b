"""Consecution printed: a line for each rule as it is decided, and the step that breaks a lemma."""

from __future__ import annotations

import click

from command_line.output import exit_codes
from properties.z3.consecution import check_rules, describe_failure
from properties.z3.obligations import Proof


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
