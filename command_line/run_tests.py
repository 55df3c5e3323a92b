"""``rmqspec test``: lint, types and tests; arguments go to pytest."""

from __future__ import annotations

import subprocess
import sys
import tempfile

import click

from properties.generated_text import ROOT

CHECKS = (
    ("lint", ["ruff", "check", "."]),
    ("format", ["ruff", "format", "--check", "."]),
)
TYPES = ["mypy"]
"""Beside the tests: it works on one core while they begin."""

PARALLEL = ["--numprocesses", "auto", "--dist", "loadgroup"]
"""All tests on all cores, in the groups that ``tests/conftest.py`` makes."""

EPILOG = """\b
Examples:
  rmqspec test                       # lint, types, all tests but the nightly ones
  rmqspec test -k timeline -x        # only pytest, with these arguments
  rmqspec test -m nightly            # the long ones

Exit codes: 0 all passed, 1 something failed.
"""


@click.command(
    name="test",
    epilog=EPILOG,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> int:
    """Run the tests; without arguments also lint and type checks."""
    if arguments:
        return run_pytest(list(arguments))
    failures = 0
    for name, words in CHECKS:
        click.echo(f"{name}: {' '.join(words)}")
        failures += bool(run([sys.executable, "-m", *words]))
    with tempfile.TemporaryFile("w+") as told:
        words = [sys.executable, "-m", *TYPES]
        with subprocess.Popen(words, cwd=ROOT, stdout=told, stderr=subprocess.STDOUT) as types:
            failures += run_pytest(PARALLEL)
        told.seek(0)
        click.echo(f"types: {' '.join(TYPES)}\n{told.read()}", nl=False)
    return 1 if failures or types.returncode else 0


def run_pytest(arguments: list[str]) -> int:
    """Run pytest in the project's root; 0 when all passed, else 1."""
    return 1 if run([sys.executable, "-m", "pytest", *arguments]) else 0


def run(words: list[str]) -> int:
    """Run one command in the project's root; its exit code."""
    sys.stdout.flush()
    return subprocess.run(words, cwd=ROOT, check=False).returncode
