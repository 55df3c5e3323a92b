"""``rmqspec prove``: re-check every certificate, or search them anew."""

from __future__ import annotations

import json
import time
from typing import Any

import click
from attrs import evolve

from command_line import exit_codes
from command_line.progress import show_progress
from properties import certificates
from properties.certificates import encode_schedule
from properties.expectation import find_expectation
from properties.vacuity import WitnessAnswer, find_unwitnessed, save_witnesses, search_witnesses
from properties.verdict import InternalDisagreementError, Verdict, search_structure
from reference import ROCKETMQ_VERSION
from reference.structure import Parameters, Structure

STRUCTURES = certificates.CERTIFIED_BY_NAME
"""What can be asked for, by name."""

EPILOG = """\b
Examples:
  rmqspec prove                                   re-check all, in well under a minute
  rmqspec prove --structure "SYNC_MASTER/ASYNC_FLUSH/1 slave"
  rmqspec prove --search                          find lemmas and shortest schedules anew
"""


@click.command(name="prove", epilog=EPILOG)
@click.option("--search", "is_search", is_flag=True, help="Search anew and rewrite certificates.")
@click.option(
    "--structure",
    "names",
    multiple=True,
    type=click.Choice(list(STRUCTURES)),
    help="Only this structure; may be repeated.",
)
@click.option("--json", "is_json", is_flag=True, help="Print JSON for programs.")
def command(is_search: bool, names: tuple[str, ...], is_json: bool) -> int:
    """Prove and refute every cell of every structure."""
    answers: dict[str, tuple[Verdict, ...]] = {}
    if not is_json:
        click.echo(f"Model of RocketMQ {ROCKETMQ_VERSION}.")
    for name in names or STRUCTURES:
        started = time.monotonic()
        answers[name] = decide(STRUCTURES[name], is_search)
        if not is_json:
            seconds = time.monotonic() - started
            click.echo(f"{name:34} {count_words(answers[name]):44} {seconds:6.1f} s")
    if is_search and not names:
        search_all_witnesses()
    if is_json:
        click.echo(json.dumps(as_json(answers), indent=1))
    return find_worst(answers)


def search_all_witnesses() -> None:
    """Find the shortest way to every rule, premise and witness of every structure anew."""
    with show_progress() as progress:
        found: dict[Structure, tuple[WitnessAnswer, ...]] = {}
        for structure in STRUCTURES.values():
            smaller = found.get(evolve(structure, slaves=structure.slaves - 1), ())
            found[structure] = search_witnesses(structure, progress, smaller_group=smaller)
    save_witnesses(found)


def decide(structure: Structure, is_search: bool) -> tuple[Verdict, ...]:
    """Every cell of a structure, from its certificate or by a search that rewrites it."""
    with show_progress() as progress:
        if is_search:
            smaller = certificates.load_kin(structure)
            verdicts = search_structure(structure, progress, smaller_group=smaller)
            certificates.save(structure, verdicts)
            return verdicts
        check_witnesses(structure)
        document = certificates.load(structure)
        if document is None:
            raise InternalDisagreementError(
                f"the certificate of {structure.name} is missing or was made from other rules; "
                "run `./rmqspec prove --search`"
            )
        return certificates.recheck(structure, Parameters(), document, progress)


def check_witnesses(structure: Structure) -> None:
    """Everything that should be reachable is reached. Raises InternalDisagreementError."""
    missing = find_unwitnessed(structure)
    if missing:
        raise InternalDisagreementError(
            f"{structure.name}: nothing shows that {missing[0]} is reachable; "
            "run `./rmqspec prove --search`"
        )


def find_worst(answers: dict[str, tuple[Verdict, ...]]) -> int:
    """0 when every cell is as expected, else 70: the model and its expectation disagree."""
    for name, verdicts in answers.items():
        for v in verdicts:
            expected = find_expectation(v.guarantee, STRUCTURES[name], v.fault)
            if v.word is not expected.verdict:
                click.echo(
                    f"{name}, {v.fault}: {v.guarantee} is {v.word.value}, "
                    f"expected {expected.verdict.value}",
                    err=True,
                )
                return exit_codes.INTERNAL_DISAGREEMENT
    return exit_codes.ANALYSED


def count_words(verdicts: tuple[Verdict, ...]) -> str:
    """For example ``29 proved, 13 refuted``."""
    words = [v.word.value + (" vacuously" if v.is_vacuous else "") for v in verdicts]
    return ", ".join(f"{words.count(w)} {w}" for w in sorted(set(words)))


def as_json(answers: dict[str, tuple[Verdict, ...]]) -> dict[str, Any]:
    """Every cell of every structure for programs."""
    return {
        "rocketmq_version": ROCKETMQ_VERSION,
        "structures": [
            {
                "structure": name,
                "verdicts": [
                    {
                        "guarantee": v.guarantee,
                        "fault": v.fault,
                        "verdict": v.word.value,
                        "steps": v.steps,
                        "schedule": encode_schedule(v.schedule) if v.schedule else None,
                        "is_vacuous": v.is_vacuous,
                        "lemmas": list(v.lemmas),
                        "depth": v.depth,
                    }
                    for v in verdicts
                ],
            }
            for name, verdicts in answers.items()
        ],
    }
