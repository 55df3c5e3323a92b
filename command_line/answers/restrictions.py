"""``rmqspec prove --restrictions``: the proofs that depend on each restriction."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import click

from command_line.answers.short.shown import say_unweighed
from command_line.output import exit_codes
from command_line.output.progress import show_progress
from command_line.output.width import echo
from command_line.output.workers import run_all
from properties.checkout import name_page
from properties.language.world import ClaimedStructure
from properties.restrictions.evidence import find_unevidenced, is_table_current
from properties.restrictions.results import (
    RestrictionResult,
    judge_structure,
    load_judged,
    make_disagreement,
    save_judged,
)
from properties.verdicts.verdict import InternalDisagreementError, Verdict, VerdictWord
from properties.worlds.catalogue import Tag, list_tagged
from properties.worlds.replication.world import SEARCHED_SLAVES_MAX
from reference import ROCKETMQ_VERSION


def show_restrictions(
    structures: Iterable[Any], *, is_search: bool, is_json: bool, jobs: int
) -> int:
    """Judge every restriction again, compare with what is stored or store it; the exit code.

    A search leaves out the structures whose answers are those of today's rules, so it continues
    after an interruption. Raises InternalDisagreementError for an answer that is stored otherwise.
    """
    chosen = [s for s in structures if s in list_tagged(Tag.SMALL)]
    if not chosen:
        raise click.BadParameter(
            f"restrictions are judged in groups of up to {SEARCHED_SLAVES_MAX} slave, without "
            "variants",
            param_hint="--restrictions",
        )
    found: dict[Any, tuple[RestrictionResult, ...]] = {}
    if is_search:
        found = {s: stored for s in chosen if (stored := find_judged(s))}
    with show_progress() as progress:
        asked = [s for s in chosen if s not in found]
        for structure, judged in run_all(judge_structure, asked, progress, jobs):
            found[structure] = judged
            if is_search:
                save_judged(structure, judged)
            elif judged != load_judged(structure):
                raise make_disagreement(structure, "some answers are stored otherwise")
    answers = [as_json(s, found[s]) for s in chosen]
    if is_json:
        document = {"rocketmq_version": ROCKETMQ_VERSION, "structures": answers}
        click.echo(json.dumps(document, indent=1))
    else:
        print_restrictions(answers)
    return exit_codes.ANALYSED


def find_judged(structure: ClaimedStructure) -> tuple[RestrictionResult, ...]:
    """What is stored of a structure with today's rules; empty where nothing is."""
    try:
        return load_judged(structure)
    except InternalDisagreementError:
        return ()


def print_restrictions(answers: list[dict[str, Any]]) -> None:
    """The load-bearing restrictions of each structure, those with most verdicts first."""
    for answer in answers:
        bearing = answer["load_bearing"]
        click.echo(f"\n{answer['structure']}: {len(bearing)} of {answer['restrictions']} carry")
        for entry in sorted(bearing, key=lambda e: -count_cells(e["cells"])):
            by_one = count_cells(entry["cells_by_one"])
            click.echo(
                f"  {entry['restriction']}: {count_cells(entry['cells'])} verdicts, "
                f"{by_one} of them when it is moved by one"
            )


def count_cells(cells: dict[str, list[str]]) -> int:
    """The number of verdicts of all claims."""
    return sum(map(len, cells.values()))


def as_json(structure: ClaimedStructure, judged: tuple[RestrictionResult, ...]) -> dict[str, Any]:
    """One structure for programs."""
    return {
        "structure": structure.name,
        "restrictions": len(judged),
        "load_bearing": [
            {
                "restriction": j.restriction,
                "cells": {claim: list(c) for claim, c in j.entirely.cells.items()},
                "cells_by_one": {claim: list(c) for claim, c in j.by_one.cells.items()},
                "gave_up": sorted({*j.entirely.gave_up, *j.by_one.gave_up}),
            }
            for j in judged
            if j.is_load_bearing
        ],
    }


def find_resting(structure: ClaimedStructure, verdict: Verdict) -> list[str] | None:
    """The restrictions on which a proof rests by reading alone.

    None if that was never computed, or if the verdict is not proved.
    """
    if verdict.word is not VerdictWord.PROVED:
        return None
    found = find_unevidenced(structure, verdict.guarantee, verdict.fault)
    return None if found is None else list(found)


def print_resting(structure: ClaimedStructure, verdicts: Iterable[Verdict]) -> None:
    """One line below a table, if some proofs rest on behaviour that was never observed.

    Or if that is unknown, because the table of restrictions is missing or stale.
    """
    if not is_table_current(structure):
        echo(f"  {say_unweighed(sum(v.word is VerdictWord.PROVED for v in verdicts))}")
    elif count := sum(bool(find_resting(structure, v)) for v in verdicts):
        page = name_page("restrictions.md")
        told = "1 proof rests" if count == 1 else f"{count} proofs rest"
        echo(f"  {told} on reading; --json or {page} lists what")
