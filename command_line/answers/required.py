"""``check --require``: whether a guarantee holds, and if not, in which file and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click
from attrs import frozen

from command_line.output import exit_codes
from command_line.output.width import get_width
from properties.generated_text import count_steps
from properties.schedules.telling import draw_cell
from properties.verdicts.analysis import Analysis
from properties.verdicts.certified_cells import describe
from properties.verdicts.verdict import Verdict, VerdictWord


@frozen
class Required:
    """A guarantee that has to hold, and whether it does."""

    guarantee: str
    fault: str
    """A fault model; empty for all of them."""
    code: int
    """An exit code."""
    failing: tuple[tuple[str, Analysis, Verdict], ...]
    """The verdicts for which it does not hold, the refuted ones first, and the files of each."""

    @property
    def name(self) -> str:
        """As it was typed."""
        return f"{self.guarantee}:{self.fault}" if self.fault else self.guarantee


def judge(guarantee: str, fault: str, analyses: Sequence[tuple[str, Analysis]]) -> Required:
    """Whether a guarantee holds: the worst verdict decides.

    Each analysis comes with the files that it is about. A vacuous proof is not enough. Nor is a
    guarantee without any verdict, such as one about consumers in a group without slaves. A disputed
    verdict decides nothing.
    """
    cells = [
        (files, analysis, v)
        for files, analysis in analyses
        for v in analysis.verdicts
        if v.guarantee == guarantee and fault in ("", v.fault)
    ]
    refuted = [c for c in cells if c[-1].word is VerdictWord.REFUTED and not c[-1].disputed]
    others = [c for c in cells if c not in refuted and not c[-1].is_relied_on]
    if refuted:
        code = exit_codes.REFUTED
    else:
        code = exit_codes.UNDECIDED if others or not cells else exit_codes.ANALYSED
    return Required(guarantee, fault, code, (*refuted, *others))


def combine(codes: Sequence[int]) -> int:
    """One exit code: what is refuted before what is not decided."""
    if exit_codes.REFUTED in codes:
        return exit_codes.REFUTED
    return exit_codes.UNDECIDED if exit_codes.UNDECIDED in codes else exit_codes.ANALYSED


def merge_variants(variants: Sequence[Sequence[Required]]) -> tuple[Required, ...]:
    """The requirements of groups that may have either number of slaves.

    What holds with one number only is not decided.
    """
    merged = []
    for alternatives in zip(*variants, strict=True):
        worst = next((a for a in alternatives if a.code), alternatives[0])
        is_alike = len({a.code for a in alternatives}) == 1
        code = worst.code if is_alike else exit_codes.UNDECIDED
        merged.append(Required(worst.guarantee, worst.fault, code, worst.failing))
    return tuple(merged)


def describe_failure(required: Required) -> Iterator[str]:
    """The lines about a requirement that does not hold."""
    if not required.failing:
        yield f"required: {required.name}: no group here has such a verdict"
        return
    files, analysis, verdict = required.failing[0]
    word = describe(verdict, is_vacuous=verdict.is_vacuous)
    more = len(required.failing) - 1
    yield (
        f"required: {required.name}: {word} under {verdict.fault}"
        f"{f', {files}' if files else ''}{f', and {more} more' if more else ''}"
    )
    if verdict.note:
        yield f"the reason: {verdict.note}"
    if verdict.word is VerdictWord.REFUTED:
        yield f"{verdict.guarantee} breaks after {count_steps(len(verdict.schedule))}:"
        yield draw_cell(analysis.structure, verdict, get_width())


def print_failures(required: Sequence[Required]) -> None:
    """Each requirement that does not hold, on standard error."""
    for each in required:
        if each.code != exit_codes.ANALYSED:
            click.echo("\n".join(describe_failure(each)), err=True)
