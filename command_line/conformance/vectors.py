"""Vectors asked of a driver: counts of each set, each difference, and the exit code."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from command_line.output import exit_codes
from command_line.output.progress import show_progress
from properties.vectors.archive import ArchiveError, read_archive
from properties.vectors.differences import ABSENT
from properties.vectors.run import TIMEOUT_SECONDS, Run, SetResult, run_vectors
from reference import ROCKETMQ_VERSION

SHOWN = 20
"""Differences that are printed of each set."""


def run(  # noqa: PLR0913
    archive: Path,
    driver: str,
    *,
    release: str = ROCKETMQ_VERSION,
    sets: Sequence[str] = (),
    timeout_seconds: float = TIMEOUT_SECONDS,
    shown: int = SHOWN,
    is_json: bool = False,
) -> int:
    """Ask a driver the vectors of a release, print what differs, and give the exit code.

    ANALYSED: all answers are the expected ones, at least one. REFUTED: one is not. UNDECIDED:
    nothing was answered. BAD_INPUT: the archive or the driver cannot be used; the driver may have
    answered until then. Raises click.BadParameter for an archive that cannot be read, or that has
    no such release or set.
    """
    try:
        with show_progress() as progress:
            progress(f"reading {archive}")
            found = read_archive(archive)

            def tell(done: int, total: int, name: str) -> None:
                progress.advance(done, total, f"vectors: {name}")

            result = run_vectors(
                found, driver, release, names=sets, timeout_seconds=timeout_seconds, tell=tell
            )
    except ArchiveError as problem:
        raise click.BadParameter(str(problem)) from problem
    click.echo(render_json(result) if is_json else render(result, shown))
    if result.problem:
        click.echo(f"{result.problem}", err=True)
    return find_exit_code(result)


def find_exit_code(run: Run) -> int:
    """The exit code of a run."""
    if run.problem:
        return exit_codes.BAD_INPUT
    if run.different:
        return exit_codes.REFUTED
    return exit_codes.ANALYSED if run.answered else exit_codes.UNDECIDED


def render(run: Run, shown: int) -> str:
    """A line for each set, then one for each difference, then the sum."""
    named = f"{run.driver}: " if run.driver else ""
    lines = [f"{named}vectors of RocketMQ {run.release}"]
    for each in run.sets:
        if run.problem and not each.asked:
            continue
        lines.append(describe_set(each))
        lines += [f"  {difference.describe()}" for difference in each.differences[:shown]]
        left = len(each.differences) - shown
        lines += [f"  and {left} more fields"] if left > 0 else []
    lines.append(describe_sum(run))
    return "\n".join(lines)


def describe_set(result: SetResult) -> str:
    """For example ``log: 968 questions, 960 alike, 8 different``."""
    text = f"{result.name}: {result.total} questions, {result.alike} alike"
    text += f", {result.different} different"
    text += f", {result.unsupported} unsupported" if result.unsupported else ""
    left = result.total - result.asked
    return f"{text}, {left} not asked" if left else text


def describe_sum(run: Run) -> str:
    """One sentence."""
    if run.problem:
        return f"ended early after {run.answered} answers"
    if not run.answered:
        return "undecided: the driver answered no question"
    if run.different:
        return f"{run.different} of {run.answered} answers differ"
    return f"all {run.answered} answers are the expected ones"


def show(value: object) -> object:
    """A value as JSON; one that is not there as an object with ``absent``."""
    return {"absent": True} if value is ABSENT else value


def render_json(run: Run) -> str:
    """The run for programs."""
    told = {
        "rocketmq": run.release,
        "driver": run.driver,
        "problem": run.problem or None,
        "sets": [
            {
                "set": each.name,
                "questions": each.total,
                "alike": each.alike,
                "different": each.different,
                "unsupported": each.unsupported,
                "differences": [
                    {
                        "id": d.question,
                        "field": d.field,
                        "expected": show(d.expected),
                        "given": show(d.given),
                        "rule": d.rule,
                        "section": d.section,
                    }
                    for d in each.differences
                ],
            }
            for each in run.sets
        ],
    }
    return json.dumps(told, indent=1, ensure_ascii=False)
