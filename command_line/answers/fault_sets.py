"""``rmqspec prove --fault-sets``: the combinations of faults that each guarantee survives."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import click

from command_line.output import exit_codes
from command_line.output.progress import show_progress
from properties.generated_text import count_steps
from properties.language.world import ClaimedStructure
from properties.schedules.known_schedules import load_known_schedules
from properties.schedules.other_ends import vary_ends
from properties.verdicts.certificates import encode_schedule, get_world_folder
from properties.verdicts.fault_sets.certificates import describe, recheck_borders, save_borders
from properties.verdicts.fault_sets.search import find_borders
from properties.verdicts.findings.disputes import find_claim_disputes, say_disputed
from properties.worlds.catalogue import Tag, list_tagged
from properties.worlds.replication.world import SEARCHED_SLAVES_MAX
from properties.z3.fault_sets import Border, FaultSet, get_all_faults, make_parameters
from reference import ROCKETMQ_VERSION


def show_fault_sets(
    structures: Iterable[Any], claims: tuple[str, ...], *, is_search: bool, is_json: bool
) -> int:
    """Print which sets of faults are survived, decided again or re-checked; the exit code.

    Raises InternalDisagreementError for a certificate that does not hold.
    """
    answers: list[dict[str, Any]] = []
    chosen = [s for s in structures if s in list_tagged(Tag.FAULT_SETS)]
    if not chosen:
        raise click.BadParameter(
            f"fault sets are decided for groups of up to {SEARCHED_SLAVES_MAX} slave, without "
            "variants",
            param_hint="--fault-sets",
        )
    for structure in chosen:
        with show_progress() as progress:
            if is_search:
                borders = search_borders(structure, progress)
                save_borders({structure: borders})
            else:
                progress(f"{structure.name}: fault sets")
                borders = recheck_borders(structure)
        answers += [as_json(structure, b) for b in borders if not claims or b.guarantee in claims]
    if is_json:
        click.echo(json.dumps({"rocketmq_version": ROCKETMQ_VERSION, "borders": answers}, indent=1))
    else:
        print_fault_sets(answers)
    return exit_codes.ANALYSED


def search_borders(
    structure: ClaimedStructure,
    progress: Callable[[str], None],
    left_open: Iterable[tuple[FaultSet, str]] = (),
) -> tuple[Border, ...]:
    """The borders of a structure, decided again; by random schedules if its states are large.

    The sets of ``left_open`` are decided only by proofs and known schedules.
    """
    if structure.world.depth_limit != 0:
        schedules = load_known_schedules(get_world_folder(structure))
        return find_borders(structure, schedules, progress, left_open=left_open)
    from spark_fuzz.search.sampling import FaultSetSampler, list_known  # noqa: PLC0415

    known = list_known(structure)
    progress(f"{structure.name}, fault sets: known schedules with other ends of brokers")
    parameters = make_parameters(structure, get_all_faults(structure))
    known = [*known, *vary_ends(structure, parameters, known)]
    sampler = FaultSetSampler(structure, known)
    return find_borders(structure, known, progress, sampler.search, left_open)


def print_fault_sets(answers: list[dict[str, Any]]) -> None:
    """For each guarantee the smallest fatal sets, and what must be absent for a proof."""
    structure = ""
    for answer in answers:
        if structure != answer["structure"]:
            structure = answer["structure"]
            click.echo(f"\n{structure}")
        click.echo(f"  {answer['guarantee']}")
        for refuted in answer["refuted"]:
            faults = frozenset(refuted["faults"])
            told = f"by {describe(faults)}" if faults else "without any fault"
            click.echo(f"    refuted {told}: {count_steps(refuted['steps'])}")
        for absent in answer["proved_without"]:
            word = say_disputed(answer["disputed"]) or "proved"
            click.echo(f"    {word} without {describe(frozenset(absent))}")
        for faults in answer["undecided"]:
            click.echo(f"    undecided with {describe(frozenset(faults))}")


def as_json(structure: ClaimedStructure, border: Border) -> dict[str, Any]:
    """One border for programs."""
    return {
        "structure": structure.name,
        "guarantee": border.guarantee,
        "refuted": [
            {
                "faults": sorted(r.faults),
                "steps": len(r.schedule),
                "schedule": encode_schedule(r.schedule),
            }
            for r in border.refuted
        ],
        "proved_without": [sorted(get_all_faults(structure) - faults) for faults in border.proved],
        "undecided": [sorted(faults) for faults in border.undecided],
        "disputed": list(find_claim_disputes(structure, border.guarantee)),
    }
