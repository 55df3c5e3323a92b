"""``rmqspec replay``: one schedule of a campaign, walked by the reference and drawn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from properties.certificates import encode_schedule
from properties.judgement import (
    JudgedStep,
    find_first_violation,
    replay,
    shorten_refutation,
)
from properties.subject import get_guarantees
from properties.worlds import CLAIM_NAMES
from reference import ROCKETMQ_VERSION
from reference.timeline import draw_timeline
from spark_fuzz.campaign_store import MANIFEST, read_manifest
from spark_fuzz.schedule import (
    CampaignOptions,
    IdentifierError,
    parse_identifier,
    replay_schedule,
)

EPILOG = """\b
Examples:
  rmqspec replay SYNC_MASTER-ASYNC_FLUSH-1/2.2.2.2.2.2.2.2.2.2.2.2.2.0/64/0/7
  rmqspec replay SYNC_MASTER-ASYNC_FLUSH-1/2.2.2.2.2.2.2.2.2.2.2.2.2.0/64/0/7 \\
    --guarantee slave_is_prefix_of_master
  rmqspec replay consumer-slave_read-no_offset_check/2.2.2.2.2.2.2.2/64/0/0 \\
    --guarantee no_message_is_skipped
  rmqspec replay campaigns/seven --schedule 196
"""


@click.command(name="replay", epilog=EPILOG)
@click.argument("identifier", metavar="IDENTIFIER_OR_CAMPAIGN")
@click.option("--schedule", type=int, help="The schedule's number, when a campaign is given.")
@click.option(
    "--guarantee",
    type=click.Choice(CLAIM_NAMES),
    metavar="NAME",
    help="Stop where it is first violated, and leave out every step that it does not need.",
)
@click.option("--json", "is_json", is_flag=True, help="Print JSON for programs.")
def command(identifier: str, schedule: int | None, guarantee: str | None, is_json: bool) -> None:
    """Replay one schedule in the reference and draw its timeline."""
    options, number = find_schedule(identifier, schedule)
    steps = replay_schedule(options, number)
    if guarantee:
        steps = shorten(options, number, steps, guarantee)
    if is_json:
        click.echo(json.dumps(as_json(options, number, steps), indent=1))
        return
    click.echo(f"Model of RocketMQ {ROCKETMQ_VERSION}: {options.structure.name}.")
    click.echo(options.format_identifier(number))
    click.echo(draw_timeline((s.action, s.cluster, s.violated) for s in steps))


def find_schedule(identifier: str, schedule: int | None) -> tuple[CampaignOptions, int]:
    """Options and number from an identifier, or from a campaign's manifest and a number."""
    folder = Path(identifier)
    if not (folder / MANIFEST).exists():
        return parse_identifier(identifier)
    manifest = read_manifest(folder)
    last = manifest.schedules - 1
    if schedule is None or not 0 <= schedule <= last:
        raise IdentifierError(f"{folder} has schedules 0 to {last}; choose one with --schedule")
    return manifest.options, schedule


def shorten(
    options: CampaignOptions, number: int, steps: list[JudgedStep], guarantee: str
) -> list[JudgedStep]:
    """The schedule up to the violation, without the steps that it does not need."""
    if guarantee not in get_guarantees(options.structure):
        raise IdentifierError(f"{guarantee} is no guarantee of {options.structure.name}")
    at = find_first_violation(steps, guarantee)
    if at is None:
        raise IdentifierError(f"this schedule does not violate {guarantee}")
    actions = [s.action for s in steps[1 : at + 1] if s.action is not None]
    parameters = options.compute_circumstances(number).parameters
    minimal = shorten_refutation(guarantee, options.structure, parameters, actions)
    return list(replay(options.structure, parameters, minimal))


def as_json(options: CampaignOptions, number: int, steps: list[JudgedStep]) -> dict[str, Any]:
    """The replay for programs."""
    actions = tuple(s.action for s in steps if s.action is not None)
    return {
        "rocketmq_version": ROCKETMQ_VERSION,
        "identifier": options.format_identifier(number),
        "structure": options.structure.name,
        "schedule": encode_schedule(actions),
        "violating_steps": {
            g: find_first_violation(steps, g) for g in get_guarantees(options.structure)
        },
    }
