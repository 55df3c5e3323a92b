"""The verbs, and how every failure becomes one line and an exit code."""

from __future__ import annotations

import importlib
import os
import signal
import sys

import click

from command_line import exit_codes
from reference import ROCKETMQ_VERSION

DEBUG = "RMQSPEC_DEBUG"
"""An environment variable: when set, failures show where they come from."""

FULL_ENVIRONMENT = (
    "start it as ./rmqspec, or install the extras: pip install -e '.[fuzz,test,docs]'"
)
"""What to do where a package is missing that only some verbs need."""

VERBS = {
    "check": ("command_line.check", "What can a broker group lose? Configuration in, table out."),
    "upgrade": ("command_line.upgrade", "What does another release change for these groups?"),
    "explain": ("command_line.explain", "Why a cell is refuted: where it was seen, each step."),
    "issues": ("command_line.issues", "Known issues as schedules: what happens, what repairs it."),
    "prove": ("command_line.prove", "Re-check every certificate, or search them anew."),
    "judges": ("command_line.judges", "What do five engines say of the same cells?"),
    "mutants": ("command_line.mutants", "Which checks find a small mistake in a rule?"),
    "fuzz": ("command_line.fuzz", "Run millions of random failure schedules on Spark."),
    "replay": ("command_line.replay", "Replay one schedule of a campaign and draw it."),
    "trace": ("command_line.trace", "Explain recordings of real brokers by the model."),
    "pull": ("command_line.pull", "What is answered to a pull, and where the next one goes."),
    "export": ("command_line.export", "Write vectors, traces, proofs and models for others."),
    "bench": ("command_line.bench", "Measure the reference and the kernel in one run."),
    "test": ("command_line.run_tests", "Run the tests; arguments go to pytest."),
    "docs": (
        "command_line.docs",
        "Build the book as a site; keep its text in step with the code.",
    ),
}
"""Verb -> (module whose ``command`` it is, one line for --help); imported when used."""


class Verbs(click.Group):
    """Loads a verb's module only when it is called, so that --help and check start at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs in the order of use."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a verb, or None for an unknown one."""
        if cmd_name not in VERBS:
            return None
        command: click.Command = importlib.import_module(VERBS[cmd_name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of verbs without importing them."""
        with formatter.section("Verbs"):
            formatter.write_dl([(verb, text) for verb, (_, text) in VERBS.items()])


@click.group(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 analysed, 1 refuted or rejected, 2 undecided, 3 bad input, "
    "4 missing prerequisite, 70 internal disagreement, 130 interrupted.",
)
@click.version_option("0.1.0", message=f"rmqspec %(version)s, model of RocketMQ {ROCKETMQ_VERSION}")
def group() -> None:
    """Tell what a RocketMQ 4.4.0 master/slave group can lose, and after which failures."""


def main() -> None:
    """Run a verb and leave with its exit code; a failure is one line on standard error."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        code = group.main(prog_name="rmqspec", standalone_mode=False)
    except click.exceptions.Abort as problem:
        fail(str(problem) or "interrupted", exit_codes.INTERRUPTED)
    except click.exceptions.NoArgsIsHelpError as problem:
        click.echo(problem.format_message(), err=True)
        sys.exit(exit_codes.BAD_INPUT)
    except click.ClickException as problem:
        context = getattr(problem, "ctx", None)
        hint = f"; try `{context.command_path} --help`" if context else ""
        fail(problem.format_message().rstrip(".") + hint, exit_codes.BAD_INPUT)
    except KeyboardInterrupt:
        fail("interrupted", exit_codes.INTERRUPTED)
    except Exception as problem:
        if DEBUG in os.environ:
            raise
        if isinstance(problem, ModuleNotFoundError):
            fail(f"{problem}; {FULL_ENVIRONMENT}", exit_codes.MISSING_PREREQUISITE)
        code = get_exit_code(problem)
        if code is None:
            code = exit_codes.INTERNAL_DISAGREEMENT
            fail(f"defect: {type(problem).__name__}: {problem}; {DEBUG}=1 shows where", code)
        fail(str(problem), code)
    sys.exit(code or exit_codes.ANALYSED)


def get_exit_code(problem: Exception) -> int | None:
    """The exit code of a failure that is not a defect, told by its class; None for a defect."""
    name = type(problem).__name__
    if name in (
        "ConfigurationError",
        "IdentifierError",
        "CampaignError",
        "IssueError",
        "ItfError",
        "TraceError",
        "QuestionError",
        "SiteError",
    ):
        return exit_codes.BAD_INPUT
    if isinstance(problem, OSError):
        return exit_codes.BAD_INPUT
    if name in ("MissingPrerequisiteError", "MissingSpinError", "SpinError"):
        return exit_codes.MISSING_PREREQUISITE
    if name == "SolverGaveUpError":
        return exit_codes.UNDECIDED
    if name == "InternalDisagreementError":
        return exit_codes.INTERNAL_DISAGREEMENT
    return None


def fail(message: str, code: int) -> None:
    """One line on standard error, then the end."""
    click.echo("rmqspec: " + " ".join(message.split()), err=True)
    sys.exit(code)
