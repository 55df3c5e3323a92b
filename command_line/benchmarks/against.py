"""``rmqspec bench --against``: another commit, in a work tree of its own, measured in turns.

The result of two commits: their ratio, and whether it exceeds the noise.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
from attrs import frozen

from command_line.benchmarks import probe
from command_line.output.interruption import raised_when_interrupted
from properties.checkout import ROOT
from spark_fuzz.campaign.java import MissingPrerequisiteError


@frozen
class Comparison:
    """One engine of two commits, measured once a round each."""

    engine: str
    before: Sequence[float]
    """Judged steps per second of processor time of the other commit, round by round; two at
    least."""
    after: Sequence[float]
    """Those of this commit, round by round."""

    @property
    def ratios(self) -> list[float]:
        """This commit to the other one, round by round: both were measured close together."""
        return [after / before for before, after in zip(self.before, self.after, strict=True)]

    @property
    def ratio(self) -> float:
        """The middle one of the rounds."""
        return statistics.median(self.ratios)

    @property
    def noise(self) -> float:
        """A factor, 1 or more: how far a commit was from itself in the next round, at most."""
        return max(
            max(one, other) / min(one, other)
            for measured in (self.before, self.after)
            for one, other in pairwise(measured)
        )

    @property
    def is_beyond_noise(self) -> bool:
        """Whether the two commits are further apart than a commit was ever from itself."""
        return max(self.ratio, 1 / self.ratio) > self.noise


def compare(
    before: Sequence[dict[str, float]], after: Sequence[dict[str, float]]
) -> list[Comparison]:
    """A comparison for each engine, of the rates of each round."""
    return [
        Comparison(engine, [r[engine] for r in before], [r[engine] for r in after])
        for engine in before[0]
    ]


def print_comparison(comparison: Comparison, names: tuple[str, str]) -> None:
    """Both commits' figures, their ratio, and whether it exceeds the noise."""
    click.echo(f"{comparison.engine}:")
    width = max(map(len, names))
    for name, rates in zip(names, (comparison.before, comparison.after), strict=True):
        click.echo(
            f"  {name:{width}}  lowest {min(rates):12,.0f}   "
            f"median {statistics.median(rates):12,.0f}   highest {max(rates):12,.0f}"
        )
    low, high = min(comparison.ratios), max(comparison.ratios)
    click.echo(
        f"  ratio {comparison.ratio:.3f} (rounds: {low:.3f} to {high:.3f}); "
        f"a commit against itself: up to factor {comparison.noise:.3f}.\n  The difference "
        + ("exceeds" if comparison.is_beyond_noise else "does not exceed")
        + " this noise."
    )


def comparison_as_json(comparison: Comparison) -> dict[str, Any]:
    """A comparison for programs."""
    return {
        "engine": comparison.engine,
        "before": list(comparison.before),
        "after": list(comparison.after),
        "ratios": comparison.ratios,
        "ratio": comparison.ratio,
        "noise": comparison.noise,
        "is_beyond_noise": comparison.is_beyond_noise,
    }


@frozen
class Tree:
    """A commit, checked out."""

    name: str
    """Its name in the output."""
    folder: Path


def measure_against(
    commit: str, given: Mapping[str, Any], rounds: int, line: Callable[[str], None]
) -> tuple[tuple[str, str], list[Comparison]]:
    """The names of the other commit and of this one, and a comparison for each engine.

    Raises click.ClickException for a commit or a checkout that cannot be compared, and
    MissingPrerequisiteError without git.
    """
    other = find_commit(commit)
    this = Tree(f"{find_commit('HEAD')} (HEAD)", ROOT)
    check_is_clean()
    line(f"{other}: checking out")
    with checked_out(other) as tree:
        for each in (this, tree):
            line(f"{each.name}: compiling the kernel")
            measure_tree(each, given)
        return (tree.name, this.name), measure_in_turns(tree, this, given, rounds, line)


def measure_in_turns(
    before: Tree, after: Tree, given: Mapping[str, Any], rounds: int, line: Callable[[str], None]
) -> list[Comparison]:
    """Two processes a round, in the order A B, B A, A B and so on: no drift prefers one."""
    rates: dict[Tree, list[dict[str, float]]] = {before: [], after: []}
    for number in range(rounds):
        for tree in (before, after) if number % 2 == 0 else (after, before):
            line(f"round {number + 1} of {rounds}: {tree.name}")
            rates[tree].append(measure_tree(tree, given))
    return compare(rates[before], rates[after])


def measure_tree(tree: Tree, given: Mapping[str, Any]) -> dict[str, float]:
    """Engine -> judged steps per second of processor time, in a process of its own.

    Raises click.ClickException for a commit that has not what the measurement calls.
    """
    words = [sys.executable, "-P", probe.__file__, str(tree.folder), json.dumps(dict(given))]
    environment = {**os.environ, "PYTHONPATH": str(tree.folder)}
    result = subprocess.run(
        words, capture_output=True, text=True, check=False, cwd=tree.folder, env=environment
    )
    if result.returncode:
        reason = (result.stderr.strip().splitlines() or ["it says nothing"])[-1]
        raise click.ClickException(f"{tree.name} cannot be measured: {reason}")
    rates: dict[str, float] = json.loads(result.stdout)
    return rates


@contextmanager
def checked_out(commit: str) -> Iterator[Tree]:
    """A work tree of a commit in a temporary folder, both removed in any case."""
    with raised_when_interrupted(), tempfile.TemporaryDirectory(prefix="rmqspec-bench-") as parent:
        folder = Path(parent).resolve() / "tree"
        try:
            added = run_git("worktree", "add", "--quiet", "--detach", str(folder), commit)
            if added.returncode:
                raise click.ClickException(f"{commit} cannot be checked out: {read_reason(added)}")
            yield Tree(commit, folder)
        finally:
            # Git forgets a tree that is gone, and refuses one that was only begun.
            shutil.rmtree(folder, ignore_errors=True)
            run_git("worktree", "remove", "--force", "--force", str(folder))


def find_commit(name: str) -> str:
    """The short hash of a commit. Raises click.ClickException, MissingPrerequisiteError."""
    top = run_git("rev-parse", "--show-toplevel")
    if top.returncode:
        raise click.ClickException(
            f"{ROOT} is no git checkout, so there is no other commit: {read_reason(top)}"
        )
    if Path(top.stdout.strip()).resolve() != ROOT.resolve():
        raise click.ClickException(f"{ROOT} is no git checkout, so there is no other commit")
    found = run_git("rev-parse", "--verify", "--short", "--end-of-options", f"{name}^{{commit}}")
    if found.returncode:
        raise click.ClickException(f"{name!r} is no commit of {ROOT}; `git log` lists them")
    return found.stdout.strip()


def check_is_clean() -> None:
    """Raise click.ClickException if the files are not those of the named commit."""
    status = run_git("status", "--porcelain", "--untracked-files=no")
    changed = [text[3:] for text in status.stdout.splitlines()]
    if changed:
        count = "1 file has" if len(changed) == 1 else f"{len(changed)} files have"
        raise click.ClickException(
            f"{count} changes: {changed[0]}; commit first, so that what is measured is a commit"
        )


def run_git(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Git in this project. Raises MissingPrerequisiteError."""
    try:
        return subprocess.run(
            ["git", *arguments], capture_output=True, text=True, check=False, cwd=ROOT
        )
    except FileNotFoundError as problem:
        raise MissingPrerequisiteError(
            "git compares commits, and is missing; install it, for example: apt-get install git"
        ) from problem


def read_reason(result: subprocess.CompletedProcess[str]) -> str:
    """The first line of git's error message."""
    return (result.stderr.strip().splitlines() or ["git gives no reason"])[0]
