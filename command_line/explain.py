"""``rmqspec explain``: why one cell is refuted, with the schedule that refutes it, drawn."""

from __future__ import annotations

import click

from properties.certificates import CERTIFIED_BY_NAME
from properties.claims import CLAIMS
from properties.explanation import explain, load_refuted
from properties.fault_class import FAULT_CLASS_BY_NAME
from properties.prediction_page import draw_cell
from reference import ROCKETMQ_VERSION

EPILOG = """\b
Examples:
  rmqspec explain acknowledgement_is_truthful "late join"
  rmqspec explain flush_reaches_the_end "every fault" \\
    --structure "ASYNC_MASTER/SYNC_FLUSH/0 slaves"
"""


@click.command(name="explain", epilog=EPILOG)
@click.argument("claim", type=click.Choice(list(CLAIMS)), metavar="CLAIM")
@click.argument("fault", type=click.Choice(list(FAULT_CLASS_BY_NAME)), metavar="FAULT")
@click.option(
    "--structure",
    "name",
    type=click.Choice(list(CERTIFIED_BY_NAME)),
    metavar="NAME",
    default="SYNC_MASTER/ASYNC_FLUSH/1 slave",
    show_default=True,
    help="Which group.",
)
def command(claim: str, fault: str, name: str) -> None:
    """Tell why a claim fails under a fault class: what happens, where it was seen, each step."""
    structure = CERTIFIED_BY_NAME[name]
    click.echo(f"Model of RocketMQ {ROCKETMQ_VERSION}: {name}, {fault}.")
    click.echo(f"{claim}: {CLAIMS[claim].sentence}")
    for refuted, verdict in load_refuted():
        if refuted == structure and (verdict.guarantee, verdict.fault) == (claim, fault):
            found = explain(structure, verdict)
            evidence = (*found.threads, *found.recordings)
            seen = ", ".join(evidence) or "predicted, see spec/predictions.md"
            click.echo(f"{found.name}: {found.sentence} ({seen})\n")
            click.echo(draw_cell(structure, verdict))
            return
    click.echo("It is not refuted.")
