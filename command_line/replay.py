"""``rmqspec replay``: schedules of campaigns and files, walked by the reference and drawn."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import click
from attrs import evolve, frozen

from command_line.options.shared_options import CLAIM, describe_model
from command_line.output.batch import Batch
from command_line.output.progress import show_progress
from command_line.output.width import get_width
from properties.exports.itf import ItfError, decode_itf
from properties.language.world import ClaimedStructure
from properties.schedules.judgement import (
    JudgedStep,
    find_first_violation,
    judge,
    replay,
    shorten_refutation,
)
from properties.schedules.telling import draw_steps
from properties.verdicts.certificates import encode_schedule
from reference.language.parameters import BaseParameters
from reference.releases.versions import find_version
from spark_fuzz.campaign.guidance import find_campaign_lineage
from spark_fuzz.campaign.schedule import CampaignOptions, IdentifierError, parse_identifier
from spark_fuzz.campaign.schedule_replay import replay_whole
from spark_fuzz.campaign.store import MANIFEST, read_manifest
from spark_fuzz.kernel.ancestry import Lineage

EPILOG = """\b
Examples:
  rmqspec replay SYNC_MASTER-ASYNC_FLUSH-1/2.2.2.2.2.2.2.2.2.2.2.2.2.2.2.0/64/0/7
  rmqspec replay SYNC_MASTER-ASYNC_FLUSH-1/2.2.2.2.2.2.2.2.2.2.2.2.2.2.2.0/64/0/7 \\
    --guarantee slave_is_prefix_of_master
  rmqspec replay reading-open_slow-no_offset_check-last/2.2.2.2.2.2.2.2.2.2.2.2.2.2.2/64/0/17 \\
    --guarantee no_message_is_skipped
  rmqspec replay campaigns/seven --schedule 196
  rmqspec replay campaigns/seven/classes/01-acknowledgement_is_truthful.itf.json
  rmqspec replay traces/known_issues/slave_ahead_acknowledges.itf.json
  rmqspec replay traces/known_issues/*.itf.json --json

Exit codes: 0 replayed, 3 bad input (no such schedule, or none that violates --guarantee); every bad
one is reported, and the others are replayed.
"""

ITF_SUFFIX = ".json"


@frozen
class Replayed:
    """A schedule that was walked by the reference."""

    source: dict[str, str]
    """Where it comes from: an identifier, or a file."""
    structure: ClaimedStructure
    parameters: BaseParameters
    steps: list[JudgedStep]
    claims: tuple[str, ...]
    """The claims by which every state was judged."""


@click.command(name="replay", epilog=EPILOG)
@click.argument("identifiers", nargs=-1, required=True, metavar="IDENTIFIER_OR_CAMPAIGN_OR_FILE...")
@click.option("--schedule", type=int, help="The schedule's number, when a campaign is given.")
@click.option(
    "--guarantee",
    type=CLAIM,
    metavar="NAME",
    help="Stop where it is first violated, and leave out every step that it does not need.",
)
@click.option("--json", "is_json", is_flag=True, help="Print JSON for programs.")
def command(
    identifiers: tuple[str, ...], schedule: int | None, guarantee: str | None, is_json: bool
) -> None:
    """Replay schedules in the reference and draw their timelines.

    A file is a trace in the Informal Trace Format, as `rmqspec fuzz --classes` and `rmqspec export
    itf` write them; the claim that it names is judged too. Of several schedules, --json prints a
    list.
    """
    batch = Batch()
    told: list[dict[str, Any]] = []
    with show_progress() as progress:
        for number, identifier in enumerate(identifiers):
            progress.advance(number, len(identifiers), identifier)
            work = partial(replay_one, identifier, schedule, guarantee)
            if (replayed := batch.attempt(work)) is None:
                continue
            if is_json:
                told.append(as_json(replayed))
            else:
                print_replayed(replayed)
    if told:
        click.echo(json.dumps(told[0] if len(identifiers) == 1 else told, indent=1))
    batch.finish()


def print_replayed(replayed: Replayed) -> None:
    """Where a schedule comes from, and its timeline."""
    click.echo(f"{describe_model(replayed.structure)}.")
    click.echo("".join(replayed.source.values()))
    click.echo(draw_steps(replayed.steps, get_width()))


def replay_one(identifier: str, schedule: int | None, guarantee: str | None) -> Replayed:
    """One schedule, shortened for a guarantee if one is named. Raises IdentifierError, ItfError."""
    is_file = identifier.endswith(ITF_SUFFIX)
    replayed = replay_file(Path(identifier)) if is_file else replay_identified(identifier, schedule)
    return shorten(replayed, guarantee) if guarantee else replayed


def replay_file(path: Path) -> Replayed:
    """The schedule of a trace. Raises ItfError for a file that is none, OSError for none at all."""
    try:
        trace = decode_itf(json.loads(path.read_text()))
    except (ItfError, ValueError, RecursionError) as problem:
        raise ItfError(f"{path}: {problem}") from problem
    claims = list_judged(trace.structure, trace.guarantee)
    steps = list(replay(trace.structure, trace.parameters, trace.schedule, claims))
    return Replayed({"file": str(path)}, trace.structure, trace.parameters, steps, claims)


def list_judged(structure: ClaimedStructure, claim: str | None) -> tuple[str, ...]:
    """The guarantees of a structure, and one claim more, which may be of convergence."""
    asked = () if claim is None else (claim,)
    return tuple(dict.fromkeys((*structure.world.judged, *asked)))


def replay_identified(identifier: str, schedule: int | None) -> Replayed:
    """The schedule of an identifier, or of a campaign and a number. Raises IdentifierError."""
    options, lineage = find_schedule(identifier, schedule)
    parameters = options.compute_environment(lineage).parameters
    source = {"identifier": options.format_identifier(lineage)}
    steps = replay_whole(options, lineage).steps
    claims = list_judged(options.structure, None)
    return Replayed(source, options.structure, parameters, steps, claims)


def find_schedule(identifier: str, schedule: int | None) -> tuple[CampaignOptions, Lineage]:
    """Options and lineage from an identifier, or from a campaign's manifest and a number."""
    folder = Path(identifier)
    if not (folder / MANIFEST).exists():
        return parse_identifier(identifier)
    manifest = read_manifest(folder)
    last = manifest.schedules_in_all - 1
    if schedule is None or not 0 <= schedule <= last:
        raise IdentifierError(f"{folder} has schedules 0 to {last}; choose one with --schedule")
    return manifest.options, find_campaign_lineage(manifest, folder, schedule)


def shorten(replayed: Replayed, guarantee: str) -> Replayed:
    """The schedule up to the violation, without the steps that it does not need."""
    structure, parameters = replayed.structure, replayed.parameters
    if guarantee not in {**structure.world.claims, **structure.world.part_claims}:
        raise IdentifierError(f"{guarantee} is no guarantee of {structure.name}")
    at = next((s.index for s in replayed.steps if judge(s.cluster, (guarantee,))), None)
    if at is None:
        raise IdentifierError(f"this schedule does not violate {guarantee}")
    actions = [s.action for s in replayed.steps[1 : at + 1] if s.action is not None]
    minimal = shorten_refutation(guarantee, structure, parameters, actions)
    claims = list_judged(structure, guarantee)
    steps = list(replay(structure, parameters, minimal, claims))
    return evolve(replayed, steps=steps, claims=claims)


def as_json(replayed: Replayed) -> dict[str, Any]:
    """The replay for programs."""
    actions = tuple(s.action for s in replayed.steps if s.action is not None)
    return {
        "rocketmq_version": find_version(replayed.structure.variants).name,
        **replayed.source,
        "structure": replayed.structure.name,
        "schedule": encode_schedule(actions),
        "violating_steps": {
            name: find_first_violation(replayed.steps, name) for name in replayed.claims
        },
    }
