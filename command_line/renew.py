"""``rmqspec renew``: everything that is computed from the rules, made again where it is stale."""

from __future__ import annotations

import fcntl
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import click

from command_line.output import exit_codes
from command_line.output.checkout import check_is_checkout
from command_line.output.interruption import say_when_interrupted
from command_line.output.progress import show_progress
from command_line.renewal.artefact import Artefact, Need
from command_line.renewal.walk import (
    FAILED,
    RenewalOutcome,
    Word,
    count_cores,
    look_at_all,
    renew_all,
    select,
)
from properties.checkout import ROOT

LOCK = ROOT / ".rmqspec" / "renew.lock"

EPILOG = """\b
Examples:
  rmqspec renew --plan                 # what is stale, and how long it takes
  rmqspec renew                        # make all of it again
  rmqspec renew --for answers          # only what check, explain and upgrade need
  rmqspec renew "witnesses of SYNC_MASTER/ASYNC_FLUSH/1 slave"
  rmqspec renew --accept               # also write verdicts that have changed
  rmqspec renew --check                # leave with 1 if anything is stale

Exit codes: 0 all is current, 1 something is stale or could not be renewed, 3 bad input or another
renew is at work, 4 missing prerequisite (a checkout).
"""


@click.command(name="renew", epilog=EPILOG)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--plan", "is_plan", is_flag=True, help="Only say what is stale; leave with 0.")
@click.option(
    "--check", "is_check", is_flag=True, help="Only say what is stale; leave with 1 then."
)
@click.option("--accept", "is_accepting", is_flag=True, help="Write verdicts that have changed.")
@click.option(
    "--for",
    "need",
    type=click.Choice([need.value for need in Need]),
    help="Only what these need, and what that needs.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=0),
    default=0,
    help="So many processes. Default: one per core.",
)
@click.option("--json", "is_json", is_flag=True, help="For programs.")
def command(  # noqa: PLR0913, PLR0917
    names: tuple[str, ...],
    is_plan: bool,
    is_check: bool,
    is_accepting: bool,
    need: str | None,
    jobs: int,
    is_json: bool,
) -> int:
    """Make again what was computed from rules, claims or pages that have changed.

    This verb needs a checkout of the project.

    Certificates, the tables computed from them and the generated parts of the book know what they
    were computed from. What is stale is made in the order of its needs, on all cores. Whatever
    fails costs only what needs it; all that could not be renewed is told at the end. An interrupted
    renewal is continued by the same command. A verdict that has changed is told, and written only
    with --accept.
    """
    from properties.verdicts.certificates import find_lemmas  # noqa: PLC0415
    from properties.z3.induction import take_certified  # noqa: PLC0415

    check_is_checkout("renew")
    if is_plan + is_check > 1 or ((is_plan or is_check) and is_accepting):
        raise click.UsageError("--plan, --check and --accept exclude each other")
    chosen = choose(names, need, is_accepting=is_accepting)
    outcomes: list[RenewalOutcome] = []
    with show_progress() as progress:
        if is_plan or is_check:
            outcomes += look_at_all(chosen, progress.advance, jobs or count_cores())
        else:
            with hold_lock(), take_certified(find_lemmas):
                say_when_interrupted(lambda: describe_interruption(outcomes))
                outcomes += renew_all(chosen, progress.advance, jobs or count_cores())
    show(outcomes, is_json=is_json, has_made=not (is_plan or is_check))
    is_right = all(outcome.word in (Word.CURRENT, Word.RENEWED) for outcome in outcomes)
    return exit_codes.ANALYSED if is_plan or is_right else 1


def describe_interruption(outcomes: Sequence[RenewalOutcome]) -> str:
    """What was made and what could not be, and how to go on."""
    made = sum(outcome.word is Word.RENEWED for outcome in outcomes)
    failed = [o.artefact.name for o in outcomes if o.word is Word.NOT_RENEWED]
    lost = f", {', '.join(failed)} could not be renewed" if failed else ""
    return f"interrupted; {made} artefacts were renewed{lost}; the same command continues"


def choose(names: Sequence[str], need: str | None, *, is_accepting: bool) -> list[Artefact]:
    """The artefacts to look at. Raises click.BadParameter for an unknown name."""
    from command_line.renewal.register import list_artefacts  # noqa: PLC0415

    every = list_artefacts(is_accepting=is_accepting)
    wanted = [a.name for a in every if is_wanted(a, need)]
    known = {each.name for each in every}
    for name in names:
        if name not in known:
            near = [each for each in sorted(known) if name.lower() in each.lower()][:3]
            hint = f"did you mean {' or '.join(map(repr, near))}?" if near else "see renew --plan"
            raise click.BadParameter(f"{name!r} is no artefact; {hint}")
    return select(every, names or wanted)


def is_wanted(artefact: Artefact, need: str | None) -> bool:
    """What was asked for needs it; measurements, which a clone lacks, only if they were named."""
    if need is None:
        return artefact.need is not Need.MEASUREMENT
    return artefact.need.value == need


@contextmanager
def hold_lock() -> Iterator[None]:
    """Inside this context no other process renews. Raises click.UsageError if one does."""
    LOCK.parent.mkdir(exist_ok=True)
    with LOCK.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as problem:
            raise click.UsageError("another renew is at work in this checkout") from problem
        yield


def show(outcomes: Sequence[RenewalOutcome], *, is_json: bool, has_made: bool) -> None:
    """What is stale or was made, then what could not be, then one line of numbers."""
    if is_json:
        click.echo(json.dumps(as_json(outcomes), indent=1))
        return
    for outcome in outcomes:
        if outcome.word in (Word.STALE, Word.RENEWED):
            click.echo(describe(outcome))
    failed = [outcome for outcome in outcomes if has_made and outcome.word in FAILED]
    if failed:
        click.echo("\nNot renewed:")
    for outcome in failed:
        click.echo(f"  {outcome.artefact.name}: {outcome.text or outcome.word.value}")
    counted = {word: sum(o.word is word for o in outcomes) for word in Word}
    told = ", ".join(f"{count} {word.value}" for word, count in counted.items() if count)
    work = sum(o.artefact.seconds for o in outcomes if o.word in (Word.STALE, Word.WAITING))
    left = f"; to make all takes one core about {max(1, round(work / 60))} min"
    click.echo(f"{len(outcomes)} artefacts: {told}{left if work and not has_made else ''}")
    sys.stdout.flush()


def describe(outcome: RenewalOutcome) -> str:
    """One line about an artefact that is stale or was made."""
    if outcome.word is Word.STALE:
        return f"stale: {outcome.artefact.name} (about {outcome.artefact.seconds:.0f} s)"
    return f"{outcome.artefact.name}: {outcome.text} ({outcome.seconds:.0f} s)"


def as_json(outcomes: Sequence[RenewalOutcome]) -> list[dict[str, Any]]:
    """Every artefact for programs."""
    return [
        {
            "name": outcome.artefact.name,
            "need": outcome.artefact.need.value,
            "word": outcome.word.value,
            "text": outcome.text,
            "seconds": round(outcome.seconds, 1),
        }
        for outcome in outcomes
    ]
