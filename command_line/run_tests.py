"""``rmqspec test``: lint, types and tests; arguments go to pytest."""

from __future__ import annotations

import codecs
import os
import subprocess
import sys
import tempfile

import click

from command_line.output.checkout import check_is_checkout
from command_line.output.progress import pause_progress, show_progress
from properties.checkout import ROOT

CHECKS = (
    ("lint", ["ruff", "check", "."]),
    ("format", ["ruff", "format", "--check", "."]),
)
TYPES = ["mypy"]
"""Beside the tests: it works on one core while they begin."""

CHUNK_BYTES = 65_536

PARALLEL = ["--numprocesses", "auto", "--dist", "loadgroup"]
"""All tests on all cores, in the groups that ``tests/conftest.py`` makes."""

IN_TURNS = ["--dear-turn", "auto"]
"""Of the tests that take long, those whose turn it is with this commit."""

SLICED = ["-m", "nightly", "--numprocesses", "auto", "--dist", "worksteal"]
"""The tests of a slice are of few files, so those of one file are shared out."""

EPILOG = """\b
Examples:
  rmqspec test                       # lint, types, tests; of those that take long a twentieth
  rmqspec test --every-turn          # the same with all that take long, except the nightly ones
  rmqspec test -k timeline -x        # only pytest, with these arguments
  rmqspec test -m nightly            # the long ones
  rmqspec test --nightly-slice       # about a minute of the long ones: the slice of this commit
  rmqspec test --nightly-slice 7     # that slice; with --collect-only it is listed

Exit codes: 0 all passed, 1 something failed, 4 missing prerequisite (a checkout).
"""


@click.command(
    name="test",
    epilog=EPILOG,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.option(
    "--nightly-slice",
    is_flag=False,
    flag_value="auto",
    metavar="[N|auto]",
    help="Run one slice of the nightly tests: this one, or the one whose turn it is.",
)
@click.option("--every-turn", is_flag=True, help="Leave no test that takes long to another turn.")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(nightly_slice: str | None, every_turn: bool, arguments: tuple[str, ...]) -> int:
    """Run the tests; without arguments also lint and type checks.

    Some 580 test functions take half a second or more, and most of the time. Each of their
    tests is run with every twentieth commit.
    """
    check_is_checkout("test")
    if nightly_slice is not None:
        return run_pytest([*SLICED, f"--nightly-slice={nightly_slice}", *arguments])
    if arguments:
        return run_pytest(list(arguments))
    failures = 0
    for name, words in CHECKS:
        click.echo(f"{name}: {' '.join(words)}")
        failures += bool(run([sys.executable, "-m", *words]))
    with tempfile.TemporaryFile("w+") as told:
        words = [sys.executable, "-m", *TYPES]
        with subprocess.Popen(words, cwd=ROOT, stdout=told, stderr=subprocess.STDOUT) as types:
            failures += run_pytest([*PARALLEL, *([] if every_turn else IN_TURNS)])
            with show_progress() as progress:
                progress("types: mypy")
                types.wait()
        told.seek(0)
        click.echo(f"types: {' '.join(TYPES)}\n{told.read()}", nl=False)
    return 1 if failures or types.returncode else 0


def run_pytest(arguments: list[str]) -> int:
    """Run pytest in the project's root; 0 when all passed, else 1."""
    return 1 if run([sys.executable, "-m", "pytest", *arguments]) else 0


def run(words: list[str]) -> int:
    """Run one command in the project's root; its exit code.

    On a terminal the command shows its own progress. Elsewhere its output is passed on, with lines
    of progress while it is silent.
    """
    sys.stdout.flush()
    with show_progress() as progress:
        if progress.is_watched:
            with pause_progress():
                return subprocess.run(words, cwd=ROOT, check=False).returncode
        progress(" ".join(words[words.index("-m") + 1 :]))
        return relay(words)


def relay(words: list[str]) -> int:
    """Run one command in the project's root, and pass its output on as it comes; its exit code."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        while chunk := os.read(process.stdout.fileno(), CHUNK_BYTES):
            sys.stdout.write(decoder.decode(chunk))
            sys.stdout.flush()
    return process.returncode
