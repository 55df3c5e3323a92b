"""The system from put to consumed in ``rmqspec check --all``: a few lines for each claim."""

from __future__ import annotations

from collections.abc import Iterable

import click

from command_line.answers.long.tables import print_story
from command_line.output.width import echo, get_prose_width, wrap
from properties.scenarios.beginning import OPEN_FROM_LAST
from properties.verdicts.analysis import Analysis
from properties.verdicts.verdict import Verdict, VerdictWord

FROM_LAST = (
    "  Asked for consumer groups that begin at the last offset. Undecided here is what is proved\n"
    "  for those that begin at the first message, and --what-if\n"
    "  consumer.consumeFromWhere=CONSUME_FROM_FIRST_OFFSET answers for them."
)


def print_systems(analyses: Iterable[Analysis]) -> None:
    """Each kind of group and readers: under which faults a claim holds, is broken, or is open."""
    for analysis in analyses:
        echo(f"\nFrom put to consumed, {analysis.structure.name}:")
        if any(v.note == OPEN_FROM_LAST for v in analysis.verdicts):
            echo(FROM_LAST)
        for name, claim in analysis.structure.world.claims.items():
            cells = [v for v in analysis.verdicts if v.guarantee == name]
            told = f"{claim.sentence.replace('``', '')} ({name}) {tell_cells(cells)}"
            click.echo("\n".join(wrap(told, get_prose_width(), "  ", "    ")))
        example = next(v for v in analysis.verdicts if v.word is VerdictWord.REFUTED)
        cell = f'{example.guarantee} "{example.fault}" --structure "{analysis.structure.name}"'
        print_story(cell)


def tell_cells(cells: Iterable[Verdict]) -> str:
    """The fault models under which a claim is broken, open, or holds.

    Those under which nothing can happen that it speaks of are left out.
    """
    columns: dict[str, list[str]] = {"Broken under": [], "Undecided under": [], "Holds under": []}
    heads = {VerdictWord.REFUTED: "Broken under", VerdictWord.PROVED: "Holds under"}
    for cell in cells:
        if not cell.is_vacuous:
            columns[heads.get(cell.word, "Undecided under")].append(cell.fault)
    return " ".join(f"{head} {'; '.join(names)}." for head, names in columns.items() if names)
